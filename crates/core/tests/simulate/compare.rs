//! Run against run: launches of simulated devices.

use opfs_bench_core::compare::{Change, Comparison, Refusal, compare};
use opfs_bench_core::estimate::{Degree, Drift, Sentinel};
use opfs_bench_core::report;
use opfs_bench_core::result::{Outcome, RunResult};
use opfs_bench_core::seed::Seed;
use opfs_bench_core::simulate::{Clock, Device, Noise, run};
use opfs_bench_core::units::Nanos;

use crate::samples;

/// Launches of a laptop whose `main/slice` takes so many times its usual time.
fn launches(count: u64, slice: f64, from: u64) -> Vec<RunResult> {
    let launch = |seed: u64| {
        let mut methods = samples::laptop();
        // Launches differ by some percent, whatever their samples do.
        let luck = 1.0 + 0.02 * f64::from(u32::try_from(seed % 5).expect("small")) / 4.0;
        methods[0].kept_ns *= slice * luck;
        let noise = Noise { independent: 0.05, ..Noise::default() };
        let clocks = [Clock::regular(Nanos(5_000)), Clock::regular(Nanos(5_000))];
        run(&samples::job(), Seed(seed), &mut Device::new(methods, clocks, noise, Seed(seed)))
    };
    (from..from + count).map(launch).collect()
}

fn slice(comparison: &Comparison) -> Change {
    let row = comparison.rows.iter().find(|row| row.method.to_string() == "main/slice" && row.group.name == "random-4k");
    row.expect("measured on both sides").per_op.verdict
}

#[test]
fn five_launches_a_side_find_what_differs_and_nothing_else() {
    let base = launches(5, 1.0, 0);
    assert_eq!(slice(&compare(&base, &launches(5, 1.2, 5))), Change::Slower);
    assert_eq!(slice(&compare(&base, &launches(5, 0.8, 5))), Change::Faster);
    assert_eq!(slice(&compare(&base, &launches(5, 1.0, 5))), Change::Same);
}

#[test]
fn a_ratio_to_the_baseline_moves_the_other_way() {
    let comparison = compare(&launches(5, 1.0, 0), &launches(5, 1.2, 5));
    let row = comparison.rows.iter().find(|row| row.method.to_string() == "worker/sync").expect("measured");
    assert_eq!(row.to_baseline.as_ref().expect("a contender").verdict, Change::Faster);
    assert_eq!(row.per_op.verdict, Change::Same);
}

#[test]
fn fewer_launches_show_values_and_no_verdict() {
    let comparison = compare(&launches(1, 1.0, 0), &launches(1, 1.5, 5));
    assert_eq!(slice(&comparison), Change::TooFewLaunches);
    assert!(comparison.rows[0].per_op.welch.is_none());
    assert_eq!(slice(&compare(&launches(4, 1.0, 0), &launches(5, 1.5, 5))), Change::TooFewLaunches);
}

#[test]
fn launches_that_differ_in_how_they_were_made_are_refused() {
    let told = |change: fn(&mut RunResult)| -> String {
        let mut other = launches(5, 1.5, 5);
        change(&mut other[3]);
        let comparison = compare(&launches(5, 1.0, 0), &other);
        assert_eq!(slice(&comparison), Change::Refused);
        comparison.refusals.iter().map(Refusal::to_string).collect::<Vec<_>>().join("\n")
    };
    assert!(told(|run| run.protocol += 1).contains("launches differ in protocol"));
    assert!(told(|run| run.environment.isolated ^= true).contains("cross-origin isolation"));
    assert!(told(|run| run.environment.automated ^= true).contains("automation"));
    assert!(told(|run| run.ticks.as_mut().expect("measured").main_ns = Nanos(1_000_000)).contains("clock's tick"));
    assert!(told(|run| run.job.groups[0].size.0 *= 2).contains("workload"));
    assert!(told(|run| run.job.groups[0].iodepth = 16).contains(", kept, iodepth 16, against main/slice"));
    assert!(told(|run| run.job.groups[1].numjobs = 4).contains(", each, numjobs 4, against main/slice"));
    assert!(told(|run| run.outcome = Outcome::Stopped).contains("finished and stopped"));
    assert!(compare(&launches(1, 1.0, 0), &[]).refusals[0].to_string().contains("0 launches"));
}

#[test]
fn times_of_a_throttled_device_are_left_out_and_its_ratios_stay() {
    let mut other = launches(5, 1.0, 5);
    let drift = Drift { sentinel: Sentinel::MainCpu, degree: Degree::Throttled, log: 0.3, log_interval: (0.2, 0.4) };
    other[2].groups[1].estimates.drift.push(drift);
    let comparison = compare(&launches(5, 1.0, 0), &other);
    assert_eq!(comparison.throttled, (0, 1));
    assert_eq!(slice(&comparison), Change::TooFewLaunches);
    let sync = comparison.rows.iter().find(|row| row.method.to_string() == "worker/sync").expect("measured");
    assert_eq!((sync.per_op.other.len(), sync.to_baseline.as_ref().expect("a contender").other.len()), (4, 5));
    assert!(report::comparison(&comparison, "before", "after").contains("Times per op of 1 of 5 launches of after are left out"));
}

#[test]
fn copies_and_mixed_sides_are_refused() {
    let base = launches(5, 1.0, 0);
    let mut copied = launches(5, 1.2, 5);
    copied[4] = copied[0].clone();
    let comparison = compare(&base, &copied);
    assert_eq!(slice(&comparison), Change::Refused);
    assert!(comparison.refusals[0].to_string().starts_with("one launch stands there twice: seed 0000000000000005"), "{comparison:?}");
    assert_eq!(slice(&compare(&base, &base)), Change::Refused);
    let mut mixed = launches(5, 1.2, 5);
    mixed[1].environment.browser = "Firefox 153".into();
    let comparison = compare(&base, &mixed);
    assert!(comparison.refusals[0].to_string().contains("browser, on one side: a simulated device and Firefox 153"), "{comparison:?}");
    // The two sides may well be two browsers.
    for launch in &mut mixed {
        launch.environment.browser = "Firefox 153".into();
    }
    assert_eq!(slice(&compare(&base, &mixed)), Change::Slower);
}
