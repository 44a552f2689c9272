//! `fetch()` of a slice by a URL of its own, on either thread, as if it came from the network.

use js_sys::ArrayBuffer;
use opfs_bench_core::result::EndsUp;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, Response, Url};

use super::blob::{self, ReadBlob};
use super::{Method, Sink};
use crate::glue;
use crate::opfs::{self, Call, OpfsError};

pub const METHODS: &[Method] = &[
    Method::new("main/fetch", EndsUp::MainBuffer, |context| Box::pin(blob::open(context, || Fetch))),
    Method::new("worker/fetch", EndsUp::WorkerBuffer, |context| Box::pin(blob::open(context, || Fetch))),
];

struct Fetch;

impl ReadBlob for Fetch {
    async fn read(&self, blob: &Blob, name: &str, sink: &mut impl Sink) -> Result<u64, OpfsError> {
        let failed = |error: JsValue| OpfsError::thrown(Call::Fetch, name, &error);
        let url = ObjectUrl(Url::create_object_url_with_blob(blob).map_err(failed)?);
        let response: Response = opfs::settle(Call::Fetch, name, glue::fetch(&url.0)).await?.unchecked_into();
        let buffer: ArrayBuffer = opfs::settle(Call::Fetch, name, response.array_buffer().map_err(failed)?).await?.unchecked_into();
        sink.buffer(&buffer);
        Ok(buffer.byte_length().into())
    }
}

/// A blob's URL. It holds the blob until it is revoked, which is when this is dropped.
struct ObjectUrl(String);

impl Drop for ObjectUrl {
    fn drop(&mut self) {
        // It fails for nothing that is a string.
        let _ = Url::revoke_object_url(&self.0);
    }
}
