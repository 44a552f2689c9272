//! A file that is written by a stream.

use js_sys::Object;
use wasm_bindgen::prelude::*;
use web_sys::{Blob, WritableStream};

use super::{Call, OpfsError, offset, settle};
use crate::glue;

/// A file opened to be written. What is written is the file's once it is closed; until then it is somewhere else.
pub struct Writable {
    stream: WritableStream,
    name: String,
}

impl Writable {
    pub(super) fn new(stream: JsValue, name: String) -> Self {
        Self { stream: stream.unchecked_into(), name }
    }

    /// Writes a buffer or a blob at offset `at`. Several writes may be in flight: they are done one after another.
    #[inline]
    pub async fn write(&self, data: &Object, at: u64) -> Result<(), OpfsError> {
        settle(Call::WritableWrite, &self.name, glue::write_to(&self.stream, data, offset(at))).await?;
        Ok(())
    }

    /// Makes what was written the file's.
    pub async fn close(&self) -> Result<(), OpfsError> {
        settle(Call::WritableClose, &self.name, self.stream.close()).await?;
        Ok(())
    }

    /// Gives up what was written.
    pub async fn abort(&self) -> Result<(), OpfsError> {
        settle(Call::WritableClose, &self.name, self.stream.abort()).await?;
        Ok(())
    }

    /// Copies a file into it, and closes it.
    pub async fn pipe_from(&self, file: &Blob) -> Result<(), OpfsError> {
        settle(Call::PipeTo, &self.name, glue::pipe(file, &self.stream)).await?;
        Ok(())
    }
}
