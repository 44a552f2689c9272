//! How long an op takes, roughly: doubles the ops of a batch until the clock can time it.

use crate::protocol;
use crate::result::PilotBatch;
use crate::units::Nanos;

/// An op that the clock never sees (a loop that does nothing) must not double for ever.
const MOST_OPS: u64 = 1 << 24;

/// The pilot of one arm.
#[derive(Clone, Debug)]
pub struct Pilot {
    enough: Nanos,
    batches: Vec<PilotBatch>,
}

impl Pilot {
    /// For an arm whose clock has this tick.
    #[must_use]
    pub fn new(tick: Nanos) -> Self {
        Self { enough: Nanos(tick.0 * protocol::PILOT_TICKS).max(protocol::PILOT), batches: Vec::new() }
    }

    /// The ops of the next batch. None once the pilot is over.
    #[must_use]
    pub fn next(&self) -> Option<u64> {
        match self.batches.last() {
            None => Some(1),
            Some(last) if last.elapsed_ns >= self.enough || last.n >= MOST_OPS => None,
            Some(last) => Some(last.n * 2),
        }
    }

    /// Takes what the batch took.
    pub fn record(&mut self, n: u64, elapsed: Nanos) {
        self.batches.push(PilotBatch { n, elapsed_ns: elapsed });
    }

    /// All batches.
    #[must_use]
    pub fn batches(&self) -> &[PilotBatch] {
        &self.batches
    }

    /// What an op takes, in nanoseconds, by the last batch: above 0. None before the pilot is over.
    #[must_use]
    pub fn per_op_ns(&self) -> Option<f64> {
        let last = self.batches.last().filter(|_| self.next().is_none())?;
        Some(last.elapsed_ns.as_f64().max(1.0) / last.n as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn play(tick: Nanos, per_op: Nanos) -> Pilot {
        let mut pilot = Pilot::new(tick);
        while let Some(n) = pilot.next() {
            // A clock shows whole ticks.
            pilot.record(n, Nanos(per_op.0 * n / tick.0 * tick.0));
        }
        pilot
    }

    #[test]
    fn doubles_until_two_milliseconds() {
        let pilot = play(Nanos(5_000), Nanos(1_000));
        assert_eq!(pilot.batches().iter().map(|batch| batch.n).collect::<Vec<_>>(), (0..12).map(|i| 1 << i).collect::<Vec<u64>>());
        let per_op = pilot.per_op_ns().expect("over");
        assert!((per_op - 1_000.0).abs() < 5.0, "{per_op}");
    }

    #[test]
    fn a_slow_op_takes_one_batch() {
        assert_eq!(play(Nanos(5_000), Nanos(3_000_000)).batches().len(), 1);
    }

    #[test]
    fn a_coarse_clock_needs_ten_ticks() {
        let last = *play(Nanos(1_000_000), Nanos(640_000)).batches().last().expect("one");
        assert_eq!(last.n, 16);
    }

    #[test]
    fn an_op_that_takes_no_time_ends_the_doubling() {
        let pilot = play(Nanos(5_000), Nanos(0));
        assert_eq!(pilot.batches().last().expect("one").n, MOST_OPS);
        assert!(pilot.per_op_ns().expect("over") > 0.0);
    }

    #[test]
    fn before_it_is_over_nothing_is_known() {
        let mut pilot = Pilot::new(Nanos(5_000));
        assert_eq!(pilot.per_op_ns(), None);
        pilot.record(1, Nanos(5_000));
        assert_eq!(pilot.per_op_ns(), None);
    }
}
