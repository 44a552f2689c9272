//! Times of whole passes, for groups that are timed so: what an op takes, times the ops that read everything once.

use super::format::{Estimate, duration, duration_estimate};
use super::prose::count;
use super::table::{Cell, Entry};
use super::words;
use crate::estimate::PerOp;
use crate::job::{Group, Timing};
use crate::result::{Arm, GroupRecord, Role};
use crate::stats::Summary;

/// The ops of a pass. None where samples are no passes.
pub(super) fn ops(group: &Group) -> Option<u64> {
    (group.timing == Timing::Passes).then(|| group.blocks())
}

/// What a pass typically takes, with its interval. None where samples are no passes, or are shorter than the clock can time.
pub(super) fn estimate(group: &Group, per_op: PerOp) -> Option<Estimate> {
    let ops = ops(group).filter(|_| !per_op.at_most)? as f64;
    Some(duration_estimate(per_op.median_ns * ops, per_op.interval_ns.map(|(low, high)| (low * ops, high * ops))))
}

/// What a pass is and how many of them a sample is, in sentences.
pub(super) fn fact(record: &GroupRecord) -> String {
    let group = &record.group;
    let Some(ops) = ops(group) else { return String::new() };
    let number = |ops: u64| usize::try_from(ops).unwrap_or(usize::MAX);
    let all = if group.whole_files() {
        format!("{} whole", count(number(group.nrfiles.into()), "file"))
    } else {
        format!("{} of {}", count(number(ops), "block"), group.bs)
    };
    let several = |arm: &&Arm| arm.role != Role::Empty && arm.n > ops;
    let longer: Vec<String> =
        record.arms.iter().filter(several).map(|arm| format!("{} {}", words::arm(record, arm), arm.n / ops)).collect();
    let sample = "A pass reads ".to_owned() + &all + " once; a sample is one pass";
    if longer.is_empty() {
        return sample + ".";
    }
    format!("{sample}, or for the clock's sake the mean of several ({}).", longer.join(", "))
}

/// The columns of the spread of passes, after the method's name.
pub(super) const COLUMNS: [&str; 6] = ["fastest", "slowest", "average", "median", "difference", "std dev"];

/// Their cells.
pub(super) fn cells(ops: u64, per_op: PerOp, none: &str) -> Option<Vec<Cell>> {
    let Summary { mean, standard_deviation, min, max } = per_op.summary?;
    let told = |ns: f64| Cell { value: duration(ns * ops as f64), interval: None };
    let deviation = standard_deviation.map_or_else(|| Cell { value: none.into(), interval: None }, told);
    Some([min, max, mean, per_op.median_ns, max - min].map(told).into_iter().chain([deviation]).collect())
}

/// What they mean.
pub(super) fn legend() -> Entry {
    Entry {
        term: "fastest to std dev".into(),
        text:
            "of the samples' times for a pass; the difference is that of the slowest and the fastest. They show what the noise was like, \
               and nothing is compared by them. Every sample stands in the result file"
                .into(),
    }
}
