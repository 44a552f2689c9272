//! `text()` of a slice, on either thread: the bytes decoded as UTF-8, as pages read them that want text.
//!
//! A string does not tell how many bytes it was decoded from, so the blob's size is counted once the string is there. What a read left out
//! is found when texts are compared: with that of the fixture's bytes, decoded in the same way.

use opfs_bench_core::fixture::Form;
use opfs_bench_core::result::EndsUp;
use wasm_bindgen::prelude::*;

use super::Method;
use super::blob::Family;
use super::lanes::How;
use crate::opfs::Call;

pub const METHODS: &[Method] = &[
    Method::new("main/text", EndsUp::MainText, |context| Box::pin(TEXT.open(context))),
    Method::new("worker/text", EndsUp::WorkerText, |context| Box::pin(TEXT.open(context))),
];

const TEXT: Family<fn() -> How> = Family { form: Form::Text, ..Family::new(Call::Text, text) };

#[wasm_bindgen(inline_js = "
export const text = () => {
  let size;
  return {
    read(blob) {
      size = blob.size;
      return blob.text();
    },
    count(string, pieces) {
      pieces?.push(string);
      return size;
    },
  };
};")]
extern "C" {
    fn text() -> How;
}
