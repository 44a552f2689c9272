//! Bindings to `glue.js` and to what web-sys lacks.

use js_sys::{Array, Function, Int32Array, JSON, Object, Promise, Reflect, Uint8Array};
use serde::Serialize;
use wasm_bindgen::prelude::*;
use web_sys::{
    Blob, CacheStorage, FileSystemDirectoryHandle, FileSystemFileHandle, FileSystemSyncAccessHandle, IdbFactory, IdbRequest, WritableStream,
};

use crate::lines::Port;

/// A new object with these properties.
pub fn object<'a>(properties: impl IntoIterator<Item = (&'a str, &'a JsValue)>) -> Object {
    let object = Object::new();
    for (name, value) in properties {
        Reflect::set(&object, &name.into(), value).expect("a new object takes properties");
    }
    object
}

/// Plain data as an object for the page's scripts. What is None is null, unless the type leaves it out.
pub fn plain(value: &impl Serialize) -> JsValue {
    let text = serde_json::to_string(value).expect("plain data can be written");
    JSON::parse(&text).expect("what was written is JSON")
}

#[wasm_bindgen(module = "/src/glue.js")]
extern "C" {
    #[wasm_bindgen(js_name = readAt)]
    pub fn read_at(handle: &FileSystemSyncAccessHandle, view: &Uint8Array, at: f64) -> f64;
    #[wasm_bindgen(js_name = takeThrown)]
    pub fn take_thrown() -> JsValue;
    pub fn asker(port: &Port) -> Function;
    pub fn askers(port: &Port, count: u32) -> Array;
    #[wasm_bindgen(js_name = sharedAsker)]
    pub fn shared_asker(port: &Port, state: &Int32Array, lane: Option<u32>) -> Function;
    pub fn requested(request: &IdbRequest) -> Promise;
    #[wasm_bindgen(js_name = openDatabase)]
    pub fn open_database(name: &str, store: &str) -> Promise;
    #[wasm_bindgen(js_name = writeAt)]
    pub fn write_at(handle: &FileSystemSyncAccessHandle, view: &Uint8Array, at: f64) -> f64;
    #[wasm_bindgen(js_name = createWritable)]
    pub fn create_writable(file: &FileSystemFileHandle, keep: bool) -> Promise;
    #[wasm_bindgen(js_name = writeTo)]
    pub fn write_to(stream: &WritableStream, data: &Object, at: f64) -> Promise;
    pub fn abandon(stream: &WritableStream);
    pub fn pipe(file: &Blob, stream: &WritableStream) -> Promise;
    pub fn handers(port: &Port, count: u32) -> Array;
    pub fn names(directory: &FileSystemDirectoryHandle) -> Promise;
    #[wasm_bindgen(js_name = takeLock)]
    pub fn take_lock(name: &str) -> Promise;
    pub fn sleep(ms: f64) -> Promise;
    pub fn drawn() -> Promise;
    #[wasm_bindgen(js_name = frameMs)]
    pub fn frame_ms() -> Promise;
    pub fn battery() -> Promise;
}

#[wasm_bindgen]
extern "C" {
    /// Absent in old browsers, where it reads as undefined.
    #[wasm_bindgen(thread_local_v2, js_name = crossOriginIsolated)]
    pub static CROSS_ORIGIN_ISOLATED: JsValue;
    #[wasm_bindgen(thread_local_v2, js_name = indexedDB)]
    pub static INDEXED_DB: Option<IdbFactory>;
    /// Absent in insecure contexts too.
    #[wasm_bindgen(thread_local_v2, js_name = caches)]
    pub static CACHES: Option<CacheStorage>;

    /// Names of databases.
    #[wasm_bindgen(extends = Object)]
    pub type ListingFactory;
    /// Throws before Firefox 126.
    #[wasm_bindgen(method, catch)]
    pub fn databases(this: &ListingFactory) -> Result<Promise, JsValue>;

    /// A file handle whose sync handles have modes.
    #[wasm_bindgen(extends = Object)]
    pub type ModalFileHandle;
    #[wasm_bindgen(method, js_name = createSyncAccessHandle)]
    pub fn create_sync_access_handle(this: &ModalFileHandle, options: &Object) -> Promise;
}
