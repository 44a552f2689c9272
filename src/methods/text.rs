//! `text()` of a slice, on either thread: the bytes decoded as UTF-8, as pages read them that want text.
//!
//! A string does not tell how many bytes it was decoded from, so the blob's size is counted once the string is there. What a read left out
//! is found when texts are compared: with that of the fixture's bytes, decoded in the same way.

use js_sys::JsString;
use opfs_bench_core::fixture::Form;
use opfs_bench_core::result::EndsUp;
use wasm_bindgen::JsCast;
use web_sys::Blob;

use super::blob::{self, ReadBlob};
use super::{Method, Sink};
use crate::opfs::{self, Call, OpfsError};

pub const METHODS: &[Method] = &[
    Method::new("main/text", EndsUp::MainText, |context| Box::pin(blob::open(context, || Text))),
    Method::new("worker/text", EndsUp::WorkerText, |context| Box::pin(blob::open(context, || Text))),
];

struct Text;

impl ReadBlob for Text {
    const FORM: Form = Form::Text;

    async fn read(&self, blob: &Blob, name: &str, sink: &mut impl Sink) -> Result<u64, OpfsError> {
        let text: JsString = opfs::settle(Call::Text, name, blob.text()).await?.unchecked_into();
        sink.text(&text);
        Ok(opfs::size(blob))
    }
}
