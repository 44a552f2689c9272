//! The main thread asks a worker once for a whole list of reads, and all their bytes come back in one message: what an application does
//! that knows beforehand which files it wants. An op's time is the list's, divided.

use std::cell::Cell;
use std::rc::Rc;

use js_sys::{Array, ArrayBuffer, Float64Array, Function, Promise};
use opfs_bench_core::ops::Op;
use opfs_bench_core::result::EndsUp;
use wasm_bindgen::prelude::*;
use web_sys::{MessageEvent, MessagePort};

use super::rpc::{Files, Serving};
use super::{Context, Handles, Loop, Method, Queue, Reader, Served, Sink, Timed, Unopened};
use crate::opfs::{self, Call, OpfsError};
use crate::{awaiting, clock, glue};

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
    Ok(Box::new(Asking { ask: glue::list_asker(context.port()), owed: Cell::new(false), ops }))
}

struct Asking {
    ask: Function,
    /// Whether an answer is on its way: still, where a read was given up.
    owed: Cell<bool>,
    /// How many ops a list has at most.
    ops: usize,
}

impl Loop for Asking {
    async fn run(&self, ops: &[Op], sink: &mut impl Sink) -> Result<Timed, OpfsError> {
        let lists: Vec<Float64Array> = ops.chunks(self.ops).map(list).collect();
        let mut bytes = 0;
        let start = clock::now_ms();
        for list in &lists {
            for buffer in self.ask(list).await? {
                let buffer: ArrayBuffer = buffer.unchecked_into();
                bytes += u64::from(buffer.byte_length());
                sink.buffer(&buffer);
            }
        }
        Ok(Timed::since(start, bytes))
    }
}

impl Asking {
    #[inline]
    async fn ask(&self, list: &Float64Array) -> Result<Array, OpfsError> {
        if self.owed.replace(true) {
            return Err(OpfsError::owed());
        }
        let asked = self.ask.call1(&JsValue::UNDEFINED, list);
        let asked = asked.map_err(|error| OpfsError::thrown(Call::Ask, "", &error))?;
        let answer = opfs::settle(Call::Ask, "", asked.unchecked_into::<Promise>()).await?;
        self.owed.set(false);
        answer.dyn_into().map_err(|answer| OpfsError::answered(&answer.as_string().unwrap_or_default()))
    }
}

/// A file's number and an offset for each op.
fn list(ops: &[Op]) -> Float64Array {
    Float64Array::from(&ops.iter().flat_map(|op| [f64::from(op.file), op.at as f64]).collect::<Vec<f64>>()[..])
}

// The worker's side

async fn serve(context: &Context, port: MessagePort) -> Result<Box<dyn Served>, OpfsError> {
    let length = context.block_length();
    let files = Rc::new(Files::open(context).await?);
    let answering = port.clone();
    let answer = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        let (files, port, list) = (Rc::clone(&files), answering.clone(), event.data().unchecked_into::<Float64Array>());
        awaiting::spawn(async move {
            let posted = match read(&files, &list.to_vec(), length).await {
                Ok(buffers) => port.post_message_with_transferable(&buffers, &buffers),
                Err(error) => port.post_message(&error.to_string().into()),
            };
            if let Err(error) = posted {
                let text = OpfsError::thrown(Call::Ask, "", &error).to_string();
                port.post_message(&text.into()).expect("strings can be cloned");
            }
        });
    });
    Ok(Box::new(Serving::by(port, answer)))
}

/// Reads one after another, each into a buffer of its own.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // the other side posts whole numbers
async fn read(files: &Files, list: &[f64], length: u32) -> Result<Array, OpfsError> {
    let buffers = Array::new();
    for op in list.chunks_exact(2) {
        let buffer = files.read_here(op[0] as usize, op[1] as u64, length).await?;
        buffers.push(&buffer);
    }
    Ok(buffers)
}
