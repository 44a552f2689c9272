//! Promises, on either thread: `getFile()`, then `arrayBuffer()` of the whole file or of a slice.

use js_sys::Function;
use opfs_bench_core::result::EndsUp;
use wasm_bindgen::prelude::*;

use super::blob::{self, Family};
use super::lanes::{How, Lane, Lanes, opener};
use super::{Context, Method, Reader, Unopened};
use crate::opfs::Call;

pub const METHODS: &[Method] = &[
    Method::new("main/array-buffer", EndsUp::MainBuffer, |context| Box::pin(WHOLE.open(context))).whole(),
    Method::new("worker/array-buffer", EndsUp::WorkerBuffer, |context| Box::pin(WHOLE.open(context))).whole(),
    Method::new("main/slice", EndsUp::MainBuffer, |context| Box::pin(SLICE.open(context))).opening(|context| Box::pin(open_only(context))),
    Method::new("worker/slice", EndsUp::WorkerBuffer, |context| Box::pin(SLICE.open(context)))
        .opening(|context| Box::pin(open_only(context))),
];

#[wasm_bindgen(inline_js = "
export const arrayBuffer = () => ({
  read: (blob) => blob.arrayBuffer(),
  count(buffer, pieces) {
    pieces?.push(buffer);
    return buffer.byteLength;
  },
});")]
extern "C" {
    #[wasm_bindgen(js_name = arrayBuffer)]
    fn array_buffer() -> How;
}

/// Opens files and does no more: a `File` is never closed. Its bytes show that it was opened.
#[allow(clippy::unused_async)] // every method opens by a future
async fn open_only(context: &Context) -> Result<Box<dyn Reader>, Unopened> {
    let open = opener(context.directory.js(), &blob::names(&context.names));
    Ok(Box::new(Lanes::new(1, &context.names, Call::ArrayBuffer, || opening(&open))))
}

#[wasm_bindgen(inline_js = "
export const opening = (open) => ({
  async read(file, at, length, pieces) {
    const blob = await open(file);
    if (!pieces) return 0;
    const part = blob.slice(at, at + length);
    const buffer = await part.arrayBuffer();
    pieces.push(buffer);
    return buffer.byteLength;
  },
  count: (bytes) => bytes,
});")]
extern "C" {
    fn opening(open: &Function) -> Lane;
}

/// A slice of the file.
pub(super) const SLICE: Family<fn() -> How> = Family::new(Call::ArrayBuffer, array_buffer);
/// The file itself.
const WHOLE: Family<fn() -> How> = Family { parts: false, ..SLICE };
