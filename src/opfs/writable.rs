//! A file that is written by a stream.

use std::cell::Cell;

use js_sys::Object;
use wasm_bindgen::prelude::*;
use web_sys::{Blob, WritableStream};

use super::{Call, OpfsError, offset, settle};
use crate::glue;

/// A file opened to be written. What is written is the file's once it is closed; until then it is somewhere else.
pub struct Writable {
    stream: WritableStream,
    name: String,
    closed: Cell<bool>,
}

impl Writable {
    pub(super) fn new(stream: JsValue, name: String) -> Self {
        Self { stream: stream.unchecked_into(), name, closed: Cell::new(false) }
    }

    /// Writes a buffer or a blob at offset `at`. Several writes may be in flight: they are done one after another.
    #[inline]
    pub async fn write(&self, data: &Object, at: u64) -> Result<(), OpfsError> {
        settle(Call::WritableWrite, &self.name, glue::write_to(&self.stream, data, offset(at))).await?;
        Ok(())
    }

    /// Makes what was written the file's.
    #[inline]
    pub async fn close(&self) -> Result<(), OpfsError> {
        self.closed.set(true);
        settle(Call::WritableClose, &self.name, self.stream.close()).await?;
        Ok(())
    }

    /// Copies a file into it, and closes it.
    #[inline]
    pub async fn pipe_from(&self, file: &Blob) -> Result<(), OpfsError> {
        self.closed.set(true);
        settle(Call::PipeTo, &self.name, glue::pipe(file, &self.stream)).await?;
        Ok(())
    }
}

/// What nobody closed is given up, and with it the file's lock.
impl Drop for Writable {
    #[inline]
    fn drop(&mut self) {
        if !self.closed.get() {
            glue::abandon(&self.stream);
        }
    }
}
