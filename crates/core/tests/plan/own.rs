//! Files of a person's own, of all sizes, which are read whole.

use opfs_bench_core::job::{Group, Job};
use opfs_bench_core::ops::{self, PILOT_ROUND};
use opfs_bench_core::plan::{GroupPlan, Outcome, RoundChecks, Step, Task};
use opfs_bench_core::result::{Ended, EndsUp, Role, Verification};
use opfs_bench_core::units::Nanos;

use super::*;

const SIZES: [u64; 7] = [1, 4097, 1_048_579, 700, 65_536, 12, 300_000];

fn own(timing: Timing) -> Group {
    let mut job = Job::from_toml(Job::preset("quick").expect("shipped")).expect("valid");
    job.groups.truncate(1);
    job.groups[0].timing = timing;
    job.with_own(&SIZES, &()).expect("they fit").groups.remove(0)
}

/// Plays the group by arms that take so long for a byte and read what they should, but for one that reads as many bytes as files have in the
/// mean.
fn play_own(group: &Group, ns_per_byte: [f64; 2], mean: Option<usize>) -> GroupRecord {
    let arm = |(place, role): (usize, Role)| ArmSpec {
        method: ["main/slice", "main/slice", "worker/sync"][place].parse().expect("a name"),
        role,
        ends_up: EndsUp::MainBuffer,
        writes: false,
        iodepth: 1,
        tick: TICK,
        absent: None,
    };
    let arms = [Role::Baseline, Role::Null, Role::Contender].into_iter().enumerate().map(arm).collect();
    let mut plan = GroupPlan::new(group, SEED, arms, Task::new(0, Nanos::from_s(30.0)));
    let mut now = Nanos(0);
    loop {
        let outcome = match plan.step() {
            Step::Done => return plan.into_record(),
            Step::Pilot { arm, n } => timed(group, ns_per_byte, arm, (PILOT_ROUND, 1), n, mean),
            Step::Sample { arm, round, n, stride, .. } => timed(group, ns_per_byte, arm, (round, stride), n, mean),
            Step::Verify { when, .. } => Outcome::Verified(Verification { when, ops: 7, expected: "a".into(), found: "a".into() }),
            Step::RoundOver { .. } => Outcome::RoundOver(RoundChecks::default()),
            step => panic!("nothing is written or cooled: {step:?}"),
        };
        if let Outcome::Timed { elapsed, .. } = &outcome {
            now = now + *elapsed;
        }
        plan.record(outcome, now);
    }
}

fn timed(group: &Group, ns_per_byte: [f64; 2], arm: usize, (round, stride): (u32, u64), n: u64, mean: Option<usize>) -> Outcome {
    let bytes = ops::bytes(group, SEED, 0, round, stride, n);
    let elapsed = Nanos::from_ms(bytes as f64 * ns_per_byte[usize::from(arm == 2)] / 1e6);
    let read = if mean == Some(arm) { group.op_bytes().0 * n } else { bytes };
    let ops = if group.timing == Timing::Ops { vec![Nanos(elapsed.0 / n); usize::try_from(n).expect("few")] } else { Vec::new() };
    Outcome::Timed { elapsed, bytes: read, ops, pacing: None }
}

#[test]
fn every_sample_is_a_whole_number_of_passes_however_fast_an_arm_is() {
    for timing in [Timing::Batches, Timing::Passes, Timing::Ops] {
        // 0.2 ms and 40 ms for all files.
        let record = play_own(&own(timing), [28.0, 0.14], None);
        assert!(matches!(record.ended, Ended::Width | Ended::Budget), "{timing:?} {:?}", record.ended);
        let n: Vec<u64> = record.arms.iter().map(|arm| arm.n).collect();
        assert!(n.iter().all(|n| *n > 0 && n.is_multiple_of(7)) && n[2] > n[0], "{timing:?} {n:?}");
        let total: u64 = SIZES.iter().sum();
        for arm in &record.arms {
            assert_eq!(arm.failure, None);
            let rounds = record.rounds.len() as u64;
            assert_eq!(arm.bytes, rounds * (arm.n / 7) * total, "{timing:?}: what it has read is what its passes hold");
        }
        // An op is a file in the mean, whichever arm reads it in samples of whichever length.
        let estimates = estimate(&record, SEED);
        let per_op = |arm: usize| estimates.arms[arm].per_op.expect("timed");
        let mean = total as f64 / 7.0;
        for (arm, ns_per_byte) in [(0, 28.0), (2, 0.14)] {
            let found = per_op(arm);
            assert!((found.median_ns / (mean * ns_per_byte) - 1.0).abs() < 0.01, "{timing:?} {found:?}");
            let bytes_per_s = found.bytes_per_s.expect("it reads");
            assert!((bytes_per_s * ns_per_byte / 1e9 - 1.0).abs() < 0.01, "{timing:?} {bytes_per_s}");
        }
    }
}

#[test]
fn bytes_are_counted_file_by_file() {
    let record = play_own(&own(Timing::Batches), [28.0, 0.14], Some(2));
    let failure = record.arms[2].failure.as_deref().expect("it read the mean");
    assert!(failure.starts_with("worker/sync read 202703 B where 1 ops hold "), "{failure}");
}
