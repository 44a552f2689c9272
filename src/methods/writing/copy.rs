//! Copying a file to another, which is new: by a loop over two sync handles, by piping the file's stream into a writable, or by handing
//! the writable the file.

use std::rc::Rc;

use futures_util::future::LocalBoxFuture;
use opfs_bench_core::ops::Op;
use opfs_bench_core::result::EndsUp;
use opfs_bench_core::written::Pattern;
use web_sys::Blob;

use super::lanes::{self, WriteOp};
use super::sync::touched;
use super::writable::NEEDS;
use super::{Files, Flushes, Writer, Writing};
use crate::clock;
use crate::methods::{Block, Context, Loop, Method, Reader, Sink, Timed, Unopened};
use crate::opfs::{self, Directory, OpfsError, Writable};

pub const METHODS: &[Method] = &[
    Method::copier("main/pipe-to", EndsUp::FileClosed, |context| Box::pin(by_pipe(context, "main/pipe-to"))).needs(PIPE_NEEDS).committing(),
    Method::copier("worker/pipe-to", EndsUp::FileClosed, |context| Box::pin(by_pipe(context, "worker/pipe-to")))
        .needs(PIPE_NEEDS)
        .committing(),
];

const PIPE_NEEDS: &[&str] = &[NEEDS[0], "ReadableStream.prototype.pipeTo"];

/// By sync handles, a block at a time through Wasm memory.
pub async fn by_sync(context: &Context, method: &str) -> Result<Box<dyn Reader>, Unopened> {
    let copies = Rc::new(Copies::of(context, method).await?);
    let timed = BySync { copies: Rc::clone(&copies), block: context.block(), flushes: Flushes::of(&context.group) };
    Ok(Writing::boxed(Box::new(timed), copies))
}

/// By a stream of the file.
async fn by_pipe(context: &Context, method: &str) -> Result<Box<dyn Reader>, Unopened> {
    let copies = Rc::new(Copies::of(context, method).await?);
    Ok(Writing::boxed(lanes::reader(1, || ByPipe(Rc::clone(&copies))), copies))
}

/// By handing the file to a writable.
pub async fn by_writable(context: &Context, method: &str) -> Result<Box<dyn Reader>, Unopened> {
    let copies = Rc::new(Copies::of(context, method).await?);
    Ok(Writing::boxed(lanes::reader(1, || ByWritable(Rc::clone(&copies))), copies))
}

struct Copies {
    originals: Directory,
    files: Files,
}

impl Copies {
    async fn of(context: &Context, method: &str) -> Result<Self, OpfsError> {
        Ok(Self { originals: context.directory.clone(), files: Files::empty(context, method).await? })
    }

    /// The file that an op copies, and what it is to be written to.
    #[inline]
    async fn open(&self, op: &Op) -> Result<(Blob, Writable), OpfsError> {
        let name = &self.files.names[op.file as usize];
        let file = self.originals.file(name).await?.snapshot().await?;
        Ok((file, self.files.directory.file(name).await?.open_writable(false).await?))
    }
}

impl Writer for Copies {
    /// Makes the copies new, so that one which was never made does not look like one that was.
    fn ready<'a>(&'a self, _: Pattern, ops: &'a [Op]) -> LocalBoxFuture<'a, Result<(), OpfsError>> {
        Box::pin(async move {
            for file in touched(ops) {
                let name = &self.files.names[file as usize];
                self.files.directory.remove(name).await?;
                self.files.directory.create(name).await?;
            }
            Ok(())
        })
    }

    fn files(&self) -> &Files {
        &self.files
    }
}

struct BySync {
    copies: Rc<Copies>,
    block: Rc<Block>,
    flushes: Flushes,
}

impl Loop for BySync {
    async fn run(&self, ops: &[Op], _: &mut impl Sink) -> Result<Timed, OpfsError> {
        let Copies { originals, files } = &*self.copies;
        self.flushes.begin(ops.len());
        let mut bytes = 0;
        let start = clock::now_ms();
        for op in ops {
            let name = &files.names[op.file as usize];
            let from = originals.file(name).await?.open_sync().await?;
            let to = files.directory.file(name).await?.open_sync().await?;
            to.truncate(0)?;
            // Awaiting may have grown Wasm memory, so the view is taken anew.
            let view = self.block.view();
            let mut at = 0;
            while at < u64::from(op.len) {
                from.read_full(&view, at)?;
                at += u64::from(to.write_all(&view, at)?);
            }
            if self.flushes.due() {
                to.flush()?;
            }
            drop((from, to));
            bytes += at;
        }
        Ok(Timed::since(start, bytes))
    }
}

struct ByPipe(Rc<Copies>);

impl WriteOp for ByPipe {
    #[inline]
    async fn write(&self, op: &Op) -> Result<u64, OpfsError> {
        let (file, stream) = self.0.open(op).await?;
        stream.pipe_from(&file).await?;
        Ok(opfs::size(&file))
    }
}

struct ByWritable(Rc<Copies>);

impl WriteOp for ByWritable {
    #[inline]
    async fn write(&self, op: &Op) -> Result<u64, OpfsError> {
        let (file, stream) = self.0.open(op).await?;
        stream.write(&file, 0).await?;
        stream.close().await?;
        Ok(opfs::size(&file))
    }
}
