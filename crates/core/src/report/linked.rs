//! A result that a link brought: its rows, and that nobody has checked them.

use maud::{Markup, html};

use super::chart::chart;
use super::html::rows;
use super::prose::{one_line, unbroken};
use super::table::Table;
use super::words;
use crate::link::Linked;
use crate::result::{GroupResult, RunResult};

/// Where it comes from, and what its sender's page said against it.
pub(super) fn doubts(linked: &Linked) -> Markup {
    let Linked { run, doubts } = linked;
    let title = one_line(&run.job.title);
    let started = one_line(&run.started).replace('T', " ");
    html! {
        section.doubts {
            h2 { "From a link, not checked" }
            ul {
                li.doubt.notable {
                    h3 { "Whoever made this link may have written anything into it" }
                    p {
                        "It holds no samples, so nothing in it can be checked. It says: "
                        (unbroken(&title))
                        @if !started.is_empty() { ", measured " (started) " UTC" }
                        "."
                    }
                }
                @for doubt in doubts { li.doubt.notable { h3 { (doubt) } p { "Its own report says more." } } }
                @if !run.environment.isolated {
                    li.doubt.mild { p { "The page was not cross-origin isolated, so its clocks were coarse." } }
                }
                @if run.environment.automated { li.doubt.mild { p { "A program drove the browser." } } }
            }
        }
    }
}

/// Every group: heading, chart, and the rows with what their words mean.
pub(super) fn groups(run: &RunResult) -> Markup {
    html! { @for result in &run.groups { (group(result)) } }
}

fn group(group: &GroupResult) -> Markup {
    let table = Table::of(group);
    let id = format!("group-{}", group.record.index);
    html! {
        section.group aria-labelledby=(id) {
            h2 id=(id) { (unbroken(&words::heading(&group.record.group))) }
            (chart(group))
            (rows(&table.columns, &table.rows, &id))
            @if !table.remarks.is_empty() {
                dl.remarks { @for entry in &table.remarks { div { dt { (entry.term) } dd { (unbroken(&entry.text)) } } } }
            }
            details.legend {
                summary { "How to read this" }
                dl { @for entry in &table.legend { div { dt { (entry.term) } dd { (unbroken(&entry.text)) "." } } } }
            }
        }
    }
}
