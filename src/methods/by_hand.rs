//! Blobs that Rust reads itself, slice by slice: where no promise is awaited, or where the price of awaiting it in Rust is what an arm
//! is there to show. One read at a time.

use std::future::Future;

use js_sys::ArrayBuffer;
use opfs_bench_core::job;
use opfs_bench_core::ops::Op;
use opfs_bench_core::result::Stage;
use web_sys::Blob;

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
        let handle = laps.look_up(&self.directory, name).await?;
        let file = handle.snapshot().await?;
        laps.end(Stage::Open, 1);
        self.how.read(&opfs::slice(&file, name, ops[0].at, ops[0].len)?, name).await?;
        laps.end(Stage::FirstRead, 1);
        let mut blobs = Vec::with_capacity(ops.len());
        laps.begin();
        for op in ops {
            blobs.push(opfs::slice(&file, name, op.at, op.len)?);
        }
        laps.end(Stage::Slice, ops.len());
        for blob in &blobs {
            self.how.read(blob, name).await?;
        }
        laps.end(Stage::Read, ops.len());
        let buffer = self.how.read(&blobs[0], name).await?;
        laps.copy(&[js_sys::Uint8Array::new(&buffer)]);
        Ok(())
    }
}
