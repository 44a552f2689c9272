//! From raw samples to estimates. The same numbers come out wherever it runs, to the last bit.

use super::samples::Samples;
use super::{ArmEstimate, GroupEstimates, LatencyEstimates, PerOp, Ratio, Sentinel, StageEstimate, Verdict, drift};
use crate::protocol;
use crate::result::{GroupRecord, Role};
use crate::seed::Seed;

/// What follows from a group's raw samples. The seed is the run's: coarse readings are dequantised from it.
#[must_use]
pub fn estimate(record: &GroupRecord, seed: Seed) -> GroupEstimates {
    let group = Samples::of(record, seed);
    let level = group.level();
    let per_op: Vec<Option<PerOp>> = (0..record.arms.len()).map(|arm| group.per_op(arm)).collect();
    let ratios = group.ratios(level);
    let half_width = group.half_width(&ratios);
    let invalid = group.invalid(&ratios);
    let arms = (0..record.arms.len())
        .map(|arm| {
            let ratio = ratios[arm];
            let total = ratio.and_then(|ratio| group.total(arm, &ratio, level));
            ArmEstimate {
                per_op: per_op[arm],
                ratio,
                total,
                latencies: LatencyEstimates::of(group.arm(arm)),
                stages: group.arm(arm).stages.iter().map(|times| StageEstimate::of(times, group.arm(arm).tick_ns)).collect(),
                verdict: group.verdict(arm, ratio.as_ref(), !invalid.is_empty()),
                notes: group.notes(arm, &per_op, ratio.as_ref(), total.as_ref()),
            }
        })
        .collect();
    GroupEstimates {
        rounds: group.kept.len(),
        dropped: group.dropped,
        level,
        half_width,
        rounds_needed: half_width.and_then(|width| rounds_needed(group.kept.len(), width)),
        drift: drift::of_rounds(&record.rounds, &Sentinel::ALL),
        invalid,
        arms,
    }
}

/// The widest half-width among a group's comparisons so far; None while one of them has no interval.
pub(crate) fn half_width(record: &GroupRecord, seed: Seed) -> Option<f64> {
    let group = Samples::of(record, seed);
    group.half_width(&group.ratios(group.level()))
}

/// What an interval on the log scale says of a ratio.
pub(crate) fn judge((low, high): (f64, f64)) -> Verdict {
    let margin = libm::log(1.0 + protocol::MARGIN);
    if -margin < low && high < margin {
        Verdict::Same
    } else if low > 0.0 {
        Verdict::Slower
    } else if high < 0.0 {
        Verdict::Faster
    } else {
        Verdict::Inconclusive
    }
}

/// Widths shrink with the square root of the number of rounds.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates
fn rounds_needed(rounds: usize, half_width: f64) -> Option<usize> {
    let factor = half_width / protocol::HALF_WIDTH;
    (factor > 1.0).then(|| (rounds as f64 * factor * factor).ceil() as usize)
}

impl Samples<'_> {
    fn verdict(&self, arm: usize, ratio: Option<&Ratio>, invalid: bool) -> Verdict {
        match self.arm(arm).role {
            Role::Baseline => return Verdict::Baseline,
            Role::Empty => return Verdict::NotCompared,
            Role::Null | Role::Contender => {}
        }
        let reasons = self.withheld(arm, ratio);
        let Some((low, high)) = ratio.and_then(|ratio| ratio.log_interval).filter(|_| reasons.is_empty() && !invalid) else {
            return Verdict::Withheld { reasons };
        };
        judge((low, high))
    }
}
