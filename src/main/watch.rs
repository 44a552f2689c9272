//! What happens around the rounds: the page goes out of sight, the device sleeps.

use std::cell::Cell;
use std::rc::Rc;

use opfs_bench_core::plan::RoundChecks;
use opfs_bench_core::units::Nanos;
use wasm_bindgen::prelude::*;

use crate::main::control::Control;
use crate::opfs::sleep;
use crate::{clock, env};

/// How often a hidden page looks whether it is visible again; nothing is measured meanwhile.
const HIDDEN_MS: f64 = 100.0;

/// Watches the page and the two clocks from one round to the next.
pub struct Watch {
    hidden: Rc<Cell<bool>>,
    on_change: Closure<dyn FnMut()>,
    last: (f64, f64),
}

impl Watch {
    /// Begins to watch.
    pub fn new() -> Self {
        let hidden = Rc::new(Cell::new(env::hidden()));
        let flag = Rc::clone(&hidden);
        let on_change = Closure::<dyn FnMut()>::new(move || flag.set(flag.get() || env::hidden()));
        if let Some(document) = env::window().document() {
            let listener = on_change.as_ref().unchecked_ref();
            document.add_event_listener_with_callback("visibilitychange", listener).expect("a document takes listeners");
        }
        Self { hidden, on_change, last: clocks() }
    }

    /// What happened since the last time, None where the clock stepped back; and how long a hidden page was waited for, which costs
    /// the group nothing. The wait ends when the run is to stop.
    pub async fn checks(&mut self, control: &Control) -> (Option<RoundChecks>, f64) {
        let (monotonic, wall) = clocks();
        if monotonic < self.last.0 {
            return (None, 0.0);
        }
        let gap = ((wall - self.last.1) - (monotonic - self.last.0)).abs();
        let hidden = self.hidden.get() || env::hidden();
        while env::hidden() && !control.stopped() {
            control.alive();
            sleep(HIDDEN_MS).await;
        }
        self.hidden.set(false);
        self.last = clocks();
        let checks = RoundChecks { hidden, clock_gap: Nanos::from_ms(gap), ..RoundChecks::default() };
        (Some(checks), self.last.0 - monotonic)
    }
}

fn clocks() -> (f64, f64) {
    (clock::now_ms(), clock::wall_ms())
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some(document) = env::window().document() {
            let listener = self.on_change.as_ref().unchecked_ref();
            // A listener that is not there is no error.
            let _ = document.remove_event_listener_with_callback("visibilitychange", listener);
        }
    }
}
