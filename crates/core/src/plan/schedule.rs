//! Ops at a fixed rate, whatever the ones before them take: an open loop.
//!
//! In a closed loop the next op begins when the last one has ended. An op that stalls then holds up the ops behind it, which
//! would have waited for it in a page whose user goes on scrolling, and the measurement hides their wait: Gil Tene calls it
//! coordinated omission. Here every op has a moment that it is scheduled for, and its *response time* counts from that moment.
//! One op is under way at a time, as with fio's `rate_iops` at an `iodepth` of 1: an op whose moment comes while another runs
//! begins as soon as that has ended.

use crate::protocol;
use crate::result::{Pacing, schedule};
use crate::units::Nanos;

/// The schedule of one sample, and how the sample keeps to it. It is told readings of the clock and reads none.
#[derive(Clone, Debug)]
pub struct Schedule {
    start_ms: f64,
    interval_ms: f64,
    rate_iops: u32,
    ops: u32,
    /// When the last op ended.
    free_ms: f64,
    late_ms: f64,
}

impl Schedule {
    /// From now on: the first op is due one interval later, so that every op finds the device idle for as long.
    #[must_use]
    pub fn new(start_ms: f64, rate_iops: u32) -> Self {
        Self { start_ms, interval_ms: 1e3 / f64::from(rate_iops.max(1)), rate_iops, ops: 0, free_ms: start_ms, late_ms: 0.0 }
    }

    /// When the next op is due. Counted from the start, so that no error of one interval is carried to the next.
    #[must_use]
    pub fn due_ms(&self) -> f64 {
        self.start_ms + f64::from(self.ops + 1) * self.interval_ms
    }

    /// Takes when the op that was due began and what it took from then on. Returns its response time.
    pub fn record(&mut self, began_ms: f64, service_ms: f64) -> Nanos {
        let due_ms = self.due_ms();
        self.late_ms = self.late_ms.max(began_ms - due_ms.max(self.free_ms));
        self.free_ms = began_ms + service_ms;
        self.ops += 1;
        Nanos::from_ms(self.free_ms - due_ms)
    }

    /// How the sample has kept to the schedule.
    #[must_use]
    pub fn pacing(&self) -> Pacing {
        let first_due_ms = self.start_ms + self.interval_ms;
        let span = Nanos::from_ms(self.free_ms - first_due_ms);
        Pacing { span_ns: span.max(schedule(self.ops.into(), self.rate_iops)), late_ns: Nanos::from_ms(self.late_ms) }
    }
}

/// How many ops make a paced sample, the same for all arms: those of a tenth of a second, or of less where the fewest rounds of
/// so many arms would not fit `rounds_within`; fewer where the slowest arm, an op of which takes `slowest_ns`, cannot keep the rate
/// and would take too long.
#[must_use]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates; none of them is negative
pub fn paced_ops(rate_iops: u32, slowest_ns: f64, arms: usize, rounds_within: Nanos) -> u64 {
    let rounds = f64::from(protocol::FEWEST_ROUNDS + protocol::WARM_UP_ROUNDS);
    let lasting = protocol::PACED_SAMPLE.as_f64().min(rounds_within.as_f64() / (rounds * arms.max(1) as f64));
    let offered = (lasting * f64::from(rate_iops) / 1e9).round();
    let affordable = protocol::LONGEST_SAMPLE.as_f64() / slowest_ns.max(1.0);
    (offered.min(affordable) as u64).clamp(1, protocol::MOST_TIMED_OPS)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;
    const AMPLE: Nanos = Nanos(3_600_000 * MS);

    /// Plays ops of these times at 100 a second on an exact clock.
    fn responses(services_ms: &[f64]) -> (Vec<u64>, Pacing) {
        let mut schedule = Schedule::new(1_000.0, 100);
        let mut now = 1_000.0_f64;
        let mut response = |service: &f64| {
            let began = now.max(schedule.due_ms());
            now = began + service;
            schedule.record(began, *service).0 / MS
        };
        (services_ms.iter().map(&mut response).collect(), schedule.pacing())
    }

    #[test]
    fn an_op_that_stalls_makes_those_behind_it_wait() {
        let (responses, pacing) = responses(&[1.0, 25.0, 1.0, 1.0, 1.0]);
        assert_eq!(responses, [1, 25, 16, 7, 1]);
        assert_eq!(pacing, Pacing { span_ns: Nanos(50 * MS), late_ns: Nanos(0) });
    }

    #[test]
    fn ops_that_take_longer_than_their_interval_queue_up() {
        let (responses, pacing) = responses(&[15.0; 4]);
        assert_eq!(responses, [15, 20, 25, 30]);
        assert_eq!(pacing.span_ns, Nanos(60 * MS));
    }

    #[test]
    fn a_late_start_that_no_op_explains_is_the_harness_own() {
        let mut schedule = Schedule::new(0.0, 100);
        assert_eq!(schedule.record(13.0, 1.0), Nanos(4 * MS));
        // The next one is due at 20 ms, and the op before it ends at 30 ms; the third begins half a millisecond after that.
        schedule.record(20.0, 12.0);
        schedule.record(32.5, 1.0);
        assert_eq!(schedule.pacing().late_ns, Nanos(3 * MS));
    }

    #[test]
    fn a_sample_lasts_a_tenth_of_a_second_where_nothing_forbids_it() {
        assert_eq!(paced_ops(200, 1e6, 7, AMPLE), 20);
        assert_eq!(paced_ops(1, 1e6, 7, AMPLE), 1);
        assert_eq!(paced_ops(100_000, 100.0, 7, AMPLE), 10_000);
        // 15 rounds of 5 arms in 3 s.
        assert_eq!(paced_ops(200, 1e6, 5, Nanos(3_000 * MS)), 8);
        assert_eq!(paced_ops(200, 1e6, 5, Nanos(0)), 1);
        // 1 000 ops of 2 ms would be 2 s.
        assert_eq!(paced_ops(10_000, 2e6, 5, AMPLE), 125);
        assert_eq!(paced_ops(10_000, 1e12, 5, AMPLE), 1);
    }
}
