//! `new Response(blob).arrayBuffer()` of a slice, on either thread: the body of an answer that no network gave.

use js_sys::ArrayBuffer;
use opfs_bench_core::result::EndsUp;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, Response};

use super::blob::{self, ReadBlob};
use super::{Method, Sink};
use crate::opfs::{self, Call, OpfsError};

pub const METHODS: &[Method] = &[
    Method::new("main/response", EndsUp::MainBuffer, |context| Box::pin(blob::open(context, || Body))),
    Method::new("worker/response", EndsUp::WorkerBuffer, |context| Box::pin(blob::open(context, || Body))),
];

struct Body;

impl ReadBlob for Body {
    async fn read(&self, blob: &Blob, name: &str, sink: &mut impl Sink) -> Result<u64, OpfsError> {
        let failed = |error: JsValue| OpfsError::thrown(Call::Response, name, &error);
        let reading = Response::new_with_opt_blob(Some(blob)).and_then(|response| response.array_buffer()).map_err(failed)?;
        let buffer: ArrayBuffer = opfs::settle(Call::Response, name, reading).await?.unchecked_into();
        sink.buffer(&buffer);
        Ok(buffer.byte_length().into())
    }
}
