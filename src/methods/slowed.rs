//! A method with a known slowdown, to check the tool itself: `main/slice-slowed-5` is `main/slice`, and after each batch it
//! spends 5 % of the batch's time on nothing. So its true ratio to the plain method is 1.05, whatever the device, and a verdict
//! on it is right or wrong. `-slowed-0` is the plain method again, through the same wrapper.
//!
//! The clock ticks, and a wait that ends with a tick is half a tick too long on average, as the clock shows it. Half of 20 µs is
//! 0.5 % of a sample of 2 ms, which is much beside a slowdown of 3 %. So a random fraction of a tick is taken off what is waited
//! for: with u uniform between 0 and 1, the mean of ceil(x - u) is x.

use std::rc::Rc;

use futures_util::future::LocalBoxFuture;
use opfs_bench_core::fixture::{Checksum, Form};
use opfs_bench_core::ops::Op;
use opfs_bench_core::units::Nanos;

use super::{Reader, Timed, Writer};
use crate::clock;
use crate::opfs::OpfsError;

const MARK: &str = "-slowed-";
const MOST_PERCENT: u8 = 100;
/// Reading the clock takes longer than a nanosecond, so as many readings as this are longer than a millisecond ...
const READINGS_PER_MS: f64 = 1e6;
/// ... and this many on top are longer than any browser's tick.
const MORE_READINGS: f64 = 4e6;

/// The plain method's name and the slowdown in per cent. One way to write each: no `05`.
pub fn parts(name: &str) -> Option<(&str, u8)> {
    let (plain, digits) = name.rsplit_once(MARK)?;
    let percent: u8 = digits.parse().ok()?;
    (percent <= MOST_PERCENT && digits == percent.to_string()).then_some((plain, percent))
}

/// A reader that takes longer than the one inside it.
pub struct Slowed {
    plain: Rc<dyn Reader>,
    share: f64,
    tick_ms: f64,
}

impl Slowed {
    /// Slows `plain` down by so many per cent, on a clock with this tick.
    pub fn new(plain: Rc<dyn Reader>, percent: u8, tick: Nanos) -> Self {
        Self { plain, share: f64::from(percent) / 100.0, tick_ms: tick.as_ms() }
    }
}

impl Reader for Slowed {
    fn buffers<'a>(&'a self, ops: &'a [Op]) -> LocalBoxFuture<'a, Result<u64, OpfsError>> {
        self.plain.buffers(ops)
    }

    fn read<'a>(&'a self, ops: &'a [Op], check: Option<&'a mut Checksum>) -> LocalBoxFuture<'a, Result<Timed, OpfsError>> {
        if check.is_some() {
            return self.plain.read(ops, check);
        }
        let reading = self.plain.read(ops, None);
        Box::pin(async move {
            let timed = reading.await?;
            let extra_ms = wait(timed.elapsed_ms * self.share, js_sys::Math::random() * self.tick_ms, clock::now_ms);
            Ok(Timed { elapsed_ms: timed.elapsed_ms + extra_ms, ..timed })
        })
    }

    fn form(&self) -> Form {
        self.plain.form()
    }

    fn writer(&self) -> Option<&dyn Writer> {
        self.plain.writer()
    }
}

/// Busy-waits for `extra_ms` on average, where `off_ms` is a random part of the clock's tick. Returns how long it was by that clock.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // above zero; `as` saturates
fn wait(extra_ms: f64, off_ms: f64, mut now_ms: impl FnMut() -> f64) -> f64 {
    let target_ms = extra_ms - off_ms;
    if target_ms <= 0.0 {
        return 0.0;
    }
    let start_ms = now_ms();
    // A clock that stands or steps back must not hold the thread for ever; what it times is found out elsewhere.
    let readings = (target_ms * READINGS_PER_MS + MORE_READINGS) as u64;
    let mut waited_ms = 0.0;
    let _ = (0..readings).find(|_| {
        waited_ms = now_ms() - start_ms;
        waited_ms >= target_ms
    });
    waited_ms
}

#[cfg(test)]
mod wait_tests {
    use opfs_bench_core::simulate::Clock;

    use super::*;

    /// The mean of waits for `extra_ms`, each begun at another place within a tick, and with another part of it taken off.
    fn mean(clock: &Clock, extra_ms: f64) -> f64 {
        const WAITS: u32 = 2_000;
        let tick_ms = clock.tick().as_ms();
        let mut device_ns = 0.0;
        let one = |place: u32| {
            // The golden ratio spreads starts evenly, and apart from the parts that are taken off.
            device_ns += clock.tick().as_f64() * 1.618_033_988_749_895;
            let off_ms = (f64::from(place) + 0.5) / f64::from(WAITS) * tick_ms;
            wait(extra_ms, off_ms, || {
                device_ns += clock.tick().as_f64() / 16.0;
                clock.now_ms(device_ns)
            })
        };
        (0..WAITS).map(one).sum::<f64>() / f64::from(WAITS)
    }

    #[test]
    fn waits_are_right_on_average_however_coarse_the_clock() {
        for tick in [5_000, 20_000, 1_000_000].map(Nanos) {
            for clock in [Clock::regular(tick), Clock::jittered(tick, 5)] {
                for ticks in [0.1, 1.0, 2.5, 17.75] {
                    let found = mean(&clock, ticks * tick.as_ms()) / tick.as_ms();
                    assert!((found - ticks).abs() < 0.01, "{ticks} ticks of {tick:?}: {found}");
                }
            }
        }
    }

    #[test]
    fn nothing_is_nothing() {
        for extra_ms in [0.0, -1.0] {
            assert_eq!(wait(extra_ms, 0.0, || unreachable!("the clock is not even read")), 0.0, "{extra_ms}");
        }
    }

    #[test]
    fn a_clock_that_stands_or_steps_back_ends_the_wait() {
        assert_eq!(wait(0.1, 0.0, || 7.0), 0.0);
        let mut now_ms = 7.0;
        let waited_ms = wait(0.1, 0.0, || std::mem::replace(&mut now_ms, 3.0));
        assert_eq!(waited_ms, -4.0);
    }
}
