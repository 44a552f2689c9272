//! Bindings to `lines.js`: how several methods speak with one worker over its own channel, beside the requests.

use js_sys::Function;
use wasm_bindgen::prelude::*;
use web_sys::MessageEvent;

#[wasm_bindgen(module = "/src/lines.js")]
extern "C" {
    fn share(end: &JsValue, hear: &Function) -> Function;
}

#[wasm_bindgen]
extern "C" {
    /// One end of a line: what is posted into it, the other end hears. A `MessagePort` is one as well.
    #[derive(Clone)]
    pub type Port;
    #[wasm_bindgen(method, catch, js_name = postMessage)]
    pub fn post(this: &Port, message: &JsValue) -> Result<(), JsValue>;
    #[wasm_bindgen(method, setter, js_name = onmessage)]
    pub fn set_onmessage(this: &Port, hear: &Function);
    /// Nothing is heard any more.
    #[wasm_bindgen(method)]
    pub fn close(this: &Port);
}

/// A worker's channel, at either end of it. It is shared between requests and lines as long as this is there.
pub struct Channel {
    open: Function,
    _hear: Closure<dyn FnMut(MessageEvent)>,
}

impl Channel {
    /// Takes over the `onmessage` of a `Worker`, or of a worker's own scope. What belongs to no line, `hear` gets.
    pub fn of(end: &JsValue, hear: impl FnMut(MessageEvent) + 'static) -> Self {
        let hear = Closure::<dyn FnMut(MessageEvent)>::new(hear);
        Self { open: share(end, hear.as_ref().unchecked_ref()), _hear: hear }
    }

    /// Opens the line of this number, which must be new.
    pub fn line(&self, number: u32) -> Port {
        self.open.call1(&JsValue::UNDEFINED, &number.into()).expect("it only makes an object").unchecked_into()
    }
}
