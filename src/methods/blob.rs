//! How ops are read by everything that reads a blob of a file: `getFile()`, perhaps a `slice()`, then whatever the family does with
//! it. A family says how one blob is read; the loops stand in `queue`.

use std::future::Future;
use std::rc::Rc;

use opfs_bench_core::fixture::Form;
use opfs_bench_core::job;
use opfs_bench_core::ops::Op;
use opfs_bench_core::result::Stage;
use web_sys::Blob;

use super::queue::{self, Held, ReadOp};
use super::{Context, Discard, Laps, Reader, Sink, Unopened};
use crate::opfs::{self, Directory, OpfsError};

/// How a family reads.
pub(super) trait ReadBlob: 'static {
    /// Whether an op reads a part, which has to be cut out.
    const SLICES: bool = true;
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

/// Opens the group's files for such a family. Each read in flight has its own of what `how` makes.
pub(super) async fn open<R: ReadBlob>(context: &Context, how: impl Fn() -> R) -> Result<Box<dyn Reader>, Unopened> {
    open_deep(context, context.group.iodepth, how).await
}

/// The same for a family whose reads are synchronous: one at a time.
pub(super) async fn open_synchronous<R: ReadBlob>(context: &Context, how: impl Fn() -> R) -> Result<Box<dyn Reader>, Unopened> {
    open_deep(context, 1, how).await
}

async fn open_deep<R: ReadBlob>(context: &Context, depth: u32, how: impl Fn() -> R) -> Result<Box<dyn Reader>, Unopened> {
    if context.group.open == job::Open::Kept {
        return Ok(kept(depth, context.snapshots().await?, &context.names, how));
    }
    let names: Rc<[String]> = context.names.as_slice().into();
    Ok(queue::reader(depth, || Each { directory: context.directory.clone(), names: Rc::clone(&names), how: how() }))
}

/// Opens files and does no more: a `File` is never closed.
#[allow(clippy::unused_async)] // every method opens by a future
pub(super) async fn open_only<R: ReadBlob>(context: &Context, how: impl Fn() -> R) -> Result<Box<dyn Reader>, Unopened> {
    let names: Rc<[String]> = context.names.as_slice().into();
    Ok(queue::reader(1, || Opened { directory: context.directory.clone(), names: Rc::clone(&names), how: how() }))
}

struct Opened<R> {
    directory: Directory,
    names: Rc<[String]>,
    how: R,
}

impl<R: ReadBlob> ReadOp for Opened<R> {
    const FORM: Form = R::FORM;

    #[inline]
    async fn read(&self, op: &Op, sink: &mut impl Sink) -> Result<u64, OpfsError> {
        let name = &self.names[op.file as usize];
        let file = self.directory.file(name).await?.snapshot().await?;
        if !sink.takes() {
            return Ok(0);
        }
        // Its bytes show that it was opened.
        self.how.read(&R::select(&file, name, op)?, name, sink).await
    }
}

/// A reader of files, or of other blobs, that are at hand.
pub(super) fn kept<R: ReadBlob>(depth: u32, files: Vec<Blob>, names: &[String], how: impl Fn() -> R) -> Box<dyn Reader> {
    let (files, names): (Rc<[Blob]>, Rc<[String]>) = (files.into(), names.into());
    queue::reader(depth, || Kept { files: Rc::clone(&files), names: Rc::clone(&names), how: how() })
}

struct Kept<R> {
    files: Rc<[Blob]>,
    names: Rc<[String]>,
    how: R,
}

impl<R: ReadBlob> ReadOp for Kept<R> {
    const FORM: Form = R::FORM;

    #[inline]
    async fn read(&self, op: &Op, sink: &mut impl Sink) -> Result<u64, OpfsError> {
        let name = &self.names[op.file as usize];
        let blob = R::select(&self.files[op.file as usize], name, op)?;
        self.how.read(&blob, name, sink).await
    }
}

struct Each<R> {
    directory: Directory,
    names: Rc<[String]>,
    how: R,
}

impl<R: ReadBlob> ReadOp for Each<R> {
    const FORM: Form = R::FORM;

    #[inline]
    async fn read(&self, op: &Op, sink: &mut impl Sink) -> Result<u64, OpfsError> {
        let name = &self.names[op.file as usize];
        let file = self.directory.file(name).await?.snapshot().await?;
        self.how.read(&R::select(&file, name, op)?, name, sink).await
    }

    async fn stages(&self, ops: &[Op], laps: &mut Laps) -> Result<(), OpfsError> {
        let name = &self.names[ops[0].file as usize];
        let handle = laps.look_up(&self.directory, name).await?;
        let file = handle.snapshot().await?;
        laps.end(Stage::Open, 1);
        self.how.read(&R::select(&file, name, &ops[0])?, name, &mut Discard).await?;
        laps.end(Stage::FirstRead, 1);
        let mut blobs = Vec::with_capacity(ops.len());
        laps.begin();
        for op in ops {
            blobs.push(R::select(&file, name, op)?);
        }
        if R::SLICES {
            laps.end(Stage::Slice, ops.len());
        } else {
            laps.begin();
        }
        for blob in &blobs {
            self.how.read(blob, name, &mut Discard).await?;
        }
        laps.end(Stage::Read, ops.len());
        let mut read = Held::default();
        self.how.read(&blobs[0], name, &mut read).await?;
        laps.copy(&read);
        Ok(())
    }
}
