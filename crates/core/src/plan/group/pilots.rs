//! The first stage: how long an op of each arm takes, and how many make a sample.

use super::{GroupPlan, Stage};
use crate::job::{Thread, Timing};
use crate::ops::PILOT_ROUND;
use crate::plan::batch::{self, Pace};
use crate::plan::pilot::Pilot;
use crate::protocol;
use crate::result::{Arm, Batch, Ended, Incident, Role, When};
use crate::units::Nanos;

/// A sample that holds a flush may take so many times what any other may at most.
const LONGEST_FLUSHED_TIMES: f64 = 4.0;

impl GroupPlan {
    /// Begins the pilot of the first arm from `from` on that needs one; then chooses the ops.
    pub(super) fn pilot_from(&mut self, from: usize) {
        let next = (from..self.record.arms.len()).find(|arm| has_pilot(&self.record.arms[*arm]));
        match next {
            Some(arm) => {
                let pilot = Pilot::new(self.record.arms[arm].tick_ns).in_flight(self.in_flight(arm)).at_most(self.most_ops());
                self.stage = Stage::Pilot { arm, pilot };
            }
            None => self.choose_batches(),
        }
    }

    pub(super) fn piloted(&mut self, arm: usize, n: u64, elapsed: Nanos, bytes: u64) {
        if let Err(error) = self.check_bytes(arm, PILOT_ROUND, 1, n, bytes) {
            self.record.arms[arm].failure = Some(error);
            self.pilot_from(arm + 1);
            return;
        }
        self.failures_on_end[arm] = 0;
        self.record.arms[arm].first_touch_ns.get_or_insert(elapsed);
        let Stage::Pilot { pilot, .. } = &mut self.stage else { unreachable!("only the pilot's stage pilots") };
        pilot.record(n, elapsed);
        if let Some(per_op) = pilot.per_op_ns() {
            self.record.arms[arm].pilot = pilot.batches().to_vec();
            self.paces[arm] = Some(per_op);
            self.pilot_from(arm + 1);
        }
    }

    /// How many reads the arm has in flight, in all its workers together, as far as a sample must hold many times that. What a pass takes is
    /// what its queue takes to fill and to empty, too: all files at once are not more than that.
    fn in_flight(&self, arm: usize) -> u64 {
        if self.record.group.timing == Timing::Passes {
            return 1;
        }
        let Arm { method, iodepth, .. } = &self.record.arms[arm];
        u64::from(*iodepth) * u64::from(self.record.group.workers(method))
    }

    /// In a group that is timed so, a sample ends where a pass does. So it does where ops are of different lengths: arms with samples of
    /// different lengths would otherwise read other files each.
    fn whole_passes(&self, n: u64) -> u64 {
        let group = &self.record.group;
        if group.timing == Timing::Passes || group.is_uneven() { n.next_multiple_of(self.record.group.blocks()) } else { n }
    }

    /// Arms are compared over the same work, flushes too. Where there is one after every so many writes, samples hold whole numbers of them, as
    /// far as that does not take too long and leaves whole passes whole; where every sample ends with one, all samples are as many writes.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates
    fn equal_flushes(&self, arms: &mut [(u64, Batch)], paces: &[Pace]) {
        let group = &self.record.group;
        let longest = |times: f64, pace: &Pace| (times * protocol::LONGEST_SAMPLE.as_f64() / pace.per_op_ns) as u64;
        let every = u64::from(group.fsync);
        if every > 1 {
            for ((n, _), pace) in arms.iter_mut().zip(paces) {
                let whole = n.next_multiple_of(every);
                let in_passes = self.whole_passes(whole) == whole;
                if in_passes && whole <= self.most_ops() && whole <= longest(LONGEST_FLUSHED_TIMES, pace) {
                    *n = whole;
                }
            }
        }
        if group.end_fsync {
            let slowest = paces.iter().map(|pace| longest(1.0, pace)).min().unwrap_or(1);
            let most = arms.iter().map(|(n, _)| *n).max().unwrap_or(1);
            let n = self.whole_passes(most.min(slowest).max(1));
            arms.fill((n, Batch::Shared));
        }
    }

    fn choose_batches(&mut self) {
        let baseline = self.record.arms.iter().position(|arm| arm.role == Role::Baseline);
        let Some(baseline) = baseline.filter(|baseline| self.paces[*baseline].is_some()) else { return self.end(Ended::Failed) };
        if let Some(rate_iops) = self.record.group.rate_iops {
            return self.choose_paced(rate_iops);
        }
        // The baseline first, since the null arm takes what it takes.
        let mut piloted: Vec<usize> = (0..self.paces.len()).filter(|arm| self.paces[*arm].is_some() && *arm != baseline).collect();
        piloted.insert(0, baseline);
        let paces: Vec<Pace> = piloted
            .iter()
            .map(|arm| Pace {
                per_op_ns: self.paces[*arm].expect("piloted"),
                tick: self.record.arms[*arm].tick_ns,
                in_flight: self.in_flight(*arm),
            })
            .collect();
        // Passes are no shorter where there is little time.
        let passes = self.record.group.timing == Timing::Passes;
        let left = if passes { Nanos(u64::MAX) } else { self.record.budget_ns.since(self.record.elapsed_ns) };
        let mut batches = batch::choose(&paces, 1, left);
        batches.arms.iter_mut().for_each(|(n, _)| *n = self.whole_passes((*n).min(self.most_ops())));
        self.equal_flushes(&mut batches.arms, &paces);
        if batches.ticks < protocol::FEWEST_TICKS {
            self.record.incidents.push(Incident::CoarseTimer { ticks: batches.ticks });
        }
        for (arm, (n, batch)) in piloted.iter().zip(&batches.arms) {
            (self.record.arms[*arm].n, self.record.arms[*arm].batch) = (*n, *batch);
        }
        let of_baseline = batches.arms[0];
        // An empty loop is as long as the longest one of its kind.
        let longest = |kind: Thread| {
            let arms = self.record.arms.iter().filter(|arm| arm.role != Role::Empty && arm.method.thread().of_empty_loop() == kind);
            arms.map(|arm| arm.n).max().unwrap_or(0).max(1)
        };
        let empty_loops = [Thread::Main, Thread::Worker, Thread::Pool].map(|kind| (kind, longest(kind)));
        for arm in &mut self.record.arms {
            match arm.role {
                Role::Null => (arm.n, arm.batch) = of_baseline,
                Role::Empty => arm.n = empty_loops.iter().find(|(kind, _)| *kind == arm.method.thread()).map_or(1, |(_, n)| *n),
                Role::Baseline | Role::Contender => {}
            }
        }
        self.verify_from(0, When::Before, Nanos(0));
    }
}

/// The null arm takes the baseline's ops, the empty arms the longest.
fn has_pilot(arm: &Arm) -> bool {
    matches!(arm.role, Role::Baseline | Role::Contender) && arm.absent.is_none()
}
