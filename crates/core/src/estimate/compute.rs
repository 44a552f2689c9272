//! From raw samples to estimates. The same numbers come out wherever it runs, to the last bit.

use rand::Rng;

use super::{ArmEstimate, GroupEstimates, Invalid, LatencyEstimates, Note, PerOp, Ratio, Verdict, Withheld, latency};
use crate::protocol;
use crate::result::{Arm, DropCause, GroupRecord, Incident, Role, Round, When};
use crate::seed::{Purpose, Seed};
use crate::stats;

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
        .map(|arm| ArmEstimate {
            per_op: per_op[arm],
            ratio: ratios[arm],
            latencies: LatencyEstimates::of(group.arm(arm)),
            verdict: group.verdict(arm, ratios[arm].as_ref(), !invalid.is_empty()),
            notes: group.notes(arm, &per_op, ratios[arm].as_ref()),
        })
        .collect();
    GroupEstimates {
        rounds: group.kept.len(),
        dropped: group.dropped,
        level,
        half_width,
        rounds_needed: half_width.and_then(|width| rounds_needed(group.kept.len(), width)),
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

/// A group's rounds, sorted into those that count and those that do not.
struct Samples<'a> {
    record: &'a GroupRecord,
    seed: Seed,
    kept: Vec<&'a Round>,
    dropped: usize,
    baseline: Option<usize>,
}

impl<'a> Samples<'a> {
    fn of(record: &'a GroupRecord, seed: Seed) -> Self {
        let kept = record.rounds.iter().filter(|round| round.dropped.is_none()).collect();
        let dropped = record.rounds.iter().filter(|round| !matches!(round.dropped, None | Some(DropCause::Stopped))).count();
        let baseline = record.arms.iter().position(|arm| arm.role == Role::Baseline);
        Self { record, seed, kept, dropped, baseline }
    }

    /// Bonferroni's correction where there are many comparisons.
    fn level(&self) -> f64 {
        let comparisons = self.record.arms.iter().filter(|arm| arm.is_compared() && arm.failure.is_none()).count();
        if comparisons > protocol::UNCORRECTED_COMPARISONS { 1.0 - (1.0 - protocol::LEVEL) / comparisons as f64 } else { protocol::LEVEL }
    }

    fn ratios(&self, level: f64) -> Vec<Option<Ratio>> {
        (0..self.record.arms.len()).map(|arm| self.ratio(arm, level)).collect()
    }

    fn arm(&self, arm: usize) -> &'a Arm {
        &self.record.arms[arm]
    }

    /// The arm's sample of every kept round that has one, in nanoseconds.
    fn elapsed(&self, arm: usize) -> Vec<f64> {
        self.kept.iter().filter_map(|round| round.elapsed_ns[arm]).map(crate::units::Nanos::as_f64).collect()
    }

    /// Ticks in the arm's median sample.
    fn ticks(&self, arm: usize) -> Option<f64> {
        stats::median(&self.elapsed(arm)).map(|elapsed| elapsed / self.arm(arm).tick_ns.as_f64().max(1.0))
    }

    fn below_clock(&self, arm: usize) -> bool {
        self.ticks(arm).is_some_and(|ticks| ticks < protocol::COARSE_TICKS as f64)
    }

    fn coarse(&self, arm: usize) -> bool {
        self.ticks(arm).is_some_and(|ticks| ticks < protocol::FEWEST_TICKS as f64)
    }

    fn per_op(&self, arm: usize) -> Option<PerOp> {
        let Arm { n, tick_ns, role, .. } = *self.arm(arm);
        let elapsed = self.elapsed(arm);
        let means: Vec<f64> = elapsed.iter().map(|elapsed| elapsed / n as f64).collect();
        let median = stats::median(&means)?;
        if self.below_clock(arm) {
            let longest = median + tick_ns.as_f64() * latency::uncertain_ticks(&self.record.group, n) / n as f64;
            return Some(PerOp { median_ns: longest, interval_ns: None, at_most: true, bytes_per_s: None });
        }
        let bytes = self.record.group.bs.0 as f64 * n as f64 * elapsed.len() as f64;
        let seconds = elapsed.iter().sum::<f64>() / 1e9;
        Some(PerOp {
            median_ns: median,
            interval_ns: stats::median_interval(&means, protocol::ABSOLUTE_LEVEL),
            at_most: false,
            bytes_per_s: (role != Role::Empty && self.record.group.rate_iops.is_none()).then_some(bytes / seconds),
        })
    }

    /// d = ln(T / N) of the arm less that of the baseline, paired inside the round, in the order of time.
    fn differences(&self, arm: usize, baseline: usize) -> Vec<f64> {
        let coarse = [arm, baseline].map(|arm| self.coarse(arm));
        self.kept
            .iter()
            .filter_map(|round| {
                let (elapsed, base) = (round.elapsed_ns[arm]?.as_f64(), round.elapsed_ns[baseline]?.as_f64());
                let mut elapsed = [elapsed, base];
                for (place, arm) in [arm, baseline].into_iter().enumerate() {
                    if coarse[place] {
                        elapsed[place] += self.dequantisation(arm, round.number);
                    }
                    // A reading of nothing at all has no logarithm; half a tick is what it is read from.
                    elapsed[place] = elapsed[place].max(self.arm(arm).tick_ns.as_f64().max(1.0) / 2.0);
                }
                let per_op = |place: usize, arm: usize| libm::log(elapsed[place] / self.arm(arm).n as f64);
                Some(per_op(0, arm) - per_op(1, baseline))
            })
            .collect()
    }

    /// Uniform over a tick around 0: a coarse reading becomes one of the times that it may stand for, so that equal
    /// readings do not pass for equal times.
    fn dequantisation(&self, arm: usize, round: u32) -> f64 {
        let mut rng = self.seed.stream(Purpose::Dequantisation { group: self.record.index, round });
        let draw = (0..=arm).map(|_| unit(&mut rng)).last().expect("at least one draw");
        (draw - 0.5) * self.arm(arm).tick_ns.as_f64()
    }

    fn ratio(&self, arm: usize, level: f64) -> Option<Ratio> {
        let baseline = self.baseline?;
        if !self.arm(arm).is_compared() || self.below_clock(arm) || self.below_clock(baseline) {
            return None;
        }
        let differences = self.differences(arm, baseline);
        let estimate = stats::hodges_lehmann(&differences, level)?;
        let autocorrelation = stats::lag_one_autocorrelation(&differences);
        let widened = widening(autocorrelation, differences.len());
        let widen = |end: f64| estimate.estimate + (end - estimate.estimate) * widened;
        Some(Ratio {
            log: estimate.estimate,
            log_interval: estimate.interval.map(|(low, high)| (widen(low), widen(high))),
            autocorrelation,
            widened,
        })
    }

    /// The widest half-width among comparisons that can have one; None while one of those has none.
    fn half_width(&self, ratios: &[Option<Ratio>]) -> Option<f64> {
        let compared =
            (0..ratios.len()).filter(|arm| self.arm(*arm).takes_part() && self.arm(*arm).is_compared() && !self.below_clock(*arm));
        let mut widest = None;
        for arm in compared {
            let (low, high) = ratios[arm]?.log_interval?;
            let half = (high - low) / 2.0;
            widest = Some(widest.map_or(half, |other: f64| other.max(half)));
        }
        widest
    }

    fn invalid(&self, ratios: &[Option<Ratio>]) -> Vec<Invalid> {
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
        let complete = self.kept.len() + self.dropped;
        if self.dropped as f64 > protocol::DROPPED_AT_MOST * complete as f64 {
            reasons.push(Invalid::TooManyDropped { dropped: self.dropped, of: complete });
        }
        if self.record.incidents.contains(&Incident::ClockSteppedBack) {
            reasons.push(Invalid::ClockSteppedBack);
        }
        reasons
    }

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

    fn withheld(&self, arm: usize, ratio: Option<&Ratio>) -> Vec<Withheld> {
        let mut reasons = Vec::new();
        let this = self.arm(arm);
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

    fn notes(&self, arm: usize, per_op: &[Option<PerOp>], ratio: Option<&Ratio>) -> Vec<Note> {
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
        if let Some(ticks) = self.ticks(arm).filter(|_| self.coarse(arm) && !self.below_clock(arm)) {
            notes.push(Note::CoarseTimer { ticks });
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

    /// Whether the arm's time reaches down to that of the empty arm on the same clock.
    fn overlaps_empty(&self, arm: usize, per_op: &[Option<PerOp>]) -> bool {
        let timed_in_worker = |arm: usize| self.arm(arm).method.thread().timed_in_worker();
        let empty = (0..per_op.len()).find(|other| self.arm(*other).role == Role::Empty && timed_in_worker(*other) == timed_in_worker(arm));
        let (Some(own), Some(empty)) = (per_op[arm], empty.and_then(|empty| per_op[empty])) else { return false };
        let lowest = own.interval_ns.map_or(if own.at_most { 0.0 } else { own.median_ns }, |(low, _)| low);
        let highest = empty.interval_ns.map_or(empty.median_ns, |(_, high)| high);
        lowest <= highest
    }
}

/// The factor sqrt((1 + p) / (1 - p)) by which autocorrelated rounds tell less than independent ones; 1 where the
/// coefficient is within what independent rounds show by chance.
fn widening(autocorrelation: Option<f64>, rounds: usize) -> f64 {
    match autocorrelation {
        Some(p) if p > protocol::AUTOCORRELATION_NOTICED / libm::sqrt(rounds as f64) && p < 1.0 => libm::sqrt((1.0 + p) / (1.0 - p)),
        _ => 1.0,
    }
}

/// A uniform number from 0 to below 1 with 53 random bits.
pub(crate) fn unit(rng: &mut impl Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}
