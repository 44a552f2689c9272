//! Samples whose ops are timed one by one: in a closed loop, or by a schedule.

use super::{Device, Monotonic, READINGS_PER_TICK};
use crate::plan::{Outcome, Schedule};
use crate::units::Nanos;

impl Device {
    /// Each op between two readings of the arm's clock. What sleeps does so in the first op.
    pub(super) fn timed_one_by_one(
        &mut self,
        arm: usize,
        n: u64,
        rate_iops: Option<u32>,
        mut sleeps: Option<(Nanos, Monotonic)>,
    ) -> Outcome {
        let in_worker = self.arms[arm].in_worker;
        let mut schedule = rate_iops.map(|rate| Schedule::new(self.clock(in_worker).now_ms(self.now_ns), rate));
        let mut ops = Vec::new();
        for _ in 0..n {
            if let Some(schedule) = &schedule {
                self.wait_until(in_worker, schedule.due_ms());
            }
            let began_ms = self.clock(in_worker).now_ms(self.now_ns);
            self.run(arm, 1, sleeps.take());
            let service_ms = self.clock(in_worker).now_ms(self.now_ns) - began_ms;
            if service_ms < 0.0 {
                return Outcome::ClockSteppedBack;
            }
            ops.push(match &mut schedule {
                Some(schedule) => schedule.record(began_ms, service_ms),
                None => Nanos::from_ms(service_ms),
            });
        }
        Outcome::Timed {
            elapsed: ops.iter().copied().sum(),
            bytes: self.read(arm, n),
            ops,
            pacing: schedule.map(|schedule| schedule.pacing()),
        }
    }

    /// Reads the clock until it shows the moment, as a page does; all but the last ticks of the wait are skipped.
    fn wait_until(&mut self, in_worker: bool, until_ms: f64) {
        let tick_ns = self.clock(in_worker).tick().as_f64();
        let left_ns = (until_ms - self.clock(in_worker).now_ms(self.now_ns)) * 1e6;
        self.now_ns += (left_ns - 2.0 * tick_ns).max(0.0);
        while self.clock(in_worker).now_ms(self.now_ns) < until_ms {
            self.now_ns += tick_ns / READINGS_PER_TICK;
        }
    }
}
