//! Every verdict, every reason for none, and every note, as a person reads it: a short label for the table's cell, and an
//! explanation for the legend below it.

use super::doubts::Severity;
use super::format::{duration, percent, ratio, ratio_estimate, significant};
use super::prose::{count, one_line};
use super::words;
use crate::estimate::{ArmEstimate, Invalid, Note, Verdict, Withheld};
use crate::protocol;
use crate::result::{Arm, GroupRecord, GroupResult, Role};
use crate::stats::Tail;

/// A sentence about rows of a table, without its full stop, and what is particular to one of the rows.
pub(super) struct Remark {
    pub(super) sentence: String,
    pub(super) detail: Option<String>,
}

/// The verdict in a cell.
pub(super) fn label(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Baseline => "baseline",
        // Its row is named for what it is.
        Verdict::NotCompared => "",
        Verdict::Same => "same",
        Verdict::Faster => "faster",
        Verdict::Slower => "slower",
        Verdict::Inconclusive => "inconclusive",
        Verdict::Withheld { .. } => "no verdict",
    }
}

/// The verdict as a style class.
pub(super) fn class(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Baseline => "baseline",
        Verdict::NotCompared => "not-compared",
        Verdict::Same => "same",
        Verdict::Faster => "faster",
        Verdict::Slower => "slower",
        Verdict::Inconclusive => "inconclusive",
        Verdict::Withheld { .. } => "withheld",
    }
}

/// What the label means. None where the cell says it all.
pub(super) fn explanation(verdict: &Verdict) -> Option<String> {
    let margin = percent(protocol::MARGIN);
    match verdict {
        Verdict::Baseline => Some("the method that the others are compared with".into()),
        Verdict::NotCompared => None,
        Verdict::Same => Some(format!("the whole interval of the ratio is within {margin} of 1")),
        Verdict::Faster => Some("the whole interval of the ratio is below 1".into()),
        Verdict::Slower => Some("the whole interval of the ratio is above 1".into()),
        Verdict::Inconclusive => {
            Some(format!("the interval holds 1, and more than {margin} to one side of it: longer measuring could tell"))
        }
        Verdict::Withheld { .. } => Some("nothing can be said, for the reason given with the table".into()),
    }
}

/// Why the whole group has no verdicts, to stand after "because".
pub(super) fn invalid(reason: Invalid, record: &GroupRecord) -> String {
    match reason {
        Invalid::NullArmDiffers { ratio: times } => {
            format!("the null arm, which is the baseline again, took {} times the baseline's time", ratio(times))
        }
        Invalid::CarryOver { after, ratio: times } => {
            let name = record.arms.get(after).map_or_else(|| "another method".into(), |arm| words::arm(record, arm));
            format!("the baseline took {} times as long right after {name}, which writes, as after other methods", ratio(times))
        }
        Invalid::TooManyDropped { dropped, of } => {
            format!("{dropped} of {} were dropped, more than {}", count(of, "round"), percent(protocol::DROPPED_AT_MOST))
        }
        Invalid::ClockSteppedBack => "a clock stepped back".into(),
        Invalid::BaselineFailed => baseline_failed(record),
    }
}

/// The sentence above the table of a group without verdicts. None where the group is valid.
pub(super) fn group_invalid(group: &GroupResult) -> Option<String> {
    let reasons: Vec<String> = group.estimates.invalid.iter().map(|reason| invalid(*reason, &group.record)).collect();
    (!reasons.is_empty()).then(|| format!("No verdicts, because {}.", reasons.join(", and ")))
}

/// What stands above the doubts, depending on the worst of them.
pub(super) fn doubts_heading(worst: Severity) -> &'static str {
    match worst {
        Severity::Serious => "What makes this run doubtful",
        Severity::Notable => "Worth knowing about this run",
        Severity::Mild => "Notes on this run",
    }
}

fn baseline_failed(record: &GroupRecord) -> String {
    let Some(baseline) = record.arms.iter().find(|arm| arm.role == Role::Baseline) else {
        return format!("the baseline {} was not measured", record.group.baseline);
    };
    if let Some(missing) = &baseline.absent {
        return format!("the baseline {} is not in this browser: {}", baseline.method, clause(missing));
    }
    match (&baseline.failure, wrong_bytes(baseline)) {
        (Some(error), _) => format!("the baseline {} failed: {}", baseline.method, clause(error)),
        (None, Some(found)) => format!("the baseline {} read other bytes than the files hold: {found}", baseline.method),
        (None, None) => format!("the baseline {} failed", baseline.method),
    }
}

/// Why an arm has no verdict, to stand after "because".
pub(super) fn withheld(reason: &Withheld, level: f64) -> String {
    match reason {
        Withheld::NotInThisBrowser { missing } => format!("it is not in this browser: {}", clause(missing)),
        Withheld::Failed { error } => format!("it failed: {}", clause(error)),
        Withheld::WrongBytes => "it read other bytes than the files hold".into(),
        Withheld::Unverified => "bytes were not checked after the last round".into(),
        Withheld::TooFewRounds { rounds } => {
            let are = if *rounds == 1 { "is" } else { "are" };
            format!(
                "{} {are} too few for a verdict at {}, which takes {}",
                count(*rounds, "round"),
                percent(level),
                protocol::FEWEST_ROUNDS
            )
        }
        Withheld::BelowClock { ticks } => {
            format!("samples of {} of the clock are too short to time", ticks_of(*ticks))
        }
        Withheld::Autocorrelated { coefficient } => {
            format!("each round depends on the one before (autocorrelation {})", significant(*coefficient, 2))
        }
    }
}

/// The same reason as a remark below the table.
pub(super) fn withheld_remark(reason: &Withheld, arm: &Arm, level: f64) -> Remark {
    let (sentence, detail) = match reason {
        Withheld::NotInThisBrowser { missing } => ("No verdict: this browser does not have it".into(), Some(clause(missing))),
        Withheld::Failed { error } => ("No verdict: the method failed".into(), Some(clause(error))),
        Withheld::WrongBytes => ("No verdict: it read other bytes than the files hold".into(), wrong_bytes(arm)),
        Withheld::Unverified => ("No verdict: its bytes, or the baseline's, were not checked after the last round".into(), None),
        Withheld::TooFewRounds { .. } => (format!("No verdict: {}", withheld(reason, level)), None),
        Withheld::BelowClock { ticks } => (
            format!(
                "No verdict: its samples, or the baseline's, are shorter than the {} of the clock that a verdict needs",
                count(usize::try_from(protocol::COARSE_TICKS).unwrap_or(usize::MAX), "tick")
            ),
            Some(ticks_of(*ticks)),
        ),
        Withheld::Autocorrelated { coefficient } => (
            format!(
                "No verdict: each round depends on the one before, with an autocorrelation above {}",
                protocol::AUTOCORRELATION_AT_MOST
            ),
            Some(significant(*coefficient, 2)),
        ),
    };
    Remark { sentence, detail }
}

/// A note as a remark below the table.
pub(super) fn note_remark(note: Note, estimate: &ArmEstimate) -> Remark {
    let (sentence, detail) = match note {
        Note::UnequalBatch { n, baseline } => {
            ("Unequal batch: its samples hold another number of ops than the baseline's", Some(format!("{n} against {baseline}")))
        }
        Note::OneAtATime => ("Reads one at a time, whatever is asked for: synchronous calls have no queue", None),
        Note::IndistinguishableFromEmpty => {
            ("Indistinguishable from an empty loop: its time cannot be told from the loop without the read", None)
        }
        Note::CoarseTimer { ticks } => (
            "Coarse timer: few ticks of the clock in a sample, so up to half a tick of chance was added to each reading",
            Some(ticks_of(ticks)),
        ),
        Note::TailDominated { tail: Tail::Dominates } => (
            "Slow samples decide: in all it takes another ratio of the baseline's time than a typical sample does, so the ratio of all time is shown",
            estimate.ratio.map(|ratio| {
                let typical = with_interval(ratio.point(), ratio.interval());
                format!("typically {typical}, {}", label(&estimate.verdict))
            }),
        ),
        Note::TailDominated { tail: Tail::MayDominate } => (
            "In all it took another ratio of the baseline's time than it typically takes, since a few samples were slow; that may be chance",
            estimate.total.map(|total| {
                let (point, interval) = (total.point(), total.interval());
                format!("in all {}", with_interval(point, Some(interval)))
            }),
        ),
        Note::Widened { factor } => {
            ("The interval was widened, since each round depends a little on the one before", Some(format!("{} times", ratio(factor))))
        }
        Note::Overloaded { offered, achieved } => (
            "Overloaded: its ops take longer than the rate leaves them, so they queue up, and response times grow with the length of a sample",
            Some(format!("{} of {offered} ops/s", significant(achieved, 3))),
        ),
        Note::LateStarts { latest_ns } => (
            "Some ops began late though nothing of theirs ran: the browser or the machine was busy. It counts in their response time",
            Some(format!("by up to {}", duration(latest_ns.as_f64()))),
        ),
        Note::Outliers { mild, severe } => ("Samples far from the others (Tukey's fences); none was removed", Some(outliers(mild, severe))),
    };
    Remark { sentence: sentence.into(), detail }
}

fn with_interval(point: f64, interval: Option<(f64, f64)>) -> String {
    let estimate = ratio_estimate(point, interval);
    let interval = estimate.interval().map(|interval| format!(" ({interval})")).unwrap_or_default();
    format!("{}{interval}", estimate.value())
}

fn outliers(mild: usize, severe: usize) -> String {
    match (mild, severe) {
        (_, 0) => format!("{mild} mild"),
        (0, _) => format!("{severe} severe"),
        _ => format!("{mild} mild and {severe} severe"),
    }
}

fn ticks_of(ticks: f64) -> String {
    format!("{} ticks", significant(ticks, 2))
}

/// The first check that found other bytes: what was expected and what was found.
pub(super) fn wrong_bytes(arm: &Arm) -> Option<String> {
    let failed = arm.verifications.iter().find(|verification| verification.expected != verification.found)?;
    Some(format!("checksum {} instead of {}", one_line(&failed.found), one_line(&failed.expected)))
}

/// An error inside a sentence: on one line, without a full stop of its own.
pub(super) fn clause(error: &str) -> String {
    let text = one_line(error);
    let trimmed = text.trim_end_matches(['.', '!', ' ']);
    if trimmed.is_empty() { "no reason was given".into() } else { trimmed.to_owned() }
}
