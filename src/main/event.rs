//! What a run tells the page while it goes on.

use js_sys::Function;
use serde::Serialize;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;

use crate::{clock, glue};

/// The page hears of progress at most this often: a change of the page must be drawn, which takes time from no sample but
/// from the budget.
const EVERY_MS: f64 = 500.0;

/// An event.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub enum Event {
    /// How far the run is.
    Progress {
        /// From 0 to 1.
        fraction: f64,
        /// What runs now.
        doing: String,
        /// At most, unless a group has to be measured again.
        seconds_left: f64,
    },
    /// A group is measured.
    Group {
        /// Its number in the job.
        index: usize,
        /// Heading, chart and table.
        html: String,
    },
    /// The run is over.
    End {
        /// `finished`, `stopped` or `failed`.
        state: &'static str,
        /// What failed.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
}

/// The page's ear.
pub struct Events {
    callback: Function,
    last_progress_ms: f64,
}

impl Events {
    /// Calls this function with every event.
    pub fn new(callback: Function) -> Self {
        Self { callback, last_progress_ms: f64::NEG_INFINITY }
    }

    /// Tells the page at once.
    pub fn send(&self, event: &Event) {
        let event = glue::plain(event);
        if let Err(error) = self.callback.call1(&JsValue::UNDEFINED, &event) {
            // A page that cannot show an event must not end the run; its error still shows where errors do.
            let _ = js_sys::Promise::reject(&error);
        }
    }

    /// Tells the page of progress if it is time, and waits until that is drawn, so that no sample is taken meanwhile.
    pub async fn progress(&mut self, event: impl FnOnce() -> Event) {
        let now = clock::now_ms();
        // A clock that stepped back must not silence the run until it has caught up.
        if (now - self.last_progress_ms).abs() < EVERY_MS {
            return;
        }
        self.last_progress_ms = now;
        self.send(&event());
        JsFuture::from(glue::drawn()).await.expect("drawing does not reject");
    }
}
