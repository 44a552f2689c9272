//! Blobs that Rust reads itself, slice by slice: where no promise is awaited, or where the price of awaiting it in Rust is what an arm
//! is there to show. One read at a time.

use std::future::Future;

use js_sys::{Array, ArrayBuffer};
use opfs_bench_core::job;
use opfs_bench_core::ops::Op;
use wasm_bindgen::JsCast;
use web_sys::Blob;

use super::blob;
use super::{Context, Laps, Loop, Reader, Sink, Timed, Unopened};
use crate::clock;
use crate::opfs::{self, Directory, OpfsError};

/// How a blob is read.
pub(super) trait ReadBlob: 'static {
    /// Reads it to its end.
    fn read(&self, blob: &Blob, name: &str) -> impl Future<Output = Result<ArrayBuffer, OpfsError>>;
}

/// Opens the group's files.
pub(super) async fn open(context: &Context, how: impl ReadBlob) -> Result<Box<dyn Reader>, Unopened> {
    let names = context.names.clone();
    Ok(match context.group.open {
        job::Open::Kept => Box::new(Kept { files: context.snapshots().await?, names, how }),
        job::Open::Each => Box::new(Each { directory: context.directory.clone(), names, how }),
    })
}

struct Kept<R> {
    files: Vec<Blob>,
    names: Vec<String>,
    how: R,
}

impl<R: ReadBlob> Loop for Kept<R> {
    async fn run(&self, ops: &[Op], sink: &mut impl Sink) -> Result<Timed, OpfsError> {
        let mut bytes = 0;
        let start = clock::now_ms();
        for op in ops {
            let name = &self.names[op.file as usize];
            let blob = opfs::slice(&self.files[op.file as usize], name, op.at, op.len)?;
            let buffer = self.how.read(&blob, name).await?;
            bytes += u64::from(buffer.byte_length());
            sink.buffer(&buffer);
        }
        Ok(Timed::since(start, bytes))
    }
}

struct Each<R> {
    directory: Directory,
    names: Vec<String>,
    how: R,
}

impl<R: ReadBlob> Loop for Each<R> {
    async fn run(&self, ops: &[Op], sink: &mut impl Sink) -> Result<Timed, OpfsError> {
        let mut bytes = 0;
        let start = clock::now_ms();
        for op in ops {
            let name = &self.names[op.file as usize];
            let file = self.directory.file(name).await?.snapshot().await?;
            let buffer = self.how.read(&opfs::slice(&file, name, op.at, op.len)?, name).await?;
            bytes += u64::from(buffer.byte_length());
            sink.buffer(&buffer);
        }
        Ok(Timed::since(start, bytes))
    }

    async fn stages(&self, ops: &[Op], laps: &mut Laps) -> Result<(), OpfsError> {
        let name = &self.names[ops[0].file as usize];
        let read = async |blobs: &Array, pieces: Option<&Array>| {
            for blob in blobs.iter() {
                let buffer = self.how.read(blob.unchecked_ref(), name).await?;
                if let Some(pieces) = pieces {
                    pieces.push(&buffer);
                }
            }
            Ok(())
        };
        blob::take_apart(&self.directory, name, true, ops, laps, read).await
    }
}
