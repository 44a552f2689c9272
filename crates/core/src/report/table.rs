//! A group's table as data. The terminal's text, Markdown and HTML are all rendered from it, so they cannot say different things.

use maud::Markup;

use super::format::{self, half_width, percent};
use super::lead::{LIMIT, Lead};
use super::prose::count;
use super::verdict::{self, Remark};
use super::{drops, latency, native, pass, spread, stages, words};
use crate::estimate::{ArmEstimate, Verdict};
use crate::job::{Group, MethodName, Work};
use crate::protocol;
use crate::result::{Arm, Batch, Ended, GroupRecord, GroupResult, Role, WashOut};
use crate::sort;

/// A group's table and all that stands around it.
pub(super) struct Table {
    pub(super) columns: Vec<Heading>,
    pub(super) rows: Vec<Row>,
    /// How it was measured, a sentence each.
    pub(super) facts: Vec<String>,
    /// What the marks in the rows mean.
    pub(super) remarks: Vec<Entry>,
    /// Further tables: what single ops took, how samples spread.
    pub(super) details: Vec<Detail>,
    /// What the headings and the labels mean, those alone that occur.
    pub(super) legend: Vec<Entry>,
}

/// A further table of the group.
pub(super) struct Detail {
    pub(super) title: String,
    /// Whether it is shown on demand, where a medium knows that.
    pub(super) folded: bool,
    /// A chart of it, where a medium has any.
    pub(super) figure: Option<Markup>,
    pub(super) columns: Vec<Heading>,
    pub(super) rows: Vec<Row>,
    /// What the title, the headings and the cells mean, those alone that occur.
    pub(super) legend: Vec<Entry>,
}

/// A column's heading.
pub(super) struct Heading {
    pub(super) text: String,
    /// Numbers line up on the right.
    pub(super) number: bool,
}

/// An arm.
pub(super) struct Row {
    pub(super) role: Role,
    /// The verdict's style class.
    pub(super) class: &'static str,
    pub(super) cells: Vec<Cell>,
}

/// A value and, where it has one, its interval.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) value: String,
    pub(super) interval: Option<String>,
}

/// A mark or a term and what it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) term: String,
    pub(super) text: String,
}

/// What a column's cell is made from.
struct Subject<'a> {
    record: &'a GroupRecord,
    arm: &'a Arm,
    estimate: &'a ArmEstimate,
    marks: &'a str,
}

/// A column: its heading at a confidence level, its legend, and its cell for an arm.
struct Column {
    heading: fn(f64) -> String,
    legend: Option<fn(&Group) -> String>,
    number: bool,
    cell: fn(&Subject) -> Cell,
}

/// The columns from left to right. One without a single value in its cells is left out.
const COLUMNS: [Column; 8] = [
    Column { heading: |_| "method".into(), legend: None, number: false, cell: |row| Cell::of(words::arm(row.record, row.arm)) },
    Column {
        heading: |_| "ends up in".into(),
        legend: Some(|_| "where an op's bytes are when it is over".into()),
        number: false,
        cell: |row| Cell::of(words::ends_up(row.arm.ends_up).map_or(String::new(), |(short, _)| short.into())),
    },
    Column {
        heading: |_| format!("per pass ({})", percent(protocol::ABSOLUTE_LEVEL)),
        legend: Some(|_| "what it takes to read everything once. The median of the samples, with its interval".into()),
        number: true,
        cell: |row| {
            let estimate = row.estimate.per_op.and_then(|per_op| pass::estimate(&row.record.group, per_op));
            estimate.map_or_else(Cell::default, |estimate| Cell::estimate(&estimate))
        },
    },
    Column {
        heading: |_| format!("per op ({})", percent(protocol::ABSOLUTE_LEVEL)),
        legend: Some(|group| format!("what one op takes: {}. The median of the samples, with its interval", words::op(group))),
        number: true,
        cell: per_op,
    },
    Column {
        heading: |_| "throughput".into(),
        legend: Some(|_| "all bytes over all time".into()),
        number: true,
        cell: |row| Cell::of(row.estimate.per_op.and_then(|per_op| per_op.bytes_per_s).map_or(String::new(), format::throughput)),
    },
    Column {
        heading: |level| format!("ratio ({})", percent(level)),
        legend: Some(|_| "an op's time over the baseline's, compared round by round, with its interval: below 1 is faster".into()),
        number: true,
        cell: ratio,
    },
    Column { heading: |_| "verdict".into(), legend: None, number: false, cell: |row| Cell::of(Lead::of(row.estimate).label_of(row.arm)) },
    Column { heading: |_| "notes".into(), legend: None, number: false, cell: |row| Cell::of(row.marks.into()) },
];

fn per_op(row: &Subject) -> Cell {
    let Some(per_op) = row.estimate.per_op else { return Cell::default() };
    if per_op.at_most {
        return Cell::of(format!("≤ {}", format::duration(per_op.median_ns)));
    }
    Cell::estimate(&format::duration_estimate(per_op.median_ns, per_op.interval_ns))
}

fn ratio(row: &Subject) -> Cell {
    let lead = Lead::of(row.estimate);
    lead.point().map_or_else(Cell::default, |point| Cell::estimate(&format::ratio_estimate(point, lead.interval())))
}

impl Cell {
    fn of(value: String) -> Self {
        Self { value, interval: None }
    }

    fn estimate(estimate: &format::Estimate) -> Self {
        Self { value: estimate.value(), interval: estimate.interval() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.value.is_empty() && self.interval.is_none()
    }
}

impl Table {
    pub(super) fn of(group: &GroupResult) -> Self {
        let GroupResult { record, estimates, .. } = group;
        let arms = lines(group);
        let (remarks, marks) = remarks(group, &arms);
        let mut rows: Vec<Row> = arms
            .iter()
            .zip(&marks)
            .map(|((arm, estimate), marks)| Row {
                role: arm.role,
                class: Lead::of(estimate).class_of(arm),
                cells: COLUMNS.iter().map(|column| (column.cell)(&Subject { record, arm, estimate, marks })).collect(),
            })
            .collect();
        let used: Vec<bool> = (0..COLUMNS.len()).map(|column| rows.iter().any(|row| !row.cells[column].is_empty())).collect();
        for row in &mut rows {
            let mut used = used.iter();
            row.cells.retain(|_| used.next().copied().unwrap_or(true));
        }
        let columns = || COLUMNS.iter().zip(&used).filter(|(_, used)| **used).map(|(column, _)| column);
        let mut legend: Vec<Entry> = columns()
            .filter_map(|column| Some(Entry { term: (column.heading)(estimates.level), text: (column.legend?)(&record.group) }))
            .collect();
        legend.extend(labels(&record.group, &arms));
        legend.extend(parallel(&record.group));
        let details: Vec<Detail> =
            [native::of(group), latency::of(group), stages::of(group), spread::of(group)].into_iter().flatten().collect();
        legend.extend(details.iter().flat_map(|detail| detail.legend.iter().cloned()));
        Self {
            columns: columns().map(|column| Heading { text: (column.heading)(estimates.level), number: column.number }).collect(),
            rows,
            facts: facts(group),
            remarks,
            details,
            legend,
        }
    }
}

/// Every arm with what follows for it, empty arms last.
pub(super) fn arms(group: &GroupResult) -> Vec<(&Arm, &ArmEstimate)> {
    let mut arms: Vec<_> = group.record.arms.iter().zip(&group.estimates.arms).collect();
    sort::by_key(&mut arms, |(arm, _)| arm.role == Role::Empty);
    arms
}

/// The lines of a group's tables: its arms, and what was measured outside the browser, empty arms last.
pub(super) fn lines(group: &GroupResult) -> Vec<(&Arm, &ArmEstimate)> {
    let mut lines = arms(group);
    lines.extend(native::arm(group));
    sort::by_key(&mut lines, |(arm, _)| arm.role == Role::Empty);
    lines
}

/// The remarks that occur, reasons for no verdict first, and the marks of each row. The same remark has one mark in all rows.
fn remarks(group: &GroupResult, arms: &[(&Arm, &ArmEstimate)]) -> (Vec<Entry>, Vec<String>) {
    let level = group.estimates.level;
    let mut found: Vec<(String, Vec<(String, String)>)> = Vec::new();
    let mut marks: Vec<Vec<&'static str>> = vec![Vec::new(); arms.len()];
    let mut add = |row: usize, Remark { sentence, detail }: Remark| {
        let place = found.iter().position(|(known, _)| *known == sentence).unwrap_or_else(|| {
            found.push((sentence, Vec::new()));
            found.len() - 1
        });
        marks[row].push(mark(place));
        found[place].1.extend(detail.map(|detail| (words::arm(&group.record, arms[row].0), detail)));
    };
    for (row, (arm, estimate)) in arms.iter().enumerate() {
        if let Verdict::Withheld { reasons } = &estimate.verdict {
            for reason in reasons {
                add(row, verdict::withheld_remark(reason, arm, level));
            }
        }
    }
    for (row, (_, estimate)) in arms.iter().enumerate() {
        for note in &estimate.notes {
            add(row, verdict::note_remark(*note, estimate));
        }
    }
    let entries = found
        .into_iter()
        .enumerate()
        .map(|(place, (sentence, details))| Entry { term: mark(place).into(), text: remark(sentence, &details) });
    let joined = |mut marks: Vec<&'static str>| {
        sort::by(&mut marks, Ord::cmp);
        marks.join(" ")
    };
    (entries.collect(), marks.into_iter().map(joined).collect())
}

/// A remark with what is particular to each row; said once where it is the same for several.
fn remark(sentence: String, details: &[(String, String)]) -> String {
    match details {
        [] => sentence + ".",
        [(_, first), others @ ..] if !others.is_empty() && others.iter().all(|(_, other)| other == first) => {
            format!("{sentence}: {first}.")
        }
        details => {
            let rows: Vec<String> = details.iter().map(|(row, detail)| format!("{row} ({detail})")).collect();
            format!("{sentence}: {}.", rows.join("; "))
        }
    }
}

/// A letter for each kind of remark; there are fewer kinds than letters, and a table with more would repeat the last.
fn mark(place: usize) -> &'static str {
    const MARKS: &str = "abcdefghijklmnopqrstuvwxyz";
    let place = place.min(MARKS.len() - 1);
    &MARKS[place..=place]
}

/// What the words in the cells mean, those that occur: places, then rows of their own kind, then verdicts.
fn labels(group: &Group, arms: &[(&Arm, &ArmEstimate)]) -> Vec<Entry> {
    let places = arms.iter().filter_map(|(arm, _)| words::ends_up(arm.ends_up)).map(|(short, long)| (short, long.to_owned()));
    let rows = arms.iter().filter_map(|(arm, _)| match arm.role {
        Role::Null => Some(("null arm", "the baseline once more: it shows how different two identical rows look".into())),
        Role::Empty => {
            let call = if group.rw.work() == Work::Read { "read" } else { "calls" };
            Some(("empty loop", format!("the same loop without the {call}: what measuring itself costs. It is never subtracted")))
        }
        Role::Baseline | Role::Contender => None,
    });
    let verdicts = arms.iter().filter_map(|(arm, estimate)| {
        let text = match Lead::of(estimate).instead(arm) {
            Some(LIMIT) => "no way to read files, so no choice: the same bytes copied inside memory, as if reading did nothing else".into(),
            Some(_) => format!("by {}, in a program outside the browser, once that had ended", words::OPERATING_SYSTEM),
            None => verdict::explanation(&estimate.verdict)?,
        };
        Some((Lead::of(estimate).instead(arm).unwrap_or(verdict::label(&estimate.verdict)), text))
    });
    let mut entries: Vec<Entry> = Vec::new();
    for (term, text) in places.chain(rows).chain(verdicts) {
        if !entries.iter().any(|entry| entry.term == term) {
            entries.push(Entry { term: term.into(), text });
        }
    }
    entries
}

/// What it means that reads run at the same time, where they do, and that files are opened otherwise than the group says.
fn parallel(group: &Group) -> Vec<Entry> {
    let options = || group.named().map(MethodName::options);
    // Rows that have their own say how many, and the term stands for all of them.
    let deep = options().any(|options| options.iodepth.is_some());
    let depth = (deep || group.iodepth != 1).then(|| Entry {
        term: if deep { "iodepth".into() } else { format!("iodepth {}", group.iodepth) },
        text: "so many reads of a method are in flight: when one ends, the next begins. \"Per op\" is all time over all ops, and \
               one read takes longer"
            .into(),
    });
    let pooled = options().any(|options| options.numjobs.is_some());
    let workers = (pooled || group.numjobs != 1).then(|| Entry {
        term: if pooled { "numjobs".into() } else { format!("numjobs {}", group.numjobs) },
        text: "so many workers share the ops of a method of a pool (pool/...); the others have one. Time is taken on the main thread, \
               from its message to the first of them to the last one's answer, and \"per op\" is that over all ops"
            .into(),
    });
    let open = options().any(|options| options.open.is_some()).then(|| Entry {
        term: "open=each, open=kept".into(),
        text: "whether that row's method opens a file for every read, or keeps all open".into(),
    });
    depth.into_iter().chain(workers).chain(open).collect()
}

/// How the group was measured: rounds, ops per sample, and how it ended.
fn facts(group: &GroupResult) -> Vec<String> {
    let GroupResult { record, estimates, .. } = group;
    let dropped = match drops::by_cause(record).as_slice() {
        [] => "none dropped".into(),
        causes => format!("{} dropped ({})", drops::number(causes), drops::listed(causes)),
    };
    let rounds = format!("{} used, {dropped}; {} before them for warm-up.", count(estimates.rounds, "round"), record.warm_up.rounds.len());
    let size = if pass::ops(&record.group).is_some() { pass::fact(record) } else { batches(record) };
    [rounds, size, latency::fact(&record.group), rests(record), ended(group), native::fact(group)]
        .into_iter()
        .filter(|fact| !fact.is_empty())
        .collect()
}

/// How the storage came to rest after samples that write.
fn rests(record: &GroupRecord) -> String {
    record.wash_out.map_or_else(String::new, |WashOut { limit_ns, waits, reached, .. }| {
        let limit = format::duration(limit_ns.as_f64());
        format!("The storage came to rest within {limit} after {reached} of {waits} samples that write.")
    })
}

fn batches(record: &GroupRecord) -> String {
    let shared = record.arms.iter().find(|arm| arm.batch == Batch::Shared && arm.n > 0);
    let own: Vec<String> = record
        .arms
        .iter()
        .filter(|arm| arm.batch == Batch::Own && arm.n > 0)
        .map(|arm| format!("{} {}", words::arm(record, arm), arm.n))
        .collect();
    let ops = |n: u64| count(usize::try_from(n).unwrap_or(usize::MAX), "op");
    match (shared, own.as_slice()) {
        (None, []) => String::new(),
        (None, own) => format!("Ops per sample: {}.", own.join(", ")),
        (Some(arm), []) => format!("{} per sample.", ops(arm.n)),
        (Some(arm), own) => format!("{} per sample ({}).", ops(arm.n), own.join(", ")),
    }
}

fn ended(group: &GroupResult) -> String {
    let wanted = half_width(protocol::HALF_WIDTH);
    let reached = group.estimates.half_width.map(half_width);
    match (group.record.ended, reached) {
        (Ended::Width, Some(reached)) => format!("Ended when every interval was within {wanted} (the widest is {reached})."),
        (Ended::Width, None) => format!("Ended when every interval was within {wanted}."),
        (Ended::Budget, Some(reached)) => match group.estimates.rounds_needed {
            Some(needed) => format!("Ended when its time was up, at {reached}; {wanted} would take about {}.", count(needed, "round")),
            None => format!("Ended when its time was up, at {reached}."),
        },
        (Ended::Budget, None) => "Ended when its time was up, before there was an interval.".into(),
        (Ended::Stopped, _) => "Ended when the run was stopped.".into(),
        (Ended::Failed, _) if none_in_this_browser(&group.record) => {
            "Ended because this browser has none of the methods to compare.".into()
        }
        (Ended::Failed, _) => "Ended because no comparison was left.".into(),
    }
}

fn none_in_this_browser(record: &GroupRecord) -> bool {
    let mut contenders = record.arms.iter().filter(|arm| arm.role == Role::Contender).peekable();
    contenders.peek().is_some() && contenders.all(|arm| arm.absent.is_some())
}
