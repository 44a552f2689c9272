//! The cost model: what an await, an open, a call, a message and a byte cost, for each way to read.
//!
//! The question is that of a comparison of 2012 of 28 ways to load files on a phone, whose author found that every row was explained by one
//! price for each `await` (16.7 ms there), and predicted each row from it. Here the prices are fitted to all rows at once ([`fit`](super::fit)), and each row
//! is predicted by a fit to the others, which it had no part in.

use super::fit::{Costs, Row, fit, independent};
use super::steps::{STEPS, Step, Way, of_op};
use crate::job::{MethodName, Timing, Work};
use crate::result::{Arm, Role, RunResult};
use crate::stats;

/// A prediction within this of what was measured is right.
pub const RIGHT: f64 = 0.15;
/// The model fits where at least this share of predictions is right.
pub const FITS: f64 = 0.9;
/// So many rows more than costs are needed before any are fitted.
pub const SPARE_ROWS: usize = 3;
/// The confidence of a cost's interval.
pub const LEVEL: f64 = 0.95;

/// What reading costs in one way, or that no such costs explain it.
#[derive(Clone, Debug, PartialEq)]
pub struct CostModel {
    /// Whose costs.
    pub way: Way,
    /// The costs, in the order of [`Step::ALL`]. Not to be shown where the model does not fit.
    pub costs: Vec<Cost>,
    /// Steps that the rows take and that they do not tell apart from those above.
    pub merged: Vec<Step>,
    /// Every row, as measured and as predicted by the others.
    pub rows: Vec<Predicted>,
}

/// What one step costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// The step.
    pub step: Step,
    /// Nanoseconds.
    pub ns: f64,
    /// Its interval at [`LEVEL`], not below 0: the jackknife over rows with Student's t. So it holds what makes rows differ from the
    /// model, the noise of their samples included.
    pub interval_ns: (f64, f64),
}

/// A row, and what the others say of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Predicted {
    /// The group's place in the result.
    pub group: usize,
    /// The method.
    pub method: MethodName,
    /// The median of what an op took, nanoseconds.
    pub measured_ns: f64,
    /// What a fit to all other rows gives for it, nanoseconds.
    pub predicted_ns: f64,
}

impl Predicted {
    /// By which part of what was measured the prediction is above it.
    #[must_use]
    pub fn error(&self) -> f64 {
        self.predicted_ns / self.measured_ns - 1.0
    }

    /// Whether the prediction is within [`RIGHT`].
    #[must_use]
    pub fn is_right(&self) -> bool {
        self.error().abs() <= RIGHT
    }
}

impl CostModel {
    /// How many predictions are right.
    #[must_use]
    pub fn right(&self) -> usize {
        self.rows.iter().filter(|row| row.is_right()).count()
    }

    /// Whether enough of them are.
    #[must_use]
    pub fn fits(&self) -> bool {
        self.right() as f64 >= FITS * self.rows.len() as f64
    }

    /// The cost of a step.
    #[must_use]
    pub fn cost(&self, step: Step) -> Option<&Cost> {
        self.costs.iter().find(|cost| cost.step == step)
    }
}

/// The models of all ways that have enough rows in a run, and the methods that were measured and are in none of them for what they do.
#[must_use]
pub fn of(run: &RunResult) -> Vec<CostModel> {
    let rows = rows(run);
    Way::ALL.iter().filter_map(|way| model(*way, rows.iter().filter(|(of, ..)| of == way).map(|(_, row, at)| (*row, at.clone())))).collect()
}

/// Where a row stands.
type At = (usize, MethodName);

/// The rows that the model is about. One op after another, timed together, of groups in which nothing is wrong.
fn rows(run: &RunResult) -> Vec<(Way, Row, At)> {
    let groups = run.groups.iter().enumerate().filter(|(_, group)| {
        let job = &group.record.group;
        group.estimates.invalid.is_empty() && job.rw.work() == Work::Read && job.rate_iops.is_none() && job.timing != Timing::Ops
    });
    let arms = groups.flat_map(|(place, group)| {
        let arms = group.record.arms.iter().zip(&group.estimates.arms);
        arms.filter_map(move |(arm, estimate)| {
            let per_op = estimate.per_op.filter(|per_op| follows(arm) && !per_op.at_most && per_op.median_ns.is_normal())?;
            let (way, steps) = of_op(&arm.method, &group.record.group)?;
            (per_op.median_ns > 0.0).then(|| (way, Row { steps, time: per_op.median_ns }, (place, arm.method.clone())))
        })
    });
    arms.collect()
}

/// Whether an arm's ops come one after another, each with the same steps.
fn follows(arm: &Arm) -> bool {
    matches!(arm.role, Role::Baseline | Role::Contender) && arm.takes_part() && arm.iodepth == 1 && !arm.writes
}

fn model(way: Way, rows: impl Iterator<Item = (Row, At)>) -> Option<CostModel> {
    let (rows, at): (Vec<Row>, Vec<At>) = rows.unzip();
    let taken: Vec<usize> = (0..STEPS).filter(|step| rows.iter().any(|row| row.steps[*step] > 0.0)).collect();
    let told = independent(&rows, taken.iter().copied());
    if rows.len() < told.len() + SPARE_ROWS {
        return None;
    }
    let costs = fit(&rows, &told)?;
    let others = |left_out: usize| -> Vec<Row> { [&rows[..left_out], &rows[left_out + 1..]].concat() };
    let without: Vec<Costs> = (0..rows.len())
        .map(|left_out| {
            let others = others(left_out);
            // A cost that one row alone tells cannot be checked by the others.
            (independent(&others, told.iter().copied()) == told).then(|| fit(&others, &told)).flatten()
        })
        .collect::<Option<_>>()?;
    let predicted = rows.iter().zip(at).zip(&without).map(|((row, (group, method)), costs)| Predicted {
        group,
        method,
        measured_ns: row.time,
        predicted_ns: row.predicted(costs),
    });
    Some(CostModel {
        way,
        costs: told.iter().map(|step| cost(*step, &costs, &without, rows.len() - told.len())).collect(),
        merged: taken.iter().filter(|step| !told.contains(step)).map(|step| Step::ALL[*step]).collect(),
        rows: predicted.collect(),
    })
}

/// A cost with its interval, from the fits without a row each.
///
/// Efron, B. and Tibshirani, R. J. (1993). An introduction to the bootstrap, section 11.5: the jackknife's standard error.
/// Satterthwaite, F. E. (1946). An approximate distribution of estimates of variance components. Biometrics Bulletin 2, 110-114: where a cost rests on few of
/// the rows, as that of a byte does on the large ones, its standard error has few degrees of freedom. Of squares of normal values their
/// number is 3 (sum of squares)^2 / (sum of fourth powers) - 2.
fn cost(step: usize, costs: &Costs, without: &[Costs], most_degrees: usize) -> Cost {
    let n = without.len() as f64;
    let ns = costs[step];
    let squares: Vec<f64> = without.iter().map(|costs| (costs[step] - ns) * (costs[step] - ns)).collect();
    let (sum, fourth): (f64, f64) = (squares.iter().sum(), squares.iter().map(|square| square * square).sum());
    let degrees = 3.0 * sum * sum / fourth - 2.0;
    let degrees = if degrees.is_finite() { degrees.clamp(1.0, most_degrees as f64) } else { most_degrees as f64 };
    let half_width = stats::two_sided_quantile(LEVEL, degrees) * libm::sqrt(sum * (n - 1.0) / n);
    Cost { step: Step::ALL[step], ns, interval_ns: ((ns - half_width).max(0.0), ns + half_width) }
}
