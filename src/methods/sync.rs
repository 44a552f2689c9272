//! Synchronous access handles, in a worker: `FileSystemSyncAccessHandle.read()` straight into Wasm memory. Besides the exclusive
//! lock that a handle takes by default there are two that others may hold too.

use std::rc::Rc;

use opfs_bench_core::job;
use opfs_bench_core::ops::Op;
use opfs_bench_core::result::{EndsUp, Stage};

use super::block::Block;
use super::{Context, Copies, Handles, Laps, Loop, Method, Open, Queue, Reader, Sink, Timed, Unopened, writing};
use crate::clock;
use crate::opfs::{Directory, FileHandle, OpfsError, SharedLock, SyncHandle};

pub const METHODS: &[Method] = &[
    Method::new("worker/sync", EndsUp::WorkerWasm, |context| Box::pin(open(context, context.block())))
        .queue(Queue::Synchronous)
        .handles(Handles::Shared)
        .writes(|context| Box::pin(writing::sync::open(context, "worker/sync")))
        .copying(|context| Box::pin(writing::copy::by_sync(context, "worker/sync")))
        .opening(|context| Box::pin(open_and_close(context))),
    modal("worker/sync-read-only", |context| Box::pin(open_shared(context, SharedLock::ReadOnly))),
    modal("worker/sync-readwrite-unsafe", |context| Box::pin(open_shared(context, SharedLock::ReadWriteUnsafe))),
];

/// A method whose handles have a lock of their own kind.
pub(super) const fn modal(name: &'static str, open: Open) -> Method {
    Method::new(name, EndsUp::WorkerWasm, open).queue(Queue::Synchronous).handles(Handles::Own).copies(Copies::WhereKept)
}

/// Opens it to read into this block.
pub(super) async fn open(context: &Context, block: Rc<Block>) -> Result<Box<dyn Reader>, Unopened> {
    Ok(match context.group.open {
        job::Open::Kept => Box::new(Kept { handles: context.kept_sync_handles().await?, block }),
        job::Open::Each => Box::new(Each { directory: context.directory.clone(), names: context.names.clone(), lock: None, block }),
    })
}

pub(super) async fn open_shared(context: &Context, lock: SharedLock) -> Result<Box<dyn Reader>, Unopened> {
    // On a file of its own: a browser that takes the exclusive lock instead might keep it for a while.
    let tried = context.directory.create(&format!("{}-lock", lock.mode())).await?;
    if !tried.open_sync_shared_patiently(lock).await?.holds(lock) {
        return Err(Unopened::absent(&format!("createSyncAccessHandle({{ mode: \"{}\" }})", lock.mode())));
    }
    let block = context.block();
    if context.group.open == job::Open::Each {
        let (directory, names) = (context.directory.clone(), context.names.clone());
        return Ok(Box::new(Each { directory, names, lock: Some(lock), block }));
    }
    let copies = context.copied_to(lock.mode()).await?;
    let mut handles = Vec::with_capacity(context.names.len());
    for name in &context.names {
        handles.push(copies.file(name).await?.open_sync_shared_patiently(lock).await?);
    }
    Ok(Box::new(Kept { handles: handles.into(), block }))
}

struct Kept {
    handles: Rc<[SyncHandle]>,
    block: Rc<Block>,
}

impl Loop for Kept {
    async fn run(&self, ops: &[Op], sink: &mut impl Sink) -> Result<Timed, OpfsError> {
        let view = self.block.view();
        sink.begin(&self.block);
        let mut bytes = 0;
        let start = clock::now_ms();
        for op in ops {
            bytes += u64::from(self.handles[op.file as usize].read_full(&view, op.at)?);
            sink.block(&self.block);
        }
        Ok(Timed::since(start, bytes))
    }
}

struct Each {
    directory: Directory,
    names: Vec<String>,
    /// None: the exclusive one.
    lock: Option<SharedLock>,
    block: Rc<Block>,
}

impl Loop for Each {
    async fn stages(&self, ops: &[Op], laps: &mut Laps) -> Result<(), OpfsError> {
        let file = laps.look_up(&self.directory, &self.names[ops[0].file as usize]).await?;
        let handle = self.open(&file).await?;
        laps.end(Stage::Open, 1);
        let view = self.block.view();
        laps.begin();
        handle.read_full(&view, ops[0].at)?;
        laps.end(Stage::FirstRead, 1);
        for op in ops {
            handle.read_full(&view, op.at)?;
        }
        laps.end(Stage::Read, ops.len());
        drop(handle);
        laps.end(Stage::Close, 1);
        Ok(())
    }

    async fn run(&self, ops: &[Op], sink: &mut impl Sink) -> Result<Timed, OpfsError> {
        sink.begin(&self.block);
        let mut bytes = 0;
        let start = clock::now_ms();
        for op in ops {
            let file = self.directory.file(&self.names[op.file as usize]).await?;
            let handle = self.open(&file).await?;
            // Awaiting may have grown Wasm memory, so the view is taken anew.
            bytes += u64::from(handle.read_full(&self.block.view(), op.at)?);
            drop(handle);
            sink.block(&self.block);
        }
        Ok(Timed::since(start, bytes))
    }
}

impl Each {
    #[inline]
    async fn open(&self, file: &FileHandle) -> Result<SyncHandle, OpfsError> {
        match self.lock {
            None => file.open_sync().await,
            Some(lock) => file.open_sync_shared(lock).await,
        }
    }
}

/// Opens and closes files. That takes their lock and gives it back, too: a sync handle has no other.
#[allow(clippy::unused_async)] // every method opens by a future
async fn open_and_close(context: &Context) -> Result<Box<dyn Reader>, Unopened> {
    Ok(Box::new(OpenClose { directory: context.directory.clone(), names: context.names.clone(), block: context.block() }))
}

struct OpenClose {
    directory: Directory,
    names: Vec<String>,
    block: Rc<Block>,
}

impl Loop for OpenClose {
    async fn run(&self, ops: &[Op], sink: &mut impl Sink) -> Result<Timed, OpfsError> {
        sink.begin(&self.block);
        let mut bytes = 0;
        let start = clock::now_ms();
        for op in ops {
            let handle = self.directory.file(&self.names[op.file as usize]).await?.open_sync().await?;
            if sink.takes() {
                // Its bytes show that it was open.
                bytes += u64::from(handle.read_full(&self.block.view(), op.at)?);
                sink.block(&self.block);
            }
            drop(handle);
        }
        Ok(Timed::since(start, bytes))
    }
}
