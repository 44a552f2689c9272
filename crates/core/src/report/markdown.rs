//! The result as Markdown, to paste into an issue or a chat.

use super::answer::{Answer, Span};
use super::doubts::{Doubt, before_and_after};
use super::findings::{self, Finding};
use super::prose::{capitalised, one_line};
use super::table::{Cell, Entry, Heading, Row, Table};
use super::{advice, environment, forum, verdict, words};
use crate::result::{GroupResult, RunResult};

/// The whole result.
pub(super) fn run(run: &RunResult) -> String {
    let mut blocks = vec![format!("# {}", escaped(&capitalised(&one_line(&run.job.title)))), answer(run)];
    let advice = advice::of(run);
    blocks.extend((!advice.is_empty()).then(|| lines(advice.iter().map(|sentence| format!("- {}", escaped(sentence))))));
    let (before, after) = before_and_after(run);
    blocks.extend(doubt_list(&before));
    let mut legend: Vec<Entry> = Vec::new();
    for group in &run.groups {
        let table = Table::of(group);
        blocks.extend(self::group(group, &table));
        for entry in table.legend {
            if !legend.contains(&entry) {
                legend.push(entry);
            }
        }
    }
    blocks.extend(findings::of(run).iter().flat_map(finding));
    if !legend.is_empty() {
        blocks.push("## Legend".into());
        blocks.push(lines(legend.iter().map(|entry| format!("- **{}**: {}.", escaped(&entry.term), escaped(&entry.text)))));
    }
    blocks.extend(doubt_list(&after));
    blocks.push("## Device and run".into());
    blocks.push(lines(environment::facts(run).iter().map(|fact| format!("- **{}**: {}", fact.label, escaped(&fact.value)))));
    if let Some(block) = forum::of_preset(run) {
        blocks.extend([format!("## {}", forum::HEADING), format!("```\n{}\n```", block.trim_end())]);
    }
    blocks.join("\n\n") + "\n"
}

/// Heading and list, where there is anything to list.
fn doubt_list(doubts: &[Doubt]) -> Vec<String> {
    let Some(worst) = doubts.first() else { return Vec::new() };
    let list = lines(doubts.iter().map(|doubt| {
        let first = format!("- **{}.** {}", doubt.heading(), escaped(&doubt.sentence()));
        let items = doubt.items();
        lines(std::iter::once(first).chain(items.iter().map(|item| format!("  - {}", escaped(item)))))
    }));
    vec![format!("## {}", verdict::doubts_heading(worst.severity())), list]
}

fn lines(lines: impl Iterator<Item = String>) -> String {
    lines.collect::<Vec<_>>().join("\n")
}

fn answer(run: &RunResult) -> String {
    let answer = Answer::of(run);
    let mut text = escaped(&answer.lead);
    for (place, spans) in answer.clauses.iter().enumerate() {
        for span in spans {
            match span {
                Span::Plain(words) => text += &escaped(words),
                Span::Found(_, words) => text.extend(["**", &escaped(words), "**"]),
            }
        }
        text += answer.after(place);
    }
    text
}

fn group(group: &GroupResult, table: &Table) -> Vec<String> {
    let job = &group.record.group;
    let mut blocks = vec![format!("## {}", escaped(&words::heading(job))), format!("{}.", escaped(&words::workload(job)))];
    blocks.extend(verdict::group_invalid(group).map(|invalid| format!("**{}**", escaped(&invalid))));
    blocks.push(rows(&table.columns, &table.rows));
    blocks.push(escaped(&table.facts.join(" ")));
    if !table.remarks.is_empty() {
        blocks.push(lines(table.remarks.iter().map(|entry| format!("- **{}**: {}", entry.term, escaped(&entry.text)))));
    }
    for detail in &table.details {
        blocks.extend([format!("### {}", escaped(&detail.title)), rows(&detail.columns, &detail.rows)]);
    }
    blocks
}

/// What the groups say together.
fn finding(finding: &Finding) -> Vec<String> {
    let mut blocks = vec![format!("## {}", escaped(&finding.title))];
    blocks.push(lines(finding.sentences.iter().map(|sentence| format!("- {}", escaped(sentence)))));
    blocks
        .extend(finding.details.iter().flat_map(|detail| [format!("### {}", escaped(&detail.title)), rows(&detail.columns, &detail.rows)]));
    blocks
}

/// A table.
fn rows(columns: &[Heading], rows: &[Row]) -> String {
    let row = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let headings = row(columns.iter().map(|column| escaped(&column.text)).collect());
    let rule = row(columns.iter().map(|column| if column.number { "--:" } else { "---" }.to_owned()).collect());
    let rows = rows.iter().map(|line| row(line.cells.iter().map(cell).collect()));
    lines([headings, rule].into_iter().chain(rows))
}

fn cell(cell: &Cell) -> String {
    let interval = cell.interval.as_ref().map(|interval| format!(" ({interval})")).unwrap_or_default();
    escaped(&format!("{}{interval}", cell.value))
}

/// Text as itself: what Markdown or HTML would take for a mark is escaped, and a line stays a line.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '&' => escaped += "&amp;",
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '$' => escaped.extend(['\\', letter]),
            '\n' | '\r' => escaped.push(' '),
            _ => escaped.push(letter),
        }
    }
    escaped
}
