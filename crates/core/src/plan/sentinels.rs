//! When to take the sentinels: work that never changes, by which a device that becomes slower or faster is noticed.
//!
//! They cost time that the rounds lack, and the storage sentinel wears storage, so each is taken as often as its share of the time
//! allows; evenly over the group, so that thirds of it can be compared.

use crate::protocol;
use crate::result::Sentinels;
use crate::units::Nanos;

/// Which sentinels to take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Due {
    /// Those of the CPU, on both threads.
    pub cpu: bool,
    /// That of the storage.
    pub storage: bool,
}

/// How much time the sentinels of a group have taken.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spacing {
    cpu: Spent,
    storage: Spent,
}

#[derive(Clone, Copy, Debug, Default)]
struct Spent {
    readings: usize,
    time: Nanos,
}

impl Spent {
    /// The first few are always taken: they are the level that later ones are compared with.
    fn due(self, elapsed: Nanos) -> bool {
        self.readings < protocol::SENTINEL_LEVEL || self.time.as_f64() <= protocol::SENTINEL_SHARE * elapsed.as_f64()
    }

    fn add(&mut self, time: Nanos) {
        self.readings += 1;
        self.time = self.time + time;
    }
}

impl Spacing {
    /// What is due when the group's rounds have run for this long.
    #[must_use]
    pub fn due(&self, elapsed: Nanos) -> Due {
        Due { cpu: self.cpu.due(elapsed), storage: self.storage.due(elapsed) }
    }

    /// Takes what was read.
    pub fn record(&mut self, read: Sentinels) {
        let passes = [read.main_ns, read.worker_ns].into_iter().flatten().sum::<Nanos>();
        if passes > Nanos(0) {
            self.cpu.add(Nanos(passes.0.saturating_mul(u64::from(protocol::SENTINEL_PASSES))));
        }
        if let Some(storage) = read.storage_ns {
            self.storage.add(storage);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cpu(us: u64) -> Sentinels {
        Sentinels { main_ns: Some(Nanos(us * 1_000)), worker_ns: Some(Nanos(us * 1_000)), storage_ns: None }
    }

    #[test]
    fn the_first_level_comes_first() {
        let mut spacing = Spacing::default();
        for _ in 0..protocol::SENTINEL_LEVEL {
            assert_eq!(spacing.due(Nanos(0)), Due { cpu: true, storage: true });
            spacing.record(Sentinels { storage_ns: Some(Nanos(5_000_000)), ..cpu(300) });
        }
        assert_eq!(spacing.due(Nanos(0)), Due { cpu: false, storage: false });
    }

    /// Rounds of 10 ms for ten seconds, sentinels of 1.8 ms and of 5 ms.
    #[test]
    fn each_takes_its_share_of_the_time_and_no_more() {
        let mut spacing = Spacing::default();
        let (mut now, mut storage, mut passes) = (0, 0, 0);
        while now < 10_000_000_000 {
            now += 10_000_000;
            let due = spacing.due(Nanos(now));
            let read = Sentinels { storage_ns: due.storage.then_some(Nanos(5_000_000)), ..if due.cpu { cpu(300) } else { cpu(0) } };
            spacing.record(if due.cpu { read } else { Sentinels { main_ns: None, worker_ns: None, ..read } });
            storage += 5_000_000 * u64::from(due.storage);
            passes += 1_800_000 * u64::from(due.cpu);
        }
        for spent in [storage, passes] {
            let share = spent as f64 / 10e9;
            assert!((0.95 * protocol::SENTINEL_SHARE..1.05 * protocol::SENTINEL_SHARE).contains(&share), "{share}");
        }
    }

    #[test]
    fn without_sync_handles_there_is_no_storage_sentinel_and_nothing_waits_for_it() {
        let mut spacing = Spacing::default();
        for _ in 0..10 {
            spacing.record(cpu(300));
        }
        assert_eq!(spacing.due(Nanos(0)), Due { cpu: false, storage: true });
    }
}
