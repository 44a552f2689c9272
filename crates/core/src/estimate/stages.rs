//! What follows from the stages of a method's work.

use serde::{Deserialize, Serialize};

use crate::result::{Stage, StageTimes};
use crate::stats::mean_interval;
use crate::units::Nanos;

/// The confidence of a stage's interval.
pub const LEVEL: f64 = 0.95;

/// What one call of a stage takes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StageEstimate {
    /// The stage.
    pub stage: Stage,
    /// The mean, nanoseconds. Means, since stages that are shorter than the clock's tick read as no tick or one, and the mean of such
    /// readings is right where their median is not. Where `at_most` is set, an upper bound instead.
    pub mean_ns: f64,
    /// Student's interval of the mean at 95 %, not below 0. None with fewer than two readings, and where `at_most` is set.
    pub interval_ns: Option<(f64, f64)>,
    /// Too short for the clock: the interval would hold 0.
    pub at_most: bool,
}

impl StageEstimate {
    /// What the readings of a clock with this tick tell. The times have readings.
    pub(super) fn of(times: &StageTimes, tick: Nanos) -> Self {
        let per_call: Vec<f64> = times.readings_ns.iter().map(|reading| reading.as_f64() / f64::from(times.calls)).collect();
        let (mean, half_width) = mean_interval(&per_call, LEVEL);
        // Readings that are all the same leave no spread, and still hide up to a tick.
        let longest = mean + half_width.unwrap_or(0.0).max(tick.as_f64() / f64::from(times.calls) / per_call.len() as f64);
        let at_most = half_width.is_none_or(|half_width| half_width >= mean);
        let (mean_ns, interval_ns) =
            if at_most { (longest, None) } else { (mean, half_width.map(|half_width| (mean - half_width, mean + half_width))) };
        Self { stage: times.stage, mean_ns, interval_ns, at_most }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(calls: u32, readings: &[u64]) -> StageTimes {
        StageTimes { stage: Stage::Open, calls, readings_ns: readings.iter().copied().map(Nanos).collect() }
    }

    /// R: `t.test(c(10, 12, 14, 8))` gives 11 and 6.89148 to 15.10852; two calls a reading.
    #[test]
    fn the_mean_of_a_call_has_students_interval() {
        let estimate = StageEstimate::of(&times(2, &[20, 24, 28, 16]), Nanos(1));
        let (low, high) = estimate.interval_ns.unwrap();
        assert_eq!((estimate.mean_ns, estimate.at_most), (11.0, false));
        assert!((low - 6.891_480).abs() < 1e-6 && (high - 15.108_520).abs() < 1e-6, "{low} {high}");
    }

    #[test]
    fn what_never_takes_a_tick_takes_at_most_a_part_of_one() {
        let never = StageEstimate::of(&times(16, &[0; 10]), Nanos(20_000));
        assert_eq!((never.mean_ns, never.interval_ns, never.at_most), (125.0, None, true));
        let once = StageEstimate::of(&times(1, &[0, 0, 0, 0, 0, 0, 0, 20_000]), Nanos(20_000));
        assert!(once.at_most && once.mean_ns > 2_500.0 && once.interval_ns.is_none(), "{once:?}");
    }

    #[test]
    fn one_reading_is_an_upper_bound() {
        let alone = StageEstimate::of(&times(1, &[40_000]), Nanos(20_000));
        assert_eq!((alone.mean_ns, alone.at_most), (60_000.0, true));
    }
}
