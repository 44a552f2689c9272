//! A deadline for what the browser promised. Some promises never settle: in Chromium, now and then one of a BYOB reader. An arm
//! with such a promise fails; the run goes on.

use std::future::Future;

use futures_util::future::{Either, select};
use futures_util::pin_mut;
use js_sys::{Function, Promise};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use crate::opfs::OpfsError;

/// A sample takes a quarter of a second at most, a check some seconds on a slow device. Shorter than what the run as a whole takes
/// for silence, so that it is the arm that ends.
pub const ANSWER_MS: f64 = 20_000.0;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = setTimeout)]
    fn set_timeout(handler: &Function, ms: f64) -> JsValue;
    #[wasm_bindgen(js_name = clearTimeout)]
    fn clear_timeout(timer: &JsValue);
}

/// Whatever the work says, or an error when so many milliseconds are over. They count from the call on, so that nothing stands
/// between the first poll and the work.
pub fn within<T, E: From<OpfsError>>(ms: f64, work: impl Future<Output = Result<T, E>>) -> impl Future<Output = Result<T, E>> {
    let mut timer = Timer::new(ms);
    async move {
        pin_mut!(work);
        match select(work, &mut timer.over).await {
            Either::Left((done, _)) => done,
            Either::Right(_) => Err(OpfsError::late(ms).into()),
        }
    }
}

/// A timer, called off when dropped: samples come by the thousand, and none may leave one behind, nor a promise that is awaited for ever.
struct Timer {
    id: JsValue,
    resolve: Function,
    over: JsFuture,
}

impl Timer {
    fn new(ms: f64) -> Self {
        let mut resolve = None;
        let over = Promise::new(&mut |resolves, _| resolve = Some(resolves));
        let resolve = resolve.expect("a promise calls at once");
        Self { id: set_timeout(&resolve, ms), resolve, over: JsFuture::from(over) }
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        clear_timeout(&self.id);
        // It settles a promise, which cannot throw.
        let _ = self.resolve.call0(&JsValue::UNDEFINED);
    }
}

#[cfg(all(test, target_arch = "wasm32"))]
mod tests {
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::*;
    use crate::opfs;

    #[wasm_bindgen_test]
    async fn what_is_done_in_time_says_what_it_says() {
        assert_eq!(within(1_000.0, async { Ok::<_, OpfsError>(7) }).await, Ok(7));
        let slow = async {
            opfs::sleep(20.0).await;
            Ok::<_, OpfsError>(8)
        };
        assert_eq!(within(1_000.0, slow).await, Ok(8));
    }

    #[wasm_bindgen_test]
    async fn what_never_comes_is_an_error_that_says_how_long_it_was_waited_for() {
        let error = within(30.0, std::future::pending::<Result<(), OpfsError>>()).await.unwrap_err().to_string();
        assert!(error.contains("no answer within 0.03 s"), "{error}");
    }
}
