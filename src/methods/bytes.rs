//! `bytes()` of a slice, on either thread: `arrayBuffer()` with the view that nearly everyone then makes.

use js_sys::Uint8Array;
use opfs_bench_core::result::EndsUp;
use wasm_bindgen::JsCast;
use web_sys::Blob;

use super::blob::{self, ReadBlob};
use super::{Method, Sink};
use crate::opfs::{self, Call, OpfsError};

pub const METHODS: &[Method] = &[
    Method::new("main/bytes", EndsUp::MainBuffer, |context| Box::pin(blob::open(context, || Bytes))).needs(NEEDS),
    Method::new("worker/bytes", EndsUp::WorkerBuffer, |context| Box::pin(blob::open(context, || Bytes))).needs(NEEDS),
];

const NEEDS: &[&str] = &["Blob.prototype.bytes"];

struct Bytes;

impl ReadBlob for Bytes {
    async fn read(&self, blob: &Blob, name: &str, sink: &mut impl Sink) -> Result<u64, OpfsError> {
        let bytes: Uint8Array = opfs::settle(Call::Bytes, name, blob.bytes()).await?.unchecked_into();
        sink.bytes(&bytes);
        Ok(bytes.byte_length().into())
    }
}
