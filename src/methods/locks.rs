//! The Web Locks API, on either thread: what a page takes that wants nobody else to change a file while it works on it.

use std::rc::Rc;

use opfs_bench_core::ops::Op;
use opfs_bench_core::result::EndsUp;

use super::queue::{self, ReadOp};
use super::{Context, Method, Reader, Sink, Unopened};
use crate::glue;
use crate::opfs::{self, Call, Directory, OpfsError, PREFIX};

pub const METHODS: &[Method] = &[
    Method::locking("main/web-locks", EndsUp::Nowhere, |context| Box::pin(open(context))).needs(NEEDS),
    Method::locking("worker/web-locks", EndsUp::Nowhere, |context| Box::pin(open(context))).needs(NEEDS),
];

const NEEDS: &[&str] = &["navigator.locks"];

#[allow(clippy::unused_async)] // every method opens by a future
async fn open(context: &Context) -> Result<Box<dyn Reader>, Unopened> {
    let called: Rc<[String]> = context.names.iter().map(|name| format!("{PREFIX}{name}")).collect();
    Ok(queue::reader(1, || Locks { directory: context.directory.clone(), names: context.names.clone(), called: Rc::clone(&called) }))
}

struct Locks {
    directory: Directory,
    names: Vec<String>,
    /// What the lock on each is called.
    called: Rc<[String]>,
}

impl ReadOp for Locks {
    #[inline]
    async fn read(&self, op: &Op, sink: &mut impl Sink) -> Result<u64, OpfsError> {
        let lock = &self.called[op.file as usize];
        if sink.takes() {
            return self.checked(op, lock, sink).await;
        }
        opfs::settle(Call::Lock, lock, glue::take_and_release(lock)).await?;
        Ok(0)
    }
}

impl Locks {
    /// The bytes of the file show that it was held.
    async fn checked(&self, op: &Op, lock: &str, sink: &mut impl Sink) -> Result<u64, OpfsError> {
        if opfs::settle(Call::Lock, lock, glue::take_watched(lock)).await?.is_falsy() {
            return Ok(0);
        }
        let name = &self.names[op.file as usize];
        let file = self.directory.file(name).await?.snapshot().await?;
        let buffer = opfs::array_buffer(&opfs::slice(&file, name, op.at, op.len)?, name).await?;
        sink.buffer(&buffer);
        Ok(buffer.byte_length().into())
    }
}
