//! Where the time goes: the stages of every method's work, as a table and as a chart of their shares.

use maud::{Markup, html};

use super::format::duration;
use super::prose::{count, unbroken};
use super::table::{Cell, Detail, Entry, Heading, Row, arms};
use crate::estimate::{ArmEstimate, StageEstimate};
use crate::result::{GroupResult, Role, Stage};
use crate::units::Bytes;

/// A stage, for people.
struct Kind {
    stage: Stage,
    name: &'static str,
    class: &'static str,
    text: &'static str,
}

/// All of them, in their order.
const STAGES: [Kind; 9] = [
    Kind {
        stage: Stage::Directory,
        name: "directory",
        class: "stage-directory",
        text: "looking the file's directory up, from getDirectory() on",
    },
    Kind { stage: Stage::FileHandle, name: "file handle", class: "stage-handle", text: "getFileHandle()" },
    Kind { stage: Stage::Open, name: "open", class: "stage-open", text: "createSyncAccessHandle() or getFile()" },
    Kind { stage: Stage::FirstRead, name: "first read", class: "stage-first", text: "the first read after it, slice() included" },
    Kind { stage: Stage::Slice, name: "slice", class: "stage-slice", text: "slice(), before each read" },
    Kind { stage: Stage::Read, name: "each read", class: "stage-read", text: "each read after the first, without its slice()" },
    Kind {
        stage: Stage::Delivery,
        name: "delivery",
        class: "stage-delivery",
        text: "a question to the worker and the answer with as many bytes, without the read",
    },
    Kind { stage: Stage::Copy, name: "copy", class: "stage-copy", text: "copying a block on into Wasm memory, which no op does" },
    Kind { stage: Stage::Close, name: "close", class: "stage-close", text: "close()" },
];

const TITLE: &str = "Where the time goes: each method's stages, timed apart";
/// Before a mean that is not known well.
const ROUGH: &str = "~";
/// Before what stands in place of a mean that the clock could not tell.
const AT_MOST: &str = "≤";

/// Height of an arm's lane, in pixels: a line of text above its bar.
const LANE: usize = 44;
/// From the top of a lane to its text's baseline, and to its bar, and the bar's height.
const TEXT: usize = 15;
const BAR: (usize, usize) = (22, 14);

/// The table. None where no method's work was taken apart.
pub(super) fn of(group: &GroupResult) -> Option<Detail> {
    let apart = apart(group);
    let told = |stage: Stage| apart.iter().any(|(_, estimate)| of_stage(estimate, stage).is_some());
    let columns: Vec<_> = STAGES.iter().filter(|kind| told(kind.stage)).collect();
    let mut headings = vec![Heading { text: "method".into(), number: false }];
    headings.extend(columns.iter().map(|kind| Heading { text: kind.name.into(), number: true }));
    let rows: Vec<Row> = apart
        .iter()
        .map(|(name, estimate)| {
            let mut cells = vec![Cell { value: name.clone(), interval: None }];
            cells.extend(columns.iter().map(|kind| of_stage(estimate, kind.stage).map_or_else(Cell::default, cell)));
            Row { role: Role::Contender, class: "", cells }
        })
        .collect();
    let mut legend: Vec<Entry> = columns.iter().map(|kind| Entry { term: kind.name.into(), text: kind.text.into() }).collect();
    let marks = [
        (ROUGH, "a mean whose 95 % interval reaches more than 10 % to either side; the others are known better"),
        (AT_MOST, "too short for the clock: the longest that its readings allow"),
    ];
    let marked = |mark: &str| rows.iter().any(|row| row.cells.iter().any(|cell| cell.value.starts_with(mark)));
    legend.extend(marks.into_iter().filter(|(mark, _)| marked(mark)).map(|(term, text)| Entry { term: term.into(), text: text.into() }));
    (!rows.is_empty()).then(|| Detail { title: TITLE.into(), folded: false, figure: chart(group), columns: headings, rows, legend })
}

/// Every baseline and contender that was taken apart, by its method: the work is the same whatever its options.
fn apart(group: &GroupResult) -> Vec<(String, &ArmEstimate)> {
    arms(group)
        .into_iter()
        .filter(|(arm, estimate)| matches!(arm.role, Role::Baseline | Role::Contender) && !estimate.stages.is_empty())
        .map(|(arm, estimate)| (arm.method.plain().to_string(), estimate))
        .collect()
}

fn of_stage(estimate: &ArmEstimate, stage: Stage) -> Option<&StageEstimate> {
    estimate.stages.iter().find(|other| other.stage == stage)
}

/// Nine columns have no room for intervals.
fn is_rough(estimate: &StageEstimate) -> bool {
    estimate.interval_ns.is_some_and(|(low, high)| high - low > 0.2 * estimate.mean_ns)
}

fn cell(estimate: &StageEstimate) -> Cell {
    let time = duration(estimate.mean_ns);
    let value = match estimate {
        StageEstimate { at_most: true, .. } => format!("{AT_MOST} {time}"),
        rough if is_rough(rough) => format!("{ROUGH}{time}"),
        _ => time,
    };
    Cell { value, interval: None }
}

/// A method's whole work on one file of the group, stage by stage, nanoseconds.
struct Life {
    name: String,
    stages: Vec<(&'static Kind, f64)>,
    /// Whether there were others, which the clock could not tell.
    more: bool,
}

impl Life {
    fn of(name: String, estimate: &ArmEstimate, reads: f64) -> Self {
        let times = |stage: Stage| match stage {
            Stage::Directory | Stage::FileHandle | Stage::Open | Stage::FirstRead | Stage::Close => 1.0,
            Stage::Slice | Stage::Read => reads - 1.0,
            Stage::Delivery | Stage::Copy => reads,
        };
        // What is too short for the clock has no length to draw.
        let mean = |stage: Stage| of_stage(estimate, stage).filter(|estimate| !estimate.at_most).map_or(0.0, |estimate| estimate.mean_ns);
        let stages = STAGES.iter().map(|kind| (kind, mean(kind.stage) * times(kind.stage))).filter(|(_, ns)| *ns > 0.0).collect();
        let more = estimate.stages.iter().any(|estimate| estimate.at_most && times(estimate.stage) > 0.0);
        Self { name, stages, more }
    }

    fn total(&self) -> f64 {
        self.stages.iter().map(|(_, ns)| ns).sum()
    }

    /// Each stage with where it begins and how long it is, in per cent of the whole.
    fn shares(&self) -> impl Iterator<Item = (&'static Kind, f64, f64, f64)> {
        let total = self.total();
        self.stages.iter().scan(0.0, move |from, (kind, ns)| {
            let (begins, share) = (*from, ns / total * 100.0);
            *from += share;
            Some((*kind, *ns, begins, share))
        })
    }
}

/// For each method a bar of the shares of its stages.
fn chart(group: &GroupResult) -> Option<Markup> {
    let job = &group.record.group;
    let file = job.size.0 / u64::from(job.nrfiles.max(1));
    let reads = (file / job.bs.0.max(1)).max(1);
    let lives: Vec<Life> = apart(group)
        .into_iter()
        .map(|(name, estimate)| Life::of(name, estimate, reads as f64))
        .filter(|life| life.total() > 0.0 && life.total().is_finite())
        .collect();
    let used = STAGES.iter().filter(|kind| lives.iter().any(|life| life.stages.iter().any(|(other, _)| other.stage == kind.stage)));
    let reads = count(usize::try_from(reads).unwrap_or(usize::MAX), "read");
    let mut caption = match &job.own {
        None => format!("Shares of the time for one file of {}: looked up, opened, read in {reads} of {}, closed.", Bytes(file), job.bs),
        Some(own) => {
            let read = if own.whole { "whole".into() } else { format!("in {reads} of {}", job.bs) };
            let file = Bytes(file).rounded();
            format!("Shares of the time for one file, which has {file} in the mean: looked up, opened, read {read}, closed.")
        }
    };
    if lives.iter().any(|life| life.more) {
        caption += " Stages that the clock could not tell have no length here: where there are such, the whole is more (≥).";
    }
    (!lives.is_empty()).then(|| {
        html! {
            figure.chart.stages {
                svg role="img" aria-label=(described(&lives)) width="100%" height=(lives.len() * LANE) {
                    @for (place, life) in lives.iter().enumerate() { (lane(life, place * LANE)) }
                }
                figcaption {
                    p.keys { @for kind in used { span { span.key.(kind.class) {} " " (kind.name) } " " } }
                    (unbroken(&caption))
                }
            }
        }
    })
}

fn lane(life: &Life, top: usize) -> Markup {
    html! {
        text.name x="0" y=(top + TEXT) { (life.name) }
        text.finding x="100%" y=(top + TEXT) text-anchor="end" { (if life.more { "≥ " } else { "" }) (duration(life.total())) }
        @for (kind, ns, from, share) in life.shares() {
            rect.(kind.class) x=(format!("{from:.3}%")) width=(format!("{share:.3}%")) y=(top + BAR.0) height=(BAR.1) {
                title { (format!("{}: {}, {}", kind.name, duration(ns), self::share(share))) }
            }
        }
    }
}

fn share(percent: f64) -> String {
    if percent < 0.1 { "less than 0.1 %".into() } else { format!("{percent:.1} %") }
}

/// For those who do not see it.
fn described(lives: &[Life]) -> String {
    let largest = |life: &Life| {
        let (kind, _, _, share) = life.shares().max_by(|one, other| one.3.total_cmp(&other.3))?;
        Some(format!("{}: {share:.0} % {}", life.name, kind.name))
    };
    format!("The largest stage of each method: {}.", lives.iter().filter_map(largest).collect::<Vec<_>>().join("; "))
}

#[cfg(test)]
mod tests {
    use super::super::tests::samples;
    use super::*;

    fn bars(markup: &str) -> Vec<f64> {
        let width = |rect: &str| rect.split("width=\"").nth(1)?.split('%').next()?.parse().ok();
        markup.split("<rect").skip(1).filter_map(width).collect()
    }

    #[test]
    fn the_shares_of_a_bar_make_it_whole() {
        let run = samples::chromium();
        let markup = chart(&run.groups[1]).expect("taken apart").into_string();
        // Three methods, each on a lane of its own, with the stages that the clock could tell.
        assert_eq!(bars(&markup).len(), 7 + 5 + 7, "{markup}");
        assert!((bars(&markup).iter().sum::<f64>() - 300.0).abs() < 0.1, "{markup}");
        assert!(markup.replace('\u{a0}', " ").contains("in 8192 reads of 4 KiB"), "{markup}");
        assert!(markup.contains("worker/sync: "), "{markup}");
        // One of them had a stage that was too short for the clock.
        assert!(markup.matches(">≥ ").count() == 1 && markup.contains("the whole is more"), "{markup}");
    }

    #[test]
    fn what_was_not_taken_apart_has_neither_table_nor_chart() {
        let run = samples::chromium();
        assert!(of(&run.groups[0]).is_none() && chart(&run.groups[0]).is_none());
    }

    #[test]
    fn the_table_says_what_the_clock_cannot_tell_and_what_is_rough() {
        let detail = of(&samples::chromium().groups[1]).expect("taken apart");
        let texts: Vec<String> = detail.rows.iter().flat_map(|row| row.cells.iter().map(|cell| cell.value.clone())).collect();
        for wanted in ["≤ 40.0 ns", "~640 µs", "633 µs", "31.9 µs"] {
            assert!(texts.iter().any(|text| text == wanted), "{wanted}: {texts:?}");
        }
        let terms: Vec<&str> = detail.legend.iter().map(|entry| entry.term.as_str()).collect();
        assert!(terms.ends_with(&["~", "≤"]), "{terms:?}");
    }
}
