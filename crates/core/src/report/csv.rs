//! Samples as CSV, for statistics of one's own: a row is one sample of one arm, and every raw sample of the run has one.
//!
//! [RFC 4180](https://www.rfc-editor.org/rfc/rfc4180): lines end with CR LF, and a field is quoted where it holds a comma, a quote or a line's
//! end. Spreadsheets run what begins like a formula even where it is quoted, so that such a text gets a `'` before it, as OWASP advises.

use std::borrow::Cow;
use std::fmt::Write;

use crate::result::{Arm, DropCause, GroupRecord, GroupResult, Role, Round, RunResult};

/// The columns' names.
const COLUMNS: [&str; 17] = [
    "started",
    "browser",
    "job",
    "group",
    "attempt",
    "method",
    "role",
    "phase",
    "round",
    "position",
    "at_ns",
    "n",
    "elapsed_ns",
    "bytes",
    "rw",
    "bs",
    "dropped",
];

/// The header, and a row for each sample.
pub(super) fn run(run: &RunResult) -> String {
    let mut csv = Csv(String::new());
    csv.row(COLUMNS.map(Cow::Borrowed));
    let attempts = run.superseded.iter().map(|group| (1, group)).chain(run.groups.iter().map(|group| (attempt(run, group), group)));
    for (attempt, group) in attempts {
        for (record, _) in group.records() {
            for (phase, rounds) in [("warm-up", &record.warm_up.rounds), ("measured", &record.rounds)] {
                for round in rounds {
                    csv.round(run, record, attempt, phase, round);
                }
            }
        }
    }
    csv.0
}

/// A group that was measured before is the second attempt.
fn attempt(run: &RunResult, group: &GroupResult) -> u32 {
    1 + u32::from(run.superseded.iter().any(|first| first.record.index == group.record.index))
}

struct Csv(String);

impl Csv {
    fn round(&mut self, run: &RunResult, record: &GroupRecord, attempt: u32, phase: &str, round: &Round) {
        for (number, (arm, elapsed)) in record.arms.iter().zip(&round.elapsed_ns).enumerate() {
            let Some(elapsed) = elapsed else { continue };
            let position = round.order.iter().position(|placed| *placed == number).map(|place| (place + 1).to_string());
            let group = &record.group;
            self.row([
                safe(&run.started),
                safe(&run.environment.browser),
                safe(&run.job.name),
                safe(&group.name),
                attempt.to_string().into(),
                safe(&arm.method.to_string()).into_owned().into(),
                role(arm).into(),
                phase.into(),
                round.number.to_string().into(),
                position.unwrap_or_default().into(),
                round.at_ns.0.to_string().into(),
                arm.n.to_string().into(),
                elapsed.0.to_string().into(),
                bytes(record, arm).to_string().into(),
                record.group.rw.name().into(),
                if group.is_uneven() { group.op_bytes() } else { group.bs }.0.to_string().into(),
                dropped(round).into(),
            ]);
        }
    }

    fn row(&mut self, fields: [Cow<str>; COLUMNS.len()]) {
        for (place, field) in fields.into_iter().enumerate() {
            if place > 0 {
                self.0.push(',');
            }
            if field.contains([',', '"', '\r', '\n']) {
                let _ = write!(self.0, "\"{}\"", field.replace('"', "\"\""));
            } else {
                self.0.push_str(&field);
            }
        }
        self.0.push_str("\r\n");
    }
}

/// A text that no spreadsheet takes for a formula.
fn safe(text: &str) -> Cow<'_, str> {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) { format!("'{text}").into() } else { text.into() }
}

fn role(arm: &Arm) -> &'static str {
    match arm.role {
        Role::Baseline => "baseline",
        Role::Null => "null",
        Role::Contender => "contender",
        Role::Empty => "empty",
    }
}

/// An empty loop touches none.
fn bytes(record: &GroupRecord, arm: &Arm) -> u64 {
    if arm.role == Role::Empty { 0 } else { record.group.moved(arm.n) }
}

fn dropped(round: &Round) -> &'static str {
    match round.dropped {
        None => "",
        Some(DropCause::PageHidden) => "page_hidden",
        Some(DropCause::DeviceSlept { .. }) => "device_slept",
        Some(DropCause::IoError { .. }) => "io_error",
        Some(DropCause::ClockSteppedBack) => "clock_stepped_back",
        Some(DropCause::Stopped) => "stopped",
    }
}
