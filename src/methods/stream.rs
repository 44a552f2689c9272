//! `stream()` of a slice, on either thread: chunk by chunk as the browser cuts them, or into a buffer of the page's own ("bring
//! your own buffer"), which goes back and forth between the page and the browser.
//!
//! Stream and reader are held until a blob is read. In Chromium a BYOB read whose stream nothing else holds sometimes never settles.

use std::cell::Cell;

use js_sys::{ArrayBuffer, Uint8Array};
use opfs_bench_core::result::EndsUp;
use wasm_bindgen::JsCast;
use web_sys::{Blob, ReadableStreamByobReader, ReadableStreamDefaultReader, ReadableStreamReadResult};

use super::blob::{self, ReadBlob};
use super::{Context, Method, Reader, Sink, Unopened};
use crate::opfs::{self, Call, OpfsError};

pub const METHODS: &[Method] = &[
    Method::new("main/stream", EndsUp::MainBuffer, |context| Box::pin(blob::open(context, || Chunks))),
    Method::new("worker/stream", EndsUp::WorkerBuffer, |context| Box::pin(blob::open(context, || Chunks))),
    Method::new("main/stream-byob", EndsUp::MainBuffer, |context| Box::pin(open_byob(context))),
    Method::new("worker/stream-byob", EndsUp::WorkerBuffer, |context| Box::pin(open_byob(context))),
];

struct Chunks;

impl ReadBlob for Chunks {
    async fn read(&self, blob: &Blob, name: &str, sink: &mut impl Sink) -> Result<u64, OpfsError> {
        let stream = blob.stream();
        let reader = ReadableStreamDefaultReader::new(&stream).map_err(|error| OpfsError::thrown(Call::StreamRead, name, &error))?;
        let mut bytes = 0;
        loop {
            let read: ReadableStreamReadResult = opfs::settle(Call::StreamRead, name, reader.read()).await?.unchecked_into();
            if read.get_done() == Some(true) {
                return Ok(bytes);
            }
            let chunk: Uint8Array = read.get_value().unchecked_into();
            bytes += u64::from(chunk.byte_length());
            sink.bytes(&chunk);
        }
    }
}

async fn open_byob(context: &Context) -> Result<Box<dyn Reader>, Unopened> {
    let stream = Blob::new().map_err(|error| OpfsError::thrown(Call::StreamRead, "", &error))?.stream();
    // Streams of blobs took such readers later than other streams did.
    if ReadableStreamByobReader::new(&stream).is_err() {
        return Err(Unopened::absent("ReadableStreamBYOBReader for Blob.stream()"));
    }
    blob::open(context, || Byob { length: context.block_length(), buffer: Cell::default() }).await
}

/// One buffer, which a read hands to the browser and gets back.
struct Byob {
    length: u32,
    /// None while the browser has it, and after a read that it never answered.
    buffer: Cell<Option<ArrayBuffer>>,
}

impl ReadBlob for Byob {
    async fn read(&self, blob: &Blob, name: &str, sink: &mut impl Sink) -> Result<u64, OpfsError> {
        let stream = blob.stream();
        let reader = ReadableStreamByobReader::new(&stream).map_err(|error| OpfsError::thrown(Call::StreamRead, name, &error))?;
        let mut buffer = self.buffer.take().unwrap_or_else(|| ArrayBuffer::new(self.length));
        sink.reuse(&buffer, 0, self.length);
        let mut filled = 0;
        while filled < self.length {
            let rest = Uint8Array::new_with_byte_offset_and_length(&buffer, filled, self.length - filled);
            let reading = reader.read_with_array_buffer_view(&rest);
            let read: ReadableStreamReadResult = opfs::settle(Call::StreamRead, name, reading).await?.unchecked_into();
            let chunk: Uint8Array = read.get_value().unchecked_into();
            filled += chunk.byte_length();
            buffer = chunk.buffer();
            if read.get_done() == Some(true) {
                break;
            }
        }
        sink.reused(&buffer, 0, filled);
        self.buffer.set(Some(buffer));
        Ok(filled.into())
    }
}
