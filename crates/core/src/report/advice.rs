//! What a page on this device should do, in three sentences at most. Each rests on rows of this run and is withheld where their intervals do
//! not bear it; all are where the run is doubtful or was not finished.

use super::doubts::{Severity, doubts};
use super::format::{percent, ratio_estimate, size_estimate};
use super::lead::Lead;
use super::prose::count;
use super::{findings, words};
use crate::answers::crossover::{self, Course, Side};
use crate::answers::ladder::{self, Axis};
use crate::estimate::{ArmEstimate, Verdict};
use crate::job::{Group, MethodName, Open, Options, Work};
use crate::protocol;
use crate::result::{GroupResult, Outcome, Role, RunResult};

/// What is not this many times as fast, by the worse end of its interval, is not worth a change of a program.
const WORTH: f64 = 1.1;
/// Reading in large blocks is worth a sentence where a byte then takes this many times less.
const LARGE_BLOCKS: f64 = 2.0;
/// So many groups in which the advised method is slower are named; there may be more.
const MOST_EXCEPTIONS: usize = 2;

/// The sentences.
pub(super) fn of(run: &RunResult) -> Vec<String> {
    if run.outcome != Outcome::Finished || doubts(run).iter().any(|doubt| doubt.severity() == Severity::Serious) {
        return Vec::new();
    }
    let method = method(run);
    let best = method.as_ref().map(|(name, _)| name);
    [method.as_ref().map(|(_, sentence)| sentence.clone()), open_once(run, best), sizes(run, best)].into_iter().flatten().collect()
}

/// A group in which a method is faster than the baseline, and is worth it.
struct Win<'a> {
    group: &'a GroupResult,
    /// How many times as fast, with its interval.
    times: (f64, (f64, f64)),
    in_total: &'static str,
}

/// An arm that reads and counts: of a method that is a choice, in a group in which nothing is wrong.
fn arm<'a>(group: &'a GroupResult, method: &MethodName) -> Option<&'a ArmEstimate> {
    let reads = |role| matches!(role, Role::Baseline | Role::Contender);
    let mut arms = group.record.arms.iter().zip(&group.estimates.arms).filter(|_| group.estimates.invalid.is_empty());
    arms.find(|(arm, _)| arm.method == *method && reads(arm.role) && arm.takes_part()).map(|(_, estimate)| estimate)
}

fn win<'a>(group: &'a GroupResult, method: &MethodName) -> Option<Win<'a>> {
    let lead = Lead::of(arm(group, method).filter(|_| group.record.group.baseline != *method)?);
    let (point, (low, high)) = (lead.point()?, lead.interval()?);
    let times = (1.0 / point, (1.0 / high, 1.0 / low));
    (lead.verdict == Verdict::Faster && times.1.0 >= WORTH).then(|| Win { group, times, in_total: lead.suffix() })
}

/// "Read with ...": the method that wins in the most groups, and where it does not.
fn method(run: &RunResult) -> Option<(MethodName, String)> {
    let mut methods: Vec<&MethodName> = Vec::new();
    for method in run.groups.iter().flat_map(|group| &group.record.group.methods).filter(|method| method.thread().is_choice()) {
        if !methods.contains(&method) {
            methods.push(method);
        }
    }
    let wins = |method: &MethodName| -> Vec<Win> { run.groups.iter().filter_map(|group| win(group, method)).collect() };
    // What it gains in all groups less what it loses; of equals the first that the job names.
    let judged = |group: &&GroupResult, method: &MethodName| group.record.group.baseline != *method && arm(group, method).is_some();
    let gain = |method: &MethodName| -> f64 {
        let logs = run.groups.iter().filter(|group| judged(group, method)).filter_map(|group| {
            let lead = Lead::of(arm(group, method)?);
            lead.log.filter(|log| log.is_finite() && matches!(lead.verdict, Verdict::Faster | Verdict::Slower))
        });
        -logs.sum::<f64>()
    };
    let mut best: Option<(f64, &MethodName, Vec<Win>)> = None;
    for method in methods {
        let (gain, wins) = (gain(method), wins(method));
        if !wins.is_empty() && best.as_ref().is_none_or(|(known, ..)| gain > *known) {
            best = Some((gain, method, wins));
        }
    }
    let (_, method, wins) = best?;
    let least = wins.iter().min_by(|one, other| one.times.0.total_cmp(&other.times.0))?;
    let most = wins.iter().max_by(|one, other| one.times.0.total_cmp(&other.times.0))?;
    let said = |win: &Win| {
        let estimate = ratio_estimate(win.times.0, Some(win.times.1));
        let interval = estimate.interval().map(|interval| format!(" ({interval})")).unwrap_or_default();
        let group = &win.group.record.group;
        format!("{}{interval} times{} against {}, for {}", estimate.point, win.in_total, group.baseline, words::title(group))
    };
    let judged = run.groups.iter().filter(|group| judged(group, method)).count();
    let slower: Vec<String> = run
        .groups
        .iter()
        .filter(|group| arm(group, method).is_some_and(|estimate| Lead::of(estimate).verdict == Verdict::Slower))
        .map(|group| words::title(&group.record.group))
        .collect();
    let how = match wins.as_slice() {
        [only] => format!("it was faster, {}", said(only)),
        _ => format!("it was faster in {} of {}: from {}; to {}", wins.len(), count(judged, "group"), said(least), said(most)),
    };
    let but = if slower.is_empty() { String::new() } else { format!(". It was slower for {}", findings::listed(&slower, MOST_EXCEPTIONS)) };
    let all = |work: Work| wins.iter().all(|win| win.group.record.group.rw.work() == work);
    let advised = if all(Work::Read) {
        "Read with"
    } else if all(Work::Write) {
        "Write with"
    } else {
        "Use"
    };
    Some((method.clone(), format!("{advised} {} ({method}): {how}{but}.", words::method(method))))
}

/// "Open files once": rows that differ only in that, of one group or of two.
fn open_once(run: &RunResult, best: Option<&MethodName>) -> Option<String> {
    let of_groups = ladder::opened_and_kept(run).into_iter().flat_map(|(each, kept)| {
        let (each, kept) = (&run.groups[each], &run.groups[kept]);
        let methods = best.into_iter().chain([&each.record.group.baseline]);
        methods.map(move |method| (each, method.clone(), kept, method.clone()))
    });
    let of_arms = run.groups.iter().filter(|group| group.record.group.open == Open::Each).flat_map(|group| {
        let Group { baseline, methods, .. } = &group.record.group;
        let only_kept = |method: &&MethodName| method.options() == Options { open: Some(Open::Kept), ..Options::default() };
        methods.iter().chain([baseline]).filter(only_kept).map(move |kept| (group, kept.plain(), group, kept.clone()))
    });
    let ratios = of_groups.chain(of_arms).filter_map(|(each, opened, kept, method)| {
        let (one, (low, high)) = time(each, &opened)?;
        let (other, (other_low, other_high)) = time(kept, &method)?;
        // Not paired round by round: the worse ends of both, and no roots of squares.
        Some((opened, each, one / other, (low / other_high, high / other_low)))
    });
    // The best method before others, and there the rows in which it matters least: the others say more.
    let all: Vec<_> = ratios.collect();
    let least = |is_it: &dyn Fn(&MethodName) -> bool| {
        all.iter().filter(|(method, ..)| is_it(method)).min_by(|one, other| one.2.total_cmp(&other.2))
    };
    let plain = best.map(MethodName::plain);
    let (method, each, ratio, interval) = least(&|method| Some(method) == plain.as_ref()).or_else(|| least(&|_| true))?;
    let estimate = ratio_estimate(*ratio, Some(*interval));
    let ends = estimate.interval().map(|interval| format!(" ({interval})")).unwrap_or_default();
    (interval.0 >= WORTH).then(|| {
        format!(
            "Open files once and keep them open: with {method}, reading them took {}{ends} times as long where each read opened its file, for {}.",
            estimate.point,
            words::title(&each.record.group)
        )
    })
}

/// An op's time and its interval.
fn time(group: &GroupResult, method: &MethodName) -> Option<(f64, (f64, f64))> {
    let per_op = arm(group, method)?.per_op.filter(|per_op| !per_op.at_most && per_op.median_ns > 0.0)?;
    let interval = per_op.interval_ns.filter(|(low, high)| *low > 0.0 && high.is_finite())?;
    Some((per_op.median_ns, interval))
}

/// From which size on another method is better, or it does not matter, or else that large blocks are cheaper.
fn sizes(run: &RunResult, best: Option<&MethodName>) -> Option<String> {
    let ladders: Vec<_> = [Axis::Block, Axis::File].into_iter().flat_map(|axis| ladder::of(run, axis)).collect();
    let crossing = ladders.iter().find_map(|ladder| {
        let baseline = &ladder.groups(run).next()?.1.record.group.baseline;
        let courses = crossover::of(run, ladder);
        let (method, course) = courses.iter().find(|(method, _)| best == Some(method))?;
        let what = findings::common(run, ladder);
        match *course {
            Course::Crosses { below, at, between } => {
                let estimate = size_estimate(at, Some(between));
                let (small, large) = if below == Side::Faster { (method, baseline) } else { (baseline, method) };
                let interval = estimate.interval().map(|interval| format!(" ({interval})")).unwrap_or_default();
                Some(format!("Mind the size: {small} is the faster one below {}{interval}, {large} above it ({what}).", estimate.value()))
            }
            Course::UpTo { same_from: Some(from), .. } => Some(format!(
                "From {} on it no longer matters whether {method} or {baseline} reads: they are within {} ({what}).",
                findings::size(from),
                percent(protocol::MARGIN)
            )),
            _ => None,
        }
    });
    crossing.or_else(|| ladders.iter().filter(|ladder| ladder.axis == Axis::Block).find_map(|ladder| large_blocks(run, ladder, best)))
}

fn large_blocks(run: &RunResult, ladder: &ladder::Ladder, best: Option<&MethodName>) -> Option<String> {
    let (small, first) = ladder.groups(run).next()?;
    let (large, last) = ladder.groups(run).last()?;
    let baseline = &first.record.group.baseline;
    [best, Some(baseline)].into_iter().flatten().find_map(|method| {
        let (one, (low, high)) = time(first, method)?;
        let (other, (other_low, other_high)) = time(last, method)?;
        let bytes = large as f64 / small as f64;
        let cheaper = (one / other * bytes, (low / other_high * bytes, high / other_low * bytes));
        let estimate = ratio_estimate(cheaper.0, Some(cheaper.1));
        let interval = estimate.interval().map(|interval| format!(" ({interval})")).unwrap_or_default();
        (cheaper.1.0 >= LARGE_BLOCKS).then(|| {
            format!(
                "Read large blocks: with {method}, a byte took {}{interval} times less by {} than by {}.",
                estimate.point,
                findings::size(large),
                findings::size(small)
            )
        })
    })
}
