//! What most Rust code does: sync handles through web-sys alone, with new options for each read, into buffers that lie where the
//! allocator puts them; and promises by `JsFuture`. Against the other methods of this crate each shows what one such thing costs.

use std::rc::Rc;

use js_sys::ArrayBuffer;
use opfs_bench_core::job;
use opfs_bench_core::ops::Op;
use opfs_bench_core::result::EndsUp;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::Blob;

use super::by_hand::{self, ReadBlob};
use super::{Block, Context, Handles, Loop, Method, Queue, Reader, Sink, Timed, Unopened, sync};
use crate::clock;
use crate::opfs::{Call, Directory, OpfsError, SyncHandle};

pub const METHODS: &[Method] = &[
    Method::new("worker/sync-web-sys", EndsUp::WorkerWasm, |context| Box::pin(open(context)))
        .queue(Queue::Synchronous)
        .handles(Handles::Shared),
    Method::new("worker/sync-unaligned", EndsUp::WorkerWasm, |context| {
        Box::pin(sync::open(context, Rc::new(Block::unaligned(context.block_length() as usize))))
    })
    .queue(Queue::Synchronous)
    .handles(Handles::Shared),
    Method::new("main/slice-js-future", EndsUp::MainBuffer, |context| Box::pin(by_hand::open(context, ByJsFuture))).queue(Queue::OneByOne),
    Method::new("worker/slice-js-future", EndsUp::WorkerBuffer, |context| Box::pin(by_hand::open(context, ByJsFuture)))
        .queue(Queue::OneByOne),
];

async fn open(context: &Context) -> Result<Box<dyn Reader>, Unopened> {
    let block = context.block();
    Ok(match context.group.open {
        job::Open::Kept => Box::new(Kept { handles: context.kept_sync_handles().await?, block }),
        job::Open::Each => Box::new(Each { directory: context.directory.clone(), names: context.names.clone(), block }),
    })
}

struct Kept {
    handles: Rc<[SyncHandle]>,
    block: Rc<Block>,
}

impl Loop for Kept {
    async fn run(&self, ops: &[Op], sink: &mut impl Sink) -> Result<Timed, OpfsError> {
        sink.begin(&self.block);
        let mut bytes = 0;
        let start = clock::now_ms();
        for op in ops {
            let handle = &self.handles[op.file as usize];
            bytes += u64::from(self.block.with_slice(|slice| handle.read_by_web_sys(&mut slice[..op.len as usize], op.at))?);
            sink.block(&self.block, op.len);
        }
        Ok(Timed::since(start, bytes))
    }
}

struct Each {
    directory: Directory,
    names: Vec<String>,
    block: Rc<Block>,
}

impl Loop for Each {
    async fn run(&self, ops: &[Op], sink: &mut impl Sink) -> Result<Timed, OpfsError> {
        sink.begin(&self.block);
        let mut bytes = 0;
        let start = clock::now_ms();
        for op in ops {
            let handle = self.directory.file(&self.names[op.file as usize]).await?.open_sync().await?;
            bytes += u64::from(self.block.with_slice(|slice| handle.read_by_web_sys(&mut slice[..op.len as usize], op.at))?);
            drop(handle);
            sink.block(&self.block, op.len);
        }
        Ok(Timed::since(start, bytes))
    }
}

/// A slice's `arrayBuffer()`, awaited in Rust by what wasm-bindgen offers for it.
struct ByJsFuture;

impl ReadBlob for ByJsFuture {
    async fn read(&self, blob: &Blob, name: &str) -> Result<ArrayBuffer, OpfsError> {
        let read = JsFuture::from(blob.array_buffer()).await;
        Ok(read.map_err(|error| OpfsError::thrown(Call::ArrayBuffer, name, &error))?.unchecked_into())
    }
}
