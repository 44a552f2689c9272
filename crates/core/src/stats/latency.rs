//! Percentiles of single operations, where there are any.
//!
//! **Kept in a histogram.** Single ops are many and their times span six powers of ten, so they are counted in an
//! [HdrHistogram](https://hdrhistogram.github.io/HdrHistogram/): buckets that widen with the value. With three significant
//! digits it has to tell 1999 from 2000, for which it takes 2048 buckets of one nanosecond; from there on, each doubling of
//! the value is cut into 1024 equal buckets. A bucket that holds the value v is therefore less than v / 1024 wide beyond its
//! first nanosecond, and as percentiles are told as the top of their bucket, **a percentile is exact below 2048 ns and
//! otherwise at most 1/1024, or 0.1 %, above the value in the raw log, never below it**.
//!
//! **Only where they exist.** A percentile of n ops is worth telling when the ops bound it from above. All n lie below the
//! true p-quantile with probability pⁿ, and then no op is an upper bound. The order-statistic interval at 95 % with equal tails
//! has an upper end only where that happens with a probability of at most 2.5 %:
//!
//! ```text
//! pⁿ ≤ 0.025        n ≥ ln 0.025 / ln p        p50: 6    p90: 36    p95: 72    p99: 368    p99.9: 3688
//! ```
//!
//! David, H. A. and Nagaraja, H. N. (2003). Order Statistics, 3rd ed., section 7.1.
//!
//! **Only above the clock's reach.** Ten ticks are the least of which a tick is but a tenth; what is shorter is told as
//! "below ten ticks" and has no number.

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

use crate::protocol;
use crate::units::Nanos;

/// Longer ops are counted as this long. Nobody waits an hour for a read; a bound means that recording never allocates.
const LONGEST: Nanos = Nanos(3_600_000_000_000);
/// The digits that the histogram keeps.
const SIGNIFICANT_DIGITS: u8 = 3;

/// The percentiles that are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum LatencyPercentile {
    /// Half of the ops take no longer.
    #[serde(rename = "p50")]
    P50,
    /// 90 % of the ops take no longer.
    #[serde(rename = "p90")]
    P90,
    /// 95 % of the ops take no longer.
    #[serde(rename = "p95")]
    P95,
    /// 99 % of the ops take no longer.
    #[serde(rename = "p99")]
    P99,
    /// 99.9 % of the ops take no longer.
    #[serde(rename = "p99.9")]
    P999,
}

impl LatencyPercentile {
    /// All, from the median up.
    pub const ALL: [Self; 5] = [Self::P50, Self::P90, Self::P95, Self::P99, Self::P999];

    /// Which share of the ops take no longer.
    #[must_use]
    pub fn share(self) -> f64 {
        match self {
            Self::P50 => 0.5,
            Self::P90 => 0.9,
            Self::P95 => 0.95,
            Self::P99 => 0.99,
            Self::P999 => 0.999,
        }
    }

    /// From how many ops the percentile exists: see the head of this module.
    #[must_use]
    pub fn fewest_ops(self) -> u64 {
        match self {
            Self::P50 => 6,
            Self::P90 => 36,
            Self::P95 => 72,
            Self::P99 => 368,
            Self::P999 => 3_688,
        }
    }
}

/// What a percentile of single ops came out as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Latency {
    /// This long, at most 0.1 % above the op in the raw log.
    Time(Nanos),
    /// Shorter than ten ticks of the clock, which are this long: no number.
    BelowTenTicks(Nanos),
}

/// The times of single ops on one clock.
#[derive(Clone, Debug)]
pub struct Latencies {
    histogram: Histogram<u64>,
    tick: Nanos,
}

impl Latencies {
    /// Of ops on a clock with this tick. Takes its memory, a quarter of a MiB, now: recording takes none.
    #[must_use]
    pub fn new(tick: Nanos) -> Self {
        let histogram = Histogram::new_with_max(LONGEST.0, SIGNIFICANT_DIGITS).expect("an hour and three digits are within its bounds");
        Self { histogram, tick }
    }

    /// Counts one op.
    pub fn record(&mut self, op: Nanos) {
        self.histogram.saturating_record(op.0);
    }

    /// Counts ops of the same time.
    pub fn record_many(&mut self, op: Nanos, ops: u64) {
        self.histogram.saturating_record_n(op.0, ops);
    }

    /// The times that occurred, each as the top of its bucket, and how many ops took them. Counting these gives the same percentiles.
    #[must_use]
    pub fn counts(&self) -> Vec<(Nanos, u64)> {
        self.histogram.iter_recorded().map(|bucket| (Nanos(bucket.value_iterated_to()), bucket.count_at_value())).collect()
    }

    /// How many ops were counted.
    #[must_use]
    pub fn ops(&self) -> u64 {
        self.histogram.len()
    }

    /// The smallest time that the percentile's share of the ops do not exceed. None where there are too few ops for it.
    #[must_use]
    pub fn percentile(&self, percentile: LatencyPercentile) -> Option<Latency> {
        if self.ops() < percentile.fewest_ops() {
            return None;
        }
        Some(self.told(self.histogram.value_at_quantile(percentile.share())))
    }

    /// What the longest op took. None without ops.
    #[must_use]
    pub fn longest(&self) -> Option<Latency> {
        (self.ops() > 0).then(|| self.told(self.histogram.max()))
    }

    fn told(&self, time: u64) -> Latency {
        let ten_ticks = Nanos(self.tick.0.saturating_mul(protocol::LATENCY_TICKS));
        if Nanos(time) < ten_ticks { Latency::BelowTenTicks(ten_ticks) } else { Latency::Time(Nanos(time)) }
    }

    /// Every percentile that exists, from the median up.
    #[must_use]
    pub fn percentiles(&self) -> Vec<(LatencyPercentile, Latency)> {
        LatencyPercentile::ALL.into_iter().filter_map(|percentile| Some((percentile, self.percentile(percentile)?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn recorded(tick: u64, ops: impl IntoIterator<Item = u64>) -> Latencies {
        let mut latencies = Latencies::new(Nanos(tick));
        ops.into_iter().for_each(|op| latencies.record(Nanos(op)));
        latencies
    }

    #[test]
    fn a_percentile_exists_once_its_interval_has_an_upper_end() {
        for percentile in LatencyPercentile::ALL {
            let fewest = percentile.fewest_ops();
            let all_below = |ops: u64| libm::pow(percentile.share(), ops as f64);
            assert!(all_below(fewest) <= 0.025 && all_below(fewest - 1) > 0.025, "{percentile:?}");
            assert_eq!(recorded(1, 1..fewest).percentile(percentile), None);
            assert!(recorded(1, 1..=fewest).percentile(percentile).is_some());
        }
    }

    #[test]
    fn what_exists_is_told_in_order() {
        assert_eq!(recorded(1, 1..=5).percentiles(), []);
        let told = recorded(1, 1..=100).percentiles();
        let expected = [(LatencyPercentile::P50, 50), (LatencyPercentile::P90, 90), (LatencyPercentile::P95, 95)]
            .map(|(p, t)| (p, Latency::Time(Nanos(t))));
        assert_eq!(told, expected);
    }

    #[test]
    fn under_ten_ticks_there_is_no_number() {
        let latencies = recorded(100, std::iter::repeat_n(999, 30).chain(std::iter::repeat_n(1_000, 10)));
        assert_eq!(latencies.percentile(LatencyPercentile::P50), Some(Latency::BelowTenTicks(Nanos(1_000))));
        assert_eq!(latencies.percentile(LatencyPercentile::P90), Some(Latency::Time(Nanos(1_000))));
    }

    #[test]
    fn an_op_of_nothing_and_one_of_days_are_counted() {
        let latencies = recorded(1, [0, 0, 0, u64::MAX, u64::MAX, u64::MAX, u64::MAX]);
        assert_eq!(latencies.ops(), 7);
        assert!(matches!(latencies.percentile(LatencyPercentile::P50), Some(Latency::Time(time)) if time >= LONGEST));
    }

    #[test]
    fn the_longest_op_needs_no_others() {
        assert_eq!(recorded(1, []).longest(), None);
        assert_eq!(recorded(1, [700]).longest(), Some(Latency::Time(Nanos(700))));
        assert_eq!(recorded(100, [700]).longest(), Some(Latency::BelowTenTicks(Nanos(1_000))));
    }

    #[test]
    fn recording_takes_no_memory() {
        let mut latencies = Latencies::new(Nanos(1));
        let before = latencies.histogram.distinct_values();
        latencies.record(LONGEST);
        assert_eq!(latencies.histogram.distinct_values(), before);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn percentiles_are_those_of_the_raw_log_within_the_bound(mut log in prop::collection::vec(0.0_f64..12.5, 6..4_200)) {
            // Evenly over the powers of ten, from a nanosecond to most of an hour.
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // between 1 and 3.2e12
            let mut log: Vec<u64> = log.drain(..).map(|power| libm::exp10(power) as u64).collect();
            let latencies = recorded(0, log.iter().copied());
            let mut again = Latencies::new(Nanos(0));
            latencies.counts().into_iter().for_each(|(time, ops)| again.record_many(time, ops));
            prop_assert_eq!((again.counts(), again.percentiles(), again.longest()), (latencies.counts(), latencies.percentiles(), latencies.longest()));
            log.sort_unstable();
            for (percentile, latency) in latencies.percentiles() {
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 500 to 999
                let per_mille = (percentile.share() * 1e3).round() as usize;
                let raw = log[(log.len() * per_mille).div_ceil(1_000) - 1];
                let Latency::Time(Nanos(told)) = latency else { panic!("there is no tick") };
                prop_assert!(raw <= told && told - raw <= raw / 1_024, "{percentile:?} of {} ops: {told} for {raw}", log.len());
            }
        }
    }
}
