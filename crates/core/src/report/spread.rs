//! The table of how samples spread, and of all time: what a median and a typical ratio leave out.

use super::format::{duration, percent, ratio_estimate};
use super::lead::Lead;
use super::table::{Cell, Detail, Entry, Heading, Row, lines};
use super::words;
use crate::result::GroupResult;
use crate::stats::Summary;

/// What stands where a value does not exist.
const NONE: &str = "—";

/// None where nothing was timed.
pub(super) fn of(group: &GroupResult) -> Option<Detail> {
    let total = format!("total ratio ({})", percent(group.estimates.level));
    let rows: Vec<Row> = lines(group)
        .into_iter()
        .filter_map(|(arm, estimate)| {
            let Summary { mean, standard_deviation, min, max } = estimate.per_op?.summary?;
            let plain = |value: String| Cell { value, interval: None };
            let deviation = standard_deviation.map_or_else(|| NONE.into(), duration);
            let mut cells = vec![plain(words::arm(&group.record, arm)), plain(duration(mean)), plain(deviation)];
            cells.extend([min, max].map(|value| plain(duration(value))));
            cells.push(estimate.total.map_or_else(Cell::default, |total| {
                let estimate = ratio_estimate(total.point(), Some(total.interval()));
                Cell { value: estimate.value(), interval: estimate.interval() }
            }));
            Some(Row { role: arm.role, class: Lead::of(estimate).class_of(arm), cells })
        })
        .collect();
    let number = |text: &str| Heading { text: text.into(), number: true };
    let columns = [Heading { text: "method".into(), number: false }]
        .into_iter()
        .chain(["mean", "std dev", "min", "max", &total].map(number))
        .collect();
    let legend = vec![
        Entry {
            term: "mean to max".into(),
            text: "mean, standard deviation, smallest and largest of the samples' times per op: they show what the noise was like, and \
                   nothing is compared by them"
                .into(),
        },
        Entry {
            term: total,
            text: "all of a method's time over all of the baseline's, slow samples at their full length, with its interval".into(),
        },
    ];
    (!rows.is_empty()).then(|| Detail { title: "Spread of the samples, per op".into(), folded: true, columns, rows, legend })
}
