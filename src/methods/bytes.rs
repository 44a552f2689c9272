//! `bytes()` of a slice, on either thread: `arrayBuffer()` with the view that nearly everyone then makes.

use opfs_bench_core::result::EndsUp;
use wasm_bindgen::prelude::*;

use super::Method;
use super::blob::Family;
use super::lanes::How;
use crate::opfs::Call;

pub const METHODS: &[Method] = &[
    Method::new("main/bytes", EndsUp::MainBuffer, |context| Box::pin(BYTES.open(context))).needs(NEEDS),
    Method::new("worker/bytes", EndsUp::WorkerBuffer, |context| Box::pin(BYTES.open(context))).needs(NEEDS),
];

const NEEDS: &[&str] = &["Blob.prototype.bytes"];
const BYTES: Family<fn() -> How> = Family::new(Call::Bytes, bytes);

#[wasm_bindgen(inline_js = "
export const bytes = () => ({
  read: (blob) => blob.bytes(),
  count(array, pieces) {
    pieces?.push(array);
    return array.byteLength;
  },
});")]
extern "C" {
    fn bytes() -> How;
}
