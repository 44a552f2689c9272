//! Stop, and the watch over a run that hangs.

use std::cell::{Cell, RefCell};

use futures_channel::oneshot;

use crate::opfs::sleep;

/// After Stop, what is under way has this long to end by itself. A sample takes a quarter of a second at most.
const GRACE_MS: f64 = 500.0;
/// A run is looked after this often: rarely enough to disturb nothing.
const LOOK_MS: f64 = 5_000.0;
/// When so many looks find no step ended since the one before, none will: a promise that never settles, or a worker that died.
/// Looks are counted, not time, since a device that slept has lost time but no looks.
const SILENT_LOOKS: u32 = 6;

/// How a run is told to stop, from outside it.
#[derive(Default)]
pub struct Control {
    stopped: Cell<bool>,
    waiting: RefCell<Option<oneshot::Sender<()>>>,
    /// Set by every step, cleared by every look.
    alive: Cell<bool>,
    polls: Cell<u32>,
}

/// Why a run was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GivenUp {
    /// Stop was pressed, and what was under way did not end.
    Stopped,
    /// No step ended for half a minute.
    Silent,
}

impl Control {
    /// Asks the run to stop.
    pub fn stop(&self) {
        self.stopped.set(true);
        if let Some(waiting) = self.waiting.take() {
            // Whoever waited may be gone: then the run is over anyway.
            let _ = waiting.send(());
        }
    }

    /// Whether it was asked to.
    pub fn stopped(&self) -> bool {
        self.stopped.get()
    }

    /// Notes that a step ended.
    pub fn alive(&self) {
        self.alive.set(true);
    }

    /// Notes that a program outside the page asked for the state.
    pub fn polled(&self) {
        self.polls.set(self.polls.get() + 1);
    }

    /// How often one did.
    pub fn polls(&self) -> u32 {
        self.polls.get()
    }

    /// Resolves a moment after Stop.
    pub async fn stop_overdue(&self) -> GivenUp {
        if !self.stopped() {
            let (sender, receiver) = oneshot::channel();
            self.waiting.replace(Some(sender));
            // An error means that another one waits in its place; none does.
            let _ = receiver.await;
        }
        sleep(GRACE_MS).await;
        GivenUp::Stopped
    }

    /// Resolves when no step has ended for a long time.
    pub async fn silent(&self) -> GivenUp {
        let mut looks = 0;
        while looks < SILENT_LOOKS {
            sleep(LOOK_MS).await;
            looks = if self.alive.replace(false) { 0 } else { looks + 1 };
        }
        GivenUp::Silent
    }
}
