//! The clock of whichever thread this is, `performance.now()`, and its tick.

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
    estimator.tick().ok_or_else(|| "performance.now() stands still: nothing can be timed here".into())
}

/// Reading the clock takes some 30 ns: more readings than this are longer than any browser's tick, and than any wait that is busy.
const READINGS: u32 = 4_000_000;

/// Busy-waits for less than a tick, so that samples do not all begin at the same place within one.
pub fn dither(duration: Nanos) {
    wait_until(now_ms() + duration.as_ms());
}

/// Busy-waits until the clock shows the moment, for a tenth of a second at most.
pub fn wait_until(moment_ms: f64) {
    // A clock that stands or steps back must not hold the thread for ever; what it times is found out later.
    let _ = (0..READINGS).find(|_| now_ms() >= moment_ms);
}
