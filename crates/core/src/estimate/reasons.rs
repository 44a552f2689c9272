//! Why there is no verdict, and what a reader must know of a row.

use super::samples::Samples;
use super::{Invalid, Note, PerOp, Ratio, Withheld, latency};
use crate::protocol;
use crate::result::{Incident, Role, When};
use crate::stats::{self, TotalRatio};

impl Samples<'_> {
    pub(super) fn invalid(&self, ratios: &[Option<Ratio>]) -> Vec<Invalid> {
        let mut reasons = Vec::new();
        if self.baseline.is_none_or(|baseline| !self.arm(baseline).takes_part()) {
            reasons.push(Invalid::BaselineFailed);
        }
        let null = self.record.arms.iter().position(|arm| arm.role == Role::Null);
        if let Some(ratio) = null.and_then(|null| ratios[null].as_ref())
            && let Some((low, high)) = ratio.log_interval
            && (low > 0.0 || high < 0.0)
            && (ratio.point() - 1.0).abs() > protocol::NULL_MARGIN
        {
            reasons.push(Invalid::NullArmDiffers { ratio: ratio.point() });
        }
        reasons.extend(self.carry_over());
        let complete = self.kept.len() + self.dropped;
        if self.dropped as f64 > protocol::DROPPED_AT_MOST * complete as f64 {
            reasons.push(Invalid::TooManyDropped { dropped: self.dropped, of: complete });
        }
        if self.record.incidents.contains(&Incident::ClockSteppedBack) {
            reasons.push(Invalid::ClockSteppedBack);
        }
        reasons
    }

    pub(super) fn withheld(&self, arm: usize, ratio: Option<&Ratio>) -> Vec<Withheld> {
        let mut reasons = Vec::new();
        let this = self.arm(arm);
        if let Some(missing) = &this.absent {
            return vec![Withheld::NotInThisBrowser { missing: missing.clone() }];
        }
        if let Some(error) = &this.failure {
            reasons.push(Withheld::Failed { error: error.clone() });
        }
        if this.read_wrong_bytes() {
            reasons.push(Withheld::WrongBytes);
        }
        if !reasons.is_empty() {
            return reasons;
        }
        let judged = [Some(arm), self.baseline].into_iter().flatten();
        if judged.clone().any(|arm| !self.arm(arm).verifications.iter().any(|verification| verification.when == When::After)) {
            reasons.push(Withheld::Unverified);
        }
        let fewest_ticks = judged.filter_map(|arm| self.ticks(arm)).fold(f64::INFINITY, f64::min);
        if fewest_ticks < protocol::COARSE_TICKS as f64 {
            reasons.push(Withheld::BelowClock { ticks: fewest_ticks });
        } else if ratio.and_then(|ratio| ratio.log_interval).is_none() || self.kept.len() < protocol::FEWEST_ROUNDS as usize {
            reasons.push(Withheld::TooFewRounds { rounds: self.kept.len() });
        }
        if let Some(coefficient) = ratio.and_then(|ratio| ratio.autocorrelation).filter(|c| *c > protocol::AUTOCORRELATION_AT_MOST) {
            reasons.push(Withheld::Autocorrelated { coefficient });
        }
        reasons
    }

    pub(super) fn notes(&self, arm: usize, per_op: &[Option<PerOp>], ratio: Option<&Ratio>, total: Option<&TotalRatio>) -> Vec<Note> {
        let mut notes = Vec::new();
        let this = self.arm(arm);
        if this.role == Role::Empty {
            return notes;
        }
        if let Some(baseline) = self.baseline.map(|baseline| self.arm(baseline)).filter(|baseline| baseline.n != this.n)
            && this.n > 0
            && baseline.n > 0
        {
            notes.push(Note::UnequalBatch { n: this.n, baseline: baseline.n });
        }
        if this.iodepth < self.record.group.of_arm(&this.method).iodepth && this.absent.is_none() {
            notes.push(Note::OneAtATime);
        }
        if let Some(ticks) = self.ticks(arm).filter(|_| self.coarse(arm) && !self.below_clock(arm)) {
            notes.push(Note::CoarseTimer { ticks });
        }
        if let (Some(ratio), Some(total)) = (ratio, total)
            && let Some(tail) = total.tail(ratio.log, ratio.log_interval)
        {
            notes.push(Note::TailDominated { tail });
        }
        if let Some(factor) = ratio.map(|ratio| ratio.widened).filter(|factor| *factor > 1.0) {
            notes.push(Note::Widened { factor });
        }
        if self.overlaps_empty(arm, per_op) {
            notes.push(Note::IndistinguishableFromEmpty);
        }
        notes.extend(latency::notes(self.record, this));
        let stats::Outliers { mild, severe } = stats::outliers(&self.elapsed(arm));
        if mild + severe > 0 {
            notes.push(Note::Outliers { mild, severe });
        }
        notes
    }

    /// Whether the arm's time reaches down to that of the empty arm of its kind.
    pub(super) fn overlaps_empty(&self, arm: usize, per_op: &[Option<PerOp>]) -> bool {
        let kind = self.arm(arm).method.thread().of_empty_loop();
        let empty = (0..per_op.len()).find(|other| self.arm(*other).role == Role::Empty && self.arm(*other).method.thread() == kind);
        let (Some(own), Some(empty)) = (per_op[arm], empty.and_then(|empty| per_op[empty])) else { return false };
        let lowest = own.interval_ns.map_or(if own.at_most { 0.0 } else { own.median_ns }, |(low, _)| low);
        let highest = empty.interval_ns.map_or(empty.median_ns, |(_, high)| high);
        lowest <= highest
    }
}
