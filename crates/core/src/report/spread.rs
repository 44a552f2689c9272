//! The table of how samples spread, and of all time: what a median and a typical ratio leave out.

use super::format::{duration, percent, ratio_estimate};
use super::lead::Lead;
use super::prose::count;
use super::table::{Cell, Detail, Entry, Heading, Row, lines};
use super::{pass, words};
use crate::estimate::PerOp;
use crate::result::{Allocated, Arm, EndsUp, GroupResult, Native};
use crate::stats::{self, Summary};
use crate::units::Bytes;

/// What stands where a value does not exist.
const NONE: &str = "—";
/// `BenchmarkDotNet`'s column Error is half of this interval of the mean.
const ERROR_LEVEL: f64 = 0.999;
/// Heads the column of what is allocated, where that was looked at.
const ALLOCATED: &str = "allocated";

/// None where nothing was timed.
pub(super) fn of(group: &GroupResult) -> Option<Detail> {
    let pass = pass::ops(&group.record.group);
    let total = format!("total ratio ({})", percent(group.estimates.level));
    let mut rows: Vec<Row> = lines(group)
        .into_iter()
        .filter_map(|(arm, estimate)| {
            let per_op = estimate.per_op?;
            let mut cells = vec![plain(words::arm(&group.record, arm))];
            cells.extend(pass.map_or_else(|| self::cells(per_op, samples(group, arm)), |ops| pass::cells(ops, per_op, NONE))?);
            cells.push(estimate.total.map_or_else(Cell::default, |total| {
                let estimate = ratio_estimate(total.point(), Some(total.interval()));
                Cell { value: estimate.value(), interval: estimate.interval() }
            }));
            cells.push(arm.allocated.map_or_else(Cell::default, |allocated| plain(self::allocated(allocated, pass.unwrap_or(1)))));
            Some(Row { role: arm.role, class: Lead::of(estimate).class_of(arm), cells })
        })
        .collect();
    let number = |text: &str| Heading { text: text.into(), number: true };
    let counted = rows.iter().any(|row| row.cells.last().is_some_and(|cell| !cell.is_empty()));
    if !counted {
        for row in &mut rows {
            row.cells.pop();
        }
    }
    let headings: &[&str] = if pass.is_some() { &pass::COLUMNS } else { &["mean", "error", "std dev", "median", "min", "max"] };
    let columns = [Heading { text: "method".into(), number: false }]
        .into_iter()
        .chain(headings.iter().copied().chain([total.as_str()]).map(number))
        .chain(counted.then(|| number(ALLOCATED)))
        .collect();
    let mut legend = vec![
        if pass.is_some() { pass::legend() } else { self::legend() },
        Entry {
            term: total,
            text: "all of a method's time over all of the baseline's, slow samples at their full length, with its interval".into(),
        },
    ];
    if counted {
        let (what, it) = if pass.is_some() { ("a pass", "its ops") } else { ("an op", "it") };
        let text = format!(
            "what {what} allocates on the thread that takes the time: bytes of the buffers that the browser makes for {it}, and bytes from \
             Wasm's allocator"
        );
        legend.push(Entry { term: ALLOCATED.into(), text });
    }
    let what = if counted { "Spread of the samples, and what is allocated" } else { "Spread of the samples" };
    let ops = |ops: u64| count(usize::try_from(ops).unwrap_or(usize::MAX), "op");
    let unit = pass.map_or("op".into(), |pass| format!("pass of {}", ops(pass)));
    (!rows.is_empty()).then(|| Detail { title: format!("{what}, per {unit}"), folded: true, figure: None, columns, rows, legend })
}

fn plain(value: String) -> Cell {
    Cell { value, interval: None }
}

/// How so many samples spread, for an op.
fn cells(per_op: PerOp, samples: usize) -> Option<Vec<Cell>> {
    let Summary { mean, standard_deviation, min, max } = per_op.summary?;
    let error = standard_deviation.and_then(|deviation| stats::mean_half_width(deviation, samples, ERROR_LEVEL));
    let known = |value: Option<f64>| value.map_or_else(|| NONE.into(), duration);
    Some(
        [duration(mean), known(error), known(standard_deviation), duration(per_op.median_ns), duration(min), duration(max)]
            .map(plain)
            .into(),
    )
}

fn legend() -> Entry {
    Entry {
        term: "mean to max".into(),
        text: format!(
            "mean, error, standard deviation, median, smallest and largest of the samples' times per op: they show what the noise was \
             like, and nothing is compared by them. Error is half of the mean's {} interval (Student's), as BenchmarkDotNet shows it",
            percent(ERROR_LEVEL)
        ),
    }
}

/// How many samples of an arm count: each is one batch.
fn samples(group: &GroupResult, arm: &Arm) -> usize {
    let own = group.native.as_ref().and_then(Native::reads).filter(|_| arm.ends_up == EndsUp::Native);
    own.map_or(group.estimates.rounds, |reads| reads.estimates.rounds)
}

/// What so many ops allocate. The buffers' bytes are whole blocks; what Wasm allocates once for a whole batch is less than a byte an op.
fn allocated(Allocated { ops, wasm_bytes, buffer_bytes }: Allocated, of: u64) -> String {
    let per_op = |bytes: u64| Bytes((bytes.saturating_mul(of).saturating_add(ops / 2)) / ops.max(1));
    match (per_op(buffer_bytes), per_op(wasm_bytes)) {
        (Bytes(0), Bytes(0)) => "nothing".into(),
        (buffers, Bytes(0)) => buffers.to_string(),
        (Bytes(0), wasm) => format!("{wasm} Wasm"),
        (buffers, wasm) => format!("{buffers} + {wasm} Wasm"),
    }
}
