//! Asking a worker again, in plain JavaScript on both sides: the twins of `rpc/transfer` and `rpc/shared`. The loops and the answering stand in
//! `www/twins.js`.

use std::cell::Cell;

use js_sys::{Array, Float64Array, Function, Int32Array, Promise, Uint32Array};
use opfs_bench_core::job;
use opfs_bench_core::ops::Op;
use opfs_bench_core::result::EndsUp;
use wasm_bindgen::prelude::*;
use web_sys::FileSystemDirectoryHandle;

use super::lanes::{Lists, timed};
use super::rpc::Serving;
use super::shared::{self, Memory};
use super::twin::{self, Folder};
use super::{Context, Handles, Loop, Method, Queue, Reader, Served, Sink, Timed, Unopened};
use crate::glue;
use crate::lines::Port;
use crate::opfs::{self, Call, OpfsError, SyncHandle};

#[wasm_bindgen(module = "/www/twins.js")]
extern "C" {
    #[wasm_bindgen(js_name = askTransfer)]
    fn ask_transfer(ask: &Function, files: &Uint32Array, offsets: &Float64Array) -> Promise;
    #[wasm_bindgen(js_name = askShared)]
    fn ask_shared(ask: &Function, numbers: &Int32Array, files: &Uint32Array, offsets: &Float64Array) -> Promise;
    #[wasm_bindgen(js_name = serveTransferKept)]
    fn serve_transfer_kept(port: &Port, handles: &Array, length: f64);
    #[wasm_bindgen(js_name = serveTransferEach)]
    fn serve_transfer_each(port: &Port, directory: &FileSystemDirectoryHandle, names: &Array, length: f64);
    #[wasm_bindgen(js_name = serveSharedKept)]
    fn serve_shared_kept(port: &Port, handles: &Array, length: f64);
    #[wasm_bindgen(js_name = serveSharedEach)]
    fn serve_shared_each(port: &Port, directory: &FileSystemDirectoryHandle, names: &Array, length: f64);
}

pub const METHODS: &[Method] = &[
    Method::new("rpc/transfer-js", EndsUp::MainBuffer, |context| Box::pin(open_transfer(context)))
        .queue(Queue::OneByOne)
        .of_one_length()
        .handles(Handles::Shared)
        .served(|context, port| Box::pin(serve(context, port, Reply::Transferred))),
    Method::new("rpc/shared-js", EndsUp::Shared, |context| Box::pin(open_shared(context)))
        .needs(shared::NEEDS)
        .queue(Queue::OneByOne)
        .of_one_length()
        .handles(Handles::Shared)
        .served(|context, port| Box::pin(serve(context, port, Reply::Shared))),
];

// The main thread's side

#[allow(clippy::unused_async)] // every method opens by a future
async fn open_transfer(context: &Context) -> Result<Box<dyn Reader>, Unopened> {
    let ask = glue::asker(context.port());
    Ok(Box::new(Asking { ask, memory: None, folder: Folder::of(context), owed: Cell::new(false) }))
}

#[allow(clippy::unused_async)]
async fn open_shared(context: &Context) -> Result<Box<dyn Reader>, Unopened> {
    let memory = Memory::new(context)?;
    context.port().post(&memory.buffer).map_err(|error| OpfsError::thrown(Call::Ask, "", &error))?;
    let ask = glue::shared_asker(context.port(), &memory.numbers, None);
    Ok(Box::new(Asking { ask, memory: Some(memory), folder: Folder::of(context), owed: Cell::new(false) }))
}

struct Asking {
    ask: Function,
    /// Where the answers come, if they are not transferred.
    memory: Option<Memory>,
    folder: Folder,
    /// Whether an answer is on its way: still, where a read was given up.
    owed: Cell<bool>,
}

impl Loop for Asking {
    async fn run(&self, ops: &[Op], sink: &mut impl Sink) -> Result<Timed, OpfsError> {
        if !sink.takes() {
            return Ok(timed(&self.read(ops).await?));
        }
        // The same loop for each op alone, since what it reads is seen after its last op only.
        let mut all = Timed { elapsed_ms: 0.0, bytes: 0 };
        for op in ops {
            // A read that brings nothing must not pass for one that brought what was there.
            if let Some(memory) = &self.memory {
                memory.data.fill(0, 0, op.len);
            }
            let read = self.read(std::slice::from_ref(op)).await?;
            all = all.and(timed(&read));
            match &self.memory {
                Some(memory) => sink.bytes(&memory.data.subarray(0, memory.length())),
                None => sink.buffer(&twin::last_buffer(&read)),
            }
        }
        Ok(all)
    }
}

impl Asking {
    /// Runs the loop, which returns its time, its bytes, and what the last op brought.
    async fn read(&self, ops: &[Op]) -> Result<Array, OpfsError> {
        if self.owed.replace(true) {
            return Err(OpfsError::owed());
        }
        let Lists { files, offsets, .. } = Lists::of(ops);
        let reading = match &self.memory {
            None => ask_transfer(&self.ask, &files, &offsets),
            Some(memory) => ask_shared(&self.ask, &memory.numbers, &files, &offsets),
        };
        let read = opfs::settle(Call::Ask, "", reading).await;
        self.owed.set(false);
        match read {
            Ok(read) => Ok(read.unchecked_into()),
            Err(error) => Err(self.explain(ops).await.unwrap_or(error)),
        }
    }

    /// The worker does not say on which file it failed: looking the files up again tells, where one is gone.
    async fn explain(&self, ops: &[Op]) -> Option<OpfsError> {
        for op in ops {
            if let Err(error) = self.folder.directory.file(&self.folder.name(op)).await {
                return Some(error);
            }
        }
        None
    }
}

// The worker's side

/// How the bytes come back.
#[derive(Clone, Copy)]
enum Reply {
    Transferred,
    Shared,
}

async fn serve(context: &Context, port: Port, reply: Reply) -> Result<Box<dyn Served>, OpfsError> {
    let length = f64::from(context.block_length());
    let held = match context.group.open {
        job::Open::Kept => {
            let handles = context.kept_sync_handles().await?;
            let of_js: Array = handles.iter().map(SyncHandle::js).collect();
            match reply {
                Reply::Transferred => serve_transfer_kept(&port, &of_js, length),
                Reply::Shared => serve_shared_kept(&port, &of_js, length),
            }
            Some(handles)
        }
        job::Open::Each => {
            let Folder { directory, names } = Folder::of(context);
            match reply {
                Reply::Transferred => serve_transfer_each(&port, directory.js(), &names, length),
                Reply::Shared => serve_shared_each(&port, directory.js(), &names, length),
            }
            None
        }
    };
    Ok(Box::new(Serving::holding(port, held)))
}
