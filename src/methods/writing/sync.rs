//! Synchronous access handles, in a worker: `FileSystemSyncAccessHandle.write()` straight from Wasm memory, and `flush()`.

use std::cell::RefCell;
use std::rc::Rc;

use futures_util::future::LocalBoxFuture;
use opfs_bench_core::job;
use opfs_bench_core::ops::Op;
use opfs_bench_core::written::Pattern;

use super::source::WasmSource;
use super::{Files, Flushes, Writer, Writing};
use crate::clock;
use crate::methods::{Context, Loop, Reader, Sink, Timed, Unopened};
use crate::opfs::{OpfsError, SyncHandle};

/// Opens copies of the files for this method.
pub async fn open(context: &Context, method: &str) -> Result<Box<dyn Reader>, Unopened> {
    let files = Files::of(context, method).await?;
    let handles = match context.group.open {
        job::Open::Kept => kept(&files).await?,
        job::Open::Each => Vec::new(),
    };
    let writer = Rc::new(Sync {
        source: WasmSource::new(context.block_length()),
        flushes: Flushes::of(&context.group),
        touched: RefCell::default(),
        handles,
        files,
    });
    Ok(Writing::boxed(
        match context.group.open {
            job::Open::Kept => Box::new(Kept(Rc::clone(&writer))),
            job::Open::Each => Box::new(Each(Rc::clone(&writer))),
        },
        writer,
    ))
}

/// A handle on every file.
pub async fn kept(files: &Files) -> Result<Vec<SyncHandle>, OpfsError> {
    let mut handles = Vec::with_capacity(files.names.len());
    for name in &files.names {
        handles.push(files.directory.file(name).await?.open_sync_patiently().await?);
    }
    Ok(handles)
}

struct Sync {
    files: Files,
    /// On every file where they are kept open.
    handles: Vec<SyncHandle>,
    source: WasmSource,
    flushes: Flushes,
    /// The files of a batch, each once.
    touched: RefCell<Vec<u32>>,
}

impl Writer for Sync {
    fn ready<'a>(&'a self, pattern: Pattern, ops: &'a [Op]) -> LocalBoxFuture<'a, Result<(), OpfsError>> {
        self.source.fill(pattern);
        self.flushes.begin(ops.len());
        self.touched.replace(touched(ops));
        Box::pin(async { Ok(()) })
    }

    fn flush(&self) -> LocalBoxFuture<'_, Result<bool, OpfsError>> {
        Box::pin(async {
            if !self.handles.is_empty() {
                self.files.take_touched().iter().try_for_each(|file| self.handles[*file as usize].flush())?;
            }
            Ok(!self.handles.is_empty())
        })
    }

    fn files(&self) -> &Files {
        &self.files
    }
}

/// The files of a batch, each once.
pub(super) fn touched(ops: &[Op]) -> Vec<u32> {
    let mut files: Vec<u32> = ops.iter().map(|op| op.file).collect();
    files.sort_unstable();
    files.dedup();
    files
}

struct Kept(Rc<Sync>);

impl Loop for Kept {
    async fn run(&self, ops: &[Op], _: &mut impl Sink) -> Result<Timed, OpfsError> {
        let Sync { handles, source, flushes, touched, .. } = &*self.0;
        let touched = touched.borrow();
        let views = source.views();
        let mut bytes = 0;
        let start = clock::now_ms();
        for op in ops {
            let handle = &handles[op.file as usize];
            bytes += u64::from(handle.write_all(&views[source.turn()], op.at)?);
            if flushes.due() {
                handle.flush()?;
            }
        }
        if flushes.at_end() {
            touched.iter().try_for_each(|file| handles[*file as usize].flush())?;
        }
        Ok(Timed::since(start, bytes))
    }
}

struct Each(Rc<Sync>);

impl Loop for Each {
    async fn run(&self, ops: &[Op], _: &mut impl Sink) -> Result<Timed, OpfsError> {
        let Sync { files, source, flushes, .. } = &*self.0;
        let mut bytes = 0;
        let start = clock::now_ms();
        for op in ops {
            let handle = files.directory.file(&files.names[op.file as usize]).await?.open_sync().await?;
            // Awaiting may have grown Wasm memory, so the view is taken anew.
            bytes += u64::from(handle.write_all(&source.view(source.turn()), op.at)?);
            if flushes.due() {
                handle.flush()?;
            }
            drop(handle);
        }
        Ok(Timed::since(start, bytes))
    }
}
