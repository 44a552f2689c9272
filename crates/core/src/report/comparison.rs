//! Run against run, in a terminal and on the page.

use maud::{Markup, html};

use super::format::{duration, ratio, ratio_estimate};
use super::prose::{capitalised, unbroken};
use super::table::{self, Cell, Heading};
use super::text::{aligned, heading, wrapped};
use super::{html, words};
use crate::compare::{Change, Comparison, Row, Sides};
use crate::protocol;
use crate::result::Role;

/// The whole comparison. `base` and `other` name the sides.
pub(super) fn text(comparison: &Comparison, base: &str, other: &str) -> String {
    let mut text = heading(&format!("{other} against {base}"), '═');
    text += &wrapped(&sides(comparison, base, other), "", "");
    for reservation in reservations(comparison, base, other) {
        text += &wrapped(&reservation, "! ", "  ");
    }
    for rows in groups(&comparison.rows) {
        text += "\n";
        text += &heading(&capitalised(&words::heading(&rows[0].group)), '─');
        let all = cells_of(rows);
        let cells: Vec<&[Cell]> = all.iter().map(|(_, cells)| cells.as_slice()).collect();
        text += &aligned(&columns(base, other), &cells);
    }
    text
}

/// The same as HTML.
pub(super) fn html(comparison: &Comparison, base: &str, other: &str) -> Markup {
    let reservations = reservations(comparison, base, other);
    html! {
        h2.comparison-title { (other) " against " (base) }
        @if !reservations.is_empty() {
            section.doubts { ul { @for reservation in &reservations { li.doubt.notable { p { (unbroken(reservation)) } } } } }
        }
        @for (place, rows) in groups(&comparison.rows).enumerate() {
            @let id = format!("comparison-{place}");
            div.group {
                h3 id=(id) { (unbroken(&capitalised(&words::heading(&rows[0].group)))) }
                (html::rows(&columns(base, other), &table_rows(rows), &id))
            }
        }
    }
}

fn sides(comparison: &Comparison, base: &str, other: &str) -> String {
    let (of_base, of_other) = comparison.launches;
    format!("{} of {base}, {} of {other}.", count(of_base, "launch"), count(of_other, "launch"))
}

/// What stands against a conclusion, a sentence each.
fn reservations(comparison: &Comparison, base: &str, other: &str) -> Vec<String> {
    let (of_base, of_other) = comparison.launches;
    let mut found: Vec<String> = comparison.refusals.iter().map(|refusal| format!("No verdicts: {refusal}.")).collect();
    if comparison.refusals.is_empty() && of_base.min(of_other) < protocol::LAUNCHES {
        found.push(format!(
            "No verdicts: they take {} launches on each side, since one launch's luck is not the next one's.",
            protocol::LAUNCHES
        ));
    }
    for (throttled, of, name) in [(comparison.throttled.0, of_base, base), (comparison.throttled.1, of_other, other)] {
        if throttled > 0 {
            found.push(format!("Times per op of {throttled} of {} of {name} are left out: the device was throttled.", count(of, "launch")));
        }
    }
    found
}

/// The rows of each group.
fn groups(rows: &[Row]) -> impl Iterator<Item = &[Row]> {
    rows.chunk_by(|one, next| one.group.name == next.group.name)
}

fn columns(base: &str, other: &str) -> Vec<Heading> {
    [("method", false), ("what", false), (base, true), (other, true), ("ratio (95 %)", true), ("verdict", false)]
        .map(|(text, number)| Heading { text: text.into(), number })
        .into()
}

/// Ratios to the group's baseline first, since they hold across devices; then what an op takes.
fn cells_of(rows: &[Row]) -> Vec<(Change, Vec<Cell>)> {
    let of = |what: &str, sides: fn(&Row) -> Option<&Sides>, show: fn(f64) -> String| -> Vec<_> {
        rows.iter().filter_map(|row| sides(row).map(|sides| (sides.verdict, cells(row, what, sides, show)))).collect()
    };
    let mut all = of("of the baseline's", |row| row.to_baseline.as_ref(), ratio);
    all.extend(of("per op", |row| Some(&row.per_op), duration));
    all
}

fn table_rows(rows: &[Row]) -> Vec<table::Row> {
    let class = |verdict| match verdict {
        Change::Faster => "faster",
        Change::Slower => "slower",
        _ => "",
    };
    cells_of(rows).into_iter().map(|(verdict, cells)| table::Row { role: Role::Contender, class: class(verdict), cells }).collect()
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

fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "es" })
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
