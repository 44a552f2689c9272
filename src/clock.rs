//! The clock of whichever thread this is, `performance.now()`, and its tick.

use std::cell::Cell;

use opfs_bench_core::plan::TickEstimator;
use opfs_bench_core::units::Nanos;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// Milliseconds since the thread's time origin.
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    pub fn now_ms() -> f64;
    /// Milliseconds since 1970, by the device's clock, which goes on while the device sleeps.
    #[wasm_bindgen(js_namespace = Date, js_name = now)]
    pub fn wall_ms() -> f64;
}

/// Reads the clock over and over until its tick is known.
///
/// # Errors
/// When the clock stands or steps back.
pub fn measure_tick() -> Result<Nanos, String> {
    let mut estimator = TickEstimator::new();
    // A clock that stands never reaches the time that ends the readings; the other clock and a count end it then.
    let give_up = wall_ms() + 2_000.0;
    let mut readings = 0_u32;
    while estimator.read(now_ms()) {
        readings = readings.wrapping_add(1);
        if (readings.is_multiple_of(1 << 16) && wall_ms() > give_up) || readings > 1 << 28 {
            break;
        }
    }
    if estimator.stepped_back() {
        return Err("performance.now() stepped back while its tick was measured: nothing can be timed here".into());
    }
    let tick = estimator.tick().ok_or("performance.now() stands still: nothing can be timed here")?;
    RATE.set(Rate::measured(tick.as_ms()));
    Ok(tick)
}

thread_local! {
    static RATE: Cell<Rate> = const { Cell::new(Rate::USUAL) };
}

/// How often this thread reads its clock in a millisecond. A loop that has run for a while is compiled better and reads it more often, so
/// that is looked at again now and then.
#[derive(Clone, Copy)]
struct Rate {
    per_ms: f64,
    tick_ms: f64,
    uses: u32,
}

impl Rate {
    /// On most devices.
    const USUAL: Self = Self { per_ms: 30_000.0, tick_ms: 0.1, uses: 0 };
    /// So many ticks tell the rate to some per cent.
    const TICKS: f64 = 20.0;
    /// After so many waits it is looked at again.
    const USES: u32 = 64;

    /// The higher of two: whatever comes between leaves fewer readings.
    fn measured(tick_ms: f64) -> Self {
        let once = || {
            let start_ms = now_ms();
            let enough_ms = start_ms + tick_ms * Self::TICKS;
            let readings = (1..READINGS).find(|_| now_ms() >= enough_ms).unwrap_or(READINGS);
            f64::from(readings) / (now_ms() - start_ms).max(tick_ms)
        };
        Self { per_ms: once().max(once()), tick_ms, uses: 0 }
    }

    fn used(self) -> Self {
        if self.uses < Self::USES { Self { uses: self.uses + 1, ..self } } else { Self::measured(self.tick_ms) }
    }
}

/// Reading the clock takes some 30 ns: more readings than this are longer than any browser's tick, and than any wait that is busy.
const READINGS: u32 = 4_000_000;

/// Busy-waits for less than a tick, so that samples do not all begin at the same place within one. The clock cannot tell when that
/// is over: it would show the next tick, and every sample would begin right after one. So its readings are counted instead.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // not negative; `as` saturates
pub fn dither(duration: Nanos) {
    let rate = RATE.get().used();
    RATE.set(rate);
    let readings = ((duration.as_ms() * rate.per_ms) as u32).min(READINGS);
    for _ in 0..readings {
        std::hint::black_box(now_ms());
    }
}

/// Busy-waits until the clock shows the moment, for a tenth of a second at most.
pub fn wait_until(moment_ms: f64) {
    // A clock that stands or steps back must not hold the thread for ever; what it times is found out later.
    let _ = (0..READINGS).find(|_| now_ms() >= moment_ms);
}

#[cfg(all(test, target_arch = "wasm32"))]
mod tests {
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::*;

    /// How many readings until the clock has ticked so many times.
    fn readings_to(ticks: u32) -> f64 {
        (0..ticks).map(|_| now_ms()).map(|now| f64::from((0..READINGS).find(|_| now_ms() > now).unwrap_or(READINGS))).sum()
    }

    /// Where in a tick samples begin, from 0 right before the next one to 1 right after one, in quarters. A wait that ends with a
    /// tick would put them all into the last.
    ///
    /// How many readings a tick is long is counted right after each sample: on a machine that is busy with other things too it
    /// changes from one moment to the next. Four ticks, since some browsers move each of them by chance.
    #[wasm_bindgen_test]
    fn dithered_samples_begin_anywhere_within_a_tick() {
        const SAMPLES: u32 = 400;
        const TICKS: u32 = 4;
        let tick = measure_tick().unwrap();
        let wait = |sample: u32| {
            // All begin at the same place.
            readings_to(1);
            dither(Nanos::from_ms(tick.as_ms() * f64::from(sample) / f64::from(SAMPLES)));
        };
        // As in a run, there are many before those that count.
        (0..2 * SAMPLES).for_each(|sample| wait(sample % SAMPLES));
        let mut quarters = [0; 4];
        for sample in 0..SAMPLES {
            wait(sample);
            let place = readings_to(1) / (readings_to(TICKS) / f64::from(TICKS));
            let quarter = [0.25, 0.5, 0.75].into_iter().filter(|end| place >= *end).count();
            quarters[quarter] += 1;
        }
        assert!(quarters.iter().all(|count| *count > SAMPLES / 10), "{quarters:?}");
    }
}
