//! Finding a clock's tick from its readings.

use crate::protocol;
use crate::stats;
use crate::units::Nanos;

/// Collects readings of a clock that is read over and over, until there are enough.
#[derive(Clone, Debug, Default)]
pub struct TickEstimator {
    first_ms: Option<f64>,
    last_ms: f64,
    steps_us: Vec<f64>,
    stepped_back: bool,
}

impl TickEstimator {
    /// Without readings. Room for all of them is taken here, so that none is taken while the clock is read.
    #[must_use]
    pub fn new() -> Self {
        Self { steps_us: Vec::with_capacity(protocol::TICK_READINGS), ..Self::default() }
    }

    /// Takes one reading in milliseconds. True while more are wanted.
    pub fn read(&mut self, now_ms: f64) -> bool {
        let first = *self.first_ms.get_or_insert_with(|| {
            self.last_ms = now_ms;
            now_ms
        });
        if now_ms < self.last_ms {
            self.stepped_back = true;
        }
        if now_ms > self.last_ms {
            // Whole microseconds: readings carry float noise far below what any browser shows.
            self.steps_us.push(((now_ms - self.last_ms) * 1e3).round());
        }
        self.last_ms = now_ms;
        self.steps_us.len() < protocol::TICK_READINGS && Nanos::from_ms(now_ms - first) < protocol::TICK_TIME
    }

    /// The 90th percentile of the steps between distinct readings, which covers clocks whose steps are jittered; at most twice
    /// the median, since a busy machine takes the thread away for many ticks at a time; at least a microsecond. None where the
    /// clock never moved.
    #[must_use]
    pub fn tick(&self) -> Option<Nanos> {
        let step = stats::percentile(&self.steps_us, 0.9)?.min(2.0 * stats::percentile(&self.steps_us, 0.5)?);
        Some(Nanos::from_ms(step.max(1.0) / 1e3))
    }

    /// Whether a reading was below the one before it.
    #[must_use]
    pub fn stepped_back(&self) -> bool {
        self.stepped_back
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(readings: impl IntoIterator<Item = f64>) -> (TickEstimator, usize) {
        let mut estimator = TickEstimator::new();
        let taken = readings.into_iter().take_while(|now| estimator.read(*now)).count();
        (estimator, taken)
    }

    #[test]
    fn a_regular_clock() {
        // 5 µs with the float noise of a page that has been open for a while; each value is read three times.
        let (estimator, taken) = of((0..).map(|i| 1_234_567.8 + f64::from(i / 3) * 0.005));
        assert_eq!(estimator.tick(), Some(Nanos(5_000)));
        assert!((598..=602).contains(&taken), "{taken}");
    }

    #[test]
    fn a_coarse_clock_ends_by_time() {
        let (estimator, _) = of((0..).map(|i| f64::from(i / 1_000)));
        assert_eq!(estimator.tick(), Some(Nanos(1_000_000)));
    }

    #[test]
    fn a_jittered_clock_is_covered() {
        let steps = [0.02, 0.04, 0.02, 0.02, 0.06];
        let mut now = 0.0;
        let (estimator, _) = of((0..).map(|i| {
            now += steps[i % 5];
            now
        }));
        assert_eq!(estimator.tick(), Some(Nanos(40_000)));
    }

    #[test]
    fn a_thread_that_is_taken_away_does_not_make_the_clock_coarse() {
        // Of a clock of 1 ms, every fourth step is as long as the scheduler's slices.
        let mut now = 0.0;
        let (estimator, _) = of((0..).map(|i| {
            now += if i % 4 == 3 { 5.0 } else { 1.0 };
            now
        }));
        assert_eq!(estimator.tick(), Some(Nanos(2_000_000)));
    }

    #[test]
    fn a_clock_that_steps_back_is_noticed() {
        assert!(of([1.0, 2.0, 1.5, 3.0]).0.stepped_back());
        assert!(!of([1.0, 1.0, 2.0]).0.stepped_back());
    }

    #[test]
    fn a_clock_that_stands_has_no_tick() {
        assert_eq!(of([7.0; 100]).0.tick(), None);
    }
}
