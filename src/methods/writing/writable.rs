//! `createWritable()`, on either thread: a stream that writes beside the file, and makes it the file's when it is closed.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use futures_util::future::LocalBoxFuture;
use opfs_bench_core::job;
use opfs_bench_core::ops::Op;
use opfs_bench_core::result::EndsUp;
use opfs_bench_core::written::Pattern;

use super::lanes::{self, WriteOp};
use super::source::JsSource;
use super::sync::touched;
use super::{Files, Flushes, Writer, Writing, copy};
use crate::methods::{Context, Method, Reader, Unopened};
use crate::opfs::{OpfsError, Writable};

pub const METHODS: &[Method] = &[
    Method::writing("main/writable", EndsUp::FileClosed, |context| Box::pin(open(context, "main/writable")))
        .copying(|context| Box::pin(copy::by_writable(context, "main/writable")))
        .needs(NEEDS)
        .committing(),
    Method::writing("worker/writable", EndsUp::FileClosed, |context| Box::pin(open(context, "worker/writable")))
        .copying(|context| Box::pin(copy::by_writable(context, "worker/writable")))
        .needs(NEEDS)
        .committing(),
];

/// What some browsers lack.
pub const NEEDS: &[&str] = &["FileSystemFileHandle.prototype.createWritable"];

async fn open(context: &Context, method: &str) -> Result<Box<dyn Reader>, Unopened> {
    let writer = Rc::new(Streams {
        files: Files::of(context, method).await?,
        keep: !context.group.whole_files(),
        kept: context.group.open == job::Open::Kept,
        open: RefCell::default(),
        sound: Cell::new(true),
        source: JsSource::new(context.block_length()),
        flushes: Flushes::of(&context.group),
    });
    let timed = match context.group.open {
        job::Open::Kept => lanes::reader(context.group.iodepth, || Kept(Rc::clone(&writer))),
        job::Open::Each => lanes::reader(1, || Each(Rc::clone(&writer))),
    };
    Ok(Writing::boxed(timed, writer))
}

struct Streams {
    files: Files,
    /// Whether the file's other bytes must be kept.
    keep: bool,
    /// Whether a batch's files are open before it begins, and stay open for those after it unless it closes them.
    kept: bool,
    /// Those that are, by the file's number.
    open: RefCell<Vec<(u32, Rc<Writable>)>>,
    /// Whether the last batch came to its end.
    sound: Cell<bool>,
    source: JsSource,
    flushes: Flushes,
}

impl Streams {
    /// The stream of a file. A batch has few files, and mostly one.
    #[inline]
    fn stream(&self, file: u32) -> Rc<Writable> {
        let open = self.open.borrow();
        Rc::clone(&open.iter().find(|(open, _)| *open == file).expect("a batch's files are open").1)
    }

    async fn close(&self) -> Result<(), OpfsError> {
        for (_, stream) in self.open.take() {
            stream.close().await?;
        }
        Ok(())
    }
}

impl Writer for Streams {
    fn ready<'a>(&'a self, pattern: Pattern, ops: &'a [Op]) -> LocalBoxFuture<'a, Result<(), OpfsError>> {
        Box::pin(async move {
            self.source.fill(pattern);
            self.flushes.begin(ops.len());
            if !self.sound.replace(false) {
                // A batch failed, and with it perhaps its streams, and what they held of batches before it.
                self.open.take();
                self.files.forget();
            }
            if self.kept {
                for file in touched(ops) {
                    if self.open.borrow().iter().any(|(open, _)| *open == file) {
                        continue;
                    }
                    let stream = self.files.directory.file(&self.files.names[file as usize]).await?.open_writable(self.keep).await?;
                    self.open.borrow_mut().push((file, Rc::new(stream)));
                }
            }
            Ok(())
        })
    }

    fn settle(&self) {
        self.sound.set(true);
    }

    fn commit(&self) -> LocalBoxFuture<'_, Result<(), OpfsError>> {
        Box::pin(self.close())
    }

    /// What a stream holds nobody can flush, and while it is open nobody else can open the file to do it.
    fn flush(&self) -> LocalBoxFuture<'_, Result<bool, OpfsError>> {
        Box::pin(async { Ok(!self.open.borrow().is_empty()) })
    }

    fn files(&self) -> &Files {
        &self.files
    }
}

struct Kept(Rc<Streams>);

impl WriteOp for Kept {
    #[inline]
    async fn write(&self, op: &Op) -> Result<u64, OpfsError> {
        let streams = &*self.0;
        let block = streams.source.next();
        // Lanes begin their ops in order, so whatever the last one closes has all writes before it.
        let last = streams.flushes.ends();
        streams.stream(op.file).write(block, op.at).await?;
        if last {
            streams.close().await?;
        }
        Ok(u64::from(op.len))
    }
}

struct Each(Rc<Streams>);

impl WriteOp for Each {
    #[inline]
    async fn write(&self, op: &Op) -> Result<u64, OpfsError> {
        let Streams { files, keep, source, .. } = &*self.0;
        let stream = files.directory.file(&files.names[op.file as usize]).await?.open_writable(*keep).await?;
        stream.write(source.next(), op.at).await?;
        stream.close().await?;
        Ok(u64::from(op.len))
    }
}
