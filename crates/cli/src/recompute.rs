//! Estimates follow from raw samples to the last bit: this computes them again and finds where a file says otherwise.

use opfs_bench_core::estimate::estimate;
use opfs_bench_core::protocol;
use opfs_bench_core::result::RunResult;
use serde_json::Value;

/// Computes the estimates of every record again from its raw samples. Returns the result with those in place of what stood in it, and a
/// line for each record where a bit differed. A result of another protocol, whose estimates follow from other rules, stays as it is.
#[must_use]
pub fn checked(mut result: RunResult) -> (RunResult, Vec<String>) {
    let mut differences = Vec::new();
    if result.protocol != protocol::NUMBER {
        return (result, differences);
    }
    let seed = result.seed;
    let groups = result.groups.iter_mut().map(|group| ("group", group));
    let superseded = result.superseded.iter_mut().map(|group| ("first attempt of group", group));
    for (kind, group) in groups.chain(superseded) {
        for (place, (record, estimates)) in ["", ", outside the browser"].into_iter().zip(group.records_mut()) {
            let computed = estimate(record, seed);
            let [stated, given] = [&*estimates, &computed].map(|of| serde_json::to_value(of).expect("estimates are plain data"));
            let difference = first_difference(&stated, &given, "");
            differences.extend(difference.map(|found| format!("{kind} {}{place}{found}", record.group.name)));
            *estimates = computed;
        }
    }
    (result, differences)
}

/// A line for each record whose estimates do not follow from its samples.
#[must_use]
pub fn differences(result: &RunResult) -> Vec<String> {
    checked(result.clone()).1
}

/// Whether a result's estimates follow from its samples; says on standard error where they do not. Those of another protocol cannot be
/// looked at, which is said too.
#[must_use]
pub fn follows(name: &str, result: &RunResult) -> bool {
    if result.protocol != protocol::NUMBER {
        crate::tell!(
            "note: {name} was measured by protocol {}, and this version knows {}: its estimates are shown as they stand there",
            result.protocol,
            protocol::NUMBER
        );
    }
    let differences = differences(result);
    for difference in &differences {
        crate::tell!("WARNING: {name} does not hold what its samples give: {difference}");
    }
    differences.is_empty()
}

/// The first place where two values differ, and what stands there: `.arms[1].ratio.log: 0.1, but its samples give 0.2`.
/// Numbers are compared as they are written, which is bit for bit.
fn first_difference(stated: &Value, computed: &Value, place: &str) -> Option<String> {
    match (stated, computed) {
        (Value::Object(a), Value::Object(b)) if a.keys().eq(b.keys()) => {
            a.iter().find_map(|(key, value)| first_difference(value, &b[key], &format!("{place}.{key}")))
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).enumerate().find_map(|(i, (a, b))| first_difference(a, b, &format!("{place}[{i}]")))
        }
        _ => {
            let [stated, computed] = [stated, computed].map(Value::to_string);
            (stated != computed).then(|| format!("{place}: {}, but its samples give {}", shortened(&stated), shortened(&computed)))
        }
    }
}

/// Lists and objects can be as long as a file.
fn shortened(value: &str) -> String {
    const LONGEST: usize = 120;
    if value.chars().count() <= LONGEST { value.to_owned() } else { value.chars().take(LONGEST).chain(['…']).collect() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_difference_of_one_bit_is_found_and_placed() {
        let stated = json!({"arms": [{"log": 0.1}, {"log": 0.3}]});
        assert_eq!(first_difference(&stated, &stated, ""), None);
        let computed = json!({"arms": [{"log": 0.1}, {"log": f64::from_bits(0.3_f64.to_bits() + 1)}]});
        let found = first_difference(&stated, &computed, "").expect("one differs");
        assert!(found.starts_with(".arms[1].log: 0.3, but"), "{found}");
        assert!(first_difference(&json!(0.0), &json!(-0.0), "").is_some());
        assert!(first_difference(&json!([1]), &json!([1, 2]), "").is_some());
        assert!(first_difference(&json!({"a": 1}), &json!({"b": 1}), "").is_some());
    }
}
