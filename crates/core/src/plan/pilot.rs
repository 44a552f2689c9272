//! How long an op takes, roughly: doubles the ops of a batch until the clock can time it.

use crate::protocol;
use crate::result::PilotBatch;
use crate::units::Nanos;

/// An op that the clock never sees (a loop that does nothing) must not double for ever.
const MOST_OPS: u64 = 1 << 24;

/// So many batches of the same size must be long enough: one that is only long because the machine was busy would make every
/// sample of the launch too short.
const CONFIRMED: usize = 3;

/// The pilot of one arm.
#[derive(Clone, Debug)]
pub struct Pilot {
    enough: Nanos,
    fewest_ops: u64,
    most_ops: u64,
    batches: Vec<PilotBatch>,
}

impl Pilot {
    /// For an arm whose clock has this tick.
    #[must_use]
    pub fn new(tick: Nanos) -> Self {
        Self { enough: Nanos(tick.0 * protocol::PILOT_TICKS).max(protocol::PILOT), fewest_ops: 1, most_ops: MOST_OPS, batches: Vec::new() }
    }

    /// The same for an arm with so many reads in flight: its last batches hold more ops than that, unless those take longer than any
    /// sample may.
    #[must_use]
    pub fn in_flight(self, reads: u64) -> Self {
        Self { fewest_ops: if reads > 1 { reads.saturating_mul(protocol::PILOT_OPS_IN_FLIGHT) } else { 1 }, ..self }
    }

    /// The same with batches of at most so many ops.
    #[must_use]
    pub fn at_most(self, ops: u64) -> Self {
        Self { most_ops: self.most_ops.min(ops), ..self }
    }

    /// The ops of the next batch. None once the pilot is over.
    #[must_use]
    pub fn next(&self) -> Option<u64> {
        match self.batches.last() {
            None => Some(1),
            Some(last) if !self.is_enough(last) && last.n < self.most_ops => Some((last.n * 2).min(self.most_ops)),
            Some(last) if self.of_last_size().count() < CONFIRMED => Some(last.n),
            Some(_) => None,
        }
    }

    fn is_enough(&self, batch: &PilotBatch) -> bool {
        batch.elapsed_ns >= self.enough && (batch.n >= self.fewest_ops || batch.elapsed_ns >= protocol::LONGEST_SAMPLE)
    }

    /// The batches of the size at hand, without the arm's very first op: it pays for what no later one does.
    fn of_last_size(&self) -> impl Iterator<Item = &PilotBatch> {
        let size = self.batches.last().map(|last| last.n);
        self.batches.iter().skip(1).rev().take_while(move |batch| Some(batch.n) == size)
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

    /// What an op takes, in nanoseconds: above 0, by the shortest of the last batches, since whatever comes between only
    /// lengthens them. None before the pilot is over.
    #[must_use]
    pub fn per_op_ns(&self) -> Option<f64> {
        if self.next().is_some() {
            return None;
        }
        let shortest = self.of_last_size().min_by_key(|batch| batch.elapsed_ns)?;
        Some(shortest.elapsed_ns.as_f64().max(1.0) / shortest.n as f64)
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
        let sizes: Vec<u64> = pilot.batches().iter().map(|batch| batch.n).collect();
        let doubled = (0..12).map(|i| 1 << i);
        assert_eq!(sizes, doubled.chain([2048, 2048]).collect::<Vec<u64>>());
        let per_op = pilot.per_op_ns().expect("over");
        assert!((per_op - 1_000.0).abs() < 5.0, "{per_op}");
    }

    #[test]
    fn a_slow_op_takes_batches_of_one() {
        let pilot = play(Nanos(5_000), Nanos(3_000_000));
        assert!(pilot.batches().iter().all(|batch| batch.n == 1), "{pilot:?}");
        assert_eq!(pilot.batches().len(), 1 + CONFIRMED);
    }

    #[test]
    fn a_batch_that_was_only_interrupted_does_not_end_the_doubling() {
        let mut pilot = Pilot::new(Nanos(5_000));
        let mut interrupted = false;
        while let Some(n) = pilot.next() {
            let interruption = if n == 64 && !std::mem::replace(&mut interrupted, true) { 4_000_000 } else { 0 };
            pilot.record(n, Nanos(1_000 * n + interruption));
        }
        assert!(interrupted);
        assert_eq!(pilot.per_op_ns(), Some(1_000.0));
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
    fn ops_that_are_timed_one_by_one_are_never_too_many() {
        let mut pilot = Pilot::new(Nanos(5_000)).at_most(10_000);
        while let Some(n) = pilot.next() {
            pilot.record(n, Nanos(0));
        }
        assert_eq!(pilot.batches().iter().map(|batch| batch.n).max(), Some(10_000));
    }

    #[test]
    fn a_queue_is_filled_unless_that_takes_too_long() {
        let largest = |per_op_ns: u64| {
            let mut pilot = Pilot::new(Nanos(5_000)).in_flight(128);
            while let Some(n) = pilot.next() {
                pilot.record(n, Nanos(per_op_ns * n));
            }
            pilot.batches().iter().map(|batch| batch.n).max()
        };
        assert_eq!(largest(1_000), Some(2_048));
        assert_eq!(largest(50_000), Some(256));
        assert_eq!(largest(10_000_000), Some(32), "320 ms");
    }

    #[test]
    fn before_it_is_over_nothing_is_known() {
        let mut pilot = Pilot::new(Nanos(5_000));
        assert_eq!(pilot.per_op_ns(), None);
        pilot.record(1, Nanos(5_000));
        assert_eq!(pilot.per_op_ns(), None);
    }
}
