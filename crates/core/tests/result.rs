//! Result files that somebody changed: what no run can have written is told, and nothing panics.

use opfs_bench_core::result::{BadResult, RunResult};
use serde_json::{Value, json};

const FILE: &str = include_str!("golden/simulate/coarse-clock.json");

fn changed(change: impl FnOnce(&mut Value)) -> Result<RunResult, BadResult> {
    let mut file: Value = serde_json::from_str(FILE).expect("JSON");
    change(&mut file);
    RunResult::from_json(&file.to_string())
}

#[test]
fn the_file_itself_is_read() {
    changed(|_| {}).expect("a result");
}

#[test]
fn lists_that_do_not_belong_together_are_told() {
    let problem = |change: fn(&mut Value)| changed(change).expect_err("inconsistent").to_string();
    let rounds = problem(|file| {
        file["groups"][0]["record"]["rounds"][2]["elapsed_ns"].as_array_mut().expect("a list").pop();
    });
    assert!(rounds.contains("does not fit the"), "{rounds}");
    let order = problem(|file| file["groups"][0]["record"]["warm_up"]["rounds"][0]["order"] = json!([99]));
    assert!(order.contains("does not fit the"), "{order}");
    let estimates = problem(|file| {
        file["groups"][0]["estimates"]["arms"].as_array_mut().expect("a list").pop();
    });
    assert!(estimates.contains("but estimates of"), "{estimates}");
    let ops = problem(|file| file["groups"][0]["record"]["arms"][0]["n"] = json!(0));
    assert!(ops.contains("has samples of no ops"), "{ops}");
}

#[test]
fn another_version_is_told_by_its_name() {
    let error = changed(|file| file["format"] = json!("opfs-bench result 99")).expect_err("another version").to_string();
    assert!(error.contains("opfs-bench result 99"), "{error}");
}

#[test]
fn files_of_the_first_format_are_read() {
    let read = changed(|file| {
        file["format"] = json!("opfs-bench result 1");
        for group in file["groups"].as_array_mut().expect("a list") {
            for round in group["record"]["rounds"].as_array_mut().expect("a list") {
                round.as_object_mut().expect("an object").remove("sentinels");
            }
            for arm in group["estimates"]["arms"].as_array_mut().expect("a list") {
                arm.as_object_mut().expect("an object").remove("total");
                arm["per_op"].as_object_mut().expect("an object").remove("summary");
            }
        }
    });
    let read = read.expect("an earlier format");
    assert!(read.groups.iter().all(|group| group.estimates.arms.iter().all(|arm| arm.total.is_none())));
}
