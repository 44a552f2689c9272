//! `readAsArrayBuffer()` of a slice: `FileReader` on either thread, with events instead of promises, and `FileReaderSync` in a
//! worker, which is synchronous without a handle and without a lock.

use js_sys::ArrayBuffer;
use opfs_bench_core::result::EndsUp;
use wasm_bindgen::prelude::*;
use web_sys::{Blob, FileReaderSync};

use super::blob::Family;
use super::by_hand::{self, ReadBlob};
use super::lanes::How;
use super::{Context, Method, Queue, Reader, Unopened};
use crate::opfs::{Call, OpfsError};

pub const METHODS: &[Method] = &[
    Method::new("main/file-reader", EndsUp::MainBuffer, |context| Box::pin(EVENTS.open(context))),
    Method::new("worker/file-reader", EndsUp::WorkerBuffer, |context| Box::pin(EVENTS.open(context))),
    Method::new("worker/file-reader-sync", EndsUp::WorkerBuffer, |context| Box::pin(open_sync(context))).queue(Queue::Synchronous),
];

const EVENTS: Family<fn() -> How> = Family::new(Call::FileReader, file_reader);

#[wasm_bindgen(inline_js = "
export const fileReader = () => {
  // It reads one blob after another.
  const reader = new FileReader();
  let settle;
  let fail;
  reader.onload = () => settle(reader.result);
  reader.onerror = () => fail(reader.error);
  return {
    read: (blob) =>
      new Promise((resolve, reject) => {
        settle = resolve;
        fail = reject;
        reader.readAsArrayBuffer(blob);
      }),
    count(buffer, pieces) {
      pieces?.push(buffer);
      return buffer.byteLength;
    },
  };
};")]
extern "C" {
    #[wasm_bindgen(js_name = fileReader)]
    fn file_reader() -> How;
}

async fn open_sync(context: &Context) -> Result<Box<dyn Reader>, Unopened> {
    let reader = FileReaderSync::new().map_err(|error| OpfsError::thrown(Call::FileReaderSync, "", &error))?;
    by_hand::open(context, Synchronous { reader }).await
}

struct Synchronous {
    reader: FileReaderSync,
}

impl ReadBlob for Synchronous {
    async fn read(&self, blob: &Blob, name: &str) -> Result<ArrayBuffer, OpfsError> {
        self.reader.read_as_array_buffer(blob).map_err(|error| OpfsError::thrown(Call::FileReaderSync, name, &error))
    }
}
