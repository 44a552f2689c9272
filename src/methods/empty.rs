//! The same loops without the read: what the harness costs. Printed beside the others, never subtracted.

use opfs_bench_core::ops::Op;
use opfs_bench_core::result::EndsUp;
use opfs_bench_core::share::Deal;
use wasm_bindgen::prelude::*;

use super::lanes::{Lane, Lanes};
use super::{Context, Loop, Method, Queue, Reader, Sink, Timed, Unopened};
use crate::clock;
use crate::opfs::{Call, OpfsError};

/// The empty loop of methods that the main thread times: an op awaits a promise that is settled already.
pub const MAIN: &str = "main/empty";
/// The empty loop of methods that the worker times: an op looks at its offset.
pub const WORKER: &str = "worker/empty";
/// The empty loop of a pool's methods: its workers run the worker's, so that the messages are what takes time.
pub const POOL: &str = "pool/empty";

pub const METHODS: &[Method] = &[
    Method::new(MAIN, EndsUp::Nowhere, |context| Box::pin(open_main(context))).idle(),
    Method::new(WORKER, EndsUp::Nowhere, |context| Box::pin(open_worker(context))).queue(Queue::Synchronous).idle(),
    Method::new(POOL, EndsUp::Nowhere, |context| Box::pin(open_worker(context))).queue(Queue::Synchronous).dealt(Deal::Ops).idle(),
];

#[allow(clippy::unused_async)] // every method opens by a future
async fn open_main(context: &Context) -> Result<Box<dyn Reader>, Unopened> {
    Ok(Box::new(Lanes::new(context.group.iodepth, &context.names, Call::Promise, nothing)))
}

#[allow(clippy::unused_async)]
async fn open_worker(_: &Context) -> Result<Box<dyn Reader>, Unopened> {
    Ok(Box::new(Looping))
}

#[wasm_bindgen(inline_js = "
export const nothing = () => {
  const settled = Promise.resolve();
  return { read: () => settled, count: () => 0 };
};")]
extern "C" {
    fn nothing() -> Lane;
}

struct Looping;

impl Loop for Looping {
    async fn run(&self, ops: &[Op], _: &mut impl Sink) -> Result<Timed, OpfsError> {
        let start = clock::now_ms();
        for op in ops {
            std::hint::black_box(op.at);
        }
        Ok(Timed::since(start, 0))
    }
}
