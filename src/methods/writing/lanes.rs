//! The timed loops of what is written by promises: one op after another, or several in flight.
//!
//! They stand in Rust, unlike those of reads (`src/lanes.js`): a write by a promise takes many times what coming back to Wasm costs, and
//! what a batch writes lies there.

use std::cell::Cell;
use std::future::Future;

use futures_util::StreamExt;
use futures_util::future::LocalBoxFuture;
use futures_util::stream::FuturesUnordered;
use opfs_bench_core::fixture::Checksum;
use opfs_bench_core::ops::Op;

use crate::clock;
use crate::methods::{Reader, Timed};
use crate::opfs::OpfsError;

/// How an op is written.
pub trait WriteOp: 'static {
    /// Writes it to its end. Returns how many bytes went.
    fn write(&self, op: &Op) -> impl Future<Output = Result<u64, OpfsError>>;
}

/// Lanes: each takes the next op when its own has ended.
struct Lanes<O>(Vec<O>);

/// So many ops in flight.
pub fn reader<O: WriteOp>(depth: u32, lane: impl Fn() -> O) -> Box<dyn Reader> {
    of((0..depth).map(|_| lane()))
}

/// Of lanes that are made already.
pub fn of<O: WriteOp>(lanes: impl Iterator<Item = O>) -> Box<dyn Reader> {
    Box::new(Lanes(lanes.collect()))
}

impl<O: WriteOp> Lanes<O> {
    async fn run(&self, ops: &[Op]) -> Result<Timed, OpfsError> {
        if let [only] = &self.0[..] {
            let mut bytes = 0;
            let start = clock::now_ms();
            for op in ops {
                bytes += only.write(op).await?;
            }
            return Ok(Timed::since(start, bytes));
        }
        let next = Cell::new(0);
        let mut lanes: FuturesUnordered<_> = self.0.iter().map(|lane| in_turn(lane, ops, &next)).collect();
        let mut bytes = Ok(0);
        let start = clock::now_ms();
        while let Some(written) = lanes.next().await {
            bytes = bytes.and_then(|bytes| Ok(bytes + written?));
        }
        bytes.map(|bytes| Timed::since(start, bytes))
    }
}

/// A lane: writes the op that comes next, until there is none. After a failure no lane begins another.
async fn in_turn(lane: &impl WriteOp, ops: &[Op], next: &Cell<usize>) -> Result<u64, OpfsError> {
    let mut bytes = 0;
    while let Some(op) = ops.get(next.replace(next.get() + 1)) {
        bytes += lane.write(op).await.inspect_err(|_| next.set(ops.len()))?;
    }
    Ok(bytes)
}

impl<O: WriteOp> Reader for Lanes<O> {
    /// What is written is checked by reading it back, and not by its loop.
    fn read<'a>(&'a self, ops: &'a [Op], _: Option<&'a mut Checksum>) -> LocalBoxFuture<'a, Result<Timed, OpfsError>> {
        Box::pin(self.run(ops))
    }

    /// The browser makes none.
    fn buffers<'a>(&'a self, _: &'a [Op]) -> LocalBoxFuture<'a, Result<u64, OpfsError>> {
        Box::pin(async { Ok(0) })
    }
}
