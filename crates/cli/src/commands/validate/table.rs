//! The validation as Markdown, for a terminal and for a file.

use std::iter;

use opfs_bench_core::result::RunResult;
use opfs_bench_core::seed::Seed;
use opfs_bench_core::simulate::validate::{LEVEL, share};
use opfs_bench_core::stats;

use super::job::{SLOWDOWNS, SUBJECTS, Subject};
use super::promises::promises;
use super::tally::{Comparisons, DECIDED, GroupTally, Tally};

/// Runs in a browser, and what came of them.
#[derive(Clone, Debug)]
pub struct Validation {
    browser: &'static str,
    runs: u32,
    budget_s: f64,
    seed: Seed,
    headless: bool,
    about: Option<About>,
    finished: u32,
    failed: Vec<(u32, String)>,
    tally: Tally,
}

/// The letters of an error that are shown; the rest is the browser's log, and is printed when it happens.
const LONGEST_ERROR: usize = 200;

/// Where and with what.
#[derive(Clone, Debug)]
struct About {
    browser: String,
    system: String,
    cores: Option<u32>,
    date: String,
    version: String,
    protocol: u32,
}

impl Validation {
    /// Of so many runs in a browser of this name, with a time for each group and the first run's seed.
    pub fn new(browser: &'static str, headless: bool, runs: u32, budget_s: f64, seed: Seed) -> Self {
        Self { browser, runs, budget_s, seed, headless, about: None, finished: 0, failed: Vec::new(), tally: Tally::default() }
    }

    /// Takes a finished run.
    pub fn add(&mut self, result: &RunResult) {
        self.finished += 1;
        self.tally.add(result);
        let environment = &result.environment;
        self.about.get_or_insert_with(|| About {
            browser: environment.browser.clone(),
            system: environment.system.clone(),
            cores: environment.cores,
            date: result.started.chars().take("2026-08-31".len()).collect(),
            version: result.version.clone(),
            protocol: result.protocol,
        });
    }

    /// Takes a run that failed, by its number.
    pub fn fail(&mut self, run: u32, error: &str) {
        let words = error.split_whitespace().collect::<Vec<_>>().join(" ");
        self.failed.push((run, words.chars().take(LONGEST_ERROR).collect()));
    }

    /// Whether the counts hold all that is promised.
    pub fn held(&self) -> bool {
        promises(&self.tally).iter().all(|promise| promise.held)
    }

    /// The whole text.
    pub fn markdown(&self) -> String {
        let blocks = [
            self.heading(),
            self.facts(),
            how(),
            "## Arms that are the baseline itself".into(),
            equal(&self.tally),
            "## Arms that are slower".into(),
            slower(&self.tally),
            "## How the groups ended".into(),
            ends(&self.tally),
            "## How long a decision takes".into(),
            format!(
                "A group in which the arm that is {DECIDED} % slower was found: its whole time (pilot, warm-up and repeats included), and \
                 the rounds that the verdict rests on. Medians, with {} % intervals in brackets. A group ends when all of its intervals \
                 are narrow enough or its time is up, not when one of them is clear.",
                LEVEL * 100.0
            ),
            decisions(&self.tally),
            "## What is promised".into(),
            promises(&self.tally).map(|promise| promise.sentence()).join(" "),
        ];
        blocks.join("\n\n") + "\n"
    }

    fn heading(&self) -> String {
        let browser = self.about.as_ref().map_or(self.browser, |about| &about.browser);
        format!("# Verdicts where the truth is known: {browser}")
    }

    fn facts(&self) -> String {
        let mut facts = Vec::new();
        if let Some(About { browser, system, cores, date, version, protocol }) = &self.about {
            let headless = if self.headless { ", headless" } else { "" };
            let cores = cores.map_or_else(String::new, |cores| format!(", {cores} cores"));
            facts.push(format!("- **Where**: {browser}{headless}, on {system}{cores}"));
            facts.push(format!("- **When**: {date}"));
            facts.push(format!("- **With**: opfs-bench {version}, protocol {protocol}"));
        }
        facts.push(format!(
            "- **Runs**: {} of {} finished, each in a fresh browser with {} s for each group; the first seed is {}, and each run's is one more",
            self.finished, self.runs, self.budget_s, self.seed
        ));
        // Code, so that nothing in an error is taken for a mark.
        facts.extend(self.failed.iter().map(|(run, error)| format!("- **Run {run} failed**: `{}`", error.replace('`', "'"))));
        facts.join("\n")
    }
}

fn how() -> String {
    let [sync, promise] = SUBJECTS.map(|subject| format!("`{}` is `{}`", subject.name, subject.baseline));
    format!(
        "All arms of a group are one method, some of them slowed down by a known share of their own time. {sync}, {promise}: random \
         4 KiB reads in a file of 8 MiB that is kept open. Shares stand with exact binomial {} % intervals.",
        LEVEL * 100.0
    )
}

/// Each group, then both together.
fn groups(tally: &Tally) -> Vec<(&'static str, GroupTally)> {
    let each = SUBJECTS.iter().zip(&tally.groups).map(|(subject, group)| (subject.name, group.clone()));
    each.chain(iter::once(("both", tally.both()))).collect()
}

fn equal(tally: &Tally) -> String {
    let titles = [&["group", "false alarms", "slower", "faster"][..], &REST].concat();
    let row = |(name, group): (&str, GroupTally)| {
        let equal = group.slowed(0);
        let alarms = [share(equal.different(), equal.all()), equal.slower.to_string(), equal.faster.to_string()];
        iter::once(name.to_owned()).chain(alarms).chain(rest(equal)).collect()
    };
    lay_out(&titles, groups(tally).into_iter().map(row))
}

fn slower(tally: &Tally) -> String {
    let titles = [&["slower by", "group", "found", "faster"][..], &REST].concat();
    let groups = groups(tally);
    let row = |percent: u32, name: &str, group: &GroupTally| {
        let slowed = group.slowed(percent);
        let found = [share(slowed.slower, slowed.all()), slowed.faster.to_string()];
        [format!("{percent} %"), name.to_owned()].into_iter().chain(found).chain(rest(slowed)).collect()
    };
    let slowdowns = SLOWDOWNS.iter().filter(|percent| **percent > 0);
    let row = &row;
    lay_out(&titles, slowdowns.flat_map(|percent| groups.iter().map(move |(name, group)| row(*percent, name, group))))
}

/// What both kinds of arms have in common.
const REST: [&str; 5] = ["same", "inconclusive", "no verdict", "truth inside the 99 % interval", "ratio, median"];

fn rest(comparisons: &Comparisons) -> [String; 5] {
    let Comparisons { same, inconclusive, withheld, intervals, covering, ratios, .. } = comparisons;
    let ratio = stats::median(ratios).map_or_else(|| "none".to_owned(), |ratio| format!("{ratio:.4}"));
    [same.to_string(), inconclusive.to_string(), withheld.to_string(), share(*covering, *intervals), ratio]
}

fn ends(tally: &Tally) -> String {
    let titles = ["group", "measured", "narrow enough", "time was up", "measured twice: null arm differed", "invalid in the end"];
    let row = |(name, group): (&str, GroupTally)| {
        let counts = [group.groups, group.by_width, group.by_budget, group.repeated, group.invalid];
        iter::once(name.to_owned()).chain(counts.map(|count| count.to_string())).collect()
    };
    lay_out(&titles, groups(tally).into_iter().map(row))
}

fn decisions(tally: &Tally) -> String {
    let titles = ["group", "arms, empty loop included", "found", "time", "rounds"];
    let row = |(subject, group): (&Subject, &GroupTally)| {
        vec![
            subject.name.to_owned(),
            group.arms.to_string(),
            group.decision_seconds.len().to_string(),
            middle(&group.decision_seconds, |seconds| format!("{seconds:.1}"), " s"),
            middle(&group.decision_rounds, |rounds| format!("{rounds:.0}"), ""),
        ]
    };
    lay_out(&titles, SUBJECTS.iter().zip(&tally.groups).map(row))
}

/// `5.7 s (5.2–6.3)`.
fn middle(values: &[f64], number: impl Fn(f64) -> String, unit: &str) -> String {
    let Some(median) = stats::median(values) else { return "none".to_owned() };
    let interval = stats::median_interval(values, LEVEL).map_or_else(
        // Of five values, even the smallest and the largest hold the median less often.
        || "too few for an interval".to_owned(),
        |(low, high)| format!("{}–{}", number(low), number(high)),
    );
    format!("{}{unit} ({interval})", number(median))
}

/// A table whose columns are as wide as their widest cell, so that it can be read before it is rendered.
fn lay_out(titles: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut lines = vec![titles.iter().map(|title| (*title).to_owned()).collect::<Vec<_>>()];
    lines.extend(rows);
    let width = |column: usize| lines.iter().map(|cells| cells[column].chars().count()).max().unwrap_or_default();
    let widths: Vec<usize> = (0..titles.len()).map(width).collect();
    lines.insert(1, widths.iter().map(|width| "-".repeat(*width)).collect());
    let line = |cells: &Vec<String>| {
        let cells: Vec<String> = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        format!("| {} |", cells.join(" | "))
    };
    lines.iter().map(line).collect::<Vec<_>>().join("\n")
}
