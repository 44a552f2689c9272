//! Time against size: a chart, and from which size on a method stops beating the baseline.

use super::{Finding, and, common, heading, listed, of_words, size};
use crate::answers::crossover::{self, Course, Side};
use crate::answers::ladder::{self, Axis, Ladder};
use crate::estimate::{ArmEstimate, Lead};
use crate::job::MethodName;
use crate::protocol;
use crate::report::format::{duration_estimate, percent, ratio_estimate, size_estimate};
use crate::report::lines::{self, Line, MOST_LINES, Point, Scale};
use crate::report::table::{Cell, Detail, Heading, Row};
use crate::result::{GroupResult, Role, RunResult};
use crate::sort;

pub(super) fn of(run: &RunResult) -> Vec<Finding> {
    let ladders = [Axis::Block, Axis::File].into_iter().flat_map(|axis| ladder::of(run, axis));
    ladders.enumerate().filter_map(|(place, ladder)| finding(run, &ladder, place)).collect()
}

fn finding(run: &RunResult, ladder: &Ladder, place: usize) -> Option<Finding> {
    let baseline = ladder.groups(run).next()?.1.record.group.baseline.clone();
    let what = match ladder.axis {
        Axis::Block => "block size",
        Axis::File => "file size",
        Axis::Files => "number of files",
    };
    let title = format!("Time against {what}: {}", common(run, ladder));
    let id = format!("sizes-{place}");
    let courses = crossover::of(run, ladder);
    let lines: Vec<Line> = ladder.methods(run).iter().filter_map(|method| line(run, ladder, method)).collect();
    let scale = Scale { ticks: ladder.rungs.iter().map(|(bytes, _)| (*bytes as f64, size(*bytes))).collect(), title: what.into() };
    let (lines, left) = drawn(lines);
    let left = if left.is_empty() { String::new() } else { format!(" Not drawn, since the chart is full: {}.", listed(&left, left.len())) };
    let caption = format!(
        "Time of one op, which is one read{}. Bars: {} intervals. Both axes are logarithmic.{left}",
        if ladder.axis == Axis::File { " of a whole file" } else { "" },
        percent(protocol::ABSOLUTE_LEVEL),
    );
    let figure = lines::chart(&lines, &scale, &id, &title, &caption)?;
    let sentences = alike(&courses).iter().map(|(methods, course)| sentence(methods, &baseline, *course, ladder)).collect();
    let mut details: Vec<Detail> = crossings(run, ladder, &courses, &baseline).into_iter().collect();
    details.push(times(run, ladder));
    details[0].figure = Some(figure);
    Some(Finding { id, title, sentences, details })
}

/// An arm of a group that reads and belongs to this method.
fn arm<'a>(group: &'a GroupResult, method: &MethodName) -> Option<&'a ArmEstimate> {
    let mut arms = group.record.arms.iter().zip(&group.estimates.arms);
    let reads = |role| matches!(role, Role::Baseline | Role::Contender);
    arms.find(|(arm, _)| reads(arm.role) && arm.method == *method && arm.takes_part()).map(|(_, estimate)| estimate)
}

/// The lines that a chart has room for: the baseline's and the fastest, and the names of the others.
fn drawn(lines: Vec<Line>) -> (Vec<Line>, Vec<String>) {
    let mean = |line: &Line| line.points.iter().map(|point| libm::log(point.ns)).sum::<f64>() / line.points.len() as f64;
    let mut order = sort::places(lines.len(), &|one, other| mean(&lines[one]).total_cmp(&mean(&lines[other])));
    order.retain(|place| *place != 0);
    order.truncate(MOST_LINES - 1);
    let (drawn, left): (Vec<_>, Vec<_>) = lines.into_iter().enumerate().partition(|(place, _)| *place == 0 || order.contains(place));
    (drawn.into_iter().map(|(_, line)| line).collect(), left.into_iter().map(|(_, line)| line.name).collect())
}

fn line(run: &RunResult, ladder: &Ladder, method: &MethodName) -> Option<Line> {
    let points = ladder.groups(run).filter_map(|(size, group)| {
        let per_op = arm(group, method)?.per_op.filter(|per_op| !per_op.at_most && per_op.median_ns > 0.0)?;
        let interval = per_op.interval_ns.filter(|(low, high)| *low > 0.0 && high.is_finite());
        per_op.median_ns.is_finite().then_some(Point { size: size as f64, ns: per_op.median_ns, interval })
    });
    let points: Vec<Point> = points.collect();
    (points.len() > 1).then(|| Line { name: method.to_string(), points })
}

/// Methods that fare alike, in one sentence.
fn alike(courses: &[(MethodName, Course)]) -> Vec<(Vec<String>, Course)> {
    let mut alike: Vec<(Vec<String>, Course)> = Vec::new();
    for (method, course) in courses {
        match alike.iter_mut().find(|(_, known)| known == course) {
            Some((methods, _)) => methods.push(method.to_string()),
            None => alike.push((vec![method.to_string()], *course)),
        }
    }
    alike
}

/// Methods against the baseline, from size to size.
fn sentence(methods: &[String], baseline: &MethodName, course: Course, ladder: &Ladder) -> String {
    let was = if methods.len() == 1 { "was" } else { "were" };
    let method = and(methods);
    let sizes = |place: Option<&(u64, usize)>| place.map_or_else(String::new, |(bytes, _)| size(*bytes));
    let range = format!("from {} to {}", sizes(ladder.rungs.first()), sizes(ladder.rungs.last()));
    let margin = percent(protocol::MARGIN);
    match course {
        Course::Always(side) => format!("{method} {was} {} than {baseline} at every size {range}.", word(side)),
        Course::Same => {
            format!("{method} {was} as fast as {baseline}, within {margin}, at every size {range}: it does not matter which reads.")
        }
        Course::UpTo { side, last, same_from } => {
            let then = same_from.map_or_else(
                || "beyond, the two could not be told apart at every size".into(),
                |from| format!("from {} on it no longer mattered which of them reads (within {margin})", size(from)),
            );
            format!("{method} {was} {} than {baseline} up to {}; {then}.", word(side), size(last))
        }
        Course::From { side, first } => {
            format!("{method} {was} {} than {baseline} from {} on, and below could not be told from it.", word(side), size(first))
        }
        Course::Crosses { below, at, between } => {
            let estimate = size_estimate(at, Some(between));
            let interval = estimate.interval().map(|interval| format!(" ({interval})")).unwrap_or_default();
            let above = if below == Side::Faster { Side::Slower } else { Side::Faster };
            format!("{method} {was} {} than {baseline} below {}{interval}, and {} above.", word(below), estimate.value(), word(above))
        }
        Course::Partly(side) => {
            format!("{method} {was} {} than {baseline} at some sizes, and could not be told from it at others.", word(side))
        }
        Course::BackAndForth => {
            format!("{method} {was} faster than {baseline} at some sizes and slower at others, with no one size in between.")
        }
        Course::Undecided => format!("{method} could not be told from {baseline} at every size {range}."),
    }
}

fn word(side: Side) -> &'static str {
    match side {
        Side::Faster => "faster",
        Side::Slower => "slower",
    }
}

/// The ratio at both ends, and where it crosses 1.
fn crossings(run: &RunResult, ladder: &Ladder, courses: &[(MethodName, Course)], baseline: &MethodName) -> Option<Detail> {
    let (first, last) = (ladder.groups(run).next()?, ladder.groups(run).last()?);
    let ratio = |method: &MethodName, group: &GroupResult| {
        let lead = Lead::of(arm(group, method)?);
        Some(ratio_estimate(lead.point()?, lead.interval()))
    };
    let cell = |estimate| Cell { value: crate::report::format::Estimate::value(&estimate), interval: estimate.interval() };
    let rows: Vec<Row> = courses
        .iter()
        .map(|(method, course)| {
            let crosses = match course {
                Course::Crosses { at, between, .. } => cell(size_estimate(*at, Some(*between))),
                _ => of_words("—"),
            };
            let ends = [first, last].map(|(_, group)| ratio(method, group).map_or_else(|| of_words("—"), cell));
            Row { role: Role::Contender, class: "", cells: [vec![of_words(method.to_string())], ends.to_vec(), vec![crosses]].concat() }
        })
        .collect();
    let at = |size: u64| heading(format!("ratio at {}", self::size(size)), true);
    (!rows.is_empty()).then(|| Detail {
        title: format!("Against {baseline}"),
        folded: false,
        figure: None,
        columns: vec![heading("method", false), at(first.0), at(last.0), heading("crosses 1 at", true)],
        rows,
        legend: Vec::new(),
    })
}

/// The chart's numbers. Many columns have no room for intervals, which the chart shows.
fn times(run: &RunResult, ladder: &Ladder) -> Detail {
    const MOST_WITH_INTERVALS: usize = 4;
    let methods = ladder.methods(run);
    let groups: Vec<(u64, &GroupResult)> = ladder.groups(run).collect();
    let wide = methods.len().min(groups.len()) > MOST_WITH_INTERVALS;
    let cell = |group: &GroupResult, method: &MethodName| {
        let per_op = arm(group, method).and_then(|estimate| estimate.per_op).filter(|per_op| !per_op.at_most);
        per_op.map_or_else(
            || of_words("—"),
            |per_op| {
                let estimate = duration_estimate(per_op.median_ns, per_op.interval_ns.filter(|_| !wide));
                Cell { value: estimate.value(), interval: estimate.interval() }
            },
        )
    };
    let row = |cells| Row { role: Role::Contender, class: "", cells };
    // What there is more of stands below one another.
    let (columns, rows): (Vec<Heading>, Vec<Row>) = if methods.len() > groups.len() {
        let columns = groups.iter().map(|(bytes, _)| heading(size(*bytes), true));
        let of_method = |method: &MethodName| groups.iter().map(|(_, group)| cell(group, method)).collect::<Vec<_>>();
        let rows = methods.iter().map(|method| row([vec![of_words(method.to_string())], of_method(method)].concat()));
        (std::iter::once(heading("method", false)).chain(columns).collect(), rows.collect())
    } else {
        let columns = methods.iter().map(|method| heading(method.to_string(), true));
        let of_group = |group: &GroupResult| methods.iter().map(|method| cell(group, method)).collect::<Vec<_>>();
        let rows = groups.iter().map(|(bytes, group)| row([vec![of_words(size(*bytes))], of_group(group)].concat()));
        let first = heading(if ladder.axis == Axis::Block { "block" } else { "file" }, false);
        (std::iter::once(first).chain(columns).collect(), rows.collect())
    };
    Detail { title: "The chart's numbers: time of one op".into(), folded: true, figure: None, columns, rows, legend: Vec::new() }
}
