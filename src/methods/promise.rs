//! Promises, on either thread: `getFile()`, then `arrayBuffer()` of the whole file or of a slice.

use opfs_bench_core::result::EndsUp;
use wasm_bindgen::prelude::*;

use super::Method;
use super::blob::Family;
use super::lanes::How;
use crate::opfs::Call;

pub const METHODS: &[Method] = &[
    Method::new("main/array-buffer", EndsUp::MainBuffer, |context| Box::pin(WHOLE.open(context))).whole(),
    Method::new("worker/array-buffer", EndsUp::WorkerBuffer, |context| Box::pin(WHOLE.open(context))).whole(),
    Method::new("main/slice", EndsUp::MainBuffer, |context| Box::pin(SLICE.open(context))),
    Method::new("worker/slice", EndsUp::WorkerBuffer, |context| Box::pin(SLICE.open(context))),
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

/// A slice of the file.
pub(super) const SLICE: Family<fn() -> How> = Family::new(Call::ArrayBuffer, array_buffer);
/// The file itself.
const WHOLE: Family<fn() -> How> = Family { parts: false, ..SLICE };
