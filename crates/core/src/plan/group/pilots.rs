//! The first stage: how long an op of each arm takes, and how many make a sample.

use super::{GroupPlan, Stage};
use crate::plan::batch::{self, Pace};
use crate::plan::pilot::Pilot;
use crate::protocol;
use crate::result::{Arm, Ended, Incident, Role, When};
use crate::units::Nanos;

impl GroupPlan {
    /// Begins the pilot of the first arm from `from` on that needs one; then chooses the ops.
    pub(super) fn pilot_from(&mut self, from: usize) {
        let next = (from..self.record.arms.len()).find(|arm| has_pilot(&self.record.arms[*arm]));
        match next {
            Some(arm) => self.stage = Stage::Pilot { arm, pilot: Pilot::new(self.record.arms[arm].tick_ns).at_most(self.most_ops()) },
            None => self.choose_batches(),
        }
    }

    pub(super) fn piloted(&mut self, arm: usize, n: u64, elapsed: Nanos, bytes: u64) {
        if let Err(error) = self.check_bytes(arm, n, bytes) {
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
            .map(|arm| Pace { per_op_ns: self.paces[*arm].expect("piloted"), tick: self.record.arms[*arm].tick_ns })
            .collect();
        let left = self.record.budget_ns.since(self.record.elapsed_ns);
        let mut batches = batch::choose(&paces, 1, left);
        batches.arms.iter_mut().for_each(|(n, _)| *n = (*n).min(self.most_ops()));
        if batches.ticks < protocol::FEWEST_TICKS {
            self.record.incidents.push(Incident::CoarseTimer { ticks: batches.ticks });
        }
        for (arm, (n, batch)) in piloted.iter().zip(&batches.arms) {
            (self.record.arms[*arm].n, self.record.arms[*arm].batch) = (*n, *batch);
        }
        let of_baseline = batches.arms[0];
        // An empty loop is as long as the longest one on its clock.
        let on_clock = |arm: &Arm| arm.method.thread().timed_in_worker();
        let longest = [false, true].map(|in_worker| {
            let arms = self.record.arms.iter().filter(|arm| on_clock(arm) == in_worker && arm.role != Role::Empty);
            arms.map(|arm| arm.n).max().unwrap_or(0).max(1)
        });
        for arm in &mut self.record.arms {
            match arm.role {
                Role::Null => (arm.n, arm.batch) = of_baseline,
                Role::Empty => arm.n = longest[usize::from(on_clock(arm))],
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
