//! When a device that has become slow is given time to cool down, and when that is over.

use crate::protocol;
use crate::result::{CoolDown, Sentinels};
use crate::stats;
use crate::units::Nanos;

/// What a thread's CPU sentinel takes; the main thread's and the worker's.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Level {
    main_ns: Option<f64>,
    worker_ns: Option<f64>,
}

impl Level {
    /// The median of some readings. None where there are too few.
    fn of(readings: &[Sentinels]) -> Option<Self> {
        let median = |of: fn(&Sentinels) -> Option<Nanos>| {
            let readings: Vec<f64> = readings.iter().filter_map(of).map(Nanos::as_f64).collect();
            stats::median(&readings)
        };
        (readings.len() >= protocol::SENTINEL_LEVEL)
            .then(|| Self { main_ns: median(|read| read.main_ns), worker_ns: median(|read| read.worker_ns) })
    }

    /// By how much the slower of the two threads is slower than it was at first: 0.05 is 5 %.
    fn above(self, first: Self) -> f64 {
        let above = |now: Option<f64>, first: Option<f64>| now.zip(first).map_or(0.0, |(now, first)| now / first.max(1.0) - 1.0);
        above(self.main_ns, first.main_ns).max(above(self.worker_ns, first.worker_ns))
    }
}

/// How often and for how long a run may still pause, and what its CPU sentinels took at first.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Allowance {
    /// Pauses.
    pub pauses: u32,
    /// All of them together.
    pub time: Nanos,
    /// None before the first readings of the launch.
    pub first: Option<Level>,
}

impl Allowance {
    /// What a run of this budget may pause.
    #[must_use]
    pub fn of_run(budget: Nanos) -> Self {
        Self { pauses: protocol::COOL_DOWNS, time: Nanos::from_ms(budget.as_ms() * protocol::COOL_DOWN_SHARE), first: None }
    }

    /// Takes off what a group has used, and takes over the launch's first level.
    pub fn spend(&mut self, cool_downs: &[CoolDown], readings: &[Sentinels]) {
        self.pauses = self.pauses.saturating_sub(u32::try_from(cool_downs.len()).unwrap_or(u32::MAX));
        self.time = self.time.since(cool_downs.iter().map(|pause| pause.took_ns).sum());
        self.first = self.first.or_else(|| first_level(readings));
    }
}

fn first_level(readings: &[Sentinels]) -> Option<Level> {
    Level::of(readings.get(..protocol::SENTINEL_LEVEL)?)
}

/// Watches the CPU sentinels of a group.
#[derive(Clone, Debug, Default)]
pub struct Thermometer {
    allowance: Allowance,
    readings: Vec<Sentinels>,
    pause: Option<Pause>,
}

/// A pause under way.
#[derive(Clone, Copy, Debug)]
struct Pause {
    at: Nanos,
    took: Nanos,
}

impl Thermometer {
    /// For a group that may pause so much.
    #[must_use]
    pub fn new(allowance: Allowance) -> Self {
        Self { allowance, readings: Vec::new(), pause: None }
    }

    /// Takes what was read after a round. True where the device shall cool down first: its latest level is above the first by more
    /// than [`protocol::HOT`], and by more than such levels differ by chance.
    pub fn read(&mut self, read: Sentinels, now: Nanos) -> bool {
        if !read.of_cpu() {
            return false;
        }
        self.readings.push(read);
        self.allowance.first = self.allowance.first.or_else(|| first_level(&self.readings));
        let latest = self.readings.len().checked_sub(protocol::SENTINEL_LEVEL).and_then(|from| Level::of(&self.readings[from..]));
        let above = latest.zip(self.allowance.first).map_or(0.0, |(latest, first)| latest.above(first));
        let hot = above > protocol::HOT && above > self.by_chance();
        let pauses = hot && self.allowance.pauses > 0 && self.allowance.time >= protocol::REST;
        if pauses {
            self.pause = Some(Pause { at: now, took: Nanos(0) });
        }
        pauses
    }

    /// What levels of equal devices hardly ever differ by, given how much one reading differs from the next: four standard deviations,
    /// since there is a look after every reading.
    fn by_chance(&self) -> f64 {
        let deviation = |of: fn(&Sentinels) -> Option<Nanos>| {
            let logs: Vec<f64> = self.readings.iter().filter_map(of).map(|reading| libm::log(reading.as_f64().max(1.0))).collect();
            stats::step_deviation(&logs)
        };
        let noise = deviation(|read| read.main_ns).max(deviation(|read| read.worker_ns));
        libm::expm1(4.0 * stats::MEDIAN_OF_THREE_NOISE * noise)
    }

    /// Takes what was read after a rest of so long. The pause, once it is over.
    pub fn rested(&mut self, read: Sentinels, rest: Nanos) -> Option<CoolDown> {
        let mut pause = self.pause.take().expect("only a pause rests");
        pause.took = pause.took + rest;
        let now = Level { main_ns: read.main_ns.map(Nanos::as_f64), worker_ns: read.worker_ns.map(Nanos::as_f64) };
        let reached = self.allowance.first.is_some_and(|first| now.above(first) <= protocol::COOL);
        if !reached && pause.took + protocol::REST <= self.allowance.time.min(protocol::COOL_DOWN) {
            self.pause = Some(pause);
            return None;
        }
        let over = CoolDown { at_ns: pause.at, took_ns: pause.took, reached };
        self.allowance.spend(&[over], &[]);
        // What was read before the pause says nothing of the device after it.
        self.readings.clear();
        Some(over)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(main_us: u64, worker_us: u64) -> Sentinels {
        Sentinels { main_ns: Some(Nanos(main_us * 1_000)), worker_ns: Some(Nanos(worker_us * 1_000)), storage_ns: None }
    }

    /// A thermometer that has seen its first level, of 300 µs, in a run of so many seconds.
    fn after_first_level(budget_s: f64) -> Thermometer {
        let mut thermometer = Thermometer::new(Allowance::of_run(Nanos::from_s(budget_s)));
        assert!((0..3).all(|_| !thermometer.read(read(300, 300), Nanos(0))));
        thermometer
    }

    #[test]
    fn one_slow_reading_is_not_heat() {
        let mut thermometer = after_first_level(120.0);
        for us in [301, 300, 302, 900, 300, 301, 300, 303, 900, 300, 300, 316] {
            assert!(!thermometer.read(read(300, us), Nanos(0)), "{us}");
        }
        assert!(thermometer.read(read(300, 316), Nanos(7)), "the median of the last three is 5.3 % above");
    }

    /// Of readings that differ by 10 % from one to the next, three in a row are 6 % above three others now and then.
    #[test]
    fn noise_is_not_heat() {
        let mut thermometer = after_first_level(120.0);
        for us in [300, 330, 290, 320, 300, 325, 320, 318, 330, 300] {
            assert!(!thermometer.read(read(us, 300), Nanos(0)), "{us}");
        }
    }

    #[test]
    fn either_thread_can_be_hot_and_less_than_the_limit_is_not() {
        let mut thermometer = after_first_level(120.0);
        assert!((0..3).all(|_| !thermometer.read(read(314, 314), Nanos(0))));
        thermometer.read(read(316, 300), Nanos(0));
        assert!(thermometer.read(read(316, 300), Nanos(0)));
    }

    #[test]
    fn a_pause_ends_when_the_device_is_as_fast_as_it_was() {
        let mut thermometer = after_first_level(120.0);
        while !thermometer.read(read(400, 400), Nanos(5)) {}
        assert_eq!(thermometer.rested(read(330, 330), protocol::REST), None);
        assert_eq!(thermometer.rested(read(310, 300), protocol::REST), None, "3.3 % above");
        let over = thermometer.rested(read(308, 300), protocol::REST);
        assert_eq!(over, Some(CoolDown { at_ns: Nanos(5), took_ns: Nanos(1_500_000_000), reached: true }));
    }

    #[test]
    fn pauses_are_bounded_in_number_and_in_length() {
        let pauses = |budget_s: f64| {
            let mut thermometer = after_first_level(budget_s);
            let mut lengths = Vec::new();
            for _ in 0..100 {
                if thermometer.read(read(400, 400), Nanos(0)) {
                    let over = (0..1_000).find_map(|_| thermometer.rested(read(400, 400), protocol::REST));
                    lengths.push(over.expect("it ends").took_ns.as_s());
                }
            }
            lengths
        };
        assert_eq!(pauses(10_000.0), [30.0; 4]);
        assert_eq!(pauses(200.0), [30.0, 20.0]);
        assert_eq!(pauses(30.0), [7.5]);
        assert_eq!(pauses(1.0), [0.0; 0]);
    }

    #[test]
    fn the_first_level_is_the_launch_s() {
        let mut allowance = Allowance::of_run(Nanos::from_s(120.0));
        allowance.spend(&[], &[read(300, 300); 3]);
        let mut later = Thermometer::new(allowance);
        assert!(!later.read(read(400, 400), Nanos(0)) && !later.read(read(400, 400), Nanos(0)));
        assert!(later.read(read(400, 400), Nanos(0)));
    }
}
