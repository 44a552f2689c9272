//! `readAsArrayBuffer()` of a slice: `FileReader` on either thread, with events instead of promises, and `FileReaderSync` in a
//! worker, which is synchronous without a handle and without a lock.

use js_sys::{ArrayBuffer, Function, Promise};
use opfs_bench_core::result::EndsUp;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, FileReaderSync};

use super::blob::{self, ReadBlob};
use super::{Context, Method, Queue, Reader, Sink, Unopened};
use crate::glue;
use crate::opfs::{self, Call, OpfsError};

pub const METHODS: &[Method] = &[
    Method::new("main/file-reader", EndsUp::MainBuffer, |context| Box::pin(blob::open(context, Events::new))),
    Method::new("worker/file-reader", EndsUp::WorkerBuffer, |context| Box::pin(blob::open(context, Events::new))),
    Method::new("worker/file-reader-sync", EndsUp::WorkerBuffer, |context| Box::pin(open_sync(context))).queue(Queue::Synchronous),
];

/// One `FileReader`, which reads one blob after another.
struct Events {
    read: Function,
}

impl Events {
    fn new() -> Self {
        Self { read: glue::file_reader() }
    }
}

impl ReadBlob for Events {
    async fn read(&self, blob: &Blob, name: &str, sink: &mut impl Sink) -> Result<u64, OpfsError> {
        let failed = |error: JsValue| OpfsError::thrown(Call::FileReader, name, &error);
        let reading: Promise = self.read.call1(&JsValue::UNDEFINED, blob).map_err(failed)?.unchecked_into();
        let buffer: ArrayBuffer = opfs::settle(Call::FileReader, name, reading).await?.unchecked_into();
        sink.buffer(&buffer);
        Ok(buffer.byte_length().into())
    }
}

async fn open_sync(context: &Context) -> Result<Box<dyn Reader>, Unopened> {
    let reader = FileReaderSync::new().map_err(|error| OpfsError::thrown(Call::FileReaderSync, "", &error))?;
    blob::open_synchronous(context, || Synchronous { reader: reader.clone() }).await
}

struct Synchronous {
    reader: FileReaderSync,
}

impl ReadBlob for Synchronous {
    async fn read(&self, blob: &Blob, name: &str, sink: &mut impl Sink) -> Result<u64, OpfsError> {
        let buffer = self.reader.read_as_array_buffer(blob).map_err(|error| OpfsError::thrown(Call::FileReaderSync, name, &error))?;
        sink.buffer(&buffer);
        Ok(buffer.byte_length().into())
    }
}
