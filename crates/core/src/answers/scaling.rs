//! Whether reading all files takes time in proportion to their number.

use super::ladder::{self, Axis, Ladder};
use crate::job::MethodName;
use crate::result::{Role, RunResult};

/// The confidence of an exponent's interval.
pub const LEVEL: f64 = 0.95;
/// How many standard errors that is to either side. R: `qnorm(0.975)`.
const DEVIATIONS: f64 = 1.959_963_985;
/// Groups are measured one after another, and a device is not the same from one to the next: by about this much, as between launches.
const BETWEEN_GROUPS: f64 = 0.02;
/// An exponent whose interval is within this of 1 is that of a proportion.
pub const MARGIN: f64 = 0.1;

/// How the time for all files grows with their number, for one method.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaling {
    /// The method.
    pub method: MethodName,
    /// k where the time grows as the number of files to the power of k: 1 is in proportion.
    pub exponent: f64,
    /// Its interval at [`LEVEL`].
    pub interval: (f64, f64),
    /// What it says.
    pub growth: Growth,
}

/// What an exponent's interval says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// All of it is within [`MARGIN`] of 1.
    InProportion,
    /// All of it is above 1.
    Faster,
    /// All of it is below 1.
    Slower,
    /// None of these.
    Untold,
}

/// Every ladder of numbers of files, with how its methods scale.
#[must_use]
pub fn of(run: &RunResult) -> Vec<(Ladder, Vec<Scaling>)> {
    let ladders = ladder::of(run, Axis::Files).into_iter();
    let scaled = ladders.map(|ladder| {
        let methods = ladder.methods(run).into_iter().filter_map(|method| scaling(&points(run, &ladder, &method), method)).collect();
        (ladder, methods)
    });
    scaled.filter(|(_, methods): &(_, Vec<_>)| !methods.is_empty()).collect()
}

/// The logarithms of a number of files and of the time for all of them, and the latter's standard error.
#[derive(Clone, Copy)]
struct Point {
    x: f64,
    y: f64,
    error: f64,
}

fn points(run: &RunResult, ladder: &Ladder, method: &MethodName) -> Vec<Point> {
    let points = ladder.groups(run).filter(|(_, group)| group.estimates.invalid.is_empty()).filter_map(|(files, group)| {
        let mut arms = group.record.arms.iter().zip(&group.estimates.arms);
        let reads = |role| matches!(role, Role::Baseline | Role::Contender);
        let (_, estimate) = arms.find(|(arm, _)| reads(arm.role) && arm.method == *method && arm.takes_part())?;
        let per_op = estimate.per_op.filter(|per_op| per_op.median_ns > 0.0 && per_op.median_ns.is_normal())?;
        let (low, high) = per_op.interval_ns.filter(|(low, high)| *low > 0.0 && high.is_finite())?;
        let x = libm::log(files as f64);
        let error = libm::log(high / low) / 2.0 / DEVIATIONS;
        Some(Point { x, y: x + libm::log(per_op.median_ns), error: libm::sqrt(error * error + BETWEEN_GROUPS * BETWEEN_GROUPS) })
    });
    points.collect()
}

/// The slope of a straight line through them by least squares. Its standard error is made of those of the points, enlarged where they
/// scatter more about the line than their errors allow, since groups are measured one after another and a device changes (the ratio of
/// Birge, R. T. (1932). The calculation of errors by the method of least squares. Phys. Rev. 40, 207-227).
fn scaling(points: &[Point], method: MethodName) -> Option<Scaling> {
    let n = points.len();
    if n < ladder::FEWEST_RUNGS {
        return None;
    }
    let mean = |of: fn(&Point) -> f64| points.iter().map(of).sum::<f64>() / n as f64;
    let (x, y) = (mean(|point| point.x), mean(|point| point.y));
    let squares: f64 = points.iter().map(|point| (point.x - x) * (point.x - x)).sum();
    let exponent = points.iter().map(|point| (point.x - x) * (point.y - y)).sum::<f64>() / squares;
    let variance = points.iter().map(|point| (point.x - x) * (point.x - x) * point.error * point.error).sum::<f64>() / (squares * squares);
    let residual = |point: &Point| point.y - y - exponent * (point.x - x);
    let of_errors: f64 = points.iter().map(|point| residual(point) * residual(point) / (point.error * point.error)).sum();
    let enlarged = libm::sqrt((of_errors / (n - 2) as f64).max(1.0));
    let half_width = DEVIATIONS * libm::sqrt(variance) * enlarged;
    let interval = (exponent - half_width, exponent + half_width);
    let growth = match interval {
        (low, high) if low > 1.0 - MARGIN && high < 1.0 + MARGIN => Growth::InProportion,
        (low, _) if low > 1.0 => Growth::Faster,
        (_, high) if high < 1.0 => Growth::Slower,
        _ => Growth::Untold,
    };
    half_width.is_finite().then_some(Scaling { method, exponent, interval, growth })
}
