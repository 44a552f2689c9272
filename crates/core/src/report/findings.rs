//! What the groups of a run say together, as sections: time against size, against the number of files, and what the steps of a read cost.
//! The renderers lay them out as they do the groups' tables.

mod costs;
mod scaling;
mod sizes;

use super::table::{Cell, Detail, Heading};
use crate::answers::ladder::{Axis, Ladder};
use crate::job::{Group, Open, Rw};
use crate::result::{GroupResult, RunResult};
use crate::units::Bytes;

/// A section.
pub(super) struct Finding {
    /// Unlike those of other sections.
    pub(super) id: String,
    pub(super) title: String,
    /// What was found, a sentence each.
    pub(super) sentences: Vec<String>,
    /// Charts and tables.
    pub(super) details: Vec<Detail>,
}

/// All sections of a run, those with nothing to say left out.
pub(super) fn of(run: &RunResult) -> Vec<Finding> {
    let mut findings = sizes::of(run);
    findings.extend(scaling::of(run));
    findings.extend(costs::of(run));
    findings
}

/// What the groups of a ladder have in common: `random reads in 1 file of 32 MiB, kept open`.
pub(super) fn common(run: &RunResult, ladder: &Ladder) -> String {
    let groups: Vec<&Group> = ladder.groups(run).map(|(_, group)| &group.record.group).collect();
    let Some(first) = groups.first() else { return String::new() };
    let alike = groups.iter().all(|group| group.nrfiles == first.nrfiles);
    let number = |files: u32| super::prose::count(usize::try_from(files).unwrap_or(usize::MAX), "file");
    // Ladders are of reads.
    let order = match first.rw {
        Rw::RandRead => "in random order",
        Rw::ReadBackwards => "from the end on",
        _ => "in order",
    };
    let open = match first.open {
        Open::Each => "opened for every read",
        Open::Kept => "kept open",
    };
    let what = match ladder.axis {
        Axis::Block => match &first.own {
            None => format!("reads {order} of {} of {}", number(first.nrfiles), size(first.fileset().file_size.0)),
            Some(own) => format!("reads {order} of {}", own.files(first.nrfiles)),
        },
        Axis::File if alike => format!("{} read whole", number(first.nrfiles)),
        Axis::File => "files read whole".into(),
        Axis::Files => format!("files of {} read whole", size(first.fileset().file_size.0)),
    };
    let depth = if first.iodepth == 1 { String::new() } else { format!(", iodepth {}", first.iodepth) };
    format!("{what}, {open}{depth}")
}

/// A size as jobs write it, in whichever units make it short: `20 KiB`, `10 MB`.
pub(super) fn size(bytes: u64) -> String {
    let binary = Bytes(bytes).to_string();
    let decimal = [("GB", 1_000_000_000_u64), ("MB", 1_000_000), ("KB", 1_000)]
        .into_iter()
        .find(|(_, unit)| bytes > 0 && bytes.is_multiple_of(*unit));
    match decimal.map(|(name, unit)| format!("{} {name}", bytes / unit)) {
        Some(decimal) if decimal.len() < binary.len() => decimal,
        _ => binary,
    }
}

fn of_words(value: impl Into<String>) -> Cell {
    Cell { value: value.into(), interval: None }
}

fn heading(text: impl Into<String>, number: bool) -> Heading {
    Heading { text: text.into(), number }
}

/// A list in a sentence: `this, that and those`.
fn and(items: &[String]) -> String {
    match items {
        [others @ .., last] if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        items => items.concat(),
    }
}

/// The same, cut where it is long.
pub(super) fn listed(items: &[String], most: usize) -> String {
    match items.len().checked_sub(most) {
        Some(more) if more > 0 => format!("{} and {more} more", items[..most].join(", ")),
        _ => and(items),
    }
}

/// The title of a group's workload, for a cell.
fn title(group: &GroupResult) -> String {
    super::prose::capitalised(&super::words::title(&group.record.group))
}
