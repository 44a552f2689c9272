//! Several workers that share the ops of a batch: what a page does that wants all cores. The main thread owns them (`main::pool`) and takes
//! the time, from its message to the first of them to the last one's answer; the bytes stay in the workers.
//!
//! What stands here is opened in each worker, and reads that worker's share by the loop of the same method in one worker.

use opfs_bench_core::job;
use opfs_bench_core::result::EndsUp;
use opfs_bench_core::share::Deal;

use super::promise::Part;
use super::{Context, Copies, Handles, Method, Queue, Reader, Unopened, blob, sync};
use crate::opfs::SharedLock;

pub const METHODS: &[Method] = &[
    Method::new("pool/sync", EndsUp::WorkerWasm, |context| Box::pin(open_sync(context)))
        .queue(Queue::Synchronous)
        .handles(Handles::Own)
        .copies(Copies::WhereKept)
        .dealt(Deal::Files),
    sync::modal("pool/sync-read-only", |context| Box::pin(sync::open_shared(context, SharedLock::ReadOnly))).dealt(Deal::Ops),
    Method::new("pool/slice", EndsUp::WorkerBuffer, |context| Box::pin(blob::open(context, || Part))).dealt(Deal::Ops),
];

/// Where the copies are of the files that other sync handles of the group hold. A pool of another size than the group's has its own: its
/// workers hold other files each.
pub(super) fn copies(workers: u32, of_group: u32) -> String {
    if workers == of_group { "pool".into() } else { format!("pool-{workers}") }
}

async fn open_sync(context: &Context) -> Result<Box<dyn Reader>, Unopened> {
    match context.group.open {
        job::Open::Kept => {
            let copies = copies(context.group.numjobs, context.workers_of_group());
            sync::open(&context.on_copies(&copies).await?, context.block()).await
        }
        job::Open::Each => sync::open(context, context.block()).await,
    }
}
