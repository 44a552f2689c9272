//! A result in a link: not its samples, but what they say, row by row, in so few bytes that the link fits into a code for cameras.
//!
//! What comes out again is a [`RunResult`] without samples, for [`crate::report::linked`] alone: whoever made the link may have written
//! anything into it, and nothing in it can be checked.

mod bytes;

use xxhash_rust::xxh3::xxh3_64;

use crate::estimate::{ArmEstimate, Note, PerOp, Ratio, Verdict, Withheld};
use crate::job::MethodName;
use crate::report::{Doubt, Severity, doubts, one_line};
use crate::result::{Arm, GroupResult, Outcome, Role, RunResult};
use crate::stats::{Tail, TotalRatio};
use bytes::{Reader, Writer};

/// The format. Another one begins with another number.
const VERSION: u8 = 1;
/// The most bytes of a link's content, checksum and all: with base64 and an address, a code for cameras holds them still.
const LARGEST: usize = 2_000;
/// The most bytes of a text in it.
const LONGEST_TEXT: usize = 180;
/// Logarithms are told in this many parts of one: a ratio to a hundredth of a percent.
const PARTS: f64 = 10_000.0;
/// No ratio or time of nanoseconds has a logarithm beyond this.
const LARGEST_LOG: f64 = 100.0;

/// A result that says nothing, with one group of one arm: what a link does not tell is as here.
const EMPTY: &str = r#"{"format":"opfs-bench result 2","protocol":0,"version":"","seed":"0000000000000000","started":"","elapsed_ns":0,
"outcome":{"state":"finished"},"job":{"name":"link","title":"","budget_s":0,"storage":0,"group":[]},"environment":{"browser":"",
"user_agent":"","system":"","cores":null,"memory_gib":null,"screen":null,"isolated":true,"automated":false,"storage":null,"address":""},
"ticks":null,"fixtures":[],"superseded":[],"polls":0,"groups":[{"record":{"group":{"name":"link","title":"","rw":"read","bs":1,"size":1,
"open":"kept","baseline":"main/slice","methods":[]},"index":0,"warm_up":{"rounds":[],"steady":true},"rounds":[],"ended":"width",
"incidents":[],"budget_ns":0,"elapsed_ns":0,"arms":[{"method":"main/slice","role":"baseline","ends_up":"nowhere","tick_ns":0,
"first_touch_ns":null,"pilot":[],"n":0,"batch":"shared","bytes":0,"verifications":[],"failure":null}]},"estimates":{"rounds":0,"dropped":0,
"level":0.99,"half_width":null,"rounds_needed":null,"invalid":[],"arms":[{"per_op":null,"ratio":null,"total":null,
"verdict":{"verdict":"not_compared"},"notes":[]}]}}]}"#;

/// Why a text holds no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadLink {
    /// It is of a later version of opfs-bench.
    #[error("the link is of a newer version of opfs-bench: open it on a page of that version")]
    Newer,
    /// It is not whole, or was never one.
    #[error("the link is damaged: copy all of it, or ask for it again")]
    Damaged,
}

/// What a link brought.
#[derive(Clone, Debug, PartialEq)]
pub struct Linked {
    /// Without samples, and with the groups, rows and words that the link tells.
    pub run: RunResult,
    /// What made the run doubtful, by its sender's page: headings of [`crate::report::Doubt`].
    pub doubts: Vec<String>,
}

/// A result as a link tells it. None where it has more rows than fit.
#[must_use]
pub fn encode(run: &RunResult) -> Option<String> {
    let mut content = Writer::default();
    let environment = &run.environment;
    // To the minute.
    let started = run.started.get(..16).unwrap_or_default();
    for text in [environment.browser.as_str(), &environment.system, &run.job.title, started] {
        content.text(text, LONGEST_TEXT);
    }
    let flags = [environment.isolated, environment.automated, run.outcome == Outcome::Finished];
    content.byte(flags.iter().rev().fold(0, |bits, flag| bits << 1 | u8::from(*flag)));
    let doubts: Vec<&str> = doubts(run).iter().filter(|doubt| doubt.severity() != Severity::Mild).map(Doubt::heading).collect();
    content.number(doubts.len() as u64);
    for doubt in doubts {
        content.text(doubt, LONGEST_TEXT);
    }

    let mut methods: Vec<&MethodName> = Vec::new();
    for arm in run.groups.iter().flat_map(rows).map(|(arm, _)| arm) {
        if !methods.contains(&&arm.method) {
            methods.push(&arm.method);
        }
    }
    content.number(methods.len() as u64);
    for method in &methods {
        content.text(&method.to_string(), LONGEST_TEXT);
    }
    content.number(run.groups.len() as u64);
    for group in &run.groups {
        content.text(&group.record.group.title, LONGEST_TEXT);
        content.number(parts(1.0 - group.estimates.level).unwrap_or(0).unsigned_abs());
        content.byte(u8::from(!group.estimates.invalid.is_empty()));
        content.number(rows(group).count() as u64);
        for (arm, estimate) in rows(group) {
            content.number(methods.iter().position(|method| **method == arm.method)? as u64);
            row(&mut content, arm, estimate);
        }
    }
    let mut whole = Writer::default();
    whole.byte(VERSION);
    whole.0.extend(checksum(&content.0));
    whole.0.extend(content.0);
    (whole.0.len() <= LARGEST).then(|| bytes::to_text(&whole.0))
}

/// Reads what [`encode`] wrote.
///
/// # Errors
/// When it is something else.
pub fn decode(text: &str) -> Result<Linked, BadLink> {
    if text.len() > LARGEST * 2 {
        return Err(BadLink::Damaged);
    }
    let bytes = bytes::from_text(text).ok_or(BadLink::Damaged)?;
    match bytes.split_at_checked(3) {
        Some(([VERSION, found @ ..], content)) if *found == checksum(content) => read(content).ok_or(BadLink::Damaged),
        Some(([version, ..], _)) if *version > VERSION => Err(BadLink::Newer),
        _ => Err(BadLink::Damaged),
    }
}

/// So much that a link which was cut or mistyped is told from a whole one.
fn checksum(content: &[u8]) -> [u8; 2] {
    let [.., high, low] = xxh3_64(content).to_be_bytes();
    [high, low]
}

/// What a link tells of: the arms that are compared, and the baseline.
fn rows(group: &GroupResult) -> impl Iterator<Item = (&Arm, &ArmEstimate)> {
    group.record.arms.iter().zip(&group.estimates.arms).filter(|(arm, _)| arm.role != Role::Empty)
}

/// A logarithm, or another number of that size, in whole parts.
#[allow(clippy::cast_possible_truncation)] // bounded just before
fn parts(number: f64) -> Option<i64> {
    (number.abs() <= LARGEST_LOG).then(|| (number * PARTS).round() as i64)
}

const VERDICTS: [Verdict; 6] =
    [Verdict::Baseline, Verdict::NotCompared, Verdict::Same, Verdict::Faster, Verdict::Slower, Verdict::Inconclusive];
/// In a verdict's place.
const WITHHELD: usize = VERDICTS.len();
const ABSENT: usize = WITHHELD + 1;

fn verdict(code: usize) -> Option<Verdict> {
    match code {
        ABSENT => Some(Verdict::Withheld {
            reasons: vec![Withheld::NotInThisBrowser { missing: "the link does not say what is missing".into() }],
        }),
        WITHHELD => Some(Verdict::Withheld { reasons: Vec::new() }),
        code => VERDICTS.get(code).cloned(),
    }
}

/// An arm's numbers. The ratio is the one that its row leads with.
fn row(content: &mut Writer, arm: &Arm, estimate: &ArmEstimate) {
    let code =
        VERDICTS.iter().position(|verdict| *verdict == estimate.verdict).unwrap_or(if arm.absent.is_some() { ABSENT } else { WITHHELD });
    let dominates = estimate.notes.contains(&Note::TailDominated { tail: Tail::Dominates });
    let total = estimate.total.filter(|_| dominates && code < WITHHELD).map(|total| (total.log, Some(total.log_interval)));
    let (log, interval) = match total {
        Some((log, interval)) => (parts(log), interval),
        None => (estimate.ratio.and_then(|ratio| parts(ratio.log)), estimate.ratio.and_then(|ratio| ratio.log_interval)),
    };
    let interval = interval.and_then(|(low, high)| Some((parts(low)?, parts(high)?))).filter(|_| log.is_some());
    let median = estimate.per_op.filter(|per_op| per_op.median_ns > 0.0).and_then(|per_op| parts(libm::log(per_op.median_ns)));
    let at_most = estimate.per_op.is_some_and(|per_op| per_op.at_most);
    let flags = [median.is_some(), at_most, log.is_some(), interval.is_some(), total.is_some()];
    let flags = flags.iter().rev().fold(0, |bits, flag| bits << 1 | u8::from(*flag));
    content.byte(flags << 3 | u8::try_from(code).unwrap_or(0));
    content.byte(match arm.role {
        Role::Baseline => 0,
        Role::Null => 1,
        Role::Contender | Role::Empty => 2,
    });
    for number in [median, log].into_iter().flatten() {
        content.signed(number);
    }
    if let (Some(log), Some((low, high))) = (log, interval) {
        content.signed(log - low);
        content.signed(high - log);
    }
}

fn read(content: &[u8]) -> Option<Linked> {
    let mut reader = Reader(content);
    let mut run = RunResult::from_json(EMPTY).ok()?;
    let empty = run.groups.pop()?;
    run.environment.browser = line(&mut reader)?;
    run.environment.system = line(&mut reader)?;
    run.job.title = line(&mut reader)?;
    run.started = line(&mut reader)?;
    let flags = reader.byte()?;
    run.environment.isolated = flags & 1 != 0;
    run.environment.automated = flags & 2 != 0;
    if flags & 4 == 0 {
        run.outcome = Outcome::Stopped;
    }
    let number = reader.count()?;
    let doubts = (0..number).map(|_| line(&mut reader)).collect::<Option<_>>()?;
    let number = reader.count()?;
    let methods: Vec<MethodName> = (0..number).map(|_| reader.text()?.parse().ok()).collect::<Option<_>>()?;
    for index in 0..reader.count()? {
        let mut group = empty.clone();
        group.record.index = u32::try_from(index).ok()?;
        group.record.group.title = line(&mut reader)?;
        group.estimates.level = (1.0 - reader.number()? as f64 / PARTS).clamp(0.0, 1.0);
        let invalid = reader.byte()? != 0;
        let (arm, estimate) = (group.record.arms.pop()?, group.estimates.arms.pop()?);
        for _ in 0..reader.count()? {
            let method = methods.get(usize::try_from(reader.number()?).ok()?)?.clone();
            let (arm, estimate) = read_row(&mut reader, &arm, &estimate, method, invalid)?;
            match arm.role {
                Role::Baseline => group.record.group.baseline = arm.method.clone(),
                _ => group.record.group.methods.push(arm.method.clone()),
            }
            group.record.arms.push(arm);
            group.estimates.arms.push(estimate);
        }
        run.job.groups.push(group.record.group.clone());
        run.groups.push(group);
    }
    reader.0.is_empty().then_some(Linked { run, doubts })
}

fn line(reader: &mut Reader) -> Option<String> {
    reader.text().map(|text| one_line(&text))
}

fn read_row(reader: &mut Reader, arm: &Arm, estimate: &ArmEstimate, method: MethodName, invalid: bool) -> Option<(Arm, ArmEstimate)> {
    let first = reader.byte()?;
    let has = |bit: u8| first >> 3 & 1 << bit != 0;
    let verdict = verdict(usize::from(first & 7))?;
    let role = match reader.byte()? {
        0 => Role::Baseline,
        1 => Role::Null,
        2 => Role::Contender,
        _ => return None,
    };
    let mut number = |there: bool| -> Option<Option<f64>> {
        if !there {
            return Some(None);
        }
        let number = reader.signed()? as f64 / PARTS;
        (number.abs() <= 2.0 * LARGEST_LOG).then_some(Some(number))
    };
    let median = number(has(0))?;
    let log = number(has(2))?;
    let interval = match (log, number(has(3))?, number(has(3))?) {
        (Some(log), Some(below), Some(above)) if below >= 0.0 && above >= 0.0 => Some((log - below, log + above)),
        (_, None, None) => None,
        _ => return None,
    };
    let mut estimate = estimate.clone();
    estimate.per_op =
        median.map(|log| PerOp { median_ns: libm::exp(log), interval_ns: None, at_most: has(1), summary: None, bytes_per_s: None });
    if has(4) {
        estimate.total = log.and_then(|log| Some(TotalRatio { log, log_interval: interval? }));
        estimate.notes = vec![Note::TailDominated { tail: Tail::Dominates }];
    } else {
        estimate.ratio = log.map(|log| Ratio { log, log_interval: interval, autocorrelation: None, widened: 1.0 });
    }
    estimate.verdict = if invalid && role == Role::Contender { Verdict::Withheld { reasons: Vec::new() } } else { verdict };
    Some((Arm { method, role, ..arm.clone() }, estimate))
}

#[cfg(test)]
mod tests;
