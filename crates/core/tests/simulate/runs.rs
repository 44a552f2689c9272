//! What happens to a device, and what a run makes of it.

use opfs_bench_core::estimate::{Degree, Invalid, Sentinel, Verdict, Withheld};
use opfs_bench_core::job::Job;
use opfs_bench_core::report::{Doubt, doubts};
use opfs_bench_core::result::{DropCause, Ended, Outcome, Role, RunResult, Sentinels};
use opfs_bench_core::seed::Seed;
use opfs_bench_core::simulate::{CarryOver, Clock, Device, Fault, Happening, MethodModel, Moment, Monotonic, Noise, NoiseKind, run};
use opfs_bench_core::units::Nanos;

use super::samples::{device, job, laptop, noisy, quiet};

const SEED: Seed = Seed(77);
const NULL: usize = 1;
const SYNC: usize = 2;

fn on(mut device: Device) -> RunResult {
    let mut job = job();
    // Time for the whole warm-up.
    job.budget_s = 10.0;
    run(&job, SEED, &mut device)
}

#[test]
fn a_quiet_device_gives_exact_numbers_in_every_group() {
    let result = on(quiet());
    assert_eq!(result.outcome, Outcome::Finished);
    let ticks = result.ticks.expect("measured");
    assert_eq!((ticks.main_ns, ticks.worker_ns), (Nanos(5_000), Nanos(20_000)));
    assert_eq!(result.groups.len(), 2);
    // An op, opening where the group opens, and its bytes.
    let slice = [300_000.0 + 2_048.0, 900_000.0 + 10_240.0];
    let sync = [1_000.0 + 819.2, 1_400_000.0 + 4_096.0];
    for (place, group) in result.groups.iter().enumerate() {
        let roles: Vec<Role> = group.record.arms.iter().map(|arm| arm.role).collect();
        assert_eq!(roles, [Role::Baseline, Role::Null, Role::Contender, Role::Empty, Role::Empty]);
        assert_eq!(group.estimates.arms[NULL].verdict, Verdict::Same);
        assert_eq!(group.estimates.arms[SYNC].verdict, if place == 0 { Verdict::Faster } else { Verdict::Slower });
        let ratio = group.estimates.arms[SYNC].ratio.expect("compared").point();
        assert!((ratio / (sync[place] / slice[place]) - 1.0).abs() < 0.02, "{ratio}");
        let first_touch = group.record.arms[SYNC].first_touch_ns.expect("read").as_f64();
        assert!((first_touch - 1e6 - sync[place]).abs() <= 20_000.0, "{first_touch}");
    }
}

#[test]
fn a_jittered_clock_s_tick_is_measured() {
    for kind in NoiseKind::ALL {
        let ticks = on(device(kind, SEED)).ticks.expect("measured");
        assert_eq!((ticks.main_ns, ticks.worker_ns), (kind.tick(), kind.tick()), "{}", kind.name());
    }
}

#[test]
fn stop_at_a_time_keeps_what_was_measured() {
    let mut device = noisy(0.05);
    device.happenings.push((Moment::After(Nanos::from_s(2.0)), Happening::Stopped));
    let result = on(device);
    assert_eq!(result.outcome, Outcome::Stopped);
    assert_eq!(result.groups.len(), 1);
    let group = &result.groups[0];
    assert_eq!(group.record.ended, Ended::Stopped);
    assert_eq!(group.estimates.arms[SYNC].verdict, Verdict::Withheld { reasons: vec![Withheld::Unverified] });
    assert!(result.elapsed_ns < Nanos::from_s(2.1));
}

#[test]
fn sleep_drops_a_round_where_one_clock_stands() {
    let mut device = noisy(0.05);
    device.happenings.push((Moment::After(Nanos::from_s(1.9)), Happening::Sleeps(Nanos::from_s(30.0), Monotonic::Stands)));
    let result = on(device);
    let dropped: Vec<_> = result.groups[0].record.rounds.iter().filter_map(|round| round.dropped.clone()).collect();
    assert!(matches!(dropped[..], [DropCause::DeviceSlept { gap_ns: Nanos(30_000_000_000) }]), "{dropped:?}");
    assert_eq!(result.groups[0].estimates.arms[SYNC].verdict, Verdict::Faster);
}

/// Where both clocks go on during sleep there is no gap between them: one sample is very long, and no estimate minds.
#[test]
fn sleep_that_both_clocks_show_is_one_wild_sample() {
    let mut device = noisy(0.05);
    device.happenings.push((Moment::After(Nanos::from_s(1.9)), Happening::Sleeps(Nanos::from_s(0.5), Monotonic::Jumps)));
    let result = on(device);
    let record = &result.groups[0].record;
    assert!(record.rounds.iter().all(|round| round.dropped.is_none()));
    let longest = record.rounds.iter().flat_map(|round| round.elapsed_ns.iter().flatten()).max();
    assert!(longest >= Some(&Nanos::from_s(0.5)), "{longest:?}");
    assert_eq!(result.groups[0].estimates.arms[SYNC].verdict, Verdict::Faster);
}

#[test]
fn a_method_that_the_device_lacks_fails_alone() {
    let mut device = quiet();
    device.methods.retain(|method| method.name.api() != "sync");
    let result = on(device);
    for group in &result.groups {
        assert_eq!(group.record.arms[SYNC].failure.as_deref(), Some("this device has no such method"));
    }
}

#[test]
fn a_group_whose_null_arm_differs_is_measured_twice_and_then_given_up() {
    let mut device = quiet();
    device.skews.push((NULL, 1.05));
    let result = on(device);
    assert_eq!((result.groups.len(), result.superseded.len()), (2, 2));
    assert!(result.groups.iter().all(|group| group.estimates.arms[SYNC].verdict == Verdict::Withheld { reasons: Vec::new() }));
}

#[test]
fn a_failing_arm_costs_three_rounds_in_each_group() {
    let mut device = quiet();
    device.faults.push((SYNC, Fault::FailsFromRound(0)));
    let result = on(device);
    for group in &result.groups {
        assert_eq!(group.record.arms[SYNC].failure.as_deref(), Some("read() failed"));
        assert_eq!(group.record.warm_up.rounds.iter().filter(|round| round.dropped.is_some()).count(), 3);
    }
}

/// Arms run in a random order, so what one leaves behind for the next is spread over all of them.
#[test]
fn an_arm_that_slows_down_the_next_one_makes_no_other_slower() {
    let methods = ["main/slice", "worker/sync", "main/empty", "worker/empty"];
    let methods = methods.map(|name| MethodModel::new(name, if name.ends_with("empty") { 1.0 } else { 300_000.0 }));
    let noise = Noise { independent: 0.02, ..Noise::default() };
    let mut device = Device::new(methods.to_vec(), [0, 1].map(|_| Clock::regular(Nanos(5_000))), noise, SEED);
    device.carry_over.push(CarryOver { arm: SYNC, slower: 0.02, lasts: Nanos(u64::MAX) });
    for group in &on(device).groups {
        assert_eq!(group.estimates.arms[NULL].verdict, Verdict::Same);
        assert_eq!(group.estimates.arms[SYNC].verdict, Verdict::Same);
    }
}

#[test]
fn a_method_that_warms_up_is_slow_before_the_rounds_only() {
    let result = on(quiet());
    let record = &result.groups[0].record;
    let first = record.warm_up.rounds[0].elapsed_ns[0].expect("ran").as_f64();
    let last = record.rounds.last().and_then(|round| round.elapsed_ns[0]).expect("ran").as_f64();
    // The pilot has run for some of the 50 ms already.
    assert!(first / last > 1.3, "{first} and {last}");
    let rounds: Vec<f64> = record.rounds.iter().filter_map(|round| round.elapsed_ns[0]).map(Nanos::as_f64).collect();
    assert!(rounds.iter().all(|elapsed| (elapsed / last - 1.0).abs() < 0.02));
    assert!(laptop()[0].warm_up.is_some());
}

/// A job of one longer group.
fn long(budget_s: f64) -> Job {
    let mut job = job();
    job.groups.truncate(1);
    job.budget_s = budget_s;
    job
}

/// As noisy as promise reads, so that a group lasts its whole budget.
fn noisy_reads() -> Device {
    noisy(0.4)
}

#[test]
fn a_device_that_stays_as_fast_drifts_nowhere_and_never_pauses() {
    let result = run(&long(20.0), SEED, &mut noisy(0.02));
    let group = &result.groups[0];
    assert_eq!((group.estimates.drift.len(), group.record.cool_downs.len()), (0, 0));
    let readings = |of: fn(&Sentinels) -> bool| group.record.rounds.iter().filter(|round| of(&round.sentinels)).count();
    assert!(readings(|read| read.main_ns.is_some() && read.worker_ns.is_some()) >= 3);
    assert!(readings(|read| read.storage_ns.is_some()) >= 3);
}

#[test]
fn a_cpu_that_is_throttled_half_way_is_reported_and_ratios_stay() {
    let mut device = noisy_reads();
    device.happenings.push((Moment::After(Nanos::from_s(20.0)), Happening::Slows(1.5)));
    let result = run(&long(40.0), SEED, &mut device);
    let group = &result.groups[0];
    let sentinels: Vec<_> = group.estimates.drift.iter().map(|drift| (drift.sentinel, drift.degree)).collect();
    assert_eq!(sentinels, Sentinel::ALL.map(|sentinel| (sentinel, Degree::Throttled)));
    let told: Vec<String> = doubts(&result).iter().flat_map(Doubt::items).collect();
    for what in ["on the main thread took", "in the worker took", "flushing 4 KiB took"] {
        assert_eq!(told.iter().filter(|item| item.starts_with("The whole run: ") && item.contains(what)).count(), 1, "{what}: {told:?}");
    }
    for drift in &group.estimates.drift {
        assert!((drift.point() - 1.5).abs() < 0.1, "{drift:?}");
    }
    assert_eq!(group.estimates.arms[SYNC].verdict, Verdict::Faster);
}

#[test]
fn a_device_that_cools_down_is_waited_for_and_the_wait_costs_no_budget() {
    let mut device = noisy_reads();
    device.happenings.push((Moment::After(Nanos::from_s(30.0)), Happening::Slows(6.0)));
    device.happenings.push((Moment::After(Nanos::from_s(33.0)), Happening::Slows(1.0)));
    let result = run(&long(60.0), SEED, &mut device);
    let record = &result.groups[0].record;
    let [pause] = record.cool_downs[..] else { panic!("{:?}", record.cool_downs) };
    assert!(pause.reached && pause.took_ns < Nanos::from_s(4.0), "{pause:?}");
    assert!(record.elapsed_ns <= record.budget_ns);
    assert!(result.elapsed_ns >= record.elapsed_ns + pause.took_ns);
}

/// A device whose sync handles write, and leave the storage busy for so long: the next sample takes a fifth longer.
fn writing(lasts: Nanos) -> RunResult {
    let mut methods = laptop();
    for method in &mut methods {
        method.warm_up = None;
        if method.name.api() == "sync" {
            method.writes = true;
            method.kept_ns = 300_000.0;
        }
    }
    let noise = Noise { independent: 0.03, ..Noise::default() };
    let mut device = Device::new(methods, [0, 1].map(|_| Clock::regular(Nanos(5_000))), noise, SEED);
    device.carry_over.push(CarryOver { arm: SYNC, slower: 0.2, lasts });
    run(&long(300.0), SEED, &mut device)
}

#[test]
fn a_sample_that_writes_is_waited_out() {
    let result = writing(Nanos(20_000_000));
    assert_eq!((result.groups.len(), result.superseded.len()), (1, 0));
    let wash_out = result.groups[0].record.wash_out.expect("it writes");
    assert!(wash_out.waits > 12 && wash_out.reached > wash_out.waits / 2, "{wash_out:?}");
    assert_eq!(result.groups[0].estimates.invalid, []);
}

#[test]
fn what_a_wash_out_does_not_wash_out_gets_a_longer_one() {
    let result = writing(Nanos::from_s(1.0));
    let [first] = &result.superseded[..] else { panic!("measured {} times", 1 + result.superseded.len()) };
    let [Invalid::CarryOver { after: SYNC, ratio }] = first.estimates.invalid[..] else { panic!("{:?}", first.estimates.invalid) };
    assert!((1.15..1.25).contains(&ratio), "{ratio}");
    assert_eq!(result.groups[0].record.wash_out.expect("it writes").limit_ns, Nanos::from_s(2.0));
    assert_eq!(result.groups[0].estimates.invalid, []);
}

#[test]
fn what_stays_after_the_longer_one_too_leaves_no_verdict() {
    let result = writing(Nanos::from_s(60.0));
    assert_eq!(result.superseded.len(), 1);
    assert!(matches!(result.groups[0].estimates.invalid[..], [Invalid::CarryOver { after: SYNC, .. }]));
    assert_eq!(result.groups[0].estimates.arms[SYNC].verdict, Verdict::Withheld { reasons: Vec::new() });
}

/// The same writes with nothing left behind: the predecessor test stays silent in all but one of a hundred runs.
#[test]
fn writes_that_leave_nothing_are_not_called_carry_over() {
    let alarms = (0..100).filter(|seed| {
        let mut device = Device::new(laptop(), [0, 1].map(|_| Clock::regular(Nanos(5_000))), NoiseKind::Bursty.noise(), Seed(*seed));
        for method in &mut device.methods {
            method.writes = method.name.api() == "sync";
        }
        let result = run(&long(4.0), Seed(*seed), &mut device);
        result.groups.iter().chain(&result.superseded).any(|group| !group.estimates.invalid.is_empty())
    });
    let alarms = alarms.count();
    assert!(alarms <= 5, "{alarms}");
}
