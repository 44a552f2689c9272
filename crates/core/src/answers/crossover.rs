//! From which size on a method stops beating the baseline.

use super::ladder::Ladder;
use crate::estimate::{Lead, Verdict};
use crate::job::MethodName;
use crate::result::{Role, RunResult};

/// Which of two methods takes less time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The method, and not the baseline.
    Faster,
    /// The baseline.
    Slower,
}

/// How a method fares against the baseline from size to size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Course {
    /// The same way at every size.
    Always(Side),
    /// As fast at every size.
    Same,
    /// Clearly this way up to a size, and not clearly either way beyond.
    UpTo {
        /// Which way.
        side: Side,
        /// The last size at which it is clear.
        last: u64,
        /// The size from which on it is the same, where it is at all that follow.
        same_from: Option<u64>,
    },
    /// Not clearly either way at first, and clearly this way from a size on.
    From {
        /// Which way.
        side: Side,
        /// The first size at which it is clear.
        first: u64,
    },
    /// One way below a size, the other way above it.
    Crosses {
        /// Which way below.
        below: Side,
        /// The size, in between two of the ladder's.
        at: f64,
        /// Where else it may be: the sizes between which the ratio's interval holds 1.
        between: (f64, f64),
    },
    /// Clear at some sizes, always this way, and not at others in between.
    Partly(Side),
    /// One way, the other and the first again.
    BackAndForth,
    /// Clear nowhere.
    Undecided,
}

/// A size at which a method was judged.
struct Point {
    size: u64,
    /// What the baseline's op takes there, nanoseconds.
    baseline_ns: f64,
    log: f64,
    interval: (f64, f64),
    verdict: Verdict,
}

impl Point {
    fn side(&self) -> Option<Side> {
        match self.verdict {
            Verdict::Faster => Some(Side::Faster),
            Verdict::Slower => Some(Side::Slower),
            _ => None,
        }
    }
}

/// How each of a ladder's methods fares against the baseline. Those that were judged at fewer than two sizes are left out.
#[must_use]
pub fn of(run: &RunResult, ladder: &Ladder) -> Vec<(MethodName, Course)> {
    ladder.methods(run).into_iter().filter_map(|method| Some((method.clone(), course(&points(run, ladder, &method))?))).collect()
}

fn points(run: &RunResult, ladder: &Ladder, method: &MethodName) -> Vec<Point> {
    let points = ladder.groups(run).filter_map(|(size, group)| {
        let mut arms = group.record.arms.iter().zip(&group.estimates.arms);
        let (_, estimate) = arms.find(|(arm, _)| arm.role == Role::Contender && arm.method == *method)?;
        let mut arms = group.record.arms.iter().zip(&group.estimates.arms);
        let (_, baseline) = arms.find(|(arm, _)| arm.role == Role::Baseline)?;
        let baseline_ns = baseline.per_op.map(|per_op| per_op.median_ns).filter(|ns| ns.is_normal() && *ns > 0.0)?;
        let Lead { log, log_interval, verdict, .. } = Lead::of(estimate);
        let judged = !matches!(verdict, Verdict::Withheld { .. });
        let finite = |(low, high): &(f64, f64)| low.is_finite() && high.is_finite();
        Some(Point {
            size,
            baseline_ns,
            log: log.filter(|log| judged && log.is_finite())?,
            interval: log_interval.filter(finite)?,
            verdict,
        })
    });
    points.collect()
}

fn course(points: &[Point]) -> Option<Course> {
    if points.len() < 2 {
        return None;
    }
    let clear: Vec<(usize, Side)> = points.iter().enumerate().filter_map(|(place, point)| Some((place, point.side()?))).collect();
    let Some(((first, side), (last, _))) = clear.first().copied().zip(clear.last().copied()) else {
        let same = points.iter().all(|point| point.verdict == Verdict::Same);
        return Some(if same { Course::Same } else { Course::Undecided });
    };
    let turns: Vec<&[(usize, Side)]> = clear.windows(2).filter(|pair| pair[0].1 != pair[1].1).collect();
    Some(match turns.as_slice() {
        [] if clear.len() == points.len() => Course::Always(side),
        [] if first == 0 && last + 1 == clear.len() => {
            let after = &points[last + 1..];
            let same = after.iter().all(|point| point.verdict == Verdict::Same);
            Course::UpTo { side, last: points[last].size, same_from: same.then(|| after[0].size) }
        }
        [] if last + 1 == points.len() && last - first + 1 == clear.len() => Course::From { side, first: points[first].size },
        [] => Course::Partly(side),
        [turn] => crossing(&points[turn[0].0..=turn[1].0], side),
        _ => Course::BackAndForth,
    })
}

/// Where a method that is clearly on one side at the first size, and on the other at the last, crosses the baseline. Between two sizes the time
/// of each is taken for a straight line over the size, which it is where a read has a price and each of its bytes has one; a straight line
/// over the logarithms would be off by 10 % between sizes of 1 to 4.
fn crossing(points: &[Point], below: Side) -> Course {
    // Turned so that it comes from below 0.
    let sign = if below == Side::Faster { 1.0 } else { -1.0 };
    let excess = |of: fn(&Point) -> f64| -> Vec<(f64, f64)> {
        points.iter().map(|point| (point.size as f64, sign * point.baseline_ns * libm::expm1(of(point)))).collect()
    };
    let middle = excess(|point| point.log);
    let (mut early, mut late) = (excess(|point| point.interval.1), excess(|point| point.interval.0));
    if below == Side::Slower {
        std::mem::swap(&mut early, &mut late);
    }
    let zeros = |curve: &[(f64, f64)]| -> Vec<f64> {
        let rises = curve.windows(2).filter(|pair| pair[0].1 < 0.0 && pair[1].1 >= 0.0);
        rises.map(|pair| pair[0].0 - pair[0].1 * (pair[1].0 - pair[0].0) / (pair[1].1 - pair[0].1)).collect()
    };
    let ends = (points[0].size as f64, points[points.len() - 1].size as f64);
    let at = zeros(&middle).first().copied().unwrap_or(ends.1);
    let between = (zeros(&early).first().copied().unwrap_or(ends.0), zeros(&late).last().copied().unwrap_or(ends.1));
    Course::Crosses { below, at, between }
}
