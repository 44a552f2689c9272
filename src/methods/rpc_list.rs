//! The main thread asks a worker once for a whole list of reads, and all their bytes come back in one message: what an application does
//! that knows beforehand which files it wants. An op's time is the list's, divided.

use js_sys::{Array, Function, Object, Promise};
use opfs_bench_core::ops::Op;
use opfs_bench_core::result::EndsUp;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::lanes::{self, Lists};
use super::rpc::{Files, Serving};
use super::{Context, Handles, Loop, Method, Queue, Reader, Served, Sink, Timed, Unopened};
use crate::glue;
use crate::lines::Port;
use crate::opfs::{Call, OpfsError};

pub const METHODS: &[Method] = &[Method::new("rpc/transfer-list", EndsUp::MainBuffer, |context| Box::pin(open(context)))
    .queue(Queue::OneByOne)
    .handles(Handles::Shared)
    .served(|context, port| Box::pin(serve(context, port)))];

/// More bytes than this are asked for by several lists, one after another: a phone's page cannot hold any number of them at once.
const LIST: u32 = 64 << 20;

// The main thread's side

#[allow(clippy::unused_async)] // every method opens by a future
async fn open(context: &Context) -> Result<Box<dyn Reader>, Unopened> {
    let ops = (LIST / context.block_length()).max(1) as usize;
    Ok(Box::new(Asking { ask: glue::asker(context.port()), ops }))
}

#[wasm_bindgen(module = "/src/lanes.js")]
extern "C" {
    #[wasm_bindgen(js_name = readLists)]
    fn read_lists(ask: &Function, lists: &Array, taken: Option<&Array>) -> Promise;
}

struct Asking {
    ask: Function,
    /// How many ops a list has at most.
    ops: usize,
}

impl Loop for Asking {
    async fn run(&self, ops: &[Op], sink: &mut impl Sink) -> Result<Timed, OpfsError> {
        let lists: Array = ops.chunks(self.ops).map(|ops| Lists::of(ops).js()).collect();
        let taken = sink.takes().then(Array::new);
        match JsFuture::from(read_lists(&self.ask, &lists, taken.as_ref())).await {
            Ok(read) => {
                taken.iter().flat_map(Array::iter).for_each(|buffer| lanes::give(&buffer, sink));
                Ok(lanes::timed(read.unchecked_ref()))
            }
            Err(failure) => Err(lanes::failed(Call::Ask, "", failure.unchecked_ref())),
        }
    }
}

// The worker's side

#[wasm_bindgen(module = "/src/serving.js")]
extern "C" {
    #[wasm_bindgen(js_name = serveLists)]
    fn serve_lists(port: &Port, files: &Object, lengths: &[u32]);
}

async fn serve(context: &Context, port: Port) -> Result<Box<dyn Served>, OpfsError> {
    let files = Files::open(context).await?;
    serve_lists(&port, &files.js, &context.lengths);
    Ok(Box::new(Serving::holding(port, files)))
}
