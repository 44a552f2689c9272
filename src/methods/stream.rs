//! `stream()` of a slice, on either thread: chunk by chunk as the browser cuts them, or into a buffer of the page's own ("bring
//! your own buffer"), which goes back and forth between the page and the browser.
//!
//! Stream and reader are held until a blob is read. In Chromium a BYOB read whose stream nothing else holds sometimes never settles.

use opfs_bench_core::result::EndsUp;
use wasm_bindgen::prelude::*;
use web_sys::{Blob, ReadableStreamByobReader};

use super::blob::Family;
use super::lanes::How;
use super::{Context, Method, Reader, Unopened};
use crate::opfs::{Call, OpfsError};

pub const METHODS: &[Method] = &[
    Method::new("main/stream", EndsUp::MainBuffer, |context| Box::pin(CHUNKS.open(context))),
    Method::new("worker/stream", EndsUp::WorkerBuffer, |context| Box::pin(CHUNKS.open(context))),
    Method::new("main/stream-byob", EndsUp::MainBuffer, |context| Box::pin(open_byob(context))),
    Method::new("worker/stream-byob", EndsUp::WorkerBuffer, |context| Box::pin(open_byob(context))),
];

const CHUNKS: Family<fn() -> How> = Family::new(Call::StreamRead, chunks);

async fn open_byob(context: &Context) -> Result<Box<dyn Reader>, Unopened> {
    let stream = Blob::new().map_err(|error| OpfsError::thrown(Call::StreamRead, "", &error))?.stream();
    // Streams of blobs took such readers later than other streams did.
    if ReadableStreamByobReader::new(&stream).is_err() {
        return Err(Unopened::absent("ReadableStreamBYOBReader for Blob.stream()"));
    }
    let length = context.block_length();
    Family::new(Call::StreamRead, || byob(length)).open(context).await
}

#[wasm_bindgen(inline_js = "
export const chunks = () => {
  const held = {};
  return {
    async read(blob, pieces) {
      held.stream = blob.stream();
      const reader = (held.reader = held.stream.getReader());
      let bytes = 0;
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return bytes;
        pieces?.push(value);
        bytes += value.byteLength;
      }
    },
    count: (bytes) => bytes,
  };
};

export const byob = (length) => {
  // One buffer, which a read hands to the browser and gets back. None while the browser has it, and after a read that it never answered.
  const held = {};
  return {
    async read(blob, pieces) {
      held.stream = blob.stream();
      const reader = (held.reader = held.stream.getReader({ mode: 'byob' }));
      let buffer = held.buffer ?? new ArrayBuffer(length);
      held.buffer = undefined;
      // A read that brings nothing must not pass for one that brought what was there.
      if (pieces) {
        new Uint8Array(buffer).fill(0);
        pieces.made = 0;
      }
      let filled = 0;
      // Less than the buffer holds where files of different lengths are read whole.
      const wanted = Math.min(length, blob.size);
      while (filled < wanted) {
        const { done, value } = await reader.read(new Uint8Array(buffer, filled, wanted - filled));
        filled += value.byteLength;
        buffer = value.buffer;
        if (done) break;
      }
      pieces?.push(new Uint8Array(buffer, 0, filled).slice());
      held.buffer = buffer;
      return filled;
    },
    count: (bytes) => bytes,
  };
};")]
extern "C" {
    fn chunks() -> How;
    fn byob(length: u32) -> How;
}
