//! `new Response(blob).arrayBuffer()` of a slice, on either thread: the body of an answer that no network gave.

use opfs_bench_core::result::EndsUp;
use wasm_bindgen::prelude::*;

use super::Method;
use super::blob::Family;
use super::lanes::How;
use crate::opfs::Call;

pub const METHODS: &[Method] = &[
    Method::new("main/response", EndsUp::MainBuffer, |context| Box::pin(BODY.open(context))),
    Method::new("worker/response", EndsUp::WorkerBuffer, |context| Box::pin(BODY.open(context))),
];

const BODY: Family<fn() -> How> = Family::new(Call::Response, response);

#[wasm_bindgen(inline_js = "
export const response = () => ({
  held: undefined,
  read(blob) {
    this.held = new Response(blob);
    return this.held.arrayBuffer();
  },
  count(buffer, pieces) {
    pieces?.push(buffer);
    return buffer.byteLength;
  },
});")]
extern "C" {
    fn response() -> How;
}
