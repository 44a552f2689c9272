//! What every result must hold.

use opfs_bench_cli::recompute;
use opfs_bench_core::estimate::ArmEstimate;
use opfs_bench_core::result::{Arm, GroupResult, Outcome, Role, RunResult};

/// Fails unless the result of a finished run holds everything that its estimates follow from, and they do.
pub fn assert_complete(result: &RunResult) {
    assert_eq!(result.outcome, Outcome::Finished);
    assert_eq!(recompute::differences(result), Vec::<String>::new());
    let ticks = result.ticks.expect("a finished run measured its clocks");
    // 5 and 20 µs in isolated pages; without isolation 100 µs and more.
    assert!(result.environment.isolated && ticks.main_ns.0 <= 60_000 && ticks.worker_ns.0 <= 60_000, "{ticks:?}");
    assert!(ticks.main_ns.0 > 0 && ticks.worker_ns.0 > 0, "{ticks:?}");
    assert!(result.environment.automated);
    assert_eq!(result.groups.len(), result.job.groups.len());
    assert_eq!(result.fixtures.len(), result.job.filesets().len());
    for fixture in &result.fixtures {
        assert_eq!(fixture.checksum, fixture.read_back);
    }
    for (group, asked) in result.groups.iter().zip(&result.job.groups) {
        assert_eq!(&group.record.group, asked);
        assert_group(group);
    }
}

fn assert_group(group: &GroupResult) {
    let (record, name) = (&group.record, &group.record.group.name);
    assert_eq!(group.estimates.arms.len(), record.arms.len());
    for role in [Role::Baseline, Role::Null] {
        let arms: Vec<&Arm> = record.arms.iter().filter(|arm| arm.role == role).collect();
        assert!(arms.len() == 1 && arms[0].method == record.group.baseline, "{name}: {role:?} {arms:?}");
    }
    for method in &record.group.methods {
        assert!(record.arms.iter().any(|arm| arm.role == Role::Contender && arm.method == *method), "{name}: {method}");
    }
    assert!(record.arms.iter().any(|arm| arm.role == Role::Empty), "{name}: no empty arm");
    let counted = record.rounds.iter().filter(|round| round.dropped.is_none()).count();
    assert!(counted > 0 && counted == group.estimates.rounds, "{name}: {counted} rounds");
    for arm in &record.arms {
        if arm.absent.is_some() {
            assert!(arm.role == Role::Contender && arm.failure.is_none() && arm.n == 0 && arm.bytes == 0, "{name}: {arm:?}");
            continue;
        }
        assert!(arm.failure.is_none() && arm.n > 0 && arm.tick_ns.0 > 0, "{name}: {arm:?}");
        if matches!(arm.role, Role::Baseline | Role::Contender) {
            // The null arm is the baseline, and takes over what the baseline's pilot found.
            assert!(!arm.pilot.is_empty() && arm.first_touch_ns.is_some(), "{name}: {arm:?}");
        }
        if arm.role != Role::Empty {
            assert_eq!(arm.verifications.len(), 2, "{name}: before and after");
            for verification in &arm.verifications {
                assert!(verification.ops > 0 && verification.expected == verification.found, "{name}: {arm:?}");
            }
            assert!(arm.bytes >= counted as u64 * arm.n * record.group.op_bytes().0, "{name}: {} read {} bytes", arm.method, arm.bytes);
        }
    }
    for round in record.rounds.iter().filter(|round| round.dropped.is_none()) {
        let mut order = round.order.clone();
        order.sort_unstable();
        let here: Vec<usize> = (0..record.arms.len()).filter(|arm| record.arms[*arm].absent.is_none()).collect();
        assert_eq!(order, here, "{name}: round {}", round.number);
        let sampled = (0..round.elapsed_ns.len()).filter(|arm| round.elapsed_ns[*arm].is_some());
        assert!(round.elapsed_ns.len() == record.arms.len() && sampled.eq(here), "{name}: {round:?}");
    }
}

/// The arm of a contender, and what follows for it.
pub fn contender<'a>(result: &'a RunResult, group: &str, method: &str) -> (&'a Arm, &'a ArmEstimate) {
    let group = result.groups.iter().find(|other| other.record.group.name == group).unwrap_or_else(|| panic!("no group {group}"));
    let mut arms = group.record.arms.iter().zip(&group.estimates.arms);
    arms.find(|(arm, _)| arm.role == Role::Contender && arm.method.to_string() == method).unwrap_or_else(|| panic!("no arm {method}"))
}

/// The upper end of a contender's interval: how many times the baseline's time it takes at most. The verdict itself may be
/// withheld on a machine that is busy with other things (samples that depend on each other), the interval is wider then.
pub fn ratio_at_most(result: &RunResult, group: &str, method: &str) -> f64 {
    let (_, estimate) = contender(result, group, method);
    let (_, high) = estimate.ratio.and_then(|ratio| ratio.interval()).unwrap_or_else(|| panic!("no interval: {estimate:?}"));
    high
}
