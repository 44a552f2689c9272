//! Bindings to `glue.js` and to what web-sys lacks.

use js_sys::{Function, Promise, Uint8Array};
use wasm_bindgen::prelude::*;
use web_sys::{FileSystemDirectoryHandle, FileSystemSyncAccessHandle, MessagePort};

#[wasm_bindgen(module = "/src/glue.js")]
extern "C" {
    #[wasm_bindgen(js_name = readAt)]
    pub fn read_at(handle: &FileSystemSyncAccessHandle, view: &Uint8Array, at: f64) -> f64;
    #[wasm_bindgen(js_name = takeThrown)]
    pub fn take_thrown() -> JsValue;
    pub fn asker(port: &MessagePort) -> Function;
    pub fn names(directory: &FileSystemDirectoryHandle) -> Promise;
    #[wasm_bindgen(js_name = takeLock)]
    pub fn take_lock(name: &str) -> Promise;
    pub fn sleep(ms: f64) -> Promise;
    pub fn drawn() -> Promise;
}

#[wasm_bindgen]
extern "C" {
    /// Absent in old browsers, where it reads as undefined.
    #[wasm_bindgen(thread_local_v2, js_name = crossOriginIsolated)]
    pub static CROSS_ORIGIN_ISOLATED: JsValue;
}
