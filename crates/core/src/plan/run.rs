//! Which group comes next, and how much time it gets.

use super::cool_down::Allowance;
use crate::estimate::Invalid;
use crate::job::Job;
use crate::protocol;
use crate::result::{GroupResult, Sentinels};
use crate::units::Nanos;

/// A group to measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Task {
    /// Its place in the job.
    pub index: usize,
    /// The time that it gets.
    pub budget: Nanos,
    /// What it may pause to let the device cool down.
    pub allowance: Allowance,
    /// How long a sample that writes is waited out at most.
    pub wash_out: Nanos,
    /// What the storage sentinel took before anything was written. None before it was taken.
    pub at_rest: Option<Nanos>,
}

impl Task {
    /// The group at this place of the job with so much time, the usual wash-out, and no pauses.
    #[must_use]
    pub fn new(index: usize, budget: Nanos) -> Self {
        Self { index, budget, allowance: Allowance::default(), wash_out: protocol::WASH_OUT, at_rest: None }
    }
}

/// The groups of a job, one after another. What a group leaves of its budget goes to those after it; one whose null arm
/// differs from the baseline is measured once more, and so is one with carry-over, with a longer wash-out.
#[derive(Clone, Debug)]
pub struct RunPlan {
    groups: usize,
    budget: Nanos,
    spent: Nanos,
    /// Time beyond the budget, for groups that are measured again.
    repeats: Nanos,
    next: usize,
    repeating: bool,
    allowance: Allowance,
    wash_out: Nanos,
    at_rest: Option<Nanos>,
}

impl RunPlan {
    /// For a checked job.
    #[must_use]
    pub fn new(job: &Job) -> Self {
        Self {
            groups: job.groups.len(),
            budget: job.budget(),
            spent: Nanos(0),
            repeats: Nanos(0),
            next: 0,
            repeating: false,
            allowance: Allowance::of_run(job.budget()),
            wash_out: protocol::WASH_OUT,
            at_rest: None,
        }
    }

    /// The group to measure now. None when all are done.
    #[must_use]
    pub fn task(&self) -> Option<Task> {
        let left = self.groups.checked_sub(self.next).filter(|left| *left > 0)?;
        let budget = if self.repeating { self.share() } else { Nanos(self.budget.since(self.spent).0 / left as u64) };
        // An overrun leaves the later groups no less than half of an even share: a group without time measures nothing.
        let budget = budget.max(Nanos(self.share().0 / 2));
        Some(Task { index: self.next, budget, allowance: self.allowance, wash_out: self.wash_out, at_rest: self.at_rest })
    }

    fn share(&self) -> Nanos {
        Nanos(self.budget.0 / self.groups as u64)
    }

    /// Takes the group's result. True where it is superseded: the same group comes once more.
    pub fn finish(&mut self, result: &GroupResult) -> bool {
        let elapsed = result.record.elapsed_ns;
        let readings: Vec<Sentinels> = result.record.rounds.iter().map(|round| round.sentinels).filter(Sentinels::of_cpu).collect();
        self.allowance.spend(&result.record.cool_downs, &readings);
        self.at_rest = self.at_rest.or_else(|| result.record.wash_out?.at_rest_ns);
        let has = |of: fn(&Invalid) -> bool| result.estimates.invalid.iter().any(of);
        let carried_over = has(|reason| matches!(reason, Invalid::CarryOver { .. }));
        let differs = carried_over || has(|reason| matches!(reason, Invalid::NullArmDiffers { .. }));
        if self.repeating {
            self.repeats = self.repeats + elapsed;
        } else {
            self.spent = self.spent + elapsed;
        }
        self.repeating = differs && !self.repeating;
        let longer = if carried_over && self.repeating { protocol::LONGER_WASH_OUT } else { 1 };
        self.wash_out = Nanos(protocol::WASH_OUT.0 * longer);
        if !self.repeating {
            self.next += 1;
        }
        self.repeating
    }

    /// The group to measure now cannot be: its time goes to those after it.
    pub fn skip(&mut self) {
        self.next += 1;
    }

    /// How much of the run is done, from 0 to 1, and the time left, given how long the current group has run.
    #[must_use]
    pub fn progress(&self, in_group: Nanos) -> (f64, Nanos) {
        let Some(task) = self.task() else { return (1.0, Nanos(0)) };
        let in_group = in_group.min(task.budget);
        let done = self.spent + self.repeats + in_group;
        let later = self.groups - self.next - 1;
        let left = task.budget.since(in_group) + Nanos(task.budget.0 * later as u64);
        (done.as_f64() / (done + left).as_f64().max(1.0), left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::GroupEstimates;
    use crate::result::{Ended, GroupRecord, WarmUp};

    fn job() -> Job {
        Job::from_toml(Job::preset("quick").expect("shipped")).expect("valid")
    }

    fn result(seconds: f64, null_differs: bool) -> GroupResult {
        let invalid = if null_differs { vec![Invalid::NullArmDiffers { ratio: 1.05 }] } else { Vec::new() };
        GroupResult::new(
            GroupRecord {
                group: job().groups[0].clone(),
                index: 0,
                arms: Vec::new(),
                warm_up: WarmUp::default(),
                rounds: Vec::new(),
                ended: Ended::Budget,
                incidents: Vec::new(),
                cool_downs: Vec::new(),
                wash_out: None,
                budget_ns: Nanos(0),
                elapsed_ns: Nanos::from_s(seconds),
            },
            GroupEstimates {
                rounds: 0,
                dropped: 0,
                level: 0.99,
                half_width: None,
                drift: Vec::new(),
                rounds_needed: None,
                invalid,
                arms: Vec::new(),
            },
        )
    }

    fn task(plan: &RunPlan) -> (usize, f64) {
        let task = plan.task().expect("a group is left");
        (task.index, task.budget.as_s())
    }

    #[test]
    fn time_that_a_group_leaves_goes_to_the_later_ones() {
        let mut plan = RunPlan::new(&job());
        assert_eq!(task(&plan), (0, 10.0));
        assert!(!plan.finish(&result(4.0, false)));
        assert_eq!(task(&plan), (1, 13.0));
        assert!(!plan.finish(&result(13.0, false)));
        assert!(!plan.finish(&result(13.0, false)));
        assert_eq!(plan.task(), None);
    }

    #[test]
    fn a_group_whose_null_arm_differs_comes_once_more_and_takes_nothing_from_the_others() {
        let mut plan = RunPlan::new(&job());
        assert!(plan.finish(&result(10.0, true)));
        assert_eq!(task(&plan), (0, 10.0));
        assert!(!plan.finish(&result(10.0, true)));
        assert_eq!(task(&plan), (1, 10.0));
    }

    #[test]
    fn an_overrun_leaves_the_later_groups_something() {
        let mut plan = RunPlan::new(&job());
        plan.finish(&result(60.0, false));
        assert_eq!(task(&plan), (1, 5.0));
    }

    #[test]
    fn the_time_of_a_group_that_is_skipped_goes_to_the_later_ones() {
        let mut plan = RunPlan::new(&job());
        plan.skip();
        assert_eq!(task(&plan), (1, 15.0));
        plan.finish(&result(15.0, false));
        plan.skip();
        assert_eq!(plan.task(), None);
    }

    #[test]
    fn progress_rises_to_the_end() {
        let mut plan = RunPlan::new(&job());
        assert_eq!(plan.progress(Nanos(0)), (0.0, Nanos::from_s(30.0)));
        let (fraction, left) = plan.progress(Nanos::from_s(7.5));
        assert!((fraction - 0.25).abs() < 1e-9);
        assert_eq!(left, Nanos::from_s(22.5));
        for _ in 0..3 {
            plan.finish(&result(10.0, false));
        }
        assert_eq!(plan.progress(Nanos(0)), (1.0, Nanos(0)));
    }
}
