//! Whether an arm that writes leaves something behind for whichever runs after it: the predecessor test.
//!
//! The baseline's samples are split by whether the arm ran right before them, and compared by the rank-sum test. What a round has
//! in common is taken off first: the median of how far its other arms are from their own medians. A difference in size alone says
//! nothing: with a spread of 15 %, halves of 48 samples differ by over 2 % most of the time.

use super::Invalid;
use super::samples::Samples;
use crate::protocol;
use crate::result::Round;
use crate::stats;

impl Samples<'_> {
    /// The arm that leaves most behind for the baseline, if one surely does.
    pub(super) fn carry_over(&self) -> Option<Invalid> {
        let baseline = self.baseline?;
        let writers: Vec<usize> = (0..self.record.arms.len()).filter(|arm| self.arm(*arm).writes && self.arm(*arm).takes_part()).collect();
        if writers.is_empty() {
            return None;
        }
        let medians: Vec<Option<f64>> = (0..self.record.arms.len()).map(|arm| stats::median(&self.logs(arm))).collect();
        // A sample right after one of the same method finds caches and threads as it needs them, whatever was written.
        let same = |arm: usize| self.arm(arm).method == self.arm(baseline).method;
        let surely = |after: &usize| {
            let samples = self.kept.iter().filter_map(|round| predecessor(round, baseline, &medians));
            let (behind, elsewhere): (Vec<_>, Vec<_>) =
                samples.filter(|(before, _)| !same(*before)).partition(|(before, _)| before == after);
            let values = |samples: Vec<(usize, f64)>| samples.into_iter().map(|(_, log)| log).collect::<Vec<f64>>();
            let test = stats::rank_sum(&values(behind), &values(elsewhere), protocol::LEVEL)?;
            (test.p * (writers.len() as f64) < protocol::CARRY_OVER_TAIL).then_some((*after, test.shift))
        };
        let most = writers.iter().filter_map(surely).max_by(|(_, one), (_, other)| one.abs().total_cmp(&other.abs()));
        most.map(|(after, shift)| Invalid::CarryOver { after, ratio: libm::exp(shift) })
    }

    fn logs(&self, arm: usize) -> Vec<f64> {
        self.elapsed(arm).iter().map(|elapsed| libm::log(elapsed.max(1.0))).collect()
    }
}

/// Which arm ran before the baseline in a round, and how far the baseline's sample was from its median, the round's other arms
/// from theirs taken off. None where the baseline came first: between rounds there is a rest.
fn predecessor(round: &Round, baseline: usize, medians: &[Option<f64>]) -> Option<(usize, f64)> {
    let place = round.order.iter().position(|arm| *arm == baseline)?;
    let before = round.order[place.checked_sub(1)?];
    let distance = |arm: usize| Some(libm::log(round.elapsed_ns[arm]?.as_f64().max(1.0)) - medians[arm]?);
    let others: Vec<f64> = round.order.iter().filter(|arm| **arm != baseline).filter_map(|arm| distance(*arm)).collect();
    Some((before, distance(baseline)? - stats::median(&others)?))
}
