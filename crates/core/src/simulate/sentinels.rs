//! The device's sentinels, and its rests.

use super::device::Device;
use crate::plan::Due;
use crate::protocol;
use crate::result::Sentinels;
use crate::units::Nanos;

/// What overwriting and flushing 4 KiB takes on a storage at rest.
const STORAGE: Nanos = Nanos(300_000);
/// A flush of a few blocks is not known to be shorter than this many ticks.
const STORAGE_TICKS: u64 = 10;
/// How much longer it takes while the storage tidies up after a sample that wrote.
const TIDYING: f64 = 3.0;

impl Device {
    /// Takes the sentinels that are due.
    pub(super) fn sentinels(&mut self, due: Due) -> Sentinels {
        let [main, worker] = [false, true].map(|in_worker| due.cpu.then(|| self.cpu_sentinel(in_worker)));
        Sentinels { main_ns: main, worker_ns: worker, storage_ns: due.storage.then(|| self.storage_sentinel()) }
    }

    fn cpu_sentinel(&mut self, in_worker: bool) -> Nanos {
        let work = protocol::SENTINEL.max(Nanos(self.clock(in_worker).tick().0 * protocol::SENTINEL_TICKS));
        let passes = (0..protocol::SENTINEL_PASSES).map(|_| self.pass(in_worker, work.as_f64()));
        passes.min().expect("more than no pass")
    }

    fn storage_sentinel(&mut self) -> Nanos {
        let tidying = if self.tidying() { TIDYING } else { 1.0 };
        let work = STORAGE.max(Nanos(self.clock(true).tick().0 * STORAGE_TICKS));
        self.pass(true, work.as_f64() * tidying)
    }

    /// Work that no arm does, on this thread's clock.
    fn pass(&mut self, in_worker: bool, work_ns: f64) -> Nanos {
        let start_ms = self.clock(in_worker).now_ms(self.now_ns);
        let beyond_the_arms = self.arms.len();
        self.now_ns += self.chance.elapsed_ns(beyond_the_arms, self.now_ns, work_ns * self.slower);
        Nanos::from_ms(self.clock(in_worker).now_ms(self.now_ns) - start_ms)
    }
}
