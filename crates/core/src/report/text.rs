//! The result in a terminal: aligned columns, no colours, nothing that a terminal could take for a command.

use super::answer::Answer;
use super::doubts::{Doubt, Severity, before_and_after};
use super::findings::{self, Finding};
use super::prose::{UNBROKEN, capitalised, one_line, unbroken};
use super::table::{Cell, Detail, Entry, Heading, Table};
use super::{advice, environment, forum, verdict, words};
use crate::result::{GroupResult, RunResult};

/// Sentences are broken at this column. Tables are as wide as they must be, which is rarely more.
const WIDTH: usize = 100;
/// Between two columns.
const GAP: &str = "  ";

/// The whole result.
pub(super) fn run(run: &RunResult) -> String {
    let mut text = heading(&capitalised(&one_line(&run.job.title)), '═');
    text += &wrapped(&Answer::of(run).text(), "", "");
    let advice = advice::of(run);
    text.extend((!advice.is_empty()).then_some("\n"));
    text.extend(advice.iter().map(|sentence| wrapped(sentence, "→ ", "  ")));
    let (before, after) = before_and_after(run);
    text += &doubt_list(&before);
    let mut legend: Vec<Entry> = Vec::new();
    for group in &run.groups {
        let table = Table::of(group);
        text += "\n";
        text += &without_legend(group, &table);
        legend.extend(table.legend);
    }
    text.extend(findings::of(run).iter().map(finding));
    text += &legend_of(legend);
    text += &doubt_list(&after);
    text += "\n";
    text += &heading("Device and run", '─');
    let facts = environment::facts(run);
    let indent = facts.iter().map(|fact| length(fact.label)).max().unwrap_or(0) + GAP.len();
    for fact in facts {
        text += &wrapped(&fact.value, &padded(fact.label, indent), &" ".repeat(indent));
    }
    if let Some(block) = forum::of_preset(run) {
        text.extend(["\n", &heading(forum::HEADING, '─'), &block]);
    }
    text
}

fn doubt_list(doubts: &[Doubt]) -> String {
    let Some(worst) = doubts.first() else { return String::new() };
    let mut text = format!("\n{}", heading(verdict::doubts_heading(worst.severity()), '─'));
    for doubt in doubts {
        let sign = if doubt.severity() == Severity::Serious { "! " } else { "- " };
        text += &wrapped(&format!("{}. {}", doubt.heading(), doubt.sentence()), sign, "  ");
        for item in doubt.items() {
            text += &wrapped(&item, "  · ", "    ");
        }
    }
    text
}

/// One group with its own legend.
pub(super) fn group(group: &GroupResult) -> String {
    let table = Table::of(group);
    let text = without_legend(group, &table);
    text + &legend_of(table.legend)
}

fn without_legend(group: &GroupResult, table: &Table) -> String {
    let mut text = heading(&words::heading(&group.record.group), '─');
    text += &wrapped(&format!("{}.", words::workload(&group.record.group)), "", "");
    if let Some(invalid) = verdict::group_invalid(group) {
        text += &wrapped(&invalid, "! ", "  ");
    }
    text += "\n";
    let rows: Vec<&[Cell]> = table.rows.iter().map(|row| row.cells.as_slice()).collect();
    text += &aligned(&table.columns, &rows);
    text += "\n";
    text += &wrapped(&table.facts.join(" "), "", "");
    for entry in &table.remarks {
        text += &wrapped(&entry.text, &format!("{}  ", entry.term), "   ");
    }
    text.extend(table.details.iter().map(detail));
    text
}

fn detail(detail: &Detail) -> String {
    let rows: Vec<&[Cell]> = detail.rows.iter().map(|row| row.cells.as_slice()).collect();
    format!("\n{}:\n\n{}", detail.title, aligned(&detail.columns, &rows))
}

/// What the groups say together.
fn finding(finding: &Finding) -> String {
    let mut text = format!("\n{}", heading(&finding.title, '─'));
    text.extend(finding.sentences.iter().map(|sentence| wrapped(sentence, "- ", "  ")));
    text.extend(finding.details.iter().map(detail));
    text
}

/// What the words in the tables mean, each once.
fn legend_of(entries: Vec<Entry>) -> String {
    let mut known: Vec<Entry> = Vec::new();
    for entry in entries {
        if !known.contains(&entry) {
            known.push(entry);
        }
    }
    if known.is_empty() {
        return String::new();
    }
    let indent = known.iter().map(|entry| length(&entry.term)).max().unwrap_or(0) + GAP.len();
    let lines = known.iter().map(|entry| wrapped(&format!("{}.", entry.text), &padded(&entry.term, indent), &" ".repeat(indent)));
    format!("\n{}{}", heading("Legend", '─'), lines.collect::<String>())
}

pub(super) fn heading(text: &str, line: char) -> String {
    let underline: String = std::iter::repeat_n(line, length(text).clamp(1, WIDTH)).collect();
    format!("{text}\n{underline}\n")
}

/// Rows whose values and intervals line up: a number's value ends where its interval begins.
pub(super) fn aligned(columns: &[Heading], rows: &[&[Cell]]) -> String {
    let widths: Vec<(usize, usize)> = (0..columns.len())
        .map(|column| {
            let cells = || rows.iter().filter_map(|row| row.get(column));
            let value = cells().map(|cell| length(&cell.value)).max().unwrap_or(0);
            let interval = cells().map(|cell| length(&interval(cell))).max().unwrap_or(0);
            let heading = length(&columns[column].text);
            (value.max(heading.saturating_sub(interval)), interval)
        })
        .collect();
    let headings = columns.iter().zip(&widths).map(|(column, (value, interval))| padded(&column.text, value + interval));
    let mut lines = vec![headings.collect::<Vec<_>>().join(GAP)];
    lines.push(widths.iter().map(|(value, interval)| "─".repeat(value + interval)).collect::<Vec<_>>().join(GAP));
    lines.extend(rows.iter().map(|row| {
        let cells = row.iter().zip(columns).zip(&widths).map(|((cell, column), (value, rest))| {
            let missing = " ".repeat(value.saturating_sub(length(&cell.value)));
            let aligned = if column.number { format!("{missing}{}", cell.value) } else { format!("{}{missing}", cell.value) };
            aligned + &padded(&interval(cell), *rest)
        });
        cells.collect::<Vec<_>>().join(GAP)
    }));
    lines.iter().flat_map(|line| [line.trim_end(), "\n"]).collect()
}

fn interval(cell: &Cell) -> String {
    cell.interval.as_ref().map(|interval| format!(" ({interval})")).unwrap_or_default()
}

/// Characters; all that is printed here is one column wide each.
fn length(text: &str) -> usize {
    text.chars().count()
}

fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(length(text))))
}

/// A paragraph broken between words, its first line after `first` and the others after `next`.
pub(super) fn wrapped(text: &str, first: &str, next: &str) -> String {
    let mut lines = String::new();
    let mut line = first.to_owned();
    let mut empty = true;
    for word in unbroken(text).split(' ') {
        if !empty && length(&line) + 1 + length(word) > WIDTH {
            lines += line.trim_end();
            lines += "\n";
            next.clone_into(&mut line);
            empty = true;
        }
        if !empty {
            line += " ";
        }
        line += word;
        empty = false;
    }
    (lines + line.trim_end() + "\n").replace(UNBROKEN, " ")
}
