//! Plays whole groups through the plan: a device of known times instead of a browser, a clock that only moves when told.

mod own;

use opfs_bench_core::estimate::{GroupEstimates, Invalid, Note, Verdict, Withheld, estimate};
use opfs_bench_core::job::{Group, Job, Timing};
use opfs_bench_core::plan::{ArmSpec, GroupPlan, Step, Task};
use opfs_bench_core::protocol;
use opfs_bench_core::result::{Batch, DropCause, Ended, GroupRecord, GroupResult, Incident, Role, When};
use opfs_bench_core::seed::Seed;
use opfs_bench_core::simulate::{self, Clock, Device, Fault, Happening, MethodModel, Moment, Monotonic, Noise, WRONG};
use opfs_bench_core::units::{Bytes, Nanos};

const SEED: Seed = Seed(42);
const TICK: Nanos = Nanos(5_000);

/// A laptop's times without any noise.
fn quiet() -> Device {
    noisy(0.0)
}

/// The same with log-normal noise of this standard deviation on every sample.
fn noisy(noise: f64) -> Device {
    with_tick(noise, TICK)
}

fn with_tick(noise: f64, tick: Nanos) -> Device {
    let methods = [("main/slice", 640_000.0), ("worker/sync", 1_000.0), ("rpc/transfer", 32_000.0), ("worker/empty", 1.0)];
    let methods = methods.map(|(name, op_ns)| MethodModel::new(name, op_ns)).to_vec();
    let noise = Noise { independent: noise, ..Noise::default() };
    Device::new(methods, [Clock::regular(tick), Clock::regular(tick)], noise, Seed(7))
}

fn arms(device: &Device, tick: Nanos) -> Vec<ArmSpec> {
    let roles = [Role::Baseline, Role::Null, Role::Contender, Role::Contender, Role::Empty];
    let methods = [0, 0, 1, 2, 3].map(|place| &device.methods[place]);
    let arm = |(role, method): (Role, &MethodModel)| ArmSpec {
        method: method.name.clone(),
        role,
        ends_up: method.ends_up,
        writes: method.writes,
        iodepth: 1,
        tick,
        absent: None,
    };
    roles.into_iter().zip(methods).map(arm).collect()
}

fn group() -> Group {
    let job = Job::from_toml(Job::preset("quick").expect("shipped")).expect("valid");
    job.groups.into_iter().find(|group| group.name == "random-4k").expect("in quick")
}

fn play(device: &mut Device, budget_s: f64) -> (GroupRecord, GroupEstimates) {
    play_from(SEED, TICK, device, budget_s, |_| {})
}

fn play_from(seed: Seed, tick: Nanos, device: &mut Device, budget_s: f64, watch: impl FnMut(&Step)) -> (GroupRecord, GroupEstimates) {
    play_group(&group(), seed, tick, device, budget_s, watch)
}

fn play_group(
    group: &Group,
    seed: Seed,
    tick: Nanos,
    device: &mut Device,
    budget_s: f64,
    watch: impl FnMut(&Step),
) -> (GroupRecord, GroupEstimates) {
    let arms = arms(device, tick);
    device.open(group, &arms);
    let record = simulate::play(device, GroupPlan::new(group, seed, arms, Task::new(1, Nanos::from_s(budget_s))), watch);
    let estimates = estimate(&record, seed);
    (record, estimates)
}

#[test]
fn samples_that_flush_hold_whole_numbers_of_flushes_and_the_same_number_where_one_ends_each() {
    let of = |fsync, end_fsync| {
        let group = Group { fsync, end_fsync, ..group() };
        let (record, _) = play_group(&group, SEED, TICK, &mut quiet(), 4.0, |_| {});
        record.arms.iter().filter(|arm| arm.role != Role::Empty).map(|arm| (arm.n, arm.batch)).collect::<Vec<_>>()
    };
    let without = of(0, false);
    assert!(without.iter().any(|(n, _)| n % 16 != 0), "{without:?}");
    for (found, plain) in of(16, false).iter().zip(&without) {
        assert!(found.0 % 16 == 0 && found.0 >= plain.0 && found.1 == plain.1, "{found:?}, {plain:?}");
    }
    let passes = Group { fsync: 3, timing: Timing::Passes, ..group() };
    let (record, _) = play_group(&passes, SEED, TICK, &mut quiet(), 4.0, |_| {});
    assert!(record.arms.iter().all(|arm| arm.n % passes.blocks() == 0), "a sample ends where a pass does");
    let ended = of(0, true);
    assert!(ended.iter().all(|arm| *arm == ended[0] && arm.1 == Batch::Shared), "{ended:?}");
    assert!(ended[0].0 as f64 * 640_000.0 <= protocol::LONGEST_SAMPLE.as_f64(), "{ended:?}");
}

#[test]
fn a_sample_of_passes_reads_everything_once_or_several_times_whatever_the_budget() {
    // 50 blocks: 32 ms by promises, 50 µs by sync handles, of which 40 make the 2 ms that a sample must last.
    let group = Group { timing: Timing::Passes, size: Bytes(50 * 4096), iodepth: 50, ..group() };
    for budget_s in [0.1, 20.0] {
        let mut strides = Vec::new();
        let (record, estimates) = play_group(&group, SEED, TICK, &mut quiet(), budget_s, |step| {
            strides.extend(if let Step::Sample { stride, .. } = step { Some(*stride) } else { None });
        });
        let passes = |arm: usize| (record.arms[arm].n / 50, record.arms[arm].n % 50);
        assert_eq!([BASELINE, NULL, RPC].map(passes), [(1, 0), (1, 0), (2, 0)], "{budget_s}");
        // A pilot reads whole ticks, and a little less than it took.
        assert!(matches!(passes(SYNC), (40..=41, 0)), "{budget_s}: {:?}", passes(SYNC));
        assert!(strides.iter().all(|stride| stride.is_multiple_of(50)), "each begins where the one before did: {strides:?}");
        assert_eq!(record.incidents, [], "{budget_s}");
        assert!(budget_s < 1.0 || estimates.rounds >= 12, "{}", estimates.rounds);
    }
}

/// The places of the arms that every device here has.
const BASELINE: usize = 0;
const NULL: usize = 1;
const SYNC: usize = 2;
const RPC: usize = 3;
const EMPTY: usize = 4;

#[test]
fn a_quiet_device_is_measured_exactly_and_soon() {
    let mut device = quiet();
    let (record, estimates) = play(&mut device, 10.0);
    assert_eq!(record.ended, Ended::Width);
    assert_eq!(record.rounds.len(), protocol::FEWEST_ROUNDS as usize);
    assert!(record.warm_up.steady);
    assert_eq!(estimates.invalid, []);
    assert_eq!(estimates.arms[BASELINE].verdict, Verdict::Baseline);
    assert_eq!(estimates.arms[NULL].verdict, Verdict::Same);
    assert_eq!(estimates.arms[SYNC].verdict, Verdict::Faster);
    assert_eq!(estimates.arms[EMPTY].verdict, Verdict::NotCompared);
    let ratio = estimates.arms[SYNC].ratio.expect("compared").point();
    assert!((ratio / (1_000.0 / 640_000.0) - 1.0).abs() < 0.01, "{ratio}");
    let per_op = estimates.arms[SYNC].per_op.expect("measured");
    assert!((per_op.median_ns - 1_000.0).abs() < 10.0 && !per_op.at_most, "{per_op:?}");
}

#[test]
fn stages_come_in_their_order() {
    let mut steps = Vec::new();
    let (record, _) = play_from(SEED, TICK, &mut quiet(), 10.0, |step| steps.push(step.clone()));
    let stage = |step: &Step| match step {
        Step::Pilot { .. } => 0,
        Step::Verify { when: When::Before, .. } => 1,
        Step::Sample { .. } | Step::RoundOver { .. } | Step::CoolDown { .. } | Step::WashOut { .. } => 2,
        Step::Verify { when: When::After, .. } => 3,
        Step::Done => 4,
    };
    let stages: Vec<i32> = steps.iter().map(stage).collect();
    assert!(stages.is_sorted(), "{stages:?}");
    for arm in &record.arms {
        let checks: Vec<When> = arm.verifications.iter().map(|verification| verification.when).collect();
        let expected: &[When] = if arm.role == Role::Empty { &[] } else { &[When::Before, When::After] };
        assert_eq!(checks, expected, "{}", arm.method);
    }
}

#[test]
fn ops_are_shared_where_that_is_not_too_long() {
    let (record, estimates) = play(&mut quiet(), 10.0);
    let chosen: Vec<(u64, Batch)> = record.arms.iter().map(|arm| (arm.n, arm.batch)).collect();
    // 1 µs asks for 2 000 ops, which 32 µs reads would do in 64 ms: they take 63, and 640 µs reads 4.
    let [baseline, null, sync, rpc, empty] = chosen[..] else { panic!("five arms") };
    assert_eq!(baseline, (4, Batch::Own));
    assert_eq!(null, baseline);
    assert_eq!(rpc, (63, Batch::Own));
    assert_eq!(sync.1, Batch::Shared);
    assert!((1_980..=2_020).contains(&sync.0), "{sync:?}");
    assert_eq!(empty.0, sync.0);
    assert!(estimates.arms[SYNC].notes.contains(&Note::UnequalBatch { n: sync.0, baseline: 4 }));
    assert!(!estimates.arms[NULL].notes.iter().any(|note| matches!(note, Note::UnequalBatch { .. })));
}

#[test]
fn samples_of_reads_in_flight_are_long_enough_for_the_queue() {
    let device = quiet();
    let group = Group { iodepth: 16, ..group() };
    let mut arms = arms(&device, TICK);
    for arm in [BASELINE, NULL, RPC] {
        arms[arm].iodepth = 16;
    }
    let mut device = device;
    device.open(&group, &arms);
    let record = simulate::play(&mut device, GroupPlan::new(&group, SEED, arms, Task::new(1, Nanos::from_s(30.0))), |_| {});
    let chosen: Vec<(u64, u32)> = record.arms.iter().map(|arm| (arm.n, arm.iodepth)).collect();
    // 640 µs ask for 4 ops and 32 µs for 63, 16 reads in flight for 128.
    assert_eq!([chosen[BASELINE], chosen[NULL], chosen[RPC]], [(128, 16), (128, 16), (128, 16)]);
    assert!(chosen[SYNC].0 > 1_900 && chosen[SYNC].1 == 1, "{chosen:?}");
    let notes = |arm: usize| estimate(&record, SEED).arms[arm].notes.clone();
    assert!(notes(SYNC).contains(&Note::OneAtATime) && !notes(RPC).contains(&Note::OneAtATime) && notes(EMPTY).is_empty());
}

#[test]
fn every_second_round_is_the_reverse_of_the_one_before() {
    let (record, _) = play(&mut noisy(0.1), 5.0);
    let mut pairs = 0;
    for pair in record.rounds.windows(2).filter(|pair| pair[0].number % 2 == 0) {
        let mut reversed = pair[0].order.clone();
        reversed.reverse();
        assert_eq!(pair[1].order, reversed);
        pairs += 1;
    }
    assert!(pairs > 5);
    for round in &record.rounds {
        assert!(round.elapsed_ns.iter().all(Option::is_some), "{round:?}");
    }
}

#[test]
fn every_arm_warms_up_for_half_a_second() {
    let (record, _) = play(&mut noisy(0.1), 20.0);
    for arm in [BASELINE, NULL, SYNC, RPC] {
        let samples: Vec<Nanos> = record.warm_up.rounds.iter().filter_map(|round| round.elapsed_ns[arm]).collect();
        let sum: Nanos = samples.iter().copied().sum();
        assert!(samples.len() >= 3 && sum >= protocol::WARM_UP, "arm {arm}: {} samples, {sum:?}", samples.len());
        assert!(sum < Nanos(protocol::WARM_UP.0 * 3), "arm {arm} took {sum:?}");
    }
}

#[test]
fn noise_is_measured_until_the_budget_ends() {
    let (record, estimates) = play(&mut noisy(0.3), 10.0);
    assert_eq!(record.ended, Ended::Budget);
    assert!(record.elapsed_ns > Nanos::from_s(9.5) && record.elapsed_ns < Nanos::from_s(10.5), "{:?}", record.elapsed_ns);
    let width = estimates.half_width.expect("many rounds");
    assert!(width > protocol::HALF_WIDTH);
    assert!(estimates.rounds_needed.expect("too wide") > record.rounds.len());
    assert_eq!(estimates.arms[SYNC].verdict, Verdict::Faster);
}

/// As the reads outside the browser are measured.
#[test]
fn a_baseline_and_its_null_arm_alone_are_measured_like_any_group() {
    let mut device = noisy(0.1);
    let mut arms = arms(&device, TICK);
    arms.truncate(2);
    device.open(&group(), &arms);
    let plan = |arms| GroupPlan::new(&group(), SEED, arms, Task::new(1, Nanos::from_s(5.0)));
    let record = simulate::play(&mut device, plan(arms.clone()), |_| {});
    let estimates = estimate(&record, SEED);
    assert_eq!((record.ended, estimates.invalid.len()), (Ended::Width, 0));
    assert!(estimates.rounds >= 12 && estimates.arms[0].per_op.is_some_and(|per_op| per_op.interval_ns.is_some()), "{estimates:?}");
    assert!(record.arms.iter().all(|arm| arm.verifications.len() == 2 && arm.n > 1));
    device.faults = vec![(0, Fault::Fails)];
    device.open(&group(), &arms);
    let record = simulate::play(&mut device, plan(arms), |_| {});
    assert_eq!((record.ended, record.arms[0].failure.as_deref()), (Ended::Failed, Some("read() failed")));
}

#[test]
fn a_method_that_fails_is_left_out_and_the_others_go_on() {
    let mut device = quiet();
    device.faults.push((SYNC, Fault::Fails));
    let (record, estimates) = play(&mut device, 10.0);
    assert_eq!(record.arms[SYNC].failure.as_deref(), Some("read() failed"));
    assert_eq!(estimates.arms[SYNC].verdict, Verdict::Withheld { reasons: vec![Withheld::Failed { error: "read() failed".into() }] });
    assert_eq!(estimates.arms[RPC].verdict, Verdict::Faster);
    assert_eq!(estimates.invalid, []);
}

#[test]
fn a_method_that_begins_to_fail_is_taken_out_after_three_rounds() {
    let mut device = noisy(0.1);
    device.faults.push((SYNC, Fault::FailsFromRound(60)));
    let (record, estimates) = play(&mut device, 10.0);
    let dropped: Vec<_> = record.rounds.iter().chain(&record.warm_up.rounds).filter(|round| round.dropped.is_some()).collect();
    assert_eq!(dropped.len(), 3);
    assert!(dropped.iter().all(|round| round.dropped == Some(DropCause::IoError { arm: SYNC, error: "read() failed".into() })));
    assert!(matches!(estimates.arms[SYNC].verdict, Verdict::Withheld { .. }));
    assert_eq!(estimates.arms[RPC].verdict, Verdict::Faster);
}

/// Plays a group in a browser that lacks the methods of these arms.
fn play_without(absent: &[usize]) -> (GroupRecord, GroupEstimates) {
    let mut device = quiet();
    let group = group();
    let mut arms = arms(&device, TICK);
    for arm in absent {
        arms[*arm].absent = Some("Blob.prototype.bytes".into());
    }
    device.open(&group, &arms);
    let missing = absent.to_vec();
    let asked = |step: &Step| {
        if let Step::Pilot { arm, .. } | Step::Sample { arm, .. } | Step::Verify { arm, .. } = step {
            assert!(!missing.contains(arm), "{step:?}");
        }
    };
    let record = simulate::play(&mut device, GroupPlan::new(&group, SEED, arms, Task::new(1, Nanos::from_s(10.0))), asked);
    let estimates = estimate(&record, SEED);
    (record, estimates)
}

fn not_in_this_browser() -> Verdict {
    Verdict::Withheld { reasons: vec![Withheld::NotInThisBrowser { missing: "Blob.prototype.bytes".into() }] }
}

#[test]
fn a_method_that_the_browser_lacks_takes_part_in_nothing() {
    let (record, estimates) = play_without(&[SYNC]);
    assert_eq!(record.ended, Ended::Width);
    assert_eq!((record.arms[SYNC].n, record.arms[SYNC].bytes, &record.arms[SYNC].failure), (0, 0, &None));
    assert_eq!(estimates.arms[SYNC].verdict, not_in_this_browser());
    assert_eq!(estimates.arms[RPC].verdict, Verdict::Faster);
    assert_eq!(estimates.invalid, []);
}

#[test]
fn a_group_of_which_the_browser_has_no_contender_ends_and_says_so() {
    let (record, estimates) = play_without(&[SYNC, RPC]);
    assert_eq!((record.ended, record.rounds.len()), (Ended::Failed, 0));
    assert_eq!((&estimates.arms[SYNC].verdict, &estimates.arms[RPC].verdict), (&not_in_this_browser(), &not_in_this_browser()));
    assert_eq!(estimates.invalid, []);
}

#[test]
fn without_a_baseline_that_the_browser_has_there_is_no_group() {
    let (record, estimates) = play_without(&[BASELINE, NULL]);
    assert_eq!(record.ended, Ended::Failed);
    assert_eq!(estimates.invalid, [Invalid::BaselineFailed]);
    assert_eq!(estimates.arms[NULL].verdict, not_in_this_browser());
}

#[test]
fn without_a_baseline_there_is_no_group() {
    let mut device = quiet();
    device.faults.push((BASELINE, Fault::Fails));
    let (record, estimates) = play(&mut device, 10.0);
    assert_eq!(record.ended, Ended::Failed);
    assert!(record.rounds.is_empty());
    assert_eq!(estimates.invalid, [Invalid::BaselineFailed]);
}

#[test]
fn wrong_bytes_before_the_first_round_keep_an_arm_out() {
    let mut device = quiet();
    device.faults.push((SYNC, Fault::WrongBytes(When::Before)));
    let (record, estimates) = play(&mut device, 10.0);
    assert_eq!(record.arms[SYNC].verifications[0].found, WRONG);
    assert!(record.rounds.iter().all(|round| round.elapsed_ns[SYNC].is_none()));
    assert_eq!(estimates.arms[SYNC].verdict, Verdict::Withheld { reasons: vec![Withheld::WrongBytes] });
}

#[test]
fn wrong_bytes_after_the_last_round_withhold_the_verdict() {
    let mut device = quiet();
    device.faults.push((SYNC, Fault::WrongBytes(When::After)));
    let (record, estimates) = play(&mut device, 10.0);
    assert!(record.rounds.iter().all(|round| round.elapsed_ns[SYNC].is_some()));
    assert_eq!(estimates.arms[SYNC].verdict, Verdict::Withheld { reasons: vec![Withheld::WrongBytes] });
    assert_eq!(estimates.arms[RPC].verdict, Verdict::Faster);
}

#[test]
fn a_read_of_too_few_bytes_fails_the_arm() {
    let mut device = quiet();
    device.faults.push((SYNC, Fault::Short));
    let (record, _) = play(&mut device, 10.0);
    let failure = record.arms[SYNC].failure.as_deref().expect("failed");
    assert!(failure.contains("read 4095 B where 1 ops hold 4096 B"), "{failure}");
}

#[test]
fn a_hidden_page_and_a_sleeping_device_drop_their_rounds() {
    let mut device = noisy(0.05);
    device.happenings = vec![
        (Moment::Round(260), Happening::Hidden),
        (Moment::Round(261), Happening::Hidden),
        (Moment::Round(265), Happening::Sleeps(Nanos::from_s(5.0), Monotonic::Stands)),
    ];
    let (record, estimates) = play(&mut device, 8.0);
    let cause = |number: u32| record.rounds.iter().find(|round| round.number == number).and_then(|round| round.dropped.clone());
    assert_eq!(cause(260), Some(DropCause::PageHidden));
    assert_eq!(cause(261), Some(DropCause::PageHidden));
    assert_eq!(cause(265), Some(DropCause::DeviceSlept { gap_ns: Nanos::from_s(5.0) }));
    assert_eq!(estimates.dropped, 3);
    assert_eq!(estimates.rounds, record.rounds.len() - 3);
    assert_eq!(estimates.invalid, []);
}

#[test]
fn too_many_dropped_rounds_make_the_group_invalid() {
    let mut device = noisy(0.05);
    device.happenings = (0..10_000).step_by(5).map(|number| (Moment::Round(number), Happening::Hidden)).collect();
    let (_, estimates) = play(&mut device, 8.0);
    assert!(matches!(estimates.invalid[..], [Invalid::TooManyDropped { .. }]), "{:?}", estimates.invalid);
    assert_eq!(estimates.arms[SYNC].verdict, Verdict::Withheld { reasons: Vec::new() });
}

#[test]
fn a_clock_that_steps_back_ends_the_group() {
    let mut device = quiet();
    device.faults.push((RPC, Fault::ClockStepsBack));
    let (record, estimates) = play(&mut device, 10.0);
    assert_eq!(record.incidents, [Incident::ClockSteppedBack]);
    assert!(estimates.invalid.contains(&Invalid::ClockSteppedBack));
}

#[test]
fn a_null_arm_that_differs_makes_the_group_invalid() {
    let mut device = quiet();
    device.skews.push((NULL, 1.05));
    let (_, estimates) = play(&mut device, 10.0);
    assert!(matches!(estimates.invalid[..], [Invalid::NullArmDiffers { ratio }] if (ratio - 1.05).abs() < 0.01), "{:?}", estimates.invalid);
}

#[test]
fn stop_keeps_what_was_measured_without_a_verdict() {
    let mut device = noisy(0.1);
    device.happenings.push((Moment::Round(290), Happening::Stopped));
    let (record, estimates) = play(&mut device, 10.0);
    assert_eq!(record.ended, Ended::Stopped);
    assert_eq!(record.rounds.last().and_then(|round| round.dropped.clone()), Some(DropCause::Stopped));
    assert_eq!((estimates.rounds, estimates.dropped), (record.rounds.len() - 1, 0));
    assert!(estimates.arms[SYNC].ratio.is_some());
    assert_eq!(estimates.arms[SYNC].verdict, Verdict::Withheld { reasons: vec![Withheld::Unverified] });
}

#[test]
fn a_coarse_clock_is_told_and_still_found_right() {
    let tick = Nanos(1_000_000);
    let (record, estimates) = play_from(SEED, tick, &mut with_tick(0.02, tick), 2.0, |_| {});
    assert_eq!(record.incidents, [Incident::CoarseTimer { ticks: 25 }]);
    for arm in [BASELINE, SYNC] {
        assert!(estimates.arms[arm].notes.iter().any(|note| matches!(note, Note::CoarseTimer { .. })), "{:?}", estimates.arms[arm]);
    }
    let (low, high) = estimates.arms[SYNC].ratio.and_then(|ratio| ratio.interval()).expect("an interval");
    let truth = 1_000.0 / 640_000.0;
    assert!(low <= truth && truth <= high, "{low} to {high}");
    // The empty loop takes 20 µs a batch, which this clock cannot see: at most a tick over all ops.
    let empty = estimates.arms[EMPTY].per_op.expect("measured");
    assert!(empty.at_most && empty.median_ns <= 1e6 / record.arms[EMPTY].n as f64, "{empty:?}");
}

#[test]
fn an_arm_as_fast_as_nothing_is_marked() {
    let mut device = quiet();
    for method in &mut device.methods {
        if method.name.api() == "sync" {
            method.kept_ns = 1.0;
        }
    }
    let (_, estimates) = play(&mut device, 10.0);
    assert!(estimates.arms[SYNC].notes.contains(&Note::IndistinguishableFromEmpty));
    assert!(!estimates.arms[BASELINE].notes.contains(&Note::IndistinguishableFromEmpty));
}

#[test]
fn the_same_seed_gives_the_same_record_and_another_one_another() {
    let run = |seed: Seed| play_from(seed, TICK, &mut noisy(0.1), 5.0, |_| {}).0;
    assert_eq!(run(Seed(1)), run(Seed(1)));
    assert_ne!(run(Seed(1)), run(Seed(2)));
}

#[test]
fn estimates_survive_the_file_to_the_last_bit() {
    let (record, estimates) = play(&mut noisy(0.2), 5.0);
    let text = serde_json::to_string(&GroupResult::new(record, estimates)).expect("plain data");
    let read: GroupResult = serde_json::from_str(&text).expect("its own text");
    let again = GroupResult::new(read.record.clone(), estimate(&read.record, SEED));
    assert_eq!(again, read);
    assert_eq!(serde_json::to_string(&again).expect("plain data"), text);
}
