//! Synchronous access handles, in a worker: `FileSystemSyncAccessHandle.read()` straight into Wasm memory.

use std::rc::Rc;

use opfs_bench_core::job;
use opfs_bench_core::ops::Op;
use opfs_bench_core::result::EndsUp;

use super::block::Block;
use super::{Context, Loop, Method, Reader, Sink, Timed};
use crate::clock;
use crate::opfs::{Directory, OpfsError, SyncHandle};

pub const METHODS: &[Method] =
    &[Method { name: "worker/sync", ends_up: EndsUp::WorkerWasm, parts: true, open: |context| Box::pin(open(context)), serve: None }];

async fn open(context: &Context) -> Result<Box<dyn Reader>, OpfsError> {
    let block = Block::new(context.block_length());
    Ok(match context.group.open {
        job::Open::Kept => Box::new(Kept { handles: context.kept_sync_handles().await?, block }),
        job::Open::Each => Box::new(Each { directory: context.directory.clone(), names: context.names.clone(), block }),
    })
}

struct Kept {
    handles: Rc<[SyncHandle]>,
    block: Block,
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
    block: Block,
}

impl Loop for Each {
    async fn run(&self, ops: &[Op], sink: &mut impl Sink) -> Result<Timed, OpfsError> {
        sink.begin(&self.block);
        let mut bytes = 0;
        let start = clock::now_ms();
        for op in ops {
            let handle = self.directory.file(&self.names[op.file as usize]).await?.open_sync().await?;
            // Awaiting may have grown Wasm memory, so the view is taken anew.
            bytes += u64::from(handle.read_full(&self.block.view(), op.at)?);
            drop(handle);
            sink.block(&self.block);
        }
        Ok(Timed::since(start, bytes))
    }
}
