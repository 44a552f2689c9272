//! The table of how samples spread, and of all time: what a median and a typical ratio leave out.

use super::format::{duration, percent, ratio_estimate};
use super::lead::Lead;
use super::table::{Cell, Detail, Entry, Heading, Row, lines};
use super::words;
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
    let total = format!("total ratio ({})", percent(group.estimates.level));
    let mut rows: Vec<Row> = lines(group)
        .into_iter()
        .filter_map(|(arm, estimate)| {
            let PerOp { median_ns, summary, .. } = estimate.per_op?;
            let Summary { mean, standard_deviation, min, max } = summary?;
            let error = standard_deviation.and_then(|deviation| stats::mean_half_width(deviation, samples(group, arm), ERROR_LEVEL));
            let plain = |value: String| Cell { value, interval: None };
            let known = |value: Option<f64>| value.map_or_else(|| NONE.into(), duration);
            let values = [duration(mean), known(error), known(standard_deviation), duration(median_ns), duration(min), duration(max)];
            let mut cells = vec![plain(words::arm(&group.record, arm))];
            cells.extend(values.map(plain));
            cells.push(estimate.total.map_or_else(Cell::default, |total| {
                let estimate = ratio_estimate(total.point(), Some(total.interval()));
                Cell { value: estimate.value(), interval: estimate.interval() }
            }));
            cells.push(arm.allocated.map_or_else(Cell::default, |allocated| plain(self::allocated(allocated))));
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
    let columns = [Heading { text: "method".into(), number: false }]
        .into_iter()
        .chain(["mean", "error", "std dev", "median", "min", "max", &total].map(number))
        .chain(counted.then(|| number(ALLOCATED)))
        .collect();
    let mut legend = vec![
        Entry {
            term: "mean to max".into(),
            text: format!(
                "mean, error, standard deviation, median, smallest and largest of the samples' times per op: they show what the noise was \
                 like, and nothing is compared by them. Error is half of the mean's {} interval (Student's), as BenchmarkDotNet shows it",
                percent(ERROR_LEVEL)
            ),
        },
        Entry {
            term: total,
            text: "all of a method's time over all of the baseline's, slow samples at their full length, with its interval".into(),
        },
    ];
    if counted {
        let text = "what an op allocates on the thread that takes the time: bytes of the buffers that the browser makes for it, and bytes \
                    from Wasm's allocator";
        legend.push(Entry { term: ALLOCATED.into(), text: text.into() });
    }
    let title = if counted { "Spread of the samples, and what is allocated, per op" } else { "Spread of the samples, per op" };
    (!rows.is_empty()).then(|| Detail { title: title.into(), folded: true, figure: None, columns, rows, legend })
}

/// How many samples of an arm count: each is one batch.
fn samples(group: &GroupResult, arm: &Arm) -> usize {
    let own = group.native.as_ref().and_then(Native::reads).filter(|_| arm.ends_up == EndsUp::Native);
    own.map_or(group.estimates.rounds, |reads| reads.estimates.rounds)
}

/// The buffers' bytes are whole blocks; what Wasm allocates once for a whole batch is less than a byte an op.
fn allocated(Allocated { ops, wasm_bytes, buffer_bytes }: Allocated) -> String {
    let per_op = |bytes: u64| Bytes((bytes + ops / 2) / ops.max(1));
    match (per_op(buffer_bytes), per_op(wasm_bytes)) {
        (Bytes(0), Bytes(0)) => "nothing".into(),
        (buffers, Bytes(0)) => buffers.to_string(),
        (Bytes(0), wasm) => format!("{wasm} Wasm"),
        (buffers, wasm) => format!("{buffers} + {wasm} Wasm"),
    }
}
