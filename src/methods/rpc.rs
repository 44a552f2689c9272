//! The main thread asks a worker that owns sync handles; the bytes come back in a buffer that is transferred, or copied.
//! It is what applications do that want sync handles' speed and need the bytes on the main thread.

use std::cell::Cell;
use std::rc::Rc;

use js_sys::{Array, ArrayBuffer, Function, Promise, Uint8Array};
use opfs_bench_core::job;
use opfs_bench_core::ops::Op;
use opfs_bench_core::result::EndsUp;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{MessageEvent, MessagePort};

use super::{Context, Loop, Method, Reader, Served, Sink, Timed, Unopened};
use crate::opfs::{Call, Directory, OpfsError, SyncHandle};
use crate::{clock, glue};

pub const METHODS: &[Method] = &[
    Method::new("rpc/transfer", EndsUp::MainBuffer, |context| Box::pin(open(context)))
        .served(|context, port| Box::pin(serve(context, port, Reply::Transferred))),
    Method::new("rpc/clone", EndsUp::MainBuffer, |context| Box::pin(open(context)))
        .served(|context, port| Box::pin(serve(context, port, Reply::Cloned))),
];

// The main thread's side

#[allow(clippy::unused_async)] // every method opens by a future
async fn open(context: &Context) -> Result<Box<dyn Reader>, Unopened> {
    Ok(Box::new(Asking { ask: glue::asker(context.port()), owed: Cell::new(false) }))
}

struct Asking {
    ask: Function,
    /// Whether an answer is on its way: still, where a read was given up.
    owed: Cell<bool>,
}

impl Loop for Asking {
    async fn run(&self, ops: &[Op], sink: &mut impl Sink) -> Result<Timed, OpfsError> {
        let mut bytes = 0;
        let start = clock::now_ms();
        for op in ops {
            let buffer = self.ask(op).await?;
            bytes += u64::from(buffer.byte_length());
            sink.buffer(&buffer);
        }
        Ok(Timed::since(start, bytes))
    }
}

impl Asking {
    async fn ask(&self, op: &Op) -> Result<ArrayBuffer, OpfsError> {
        let failed = |error: JsValue| OpfsError::thrown(Call::Ask, "", &error);
        if self.owed.replace(true) {
            return Err(OpfsError::owed());
        }
        let asked = self.ask.call2(&JsValue::UNDEFINED, &op.file.into(), &(op.at as f64).into()).map_err(failed)?;
        let answer = JsFuture::from(asked.unchecked_into::<Promise>()).await.map_err(failed)?;
        self.owed.set(false);
        answer.dyn_into().map_err(|answer| OpfsError::answered(&answer.as_string().unwrap_or_default()))
    }
}

// The worker's side

/// How the bytes come back.
#[derive(Clone, Copy)]
enum Reply {
    /// The worker's buffer becomes the main thread's.
    Transferred,
    /// The main thread gets a copy.
    Cloned,
}

/// What the worker reads with.
pub enum Files {
    Kept(Rc<[SyncHandle]>),
    Each { directory: Directory, names: Vec<String> },
}

impl Files {
    pub async fn open(context: &Context) -> Result<Rc<Self>, OpfsError> {
        Ok(Rc::new(match context.group.open {
            job::Open::Kept => Self::Kept(context.kept_sync_handles().await?),
            job::Open::Each => Self::Each { directory: context.directory.clone(), names: context.names.clone() },
        }))
    }
}

async fn serve(context: &Context, port: MessagePort, reply: Reply) -> Result<Box<dyn Served>, OpfsError> {
    let length = context.block_length();
    let files = Files::open(context).await?;
    let answering = port.clone();
    let answer = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        let (file, at) = question(&event);
        match &*files {
            Files::Kept(handles) => post(&answering, read(&handles[file], at, length), reply),
            Files::Each { .. } => {
                let (files, port) = (Rc::clone(&files), answering.clone());
                spawn_local(async move {
                    let Files::Each { directory, names } = &*files else { unreachable!("matched above") };
                    post(&port, open_and_read(directory, &names[file], at, length).await, reply);
                });
            }
        }
    });
    Ok(Box::new(Serving::begin(port, answer)))
}

/// The file's number and the offset.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // the other side posts whole numbers
pub fn question(event: &MessageEvent) -> (usize, u64) {
    let question: Array = event.data().unchecked_into();
    let number = |place: u32| question.get(place).as_f64().unwrap_or_default();
    (number(0) as usize, number(1) as u64)
}

fn read(handle: &SyncHandle, at: u64, length: u32) -> Result<ArrayBuffer, OpfsError> {
    let view = Uint8Array::new_with_length(length);
    handle.read_full(&view, at)?;
    Ok(view.buffer())
}

async fn open_and_read(directory: &Directory, name: &str, at: u64, length: u32) -> Result<ArrayBuffer, OpfsError> {
    let handle = directory.file(name).await?.open_sync().await?;
    read(&handle, at, length)
}

/// The buffer, or an error as its text.
fn post(port: &MessagePort, read: Result<ArrayBuffer, OpfsError>, reply: Reply) {
    let posted = match read {
        Ok(buffer) => match reply {
            Reply::Transferred => port.post_message_with_transferable(&buffer, &Array::of1(&buffer)),
            Reply::Cloned => port.post_message(&buffer),
        },
        Err(error) => port.post_message(&error.to_string().into()),
    };
    if let Err(error) = posted {
        // A string can always be posted.
        let text = OpfsError::thrown(Call::Ask, "", &error).to_string();
        port.post_message(&text.into()).expect("strings can be cloned");
    }
}

/// A port that is answered until this is dropped.
pub struct Serving {
    port: MessagePort,
    _answer: Closure<dyn FnMut(MessageEvent)>,
}

impl Serving {
    pub fn begin(port: MessagePort, answer: Closure<dyn FnMut(MessageEvent)>) -> Self {
        port.set_onmessage(Some(answer.as_ref().unchecked_ref()));
        Self { port, _answer: answer }
    }
}

impl Served for Serving {}

impl Drop for Serving {
    fn drop(&mut self) {
        self.port.close();
    }
}
