//! The sentinels of both threads.

use opfs_bench_core::plan::Due;
use opfs_bench_core::result;

use super::remote::{Remote, unexpected};
use crate::sentinel::Cpu;
use crate::worker::messages::{Answer, Request};

/// Takes sentinels, here and in the worker.
pub struct Sentinels<'a> {
    remote: &'a Remote,
    here: Cpu,
}

impl<'a> Sentinels<'a> {
    /// With this thread's own, sized already.
    pub fn new(remote: &'a Remote, here: Cpu) -> Self {
        Self { remote, here }
    }

    /// Takes those that are due, one after another: two threads at once would share a core's power.
    pub async fn take(&self, due: Due) -> Result<result::Sentinels, String> {
        let Due { cpu, storage } = due;
        if !cpu && !storage {
            return Ok(result::Sentinels::default());
        }
        let main_ns = if cpu { self.here.read() } else { None };
        match self.remote.ask(Request::Sentinels { cpu, storage }).await? {
            Answer::Sentinels(worker_ns, storage_ns) => Ok(result::Sentinels { main_ns, worker_ns, storage_ns }),
            other => Err(unexpected(&other)),
        }
    }
}
