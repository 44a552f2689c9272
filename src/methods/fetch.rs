//! `fetch()` of a slice by a URL of its own, on either thread, as if it came from the network. The URL holds the blob until it is revoked.

use opfs_bench_core::result::EndsUp;
use wasm_bindgen::prelude::*;

use super::Method;
use super::blob::Family;
use super::lanes::How;
use crate::opfs::Call;

pub const METHODS: &[Method] = &[
    Method::new("main/fetch", EndsUp::MainBuffer, |context| Box::pin(FETCH.open(context))),
    Method::new("worker/fetch", EndsUp::WorkerBuffer, |context| Box::pin(FETCH.open(context))),
];

const FETCH: Family<fn() -> How> = Family::new(Call::Fetch, fetched);

#[wasm_bindgen(inline_js = "
export const fetched = () => ({
  held: undefined,
  async read(blob) {
    const url = URL.createObjectURL(blob);
    try {
      this.held = await fetch(url);
      return await this.held.arrayBuffer();
    } finally {
      URL.revokeObjectURL(url);
    }
  },
  count(buffer, pieces) {
    pieces?.push(buffer);
    return buffer.byteLength;
  },
});")]
extern "C" {
    fn fetched() -> How;
}
