//! What a row leads with, as it is shown.

use super::native::APART;
use super::verdict::{class, label};
pub(super) use crate::estimate::Lead;
use crate::estimate::Verdict;
use crate::job::Thread;
use crate::result::{Arm, Role};

/// What stands in a verdict's place where an arm is no choice: a page cannot read its files so.
pub(super) const LIMIT: &str = "limit";

/// Whether the arm is compared with the others and yet no choice among them.
pub(super) fn is_limit(arm: &Arm) -> bool {
    arm.role == Role::Contender && !arm.method.thread().is_choice()
}

impl Lead {
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
