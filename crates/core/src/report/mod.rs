//! Shows a result to people: one sentence that answers, tables, charts, and what makes the run doubtful.
//!
//! A result is first turned into plain data: `answer` into a sentence, `table` into rows, [`doubts`] into
//! conclusions, `environment` into labels and values. Three renderers, `text`, `markdown` and `html`, then only lay that out,
//! so that the terminal, a pasted table and the page cannot say different things. Everything from outside (titles, errors, the
//! user agent) is escaped where it is laid out. Results may come from files that someone else wrote, so nothing here panics on
//! numbers or lists that do not fit together.

mod advice;
mod answer;
mod axis;
mod chart;
mod comparison;
mod csv;
mod device;
mod doubts;
mod drops;
mod environment;
mod findings;
pub mod format;
mod forum;
mod html;
mod latency;
mod lead;
mod lines;
mod linked;
mod markdown;
mod native;
mod pass;
mod prose;
mod spread;
mod stages;
mod table;
#[cfg(test)]
mod tests;
mod text;
mod verdict;
mod words;

pub use doubts::{Doubt, Severity, Unfinished, beforehand, doubts};
pub use prose::one_line;

use crate::compare::Comparison;
use crate::job::Group;
use crate::link::Linked;
use crate::result::{GroupResult, RunResult, Skipped};

/// A result as pieces of HTML for a page that has its own frame. All of them are escaped, hold neither scripts nor inline
/// styles, and are styled by `report.css`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fragments {
    /// The answer in one sentence, and what follows from it for a page.
    pub answer: String,
    /// What a reader must know before the answer, with its heading. Empty where there is nothing.
    pub doubts: String,
    /// Every group: heading, chart and table.
    pub groups: String,
    /// What the groups say together: time against size, against the number of files, and what the steps of a read cost. Empty where
    /// the run has too few groups for that.
    pub findings: String,
    /// Notes on the run, then the device, the browser and the run, each with its heading.
    pub environment: String,
}

/// The answer to the run's question in one plain sentence.
#[must_use]
pub fn answer(run: &RunResult) -> String {
    answer::Answer::of(run).text()
}

/// The whole result as text for a terminal: no colours, lines of about 100 columns.
#[must_use]
pub fn text(run: &RunResult) -> String {
    text::run(run)
}

/// One group as text for a terminal, for a run that is still going on.
#[must_use]
pub fn group_text(group: &GroupResult) -> String {
    text::group(group)
}

/// Two sides of a comparison, row by row, as text for a terminal.
#[must_use]
pub fn comparison(comparison: &Comparison, base: &str, other: &str) -> String {
    comparison::text(comparison, base, other)
}

/// The same as a piece of HTML, escaped and styled as [`Fragments`] are.
#[must_use]
pub fn comparison_fragment(comparison: &Comparison, base: &str, other: &str) -> String {
    comparison::html(comparison, base, other).into_string()
}

/// The result as a block of plain text to paste into a forum: MB/s and IOPS of blocks in files that stay open. None where it has none.
#[must_use]
pub fn forum(run: &RunResult) -> Option<String> {
    forum::block(run)
}

/// What a link brought, marked as such. There is no environment: a link tells too little of it.
#[must_use]
pub fn linked(linked: &Linked) -> Fragments {
    Fragments {
        answer: html::answer(&linked.run).into_string(),
        doubts: linked::doubts(linked).into_string(),
        groups: linked::groups(&linked.run).into_string(),
        findings: String::new(),
        environment: String::new(),
    }
}

/// The whole result as Markdown (with GitHub's tables).
#[must_use]
pub fn markdown(run: &RunResult) -> String {
    markdown::run(run)
}

/// Every sample as a row of CSV, with a header; `docs/exports.md` tells the columns.
#[must_use]
pub fn csv(run: &RunResult) -> String {
    csv::run(run)
}

/// The whole result as an HTML document that needs no other file and runs no script.
#[must_use]
pub fn page(run: &RunResult) -> String {
    html::page(run)
}

/// The whole result as pieces of HTML.
#[must_use]
pub fn fragments(run: &RunResult) -> Fragments {
    Fragments {
        answer: html::answer(run).into_string(),
        doubts: html::doubts(run).into_string(),
        groups: html::groups(run).into_string(),
        findings: html::findings(run).into_string(),
        environment: html::environment(run).into_string(),
    }
}

/// One group as a piece of HTML, the same as in [`Fragments::groups`], for a run that is still going on.
#[must_use]
pub fn group_fragment(group: &GroupResult) -> String {
    html::group(group).into_string()
}

/// A group that was not measured as a piece of HTML, for a run that is still going on.
#[must_use]
pub fn skipped_fragment(group: &Group, skipped: &Skipped) -> String {
    html::skipped(group, skipped).into_string()
}
