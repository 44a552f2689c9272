//! A group's rounds, sorted into those that count and those that do not, and what is drawn from them for each arm.

use rand::Rng;

use super::{PerOp, Ratio, latency};
use crate::protocol;
use crate::result::{Arm, DropCause, GroupRecord, Role, Round};
use crate::seed::{Purpose, Seed};
use crate::stats::{self, Summary, TotalRatio};
use crate::units::Nanos;

pub(super) struct Samples<'a> {
    pub(super) record: &'a GroupRecord,
    seed: Seed,
    pub(super) kept: Vec<&'a Round>,
    pub(super) dropped: usize,
    pub(super) baseline: Option<usize>,
    /// Ticks in each arm's median sample.
    ticks: Vec<Option<f64>>,
}

impl<'a> Samples<'a> {
    pub(super) fn of(record: &'a GroupRecord, seed: Seed) -> Self {
        let kept = record.rounds.iter().filter(|round| round.dropped.is_none()).collect();
        let dropped = record.rounds.iter().filter(|round| !matches!(round.dropped, None | Some(DropCause::Stopped))).count();
        let baseline = record.arms.iter().position(|arm| arm.role == Role::Baseline);
        let mut samples = Self { record, seed, kept, dropped, baseline, ticks: Vec::new() };
        samples.ticks = (0..record.arms.len()).map(|arm| samples.median_ticks(arm)).collect();
        samples
    }

    fn median_ticks(&self, arm: usize) -> Option<f64> {
        stats::median(&self.elapsed(arm)).map(|elapsed| elapsed / self.arm(arm).tick_ns.as_f64().max(1.0))
    }

    /// Bonferroni's correction where there are many comparisons.
    pub(super) fn level(&self) -> f64 {
        let comparisons = self.record.arms.iter().filter(|arm| arm.is_compared() && arm.failure.is_none() && arm.absent.is_none()).count();
        if comparisons > protocol::UNCORRECTED_COMPARISONS { 1.0 - (1.0 - protocol::LEVEL) / comparisons as f64 } else { protocol::LEVEL }
    }

    pub(super) fn ratios(&self, level: f64) -> Vec<Option<Ratio>> {
        (0..self.record.arms.len()).map(|arm| self.ratio(arm, level)).collect()
    }

    pub(super) fn arm(&self, arm: usize) -> &'a Arm {
        &self.record.arms[arm]
    }

    /// The arm's sample of every kept round that has one, in nanoseconds.
    pub(super) fn elapsed(&self, arm: usize) -> Vec<f64> {
        self.kept.iter().filter_map(|round| round.elapsed_ns[arm]).map(Nanos::as_f64).collect()
    }

    /// Ticks in the arm's median sample. None where no round counts.
    pub(super) fn ticks(&self, arm: usize) -> Option<f64> {
        self.ticks[arm]
    }

    pub(super) fn below_clock(&self, arm: usize) -> bool {
        self.ticks(arm).is_some_and(|ticks| ticks < protocol::COARSE_TICKS as f64)
    }

    pub(super) fn coarse(&self, arm: usize) -> bool {
        self.ticks(arm).is_some_and(|ticks| ticks < protocol::FEWEST_TICKS as f64)
    }

    pub(super) fn per_op(&self, arm: usize) -> Option<PerOp> {
        let Arm { n, tick_ns, role, .. } = *self.arm(arm);
        let elapsed = self.elapsed(arm);
        let means: Vec<f64> = elapsed.iter().map(|elapsed| elapsed / n as f64).collect();
        let median = stats::median(&means)?;
        if self.below_clock(arm) {
            let median_ns = median + tick_ns.as_f64() * latency::uncertain_ticks(&self.record.group, n) / n as f64;
            return Some(PerOp { median_ns, interval_ns: None, at_most: true, summary: None, bytes_per_s: None });
        }
        let bytes = self.record.group.moved(n) as f64 * elapsed.len() as f64;
        let seconds = elapsed.iter().sum::<f64>() / 1e9;
        Some(PerOp {
            median_ns: median,
            interval_ns: stats::median_interval(&means, protocol::ABSOLUTE_LEVEL),
            at_most: false,
            summary: Summary::of(&means),
            bytes_per_s: (role != Role::Empty && bytes > 0.0 && self.record.group.rate_iops.is_none()).then_some(bytes / seconds),
        })
    }

    /// d = ln(T / N) of the arm less that of the baseline, paired inside the round, in the order of time.
    pub(super) fn differences(&self, arm: usize, baseline: usize) -> Vec<f64> {
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
    pub(super) fn dequantisation(&self, arm: usize, round: u32) -> f64 {
        let mut rng = self.seed.stream(Purpose::Dequantisation { group: self.record.index, round });
        let draw = (0..=arm).map(|_| unit(&mut rng)).last().expect("at least one draw");
        (draw - 0.5) * self.arm(arm).tick_ns.as_f64()
    }

    pub(super) fn ratio(&self, arm: usize, level: f64) -> Option<Ratio> {
        let baseline = self.baseline?;
        if !self.arm(arm).is_compared() || self.below_clock(arm) || self.below_clock(baseline) {
            return None;
        }
        let differences = self.differences(arm, baseline);
        let estimate = stats::hodges_lehmann(&differences, level)?;
        let autocorrelation = stats::lag_one_autocorrelation(&differences);
        let widened = widening(autocorrelation, &differences);
        let log_interval = estimate.interval.map(|interval| widen(interval, estimate.estimate, widened));
        Some(Ratio { log: estimate.estimate, log_interval, autocorrelation, widened })
    }

    /// All of the arm's time over all of the baseline's; widened as the typical ratio's interval is, since the rounds are the same.
    pub(super) fn total(&self, arm: usize, ratio: &Ratio, level: f64) -> Option<TotalRatio> {
        let baseline = self.baseline?;
        let per_op = |round: &Round, arm: usize| Some(round.elapsed_ns[arm]?.as_f64() / self.arm(arm).n as f64);
        let pairs: Vec<(f64, f64)> = self.kept.iter().filter_map(|round| Some((per_op(round, arm)?, per_op(round, baseline)?))).collect();
        let TotalRatio { log, log_interval } = stats::total_ratio(&pairs, level)?;
        Some(TotalRatio { log, log_interval: widen(log_interval, log, ratio.widened) })
    }

    /// The widest half-width among comparisons that can have one; None while one of those has none.
    pub(super) fn half_width(&self, ratios: &[Option<Ratio>]) -> Option<f64> {
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
}

/// The factor by which autocorrelated rounds tell less than independent ones: the root of their integrated autocorrelation time. 1
/// where the lag-1 coefficient is within what independent rounds show by chance.
fn widening(autocorrelation: Option<f64>, differences: &[f64]) -> f64 {
    let by_chance = protocol::AUTOCORRELATION_NOTICED / libm::sqrt(differences.len() as f64);
    let time = autocorrelation.filter(|coefficient| *coefficient > by_chance).and_then(|_| stats::autocorrelation_time(differences));
    time.map_or(1.0, |time| libm::sqrt(time.max(1.0)))
}

/// An interval whose ends are so many times as far from the estimate.
fn widen((low, high): (f64, f64), estimate: f64, factor: f64) -> (f64, f64) {
    (estimate + (low - estimate) * factor, estimate + (high - estimate) * factor)
}

/// A uniform number from 0 to below 1 with 53 random bits.
pub(crate) fn unit(rng: &mut impl Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}
