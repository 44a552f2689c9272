//! The whole way from results to text, on simulated runs.

use opfs_bench_core::job::{Job, MethodName};
use opfs_bench_core::result::RunResult;
use opfs_bench_core::seed::Seed;
use opfs_bench_core::simulate::{Clock, Device, Fault, MethodModel, NoiseKind, run};
use opfs_bench_core::units::Nanos;

use super::job::{job, slowed_by};
use super::table::Validation;
use super::tally::Tally;
use super::verdicts;

/// The place of the null arm, and of the arm that is slowed by 0 %.
const NULL: usize = 1;
const SLOWED_BY_NOTHING: usize = 2;

/// The run of this number on a device on which a slowed method takes what it should, changed as the test wants it.
fn simulated(number: u32, change: impl FnOnce(&mut Device)) -> RunResult {
    let job = Job::from_toml(&job(number, 10.0)).expect("valid");
    let model = |name: &MethodName| {
        let plain_ns = if name.thread().timed_in_worker() { 1_000.0 } else { 300_000.0 };
        MethodModel::new(&name.to_string(), plain_ns * (1.0 + f64::from(slowed_by(name).unwrap_or(0)) / 100.0))
    };
    let mut methods: Vec<MethodModel> =
        job.groups.iter().flat_map(|group| group.methods.iter().chain([&group.baseline])).map(model).collect();
    methods.extend(["main/empty", "worker/empty"].map(|name| MethodModel::new(name, 1.0)));
    let seed = Seed(100 + u64::from(number));
    let clock = || Clock::jittered(Nanos(5_000), seed.0);
    let mut device = Device::new(methods, [clock(), clock()], NoiseKind::Independent.noise(), seed);
    change(&mut device);
    run(&job, seed, &mut device)
}

fn tally(runs: u32, change: impl Fn(&mut Device)) -> Tally {
    let mut tally = Tally::default();
    (1..=runs).for_each(|number| tally.add(&simulated(number, &change)));
    tally
}

#[test]
fn what_is_true_is_found() {
    let tally = tally(20, |_| {});
    for group in &tally.groups {
        assert_eq!((group.groups, group.arms), (20, 7));
        let all = |percent: u32| group.slowed(percent).all();
        assert_eq!([0, 3, 5, 10, 25].map(all), [20, 10, 20, 20, 10]);
        for percent in [5, 10, 25] {
            let slowed = group.slowed(percent);
            assert!(slowed.slower >= slowed.all() - group.invalid, "{percent} %: {slowed:?}");
            assert!(slowed.ratios.iter().all(|ratio| (ratio - 1.0 - f64::from(percent) / 100.0).abs() < 0.04), "{slowed:?}");
        }
        assert_eq!(group.slowed(0).different(), 0);
        let every = group.all_slowdowns();
        assert_eq!((every.all(), every.intervals), (80, 80));
        assert!(every.covering >= 76, "{} of 80", every.covering);
        assert_eq!(group.by_width, 20);
        assert_eq!(group.decision_rounds.len() as u64, group.slowed(5).slower);
        assert!(group.decision_seconds.iter().all(|seconds| (0.5..30.0).contains(seconds)));
    }
    assert_eq!(tally.both().slowed(10).all(), 40);
}

/// An arm that claims to be the baseline, and takes 10 % longer.
#[test]
fn a_false_alarm_is_counted_as_one_and_breaks_the_promise() {
    let mut validation = Validation::new("chromium", true, 6, 10.0, Seed(101));
    for number in 1..=6 {
        validation.add(&simulated(number, |device| device.skews.push((SLOWED_BY_NOTHING, 1.10))));
    }
    assert!(!validation.held());
    let text = validation.markdown();
    for told in ["12 of 12: 100.00 % (73.54–100.00)", "At most 3 % false alarms: **not held**, 12 of 12", "A slowdown of 10 % found in"] {
        assert!(text.contains(told), "{told}: {text}");
    }
}

#[test]
fn a_group_that_says_nothing_is_shown_as_no_verdict_and_its_repeat_is_counted() {
    let tally = tally(2, |device| device.skews.push((NULL, 1.05)));
    for group in &tally.groups {
        assert_eq!((group.groups, group.repeated, group.invalid), (2, 2, 2));
        assert_eq!((group.slowed(10).withheld, group.slowed(10).slower), (2, 0));
        assert!(group.decision_seconds.is_empty());
    }
}

#[test]
fn a_repeat_belongs_to_the_time_of_its_decision() {
    let mut result = simulated(1, |_| {});
    let once = {
        let mut tally = Tally::default();
        tally.add(&result);
        tally.groups[0].decision_seconds[0]
    };
    let mut first_attempt = result.groups[0].clone();
    first_attempt.record.elapsed_ns = Nanos::from_s(3.0);
    result.superseded.push(first_attempt);
    let mut tally = Tally::default();
    tally.add(&result);
    assert!((tally.groups[0].decision_seconds[0] - once - 3.0).abs() < 1e-9);
    assert_eq!((tally.groups[0].repeated, tally.groups[1].repeated), (1, 0));
}

#[test]
fn an_arm_that_fails_is_no_verdict_of_its_own() {
    let tally = tally(1, |device| device.faults.push((SLOWED_BY_NOTHING, Fault::Fails)));
    let group = &tally.groups[0];
    assert_eq!((group.slowed(0).withheld, group.slowed(0).intervals, group.slowed(10).slower), (1, 0, 1));
}

#[test]
fn the_text_says_where_when_and_what() {
    let mut validation = Validation::new("chromium", true, 9, 10.0, Seed(0xab));
    for number in [1, 2, 4, 5, 6, 7, 8] {
        validation.add(&simulated(number, |_| {}));
    }
    validation.fail(3, &format!("the `browser`\n  died{}, after a long log", " again".repeat(40)));
    let text = validation.markdown();
    for told in [
        "# Verdicts where the truth is known: a simulated device\n",
        "7 of 9 finished, each in a fresh browser with 10 s for each group; the first seed is 00000000000000ab",
        "- **Run 3 failed**: `the 'browser' died again again",
        "\n| group         | false alarms",
        "\n| both          | 0 of 14: 0.00 % (0.00–23.16) |",
        "\n| 3 %       | sync-reads ",
        "\n| 25 %      | both          | 8 of 8: 100.00 % (63.06–100.00)",
        "A slowdown of 10 % found in at least 95 %: **held**, 14 of 14: 100.00 % (76.84–100.00).",
    ] {
        assert!(text.contains(told), "{told}: {text}");
    }
    assert!(!text.contains("after a long log"), "{text}");
    assert!(validation.held());
}

#[test]
fn without_a_finished_run_there_is_still_a_table() {
    let validation = Validation::new("chromium", false, 5, 10.0, Seed(1));
    let text = validation.markdown();
    assert!(text.contains("known: chromium\n") && text.contains("0 of 5 finished") && text.contains("| none "), "{text}");
    assert!(!validation.held());
}

#[test]
fn a_run_s_line_says_what_came_of_every_slowed_arm() {
    let line = verdicts(&simulated(2, |_| {}));
    assert!(line.starts_with("sync-reads +0 % same, +5 % slower, +10 % slower, +25 % slower; promise-reads +0 % same"), "{line}");
}
