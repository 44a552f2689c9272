//! Rounds that do not count, and why. Rounds that Stop cut short are not among them.

use super::verdict::clause;
use super::words;
use crate::result::{DropCause, GroupRecord};

/// Each cause with the number of rounds, in the order in which they first came up.
pub(super) fn by_cause(record: &GroupRecord) -> Vec<(String, usize)> {
    let mut causes: Vec<(String, usize)> = Vec::new();
    for cause in record.rounds.iter().filter_map(|round| round.dropped.as_ref()) {
        let Some(text) = text(cause, record) else { continue };
        match causes.iter_mut().find(|(known, _)| *known == text) {
            Some((_, number)) => *number += 1,
            None => causes.push((text, 1)),
        }
    }
    causes
}

/// How many rounds all causes took.
pub(super) fn number(causes: &[(String, usize)]) -> usize {
    causes.iter().map(|(_, number)| number).sum()
}

/// The causes in a sentence: `the page was hidden: 2; the device slept: 1`.
pub(super) fn listed(causes: &[(String, usize)]) -> String {
    causes.iter().map(|(cause, number)| format!("{cause}: {number}")).collect::<Vec<_>>().join("; ")
}

fn text(cause: &DropCause, record: &GroupRecord) -> Option<String> {
    match cause {
        DropCause::PageHidden => Some("the page was hidden".into()),
        DropCause::DeviceSlept { .. } => Some("the device slept".into()),
        DropCause::IoError { arm, error } => {
            let name = record.arms.get(*arm).map_or_else(|| "a method".into(), |arm| words::arm(record, arm));
            Some(format!("{name} failed ({})", clause(error)))
        }
        DropCause::ClockSteppedBack => Some("a clock stepped back".into()),
        DropCause::Stopped => None,
    }
}
