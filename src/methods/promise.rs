//! Promises, on either thread: `getFile()`, then `arrayBuffer()` of the whole file or of a slice.

use opfs_bench_core::ops::Op;
use opfs_bench_core::result::EndsUp;
use web_sys::Blob;

use super::blob::{self, ReadBlob};
use super::{Method, Sink};
use crate::opfs::{self, OpfsError};

pub const METHODS: &[Method] = &[
    Method::new("main/array-buffer", EndsUp::MainBuffer, |context| Box::pin(blob::open(context, || Whole))).whole(),
    Method::new("worker/array-buffer", EndsUp::WorkerBuffer, |context| Box::pin(blob::open(context, || Whole))).whole(),
    Method::new("main/slice", EndsUp::MainBuffer, |context| Box::pin(blob::open(context, || Part)))
        .opening(|context| Box::pin(blob::open_only(context, || Part))),
    Method::new("worker/slice", EndsUp::WorkerBuffer, |context| Box::pin(blob::open(context, || Part)))
        .opening(|context| Box::pin(blob::open_only(context, || Part))),
];

/// The file itself.
struct Whole;

impl ReadBlob for Whole {
    const SLICES: bool = false;

    #[inline]
    fn select(file: &Blob, _: &str, _: &Op) -> Result<Blob, OpfsError> {
        Ok(file.clone())
    }

    async fn read(&self, blob: &Blob, name: &str, sink: &mut impl Sink) -> Result<u64, OpfsError> {
        Part.read(blob, name, sink).await
    }
}

/// A slice of it.
pub struct Part;

impl ReadBlob for Part {
    async fn read(&self, blob: &Blob, name: &str, sink: &mut impl Sink) -> Result<u64, OpfsError> {
        let buffer = opfs::array_buffer(blob, name).await?;
        sink.buffer(&buffer);
        Ok(buffer.byte_length().into())
    }
}
