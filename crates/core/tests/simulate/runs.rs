//! What happens to a device, and what a run makes of it.

use opfs_bench_core::estimate::{Verdict, Withheld};
use opfs_bench_core::result::{DropCause, Ended, Outcome, Role, RunResult};
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
    device.carry_over.push(CarryOver { arm: SYNC, slower: 0.02 });
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
