//! The ways to read, one file per family, and the registry of all of them.
//!
//! Synchronous families hold their timed loops whole; those that read by promises share theirs, in `lanes`, since they can
//! have several reads in flight. Each is one screen, and nothing is in them but the reads, a count of the bytes, and a [`Sink`], which
//! does nothing at all while time is taken ([`reader::Discard`]) and takes every byte in when bytes are checked ([`Checksum`](opfs_bench_core::fixture::Checksum)). So what is
//! verified is the very loop that is timed.

mod bindings;
mod blob;
mod block;
mod buffered;
mod by_hand;
mod bytes;
mod cache;
mod context;
mod copies;
mod empty;
mod fetch;
mod file_reader;
mod fit;
mod indexed_db;
mod lanes;
mod laps;
mod limit;
mod locks;
mod method;
mod pool;
mod promise;
mod reader;
#[cfg(test)]
mod registry_tests;
mod response;
mod rpc;
mod rpc_list;
mod rpc_twin;
mod shared;
mod slowed;
mod stream;
mod sync;
#[cfg(all(test, target_arch = "wasm32"))]
mod tests;
mod text;
mod twin;
mod unopened;
mod writing;

use std::rc::Rc;

use opfs_bench_core::job::{Group, MethodName, Work};
use opfs_bench_core::result::EndsUp;

use crate::clock;
use crate::deadline;
pub use block::Block;
use block::Views;
pub use context::Context;
use copies::named;
pub use copies::{copied, held, stores, written};
pub use empty::{MAIN as EMPTY_MAIN, POOL as EMPTY_POOL, WORKER as EMPTY_WORKER};
pub use fit::{not_together, unfit_arm};
pub use laps::{Laps, READS};
pub use method::{Copies, Handles, Method, Open, Queue, Served};
use reader::{Loop, Sink};
pub use reader::{Reader, Timed};
use slowed::Slowed;
pub use unopened::Unopened;
pub use writing::{ReadBack, Writer, flush};

/// Every method. A new family is a file and a line here.
const REGISTRY: &[&[Method]] = &[
    promise::METHODS,
    bytes::METHODS,
    text::METHODS,
    stream::METHODS,
    file_reader::METHODS,
    response::METHODS,
    fetch::METHODS,
    sync::METHODS,
    buffered::METHODS,
    rpc::METHODS,
    rpc_list::METHODS,
    shared::METHODS,
    pool::METHODS,
    indexed_db::METHODS,
    cache::METHODS,
    limit::METHODS,
    writing::writable::METHODS,
    writing::copy::METHODS,
    locks::METHODS,
    bindings::METHODS,
    twin::METHODS,
    rpc_twin::METHODS,
    empty::METHODS,
];

/// A method as a job may name it: one of the registry, or one of those with a known slowdown.
#[derive(Clone, Copy)]
pub struct Found {
    /// The registry's.
    pub method: &'static Method,
    /// By how many per cent it is slowed down. None: it is the method itself.
    slowed: Option<u8>,
}

impl Found {
    /// Opens it on a group's files.
    pub async fn open(self, context: &Context) -> Result<Rc<dyn Reader>, Unopened> {
        let plain = deadline::within(deadline::ANSWER_MS, context.reader(self.method)).await?;
        Ok(match self.slowed {
            None => plain,
            Some(percent) => Rc::new(Slowed::new(plain, percent, clock::measure_tick()?)),
        })
    }
}

/// Looks a method up. Slowed ones are found by their names alone: they check the tool, and are in no list.
pub fn find(name: &MethodName) -> Option<Found> {
    let name = name.plain().to_string();
    let registered = |name: &str| all().find(|method| method.name == name);
    if let Some(method) = registered(&name) {
        return Some(Found { method, slowed: None });
    }
    let (plain, percent) = slowed::parts(&name)?;
    // A pool's time is that of its slowest worker and of messages, and no per cent of it is known.
    let method = registered(plain).filter(|method| method.does_work() && method.deal.is_none())?;
    Some(Found { method, slowed: Some(percent) })
}

/// Every method, the empty loops among them.
pub fn all() -> impl Iterator<Item = &'static Method> {
    REGISTRY.iter().flat_map(|family| family.iter())
}

/// Every method that can do such work.
pub fn that_do(work: Work) -> impl Iterator<Item = &'static Method> {
    all().filter(move |method| method.does_work() && method.opener(work).is_some())
}

/// Whether a method of the group gives what it reads as text.
pub fn reads_text(group: &Group) -> bool {
    named(group).iter().any(|(method, _)| matches!(method.ends_up, EndsUp::MainText | EndsUp::WorkerText))
}
