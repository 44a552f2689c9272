//! Run against run, in a terminal.

use super::format::{duration, ratio, ratio_estimate};
use super::prose::capitalised;
use super::table::{Cell, Heading};
use super::text::{aligned, heading, wrapped};
use super::words;
use crate::compare::{Change, Comparison, Row, Sides};
use crate::protocol;

/// The whole comparison. `base` and `other` name the sides.
pub(super) fn text(comparison: &Comparison, base: &str, other: &str) -> String {
    let (of_base, of_other) = comparison.launches;
    let mut text = heading(&format!("{other} against {base}"), '═');
    let launches = |number: usize| if number == 1 { "1 launch".into() } else { format!("{number} launches") };
    text += &wrapped(&format!("{} of {base}, {} of {other}.", launches(of_base), launches(of_other)), "", "");
    for refusal in &comparison.refusals {
        text += &wrapped(&format!("No verdicts: {refusal}."), "! ", "  ");
    }
    if comparison.refusals.is_empty() && of_base.min(of_other) < protocol::LAUNCHES {
        let missing =
            format!("No verdicts: they take {} launches on each side, since one launch's luck is not the next one's.", protocol::LAUNCHES);
        text += &wrapped(&missing, "! ", "  ");
    }
    for (throttled, of, name) in [(comparison.throttled.0, of_base, base), (comparison.throttled.1, of_other, other)] {
        if throttled > 0 {
            let left_out = format!("Times per op of {throttled} of {} of {name} are left out: the device was throttled.", launches(of));
            text += &wrapped(&left_out, "! ", "  ");
        }
    }
    let mut rows = comparison.rows.as_slice();
    while let Some(first) = rows.first() {
        let end = rows.iter().position(|row| row.group.name != first.group.name).unwrap_or(rows.len());
        text += "\n";
        text += &heading(&capitalised(&words::heading(&first.group)), '─');
        text += &group(&rows[..end], base, other);
        rows = &rows[end..];
    }
    text
}

/// Ratios to the group's baseline first, since they hold across devices; then what an op takes.
fn group(rows: &[Row], base: &str, other: &str) -> String {
    let columns: Vec<Heading> = [("method", false), ("", false), (base, true), (other, true), ("ratio (95 %)", true), ("verdict", false)]
        .map(|(text, number)| Heading { text: text.into(), number })
        .into();
    let of = |rows: &[Row], what: &str, sides: fn(&Row) -> Option<&Sides>, show: fn(f64) -> String| -> Vec<Vec<Cell>> {
        rows.iter().filter_map(|row| sides(row).map(|sides| cells(row, what, sides, show))).collect()
    };
    let mut all = of(rows, "of the baseline's", |row| row.to_baseline.as_ref(), ratio);
    all.extend(of(rows, "per op", |row| Some(&row.per_op), duration));
    let rows: Vec<&[Cell]> = all.iter().map(Vec::as_slice).collect();
    aligned(&columns, &rows)
}

fn cells(row: &Row, what: &str, sides: &Sides, show: fn(f64) -> String) -> Vec<Cell> {
    let plain = |value: String| Cell { value, interval: None };
    let side = |launches: &[f64]| plain(geometric_mean(launches).map_or_else(|| "none that counts".into(), show));
    let change = match &sides.welch {
        Some(welch) => {
            let estimate = ratio_estimate(welch.point(), Some(welch.interval()));
            Cell { value: estimate.value(), interval: estimate.interval() }
        }
        None if sides.base.len().min(sides.other.len()) == 1 => plain("no interval: one launch".into()),
        None => plain(String::new()),
    };
    vec![
        plain(row.method.to_string()),
        plain(what.into()),
        side(&sides.base),
        side(&sides.other),
        change,
        plain(label(sides.verdict).into()),
    ]
}

fn label(verdict: Change) -> &'static str {
    match verdict {
        Change::Same => "same",
        Change::Faster => "faster",
        Change::Slower => "slower",
        Change::Inconclusive => "inconclusive",
        Change::TooFewLaunches | Change::Refused => "no verdict",
    }
}

/// What Welch's ratio is the ratio of.
fn geometric_mean(launches: &[f64]) -> Option<f64> {
    let logs: f64 = launches.iter().map(|launch| libm::log(*launch)).sum();
    (!launches.is_empty()).then(|| libm::exp(logs / launches.len() as f64))
}
