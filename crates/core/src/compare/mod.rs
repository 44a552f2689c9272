//! Run against run: two browsers, two devices, two versions.
//!
//! The unit is the launch. A launch gives one number per method and workload; launches of one side are as many values as there
//! are launches, however many samples each holds, since the reads of a launch share its luck. Samples of different launches are
//! never pooled: pooling calls identical browsers different in three cases of four.

mod refuse;

use serde::{Deserialize, Serialize};

pub use refuse::Refusal;

use crate::estimate::{Degree, Drift, Verdict, judge, run_drift};
use crate::job::{Group, MethodName};
use crate::protocol;
use crate::result::{GroupResult, Role, RunResult};
use crate::stats::{self, Welch};

/// One side of a comparison: at least one launch, each of the same job, browser and device.
pub type Launches<'a> = &'a [RunResult];

/// What two sides have in common, row by row, or why they cannot be compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Launches of the baseline and of the other side.
    pub launches: (usize, usize),
    /// Launches of either side with a throttled device: their ratios count, their times do not.
    pub throttled: (usize, usize),
    /// Why nothing is concluded. Empty where the two can be compared.
    pub refusals: Vec<Refusal>,
    /// Every method of every group that both sides measured.
    pub rows: Vec<Row>,
}

/// One method on one workload, on both sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The workload.
    pub group: Group,
    /// The method.
    pub method: MethodName,
    /// Whether it is its group's baseline.
    pub role: Role,
    /// What an op takes, side against side.
    pub per_op: Sides,
    /// Its ratio to the group's baseline, side against side: what holds across devices. None for the baseline itself.
    pub to_baseline: Option<Sides>,
}

/// One number of each launch, and what follows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sides {
    /// The baseline side's launches. One without the number (a failed method, an invalid group, a throttled device) is left out.
    pub base: Vec<f64>,
    /// The other side's.
    pub other: Vec<f64>,
    /// The ratio other / base with its interval. None with fewer than two launches on a side.
    pub welch: Option<Welch>,
    /// What may be said.
    pub verdict: Change,
}

/// What may be said of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "verdict")]
pub enum Change {
    /// The whole interval is inside the margin.
    Same,
    /// The other side takes less time.
    Faster,
    /// The other side takes more time.
    Slower,
    /// The interval holds 1 and more than the margin.
    Inconclusive,
    /// Fewer launches on a side than a verdict takes.
    TooFewLaunches,
    /// The sides are refused as a whole.
    Refused,
}

/// Compares two sides.
#[must_use]
pub fn compare(base: Launches, other: Launches) -> Comparison {
    let refusals = refuse::refusals(base, other);
    let timed = [base, other].map(|side| side.iter().filter(|run| !was_throttled(run)).collect::<Vec<_>>());
    let all = [base, other].map(|side| side.iter().collect::<Vec<_>>());
    let rows = base.first().map_or_else(Vec::new, |first| {
        let arms = |group: &GroupResult| -> Vec<(Group, MethodName, Role)> {
            let compared = group.record.arms.iter().filter(|arm| matches!(arm.role, Role::Baseline | Role::Contender));
            compared.map(|arm| (group.record.group.clone(), arm.method.clone(), arm.role)).collect()
        };
        first
            .groups
            .iter()
            .flat_map(arms)
            .map(|(group, method, role)| row(&all, &timed, group, method, role, !refusals.is_empty()))
            .collect()
    });
    let launches = (base.len(), other.len());
    Comparison { launches, throttled: (launches.0 - timed[0].len(), launches.1 - timed[1].len()), refusals, rows }
}

/// Whether the device became so slow, in a group or over the run, that its times say nothing of other runs.
fn was_throttled(run: &RunResult) -> bool {
    let writes = |group: &GroupResult| group.record.arms.iter().any(|arm| arm.writes);
    let throttled = |drift: &Drift, writes: bool| drift.degree == Degree::Throttled && drift.moves_times(writes);
    let within = |group: &GroupResult| group.estimates.drift.iter().any(|drift| throttled(drift, writes(group)));
    run.groups.iter().any(within) || run_drift(&run.groups).iter().any(|drift| throttled(drift, false))
}

/// The row of a method: its ratio from all launches of both sides, its time from those whose times count.
fn row(all: &[Vec<&RunResult>; 2], timed: &[Vec<&RunResult>; 2], group: Group, method: MethodName, role: Role, refused: bool) -> Row {
    let sides = |launches: &[Vec<&RunResult>; 2], of: Number| {
        let numbers = |side: &Vec<&RunResult>| side.iter().filter_map(|run| number(run, &group, &method, of)).collect();
        let [base, other] = launches.each_ref().map(numbers);
        Sides::of(base, other, refused)
    };
    let per_op =
        sides(timed, |group, arm| group.estimates.arms[arm].per_op.filter(|per_op| !per_op.at_most).map(|per_op| per_op.median_ns));
    let ratio: Number = |group, arm| group.estimates.arms[arm].ratio.map(|ratio| ratio.point());
    let to_baseline = (role == Role::Contender).then(|| sides(all, ratio));
    Row { group, method, role, per_op, to_baseline }
}

/// What a launch says of an arm.
type Number = fn(&GroupResult, usize) -> Option<f64>;

/// A launch's number for a method. None where the group is invalid or the method was not measured.
fn number(run: &RunResult, group: &Group, method: &MethodName, of: Number) -> Option<f64> {
    let found = run.groups.iter().find(|result| result.record.group.name == group.name)?;
    let arm = found.record.arms.iter().position(|arm| arm.method == *method && matches!(arm.role, Role::Baseline | Role::Contender))?;
    let usable = found.estimates.invalid.is_empty() && found.record.arms[arm].takes_part() && arm < found.estimates.arms.len();
    usable.then(|| of(found, arm)).flatten().filter(|number| *number > 0.0 && number.is_finite())
}

impl Sides {
    fn of(base: Vec<f64>, other: Vec<f64>, refused: bool) -> Self {
        let welch = stats::welch(&other, &base, protocol::LAUNCH_LEVEL);
        let enough = base.len().min(other.len()) >= protocol::LAUNCHES;
        let verdict = match &welch {
            _ if refused => Change::Refused,
            Some(welch) if enough => Change::of(welch),
            _ => Change::TooFewLaunches,
        };
        Self { base, other, welch: welch.filter(|_| !refused), verdict }
    }
}

impl Change {
    fn of(welch: &Welch) -> Self {
        match judge(welch.log_interval) {
            Verdict::Same => Self::Same,
            Verdict::Faster => Self::Faster,
            Verdict::Slower => Self::Slower,
            _ => Self::Inconclusive,
        }
    }
}
