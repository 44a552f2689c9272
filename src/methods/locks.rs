//! The Web Locks API, on either thread: what a page takes that wants nobody else to change a file while it works on it.

use js_sys::{Array, Function};
use opfs_bench_core::result::EndsUp;
use wasm_bindgen::prelude::*;

use super::blob;
use super::lanes::{Lane, Lanes, opener};
use super::{Context, Method, Reader, Unopened};
use crate::opfs::{Call, PREFIX};

pub const METHODS: &[Method] = &[
    Method::locking("main/web-locks", EndsUp::Nowhere, |context| Box::pin(open(context))).needs(NEEDS),
    Method::locking("worker/web-locks", EndsUp::Nowhere, |context| Box::pin(open(context))).needs(NEEDS),
];

const NEEDS: &[&str] = &["navigator.locks"];

#[allow(clippy::unused_async)] // every method opens by a future
async fn open(context: &Context) -> Result<Box<dyn Reader>, Unopened> {
    // What the lock on each is called.
    let called = context.names.iter().map(|name| JsValue::from(format!("{PREFIX}{name}"))).collect();
    let open = opener(context.directory.js(), &blob::names(&context.names));
    Ok(Box::new(Lanes::new(1, &context.names, Call::Lock, || lock_lane(&called, &open))))
}

// While bytes are checked, those of the file show that its lock was held.
#[wasm_bindgen(inline_js = "
export const lockLane = (called, open) => ({
  async read(file, at, length, pieces) {
    const name = called[file];
    if (!pieces) {
      await navigator.locks.request(name, () => {});
      return 0;
    }
    const held = await navigator.locks.request(name, async () => (await navigator.locks.query()).held.some((lock) => lock.name === name));
    if (!held) return 0;
    const buffer = await (await open(file)).slice(at, at + length).arrayBuffer();
    pieces.push(buffer);
    return buffer.byteLength;
  },
  count: (bytes) => bytes,
});")]
extern "C" {
    #[wasm_bindgen(js_name = lockLane)]
    fn lock_lane(called: &Array, open: &Function) -> Lane;
}
