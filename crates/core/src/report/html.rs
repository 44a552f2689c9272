//! The result as HTML: pieces for the live page, and a document that needs no other file.
//!
//! Everything is escaped by the templates. There is no script and no inline style; the document's only style sheet is the one
//! that the live page uses too.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::answer::{Answer, Span};
use super::chart::chart;
use super::doubts::{Doubt, Severity, before_and_after, shortage};
use super::findings;
use super::prose::{capitalised, one_line, unbroken};
use super::table::{Cell, Detail, Heading, Row, Table};
use super::{advice, environment as facts_of, forum, verdict, words};
use crate::job::Group;
use crate::result::{GroupResult, Role, RunResult, Skipped};

/// The report's style sheet.
pub(super) const STYLE: &str = include_str!("../../../../www/report.css");
/// What the document may do: show itself.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// A document of its own.
pub(super) fn page(run: &RunResult) -> String {
    let title = capitalised(&one_line(&run.job.title));
    let document = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { (title) " · opfs-bench" }
                style { (PreEscaped(STYLE)) }
            }
            body.report {
                main {
                    header { h1 { (title) } (answer(run)) }
                    (doubts(run))
                    (groups(run))
                    (findings(run))
                    (environment(run))
                }
            }
        }
    };
    document.into_string()
}

/// The sentence, each clause apart from the others, and what follows from it.
pub(super) fn answer(run: &RunResult) -> Markup {
    let answer = Answer::of(run);
    html! {
        p.answer {
            (answer.lead)
            @for (place, spans) in answer.clauses.iter().enumerate() {
                span.clause {
                    @for span in spans {
                        @match span {
                            Span::Plain(words) => (unbroken(words)),
                            Span::Found(class, words) => strong class=(class) { (words) },
                        }
                    }
                    (answer.after(place))
                }
            }
        }
        @let advice = advice::of(run);
        @if !advice.is_empty() {
            ul.advice aria-label="Advice" { @for sentence in &advice { li { (unbroken(sentence)) } } }
        }
    }
}

/// What the groups say together.
pub(super) fn findings(run: &RunResult) -> Markup {
    html! {
        @for finding in &findings::of(run) {
            section.group.finding aria-labelledby=(finding.id) {
                h2 id=(finding.id) { (unbroken(&finding.title)) }
                @for (place, detail) in finding.details.iter().enumerate() {
                    @if place == 0 {
                        ul.sentences { @for sentence in &finding.sentences { li { (unbroken(sentence)) } } }
                    }
                    (self::detail(detail, &format!("{}-detail-{place}", finding.id)))
                }
            }
        }
    }
}

/// What a reader must know before the answer; nothing where there is nothing.
pub(super) fn doubts(run: &RunResult) -> Markup {
    doubt_list(&before_and_after(run).0)
}

fn doubt_list(doubts: &[Doubt]) -> Markup {
    let Some(worst) = doubts.first() else { return Markup::default() };
    html! {
        section.doubts {
            h2 { (verdict::doubts_heading(worst.severity())) }
            ul {
                @for doubt in doubts {
                    li class=(severity(doubt.severity())) {
                        h3 { (doubt.heading()) }
                        p { (unbroken(&doubt.sentence())) }
                        @let items = doubt.items();
                        @if !items.is_empty() {
                            ul { @for item in &items { li { (unbroken(item)) } } }
                        }
                    }
                }
            }
        }
    }
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Serious => "doubt serious",
        Severity::Notable => "doubt notable",
        Severity::Mild => "doubt mild",
    }
}

/// All groups.
pub(super) fn groups(run: &RunResult) -> Markup {
    html! {
        @for result in &run.groups { (group(result)) }
        @if let Some(block) = forum::of_preset(run) {
            section.group { h2 { (forum::HEADING) } pre.block tabindex="0" { (block) } }
        }
    }
}

/// A group that was not measured, while the run goes on: the document says it where it says what makes the run doubtful.
pub(super) fn skipped(group: &Group, skipped: &Skipped) -> Markup {
    html! {
        section.group {
            h2 { (unbroken(&words::heading(group))) }
            p.workload { (unbroken(&words::workload(group))) "." }
            p { "Not measured, since its files do not fit: " (unbroken(&shortage(skipped))) "." }
        }
    }
}

/// One group: heading, chart, table, and what it takes to read them.
pub(super) fn group(group: &GroupResult) -> Markup {
    let table = Table::of(group);
    let id = format!("group-{}", group.record.index);
    html! {
        section.group aria-labelledby=(id) {
            h2 id=(id) { (unbroken(&words::heading(&group.record.group))) }
            p.workload { (unbroken(&words::workload(&group.record.group))) "." }
            @if let Some(invalid) = verdict::group_invalid(group) { p.invalid { (unbroken(&invalid)) } }
            (chart(group))
            (rows(&table.columns, &table.rows, &id))
            p.facts { (unbroken(&table.facts.join(" "))) }
            @if !table.remarks.is_empty() {
                dl.remarks { @for entry in &table.remarks { div { dt { (entry.term) } dd { (unbroken(&entry.text)) } } } }
            }
            @for (place, detail) in table.details.iter().enumerate() {
                (self::detail(detail, &format!("{id}-detail-{place}")))
            }
            details.legend {
                summary { "How to read this" }
                dl { @for entry in &table.legend { div { dt { (entry.term) } dd { (unbroken(&entry.text)) "." } } } }
            }
        }
    }
}

/// A further table, which a reader may have to unfold.
fn detail(detail: &Detail, id: &str) -> Markup {
    let title = unbroken(&detail.title);
    let table = html! { @if let Some(figure) = &detail.figure { (figure) } (rows(&detail.columns, &detail.rows, id)) };
    html! {
        @if detail.folded {
            details.detail { summary id=(id) { (title) } (table) }
        } @else {
            h3 id=(id) { (title) }
            (table)
        }
    }
}

/// The table. Its roles are spelled out, since a narrow screen shows its rows as blocks and browsers then forget that it is a table.
pub(super) fn rows(columns: &[Heading], rows: &[Row], labelled_by: &str) -> Markup {
    html! {
        table role="table" aria-labelledby=(labelled_by) {
            thead role="rowgroup" {
                tr role="row" {
                    @for column in columns {
                        th role="columnheader" scope="col" .number[column.number] { (column.text) }
                    }
                }
            }
            tbody role="rowgroup" {
                @for row in rows {
                    tr role="row" class={ (row.class) (role(row.role)) } {
                        @for (place, (cell, column)) in row.cells.iter().zip(columns).enumerate() {
                            @if place == 0 {
                                th role="rowheader" scope="row" { (value(cell)) }
                            } @else {
                                td role="cell" data-label=(column.text) .number[column.number] .none[cell.is_empty()] { (value(cell)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Baseline | Role::Contender => "",
        Role::Null => " null",
        Role::Empty => " empty",
    }
}

fn value(cell: &Cell) -> Markup {
    html! {
        span.value { (cell.value) }
        @if let Some(interval) = &cell.interval { " " span.interval { "(" (interval) ")" } }
    }
}

/// Notes, and the device, the browser and the run.
pub(super) fn environment(run: &RunResult) -> Markup {
    html! {
        (doubt_list(&before_and_after(run).1))
        section.environment {
            h2 { "Device and run" }
            dl {
                @for fact in facts_of::facts(run) {
                    div {
                        dt { (fact.label) }
                        dd { @if fact.link { a href=(fact.value) { (fact.value) } } @else { (unbroken(&fact.value)) } }
                    }
                }
            }
        }
    }
}
