//! Ops timed one by one, in a closed loop and by a schedule.

use opfs_bench_core::estimate::{ArmEstimate, Note, estimate};
use opfs_bench_core::job::{Group, Job};
use opfs_bench_core::plan::{GroupPlan, Outcome, Step, Task};
use opfs_bench_core::report;
use opfs_bench_core::result::{GroupResult, OpTimes, Pacing, Role, RunResult, Ticks};
use opfs_bench_core::seed::Seed;
use opfs_bench_core::simulate::{Clock, Device, Happening, MethodModel, Moment, Monotonic, Noise, arms, run};
use opfs_bench_core::stats::{Latency, LatencyPercentile};
use opfs_bench_core::units::Nanos;
use serde_json::{Value, json};

const SEED: Seed = Seed(5);
const TICK: Nanos = Nanos(5_000);
const MS: u64 = 1_000_000;

const BASELINE: usize = 0;
const SYNC: usize = 2;

/// One group whose ops are timed one by one, at a rate if there is one.
fn job(rate_iops: Option<u32>) -> Job {
    let rate = rate_iops.map_or(String::new(), |rate| format!("rate_iops = {rate}"));
    let text = format!(
        r#"
        name = "latency"
        title = "Single ops on a simulated device"
        budget_s = 12
        storage = "1 MiB"
        [[group]]
        name = "blocks"
        title = "random 4 KiB reads in a 1 MiB file"
        rw = "randread"
        bs = "4 KiB"
        size = "1 MiB"
        open = "kept"
        timing = "ops"
        {rate}
        baseline = "main/slice"
        methods = ["worker/sync"]
        "#
    );
    Job::from_toml(&text).expect("valid")
}

/// Promises of 1 ms and sync reads of so much, on clocks of 5 µs.
fn device(sync_ns: f64, noise: Noise) -> Device {
    let methods = [("main/slice", 1e6), ("worker/sync", sync_ns), ("main/empty", 2.0), ("worker/empty", 2.0)];
    let methods = methods.map(|(name, op_ns)| MethodModel::new(name, op_ns)).to_vec();
    Device::new(methods, [0, 1].map(|_| Clock::regular(TICK)), noise, Seed(9))
}

fn on(mut device: Device, rate_iops: Option<u32>) -> GroupResult {
    run(&job(rate_iops), SEED, &mut device).groups.remove(0)
}

/// One sample of the baseline, of ten ops, in which things happen: the times of its ops in whole milliseconds.
fn sample(rate_iops: Option<u32>, happening: Happening) -> (Vec<u64>, Option<Pacing>) {
    let mut device = device(1e6, Noise::default());
    let group: Group = job(rate_iops).groups.remove(0);
    let arms = arms(&group, Ticks { main_ns: TICK, worker_ns: TICK }, &device);
    device.open(&group, &arms);
    device.happenings.push((Moment::Round(3), happening));
    let step = Step::Sample { arm: BASELINE, round: 3, n: 10, stride: 1, dither: Nanos(0) };
    let Some(Outcome::Timed { elapsed, ops, pacing, .. }) = device.perform(&step) else { panic!("nothing fails") };
    assert_eq!(elapsed, ops.iter().copied().sum());
    (ops.iter().map(|op| (op.0 + MS / 2) / MS).collect(), pacing)
}

fn times(group: &GroupResult, arm: usize) -> Vec<Latency> {
    let latencies = group.estimates.arms[arm].latencies.as_ref().expect("timed one by one");
    latencies.percentiles.iter().map(|(_, latency)| *latency).chain([latencies.longest]).collect()
}

fn about(latency: &Latency, expected: u64) -> bool {
    matches!(latency, Latency::Time(time) if time.0.abs_diff(expected) <= 2 * TICK.0)
}

#[test]
fn half_a_load_without_noise_never_queues() {
    let group = on(device(1e6, Noise::default()), Some(500));
    for arm in [BASELINE, SYNC] {
        let times = times(&group, arm);
        assert!(times.len() > 4 && times.iter().all(|time| about(time, MS)), "{times:?}");
        let notes = &group.estimates.arms[arm].notes;
        assert!(!notes.iter().any(|note| matches!(note, Note::Overloaded { .. } | Note::LateStarts { .. })), "{notes:?}");
    }
    let arm = &group.record.arms[BASELINE];
    let (ops, span) = (arm.latencies.as_ref().and_then(OpTimes::ops), arm.latencies.as_ref().and_then(|times| times.pacing));
    assert_eq!(ops.expect("few") as f64 / span.expect("paced").span_ns.as_s(), 500.0);
}

#[test]
fn a_stall_is_waited_for_by_ops_that_are_scheduled_and_hidden_by_a_closed_loop() {
    let stall = Happening::Stalls(Nanos(20 * MS));
    let (closed, pacing) = sample(None, stall);
    assert_eq!((closed, pacing), ([&[21][..], &[1; 9]].concat(), None));
    // Due every 5 ms: the next ones have waited for what was left of the 21 ms, and have an op of 1 ms each to wait for.
    let (paced, pacing) = sample(Some(200), stall);
    assert_eq!(paced, [21, 17, 13, 9, 5, 1, 1, 1, 1, 1]);
    let Pacing { span_ns, late_ns } = pacing.expect("paced");
    assert_eq!(span_ns, Nanos(50 * MS));
    assert!(late_ns <= TICK, "the ops before explain it: {late_ns:?}");
}

#[test]
fn an_arm_that_cannot_keep_the_rate_is_told() {
    let group = on(device(1_000.0, Noise::default()), Some(2_000));
    let overloaded = |arm: &ArmEstimate| {
        arm.notes.iter().find_map(|note| match note {
            Note::Overloaded { offered, achieved } => Some((*offered, *achieved)),
            _ => None,
        })
    };
    let (offered, achieved) = overloaded(&group.estimates.arms[BASELINE]).expect("1 ms are twice the interval");
    assert!(offered == 2_000 && (achieved / 1_000.0 - 1.0).abs() < 0.01, "{achieved}");
    assert_eq!(overloaded(&group.estimates.arms[SYNC]), None);
    assert!(report::group_text(&group).contains("of 2000 ops/s"), "{}", report::group_text(&group));
}

#[test]
fn a_harness_that_is_late_by_more_than_ten_ticks_is_told() {
    let mut record = on(device(1e6, Noise::default()), Some(200)).record;
    let mut late = |late_ns: u64| {
        let pacing = record.arms[BASELINE].latencies.as_mut().and_then(|times| times.pacing.as_mut());
        pacing.expect("paced").late_ns = Nanos(late_ns);
        estimate(&record, SEED).arms[BASELINE].notes.iter().any(|note| matches!(note, Note::LateStarts { .. }))
    };
    assert_eq!([late(50_000), late(50_001)], [false, true]);
}

#[test]
fn the_histogram_holds_every_op_of_the_rounds_that_count_and_no_other() {
    for rate in [None, Some(200)] {
        let mut device = device(1_000.0, Noise { independent: 0.3, ..Noise::default() });
        device.happenings = vec![
            (Moment::Round(30), Happening::Hidden),
            (Moment::After(Nanos::from_s(9.0)), Happening::Sleeps(Nanos::from_s(5.0), Monotonic::Stands)),
        ];
        let group = on(device, rate);
        assert!(group.estimates.dropped > 0);
        for (arm, estimate) in group.record.arms.iter().zip(&group.estimates.arms) {
            let times = arm.latencies.as_ref().expect("timed one by one");
            assert_eq!(times.ops(), Some(group.estimates.rounds as u64 * arm.n), "{rate:?}: {}", arm.method);
            assert_eq!(times.pacing.is_some(), rate.is_some());
            assert_eq!(estimate.latencies.as_ref().map(|latencies| latencies.ops), times.ops());
        }
        // A round's samples are the sums of their ops; the top of a bucket is at most 0.1 % above what was counted.
        let baseline = &group.record.arms[BASELINE];
        let counted: f64 = baseline.latencies.iter().flat_map(|times| &times.counts).map(|(time, ops)| time.as_f64() * *ops as f64).sum();
        let kept = group.record.rounds.iter().filter(|round| round.dropped.is_none());
        let sampled: f64 = kept.filter_map(|round| round.elapsed_ns[BASELINE]).map(Nanos::as_f64).sum();
        assert!((1.0..=1.001).contains(&(counted / sampled)), "{counted} of {sampled}");
    }
}

#[test]
fn percentiles_are_those_of_the_raw_log_within_the_histogram_s_bound() {
    let mut device = device(400_000.0, Noise { independent: 0.4, ..Noise::default() });
    device.happenings.push((Moment::Round(40), Happening::Hidden));
    let group: Group = job(None).groups.remove(0);
    let arms = arms(&group, Ticks { main_ns: TICK, worker_ns: TICK }, &device);
    device.open(&group, &arms);
    let began_ms = device.now_ms();
    let mut plan = GroupPlan::new(&group, SEED, arms, Task::new(0, Nanos::from_s(12.0)));
    let mut log: Vec<(u32, Nanos)> = Vec::new();
    while let Some(outcome) = device.perform(&plan.step()) {
        if let (Step::Sample { arm: SYNC, round, .. }, Outcome::Timed { ops, .. }) = (plan.step(), &outcome) {
            log.extend(ops.iter().map(|op| (round, *op)));
        }
        plan.record(outcome, Nanos::from_ms(device.now_ms() - began_ms));
    }
    let record = plan.into_record();
    let kept = |number: u32| record.rounds.iter().any(|round| round.number == number && round.dropped.is_none());
    let mut log: Vec<u64> = log.into_iter().filter(|(round, _)| kept(*round)).map(|(_, op)| op.0).collect();
    log.sort_unstable();
    let latencies = estimate(&record, SEED).arms[SYNC].latencies.clone().expect("timed one by one");
    assert_eq!(latencies.ops, log.len() as u64);
    assert_eq!(latencies.percentiles.len(), 5, "{} ops", log.len());
    for (percentile, latency) in latencies.percentiles {
        let place = (1..=log.len()).find(|ops| *ops as f64 >= percentile.share() * log.len() as f64).expect("a share of all");
        let Latency::Time(Nanos(told)) = latency else { panic!("{latency:?}") };
        let raw = log[place - 1];
        assert!(raw <= told && told - raw <= raw / 1_024, "{percentile:?}: {told} for {raw}");
    }
}

#[test]
fn ops_below_ten_ticks_have_no_number() {
    for rate in [None, Some(500)] {
        let group = on(device(1_000.0, Noise::default()), rate);
        assert!(times(&group, SYNC).iter().all(|time| *time == Latency::BelowTenTicks(Nanos(50_000))), "{rate:?}");
        let text = report::group_text(&group);
        assert!(text.contains("< 50 µs") && text.contains("shorter than 10 ticks of the clock"), "{text}");
    }
}

#[test]
fn a_reading_of_single_ops_bounds_each_by_a_tick() {
    let group = on(device(1_000.0, Noise::default()), Some(200));
    let per_op = group.estimates.arms[SYNC].per_op.expect("measured");
    assert!(per_op.at_most && (5_000.0..20_000.0).contains(&per_op.median_ns), "{per_op:?}");
}

#[test]
fn a_paced_warm_up_and_its_rounds_fit_their_budget() {
    for rate in [1, 30, 200, 5_000] {
        let group = on(device(1_000.0, Noise { independent: 0.3, ..Noise::default() }), Some(rate));
        assert!(group.record.elapsed_ns < Nanos::from_s(24.0), "{rate}/s took {:?}", group.record.elapsed_ns);
        if rate > 1 {
            assert!(group.estimates.rounds >= 12, "{rate}/s: {} rounds", group.estimates.rounds);
        }
        let n: Vec<u64> = group.record.arms.iter().map(|arm| arm.n).collect();
        assert!(n.iter().all(|other| *other == n[0]), "{n:?}");
    }
}

#[test]
fn a_file_gives_the_same_percentiles_again() {
    for rate in [None, Some(200)] {
        let mut device = device(40_000.0, Noise { independent: 0.3, ..Noise::default() });
        let result = run(&job(rate), SEED, &mut device);
        let text = result.to_json();
        let again = RunResult::from_json(&text).expect("its own text");
        assert_eq!(again, result);
        let GroupResult { record, estimates, .. } = &again.groups[0];
        assert_eq!(estimate(record, SEED), *estimates);
        assert!(record.arms.iter().any(|arm| arm.role == Role::Null && arm.latencies.is_some()));
        let told = estimates.arms[BASELINE].latencies.as_ref().expect("timed one by one");
        let [p50, p90] = [LatencyPercentile::P50, LatencyPercentile::P90].map(|percentile| told.percentile(percentile));
        assert!(matches!((p50, p90), (Some(Latency::Time(p50)), Some(Latency::Time(p90))) if p50 < p90), "{told:?}");
    }
}

/// Somebody changed the file: what no run can have written is told, and nothing panics.
#[test]
fn times_that_are_not_those_of_the_rounds_are_told() {
    let device = || device(40_000.0, Noise { independent: 0.3, ..Noise::default() });
    let [closed, paced] = [None, Some(200)].map(|rate| run(&job(rate), SEED, &mut device()).to_json());
    let told = |file: &str, change: &dyn Fn(&mut Value)| {
        let mut file: Value = serde_json::from_str(file).expect("JSON");
        change(&mut file["groups"][0]["record"]);
        RunResult::from_json(&file.to_string()).expect_err("inconsistent").to_string()
    };
    let counts = |record: &mut Value, counts: Value| record["arms"][0]["latencies"]["counts"] = counts;
    for (file, change, words) in [
        (&closed, &(|record: &mut Value| counts(record, json!([[1_000_000, 3]]))) as &dyn Fn(&mut Value), "has times of 3 ops, but"),
        (&closed, &|record| counts(record, json!([[1, u64::MAX], [2, 2]])), "more than can be counted"),
        (&closed, &|record| record["arms"][0]["latencies"]["counts"].as_array_mut().expect("a list").reverse(), "not in order"),
        (&closed, &|record| record["arms"][0]["latencies"] = Value::Null, "has no times of its"),
        (&closed, &|record| record["arms"][0]["n"] = json!(u64::MAX), "samples of 18446744073709551615 ops"),
        (&closed, &|record| record["group"]["timing"] = json!("batches"), "but 0 in rounds that count"),
        (&closed, &|record| record["group"]["rate_iops"] = json!(200), "a rate and no schedule"),
        (
            &paced,
            &|record| record["group"].as_object_mut().map(|group| group.remove("rate_iops")).map_or((), |_| ()),
            "a schedule and no rate",
        ),
        (&paced, &|record| record["group"]["rate_iops"] = json!(0), "less time than their schedule"),
        (&paced, &|record| record["arms"][0]["latencies"]["pacing"]["span_ns"] = json!(7), "less time than their schedule"),
    ] {
        let found = told(file, change);
        assert!(found.contains(words), "{words}: {found}");
    }
}
