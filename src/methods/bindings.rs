//! A sync handle as most Rust code reads from it: through web-sys alone, with new options for each read.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::Uint8Array;
use opfs_bench_core::job;
use opfs_bench_core::ops::Op;
use opfs_bench_core::result::EndsUp;

use super::{Context, Handles, Loop, Method, Queue, Reader, Sink, Timed, Unopened};
use crate::clock;
use crate::opfs::{Directory, OpfsError, SyncHandle};

pub const METHODS: &[Method] = &[Method::new("worker/sync-web-sys", EndsUp::WorkerWasm, |context| Box::pin(open(context)))
    .queue(Queue::Synchronous)
    .handles(Handles::Shared)];

async fn open(context: &Context) -> Result<Box<dyn Reader>, Unopened> {
    let bytes = RefCell::new(vec![0; context.block_length() as usize]);
    Ok(match context.group.open {
        job::Open::Kept => Box::new(Kept { handles: context.kept_sync_handles().await?, bytes }),
        job::Open::Each => Box::new(Each { directory: context.directory.clone(), names: context.names.clone(), bytes }),
    })
}

struct Kept {
    handles: Rc<[SyncHandle]>,
    bytes: RefCell<Vec<u8>>,
}

impl Loop for Kept {
    async fn run(&self, ops: &[Op], sink: &mut impl Sink) -> Result<Timed, OpfsError> {
        let mut buffer = self.bytes.borrow_mut();
        let mut bytes = 0;
        let start = clock::now_ms();
        for op in ops {
            bytes += u64::from(self.handles[op.file as usize].read_by_web_sys(&mut buffer, op.at)?);
            take(&mut buffer, sink);
        }
        Ok(Timed::since(start, bytes))
    }
}

struct Each {
    directory: Directory,
    names: Vec<String>,
    bytes: RefCell<Vec<u8>>,
}

impl Loop for Each {
    // Nothing else borrows the buffer: an arm reads one batch at a time.
    #[allow(clippy::await_holding_refcell_ref)]
    async fn run(&self, ops: &[Op], sink: &mut impl Sink) -> Result<Timed, OpfsError> {
        let mut buffer = self.bytes.borrow_mut();
        let mut bytes = 0;
        let start = clock::now_ms();
        for op in ops {
            let handle = self.directory.file(&self.names[op.file as usize]).await?.open_sync().await?;
            bytes += u64::from(handle.read_by_web_sys(&mut buffer, op.at)?);
            drop(handle);
            take(&mut buffer, sink);
        }
        Ok(Timed::since(start, bytes))
    }
}

/// Hands the bytes to a sink that takes any, and spoils them.
#[inline]
fn take(buffer: &mut [u8], sink: &mut impl Sink) {
    if sink.takes() {
        sink.buffer(&Uint8Array::from(&*buffer).buffer());
        buffer.fill(0);
    }
}
