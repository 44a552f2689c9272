//! The timed loops of everything that reads a blob of a file: `getFile()`, perhaps a `slice()`, then whatever the family does with
//! it. A family says how one blob is read; the loops stand here once.

use std::future::Future;

use opfs_bench_core::fixture::Form;
use opfs_bench_core::job;
use opfs_bench_core::ops::Op;
use web_sys::Blob;

use super::{Context, Loop, Reader, Sink, Timed, Unopened};
use crate::clock;
use crate::opfs::{self, Directory, OpfsError};

/// How a family reads.
pub(super) trait ReadBlob: 'static {
    /// What it makes of the bytes.
    const FORM: Form = Form::Bytes;

    /// The blob of a file that an op reads: a slice, unless the family reads whole files.
    #[inline]
    fn select(file: &Blob, name: &str, op: &Op) -> Result<Blob, OpfsError> {
        opfs::slice(file, name, op.at, op.len)
    }

    /// Reads it to its end. Returns how many bytes came.
    fn read(&self, blob: &Blob, name: &str, sink: &mut impl Sink) -> impl Future<Output = Result<u64, OpfsError>>;
}

/// Opens the group's files for such a family.
pub(super) async fn open<R: ReadBlob>(context: &Context, how: R) -> Result<Box<dyn Reader>, Unopened> {
    let names = context.names.clone();
    Ok(match context.group.open {
        job::Open::Each => Box::new(Each { directory: context.directory.clone(), names, how }),
        job::Open::Kept => Box::new(Kept { files: context.snapshots().await?, names, how }),
    })
}

/// Files, or other blobs, that are at hand.
pub(super) struct Kept<R> {
    pub files: Vec<Blob>,
    pub names: Vec<String>,
    pub how: R,
}

impl<R: ReadBlob> Loop for Kept<R> {
    const FORM: Form = R::FORM;

    async fn run(&self, ops: &[Op], sink: &mut impl Sink) -> Result<Timed, OpfsError> {
        let mut bytes = 0;
        let start = clock::now_ms();
        for op in ops {
            let name = &self.names[op.file as usize];
            let blob = R::select(&self.files[op.file as usize], name, op)?;
            bytes += self.how.read(&blob, name, sink).await?;
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
    const FORM: Form = R::FORM;

    async fn run(&self, ops: &[Op], sink: &mut impl Sink) -> Result<Timed, OpfsError> {
        let mut bytes = 0;
        let start = clock::now_ms();
        for op in ops {
            let name = &self.names[op.file as usize];
            let file = self.directory.file(name).await?.snapshot().await?;
            bytes += self.how.read(&R::select(&file, name, op)?, name, sink).await?;
        }
        Ok(Timed::since(start, bytes))
    }
}
