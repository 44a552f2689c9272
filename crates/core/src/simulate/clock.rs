//! A browser's two clocks, as far as a page sees them: `performance.now()`, which ticks, and `Date.now()`, which goes on
//! while the device sleeps.

use crate::units::Nanos;

/// What `performance.now()` does while the device sleeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Monotonic {
    /// It stands, as on Linux, Android and macOS: the two clocks drift apart, and the gap tells of the sleep.
    Stands,
    /// It jumps by the time slept, as on Windows: a sample that spans the sleep is as long as the sleep.
    Jumps,
}

/// The clock of one thread. It is read at moments of the device's own time, in nanoseconds since the device began,
/// in which sleep takes no time at all.
#[derive(Clone, Debug)]
pub struct Clock {
    tick: Nanos,
    /// The key from which the jitter of every tick follows. None: ticks are regular.
    jitter: Option<u64>,
    /// What the clock showed when the device began: a page is some time old when a run starts.
    origin_ms: f64,
    jumped_ms: f64,
    slept_ms: f64,
}

/// An hour and some: readings of this size carry the float noise that a page's readings have, about 10^-10 ms.
const PAGE_AGE_MS: f64 = 4_321_987.6;

impl Clock {
    /// A clock with regular ticks, as in Chromium: a reading is the last whole tick.
    #[must_use]
    pub fn regular(tick: Nanos) -> Self {
        Self { tick, jitter: None, origin_ms: PAGE_AGE_MS, jumped_ms: 0.0, slept_ms: 0.0 }
    }

    /// A clock whose ticks come at moments that cannot be foreseen, as in Firefox: within every tick there is a moment, drawn
    /// from the key, from which on the next tick is shown. Readings are whole ticks still, and never go back.
    #[must_use]
    pub fn jittered(tick: Nanos, key: u64) -> Self {
        Self { jitter: Some(key), ..Self::regular(tick) }
    }

    /// The tick, as the model has it; a page has to measure it.
    #[must_use]
    pub fn tick(&self) -> Nanos {
        self.tick
    }

    /// `performance.now()`: milliseconds since the page was opened, in floats, with all that they round away.
    #[must_use]
    pub fn now_ms(&self, at_ns: f64) -> f64 {
        let ticks = at_ns / self.tick.as_f64().max(1.0);
        let whole = ticks.floor();
        let early = self.jitter.is_some_and(|key| ticks - whole >= fraction(key, whole));
        let shown = whole + f64::from(u8::from(early));
        self.origin_ms + self.jumped_ms + shown * self.tick.as_ms()
    }

    /// `Date.now()`, counted from another moment. It is driven by the same crystal, so it differs from the other clock by the
    /// time slept alone; its whole milliseconds are nothing beside the second that counts as sleep.
    #[must_use]
    pub fn wall_ms(&self, at_ns: f64) -> f64 {
        self.now_ms(at_ns) - self.jumped_ms + self.slept_ms
    }

    /// The device sleeps.
    pub fn sleep(&mut self, duration: Nanos, monotonic: Monotonic) {
        self.slept_ms += duration.as_ms();
        if monotonic == Monotonic::Jumps {
            self.jumped_ms += duration.as_ms();
        }
    }

    /// The clock goes back: no browser should do this, and some virtual machines do.
    pub fn step_back(&mut self, by: Nanos) {
        self.jumped_ms -= by.as_ms();
    }
}

/// A number from 0 to below 1 that follows from the key and the tick alone (`SplitMix64`'s finaliser).
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a number of ticks
fn fraction(key: u64, tick: f64) -> f64 {
    let mut bits = key.wrapping_add((tick as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const TICK: Nanos = Nanos(20_000);

    /// Nanoseconds since the first reading, in which float noise is rounded away.
    fn readings(clock: &Clock) -> Vec<u64> {
        let first = clock.now_ms(0.0);
        (0..100_000_u32).map(|step| Nanos::from_ms(clock.now_ms(f64::from(step) * 777.0) - first).0).collect()
    }

    #[test]
    fn readings_are_whole_ticks_and_never_go_back() {
        for clock in [Clock::regular(TICK), Clock::jittered(TICK, 5)] {
            let readings = readings(&clock);
            assert!(readings.is_sorted() && readings.iter().all(|reading| reading % TICK.0 == 0));
        }
    }

    #[test]
    fn jittered_ticks_last_from_nothing_to_two_ticks() {
        let of = |clock: Clock| {
            let lengths: Vec<usize> = readings(&clock).chunk_by(|a, b| a == b).map(<[u64]>::len).collect();
            // The first and the last are cut.
            let whole = &lengths[1..lengths.len() - 1];
            (*whole.iter().min().expect("many"), *whole.iter().max().expect("many"))
        };
        // A tick is 25.7 readings.
        assert_eq!(of(Clock::regular(TICK)), (25, 26));
        let (shortest, longest) = of(Clock::jittered(TICK, 5));
        assert!(shortest <= 3 && longest >= 45, "{shortest} to {longest}");
    }

    #[test]
    fn readings_carry_float_noise() {
        let clock = Clock::regular(Nanos(5_000));
        assert_ne!(clock.now_ms(35_000.0) - clock.now_ms(0.0), 0.035);
        assert!((clock.now_ms(35_000.0) - clock.now_ms(0.0) - 0.035).abs() < 1e-8);
    }

    #[test]
    fn sleep_shows_between_the_clocks_or_on_both() {
        for (monotonic, shown) in [(Monotonic::Stands, 0.0), (Monotonic::Jumps, 5_000.0)] {
            let mut clock = Clock::regular(TICK);
            let (now, wall) = (clock.now_ms(1e6), clock.wall_ms(1e6));
            clock.sleep(Nanos::from_s(5.0), monotonic);
            assert!((clock.now_ms(1e6) - now - shown).abs() < 1e-6);
            assert!((clock.wall_ms(1e6) - wall - 5_000.0).abs() < 1e-6);
        }
    }

    #[test]
    fn a_step_back_shows() {
        let mut clock = Clock::regular(TICK);
        let before = clock.now_ms(1e6);
        clock.step_back(Nanos::from_s(1.0));
        assert!(clock.now_ms(2e6) < before);
    }
}
