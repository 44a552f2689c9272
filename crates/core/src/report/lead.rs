//! What a row leads with: the typical ratio and its verdict, or, where slow samples surely decide, the ratio of all time.

use super::native::APART;
use super::verdict::{class, label};
use crate::estimate::{ArmEstimate, Note, Verdict, judge};
use crate::job::Thread;
use crate::result::{Arm, Role};
use crate::stats::Tail;

/// What stands in a verdict's place where an arm is no choice: a page cannot read its files so.
pub(super) const LIMIT: &str = "limit";

/// Whether the arm is compared with the others and yet no choice among them.
pub(super) fn is_limit(arm: &Arm) -> bool {
    arm.role == Role::Contender && !arm.method.thread().is_choice()
}

/// A ratio and what it says.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Lead {
    /// On the log scale. None where there is none.
    pub(super) log: Option<f64>,
    /// Its interval on the log scale.
    pub(super) log_interval: Option<(f64, f64)>,
    pub(super) verdict: Verdict,
    /// Whether it is of all time.
    pub(super) in_total: bool,
}

impl Lead {
    pub(super) fn of(estimate: &ArmEstimate) -> Self {
        let judged = !matches!(estimate.verdict, Verdict::Withheld { .. });
        let dominates = estimate.notes.contains(&Note::TailDominated { tail: Tail::Dominates });
        if let Some(total) = estimate.total.filter(|_| judged && dominates) {
            let verdict = judge(total.log_interval);
            return Self { log: Some(total.log), log_interval: Some(total.log_interval), verdict, in_total: true };
        }
        let (log, log_interval) = (estimate.ratio.map(|ratio| ratio.log), estimate.ratio.and_then(|ratio| ratio.log_interval));
        Self { log, log_interval, verdict: estimate.verdict.clone(), in_total: false }
    }

    /// The ratio itself.
    pub(super) fn point(&self) -> Option<f64> {
        self.log.map(libm::exp)
    }

    /// The ratio's interval.
    pub(super) fn interval(&self) -> Option<(f64, f64)> {
        self.log_interval.map(|(low, high)| (libm::exp(low), libm::exp(high)))
    }

    /// The verdict in a cell: `slower`, `slower in total`.
    pub(super) fn label(&self) -> String {
        format!("{}{}", label(&self.verdict), self.suffix())
    }

    /// The same of an arm: one that is no choice is a limit, whatever its ratio says, and one outside the browser has none.
    pub(super) fn label_of(&self, arm: &Arm) -> String {
        self.instead(arm).map_or_else(|| self.label(), str::to_owned)
    }

    /// The arm's verdict as a style class.
    pub(super) fn class_of(&self, arm: &Arm) -> &'static str {
        if self.instead(arm).is_some() { LIMIT } else { class(&self.verdict) }
    }

    /// What is said of an arm instead of its verdict.
    pub(super) fn instead(&self, arm: &Arm) -> Option<&'static str> {
        if arm.method.thread() == Thread::Native {
            return Some(APART);
        }
        (is_limit(arm) && !matches!(self.verdict, Verdict::Withheld { .. })).then_some(LIMIT)
    }

    /// What follows a word that is about all time.
    pub(super) fn suffix(&self) -> &'static str {
        if self.in_total { " in total" } else { "" }
    }
}
