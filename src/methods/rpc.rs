//! The main thread asks a worker that owns sync handles; the bytes come back in a buffer that is transferred, or copied.
//! It is what applications do that want sync handles' speed and need the bytes on the main thread.

use std::cell::Cell;
use std::rc::Rc;

use futures_util::lock::Mutex;
use js_sys::{Array, ArrayBuffer, Function, Promise, Uint8Array};
use opfs_bench_core::job::{self, Work};
use opfs_bench_core::ops::Op;
use opfs_bench_core::result::{EndsUp, Stage};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::{MessageEvent, MessagePort};

use super::queue::{self, ReadOp};
use super::{Context, Discard, Handles, Laps, Method, Reader, Served, Sink, Unopened, writing};
use crate::glue;
use crate::opfs::{self, Call, Directory, OpfsError, SyncHandle, View};

const TRANSFER: &str = "rpc/transfer";

pub const METHODS: &[Method] = &[
    Method::new(TRANSFER, EndsUp::MainBuffer, |context| Box::pin(open(context)))
        .handles(Handles::Shared)
        .writes(|context| Box::pin(writing::rpc::open(context, TRANSFER)))
        .served(|context, port| {
            Box::pin(async move {
                match context.group.rw.work() {
                    Work::Write => writing::rpc::serve(context, port, TRANSFER).await,
                    _ => serve(context, port, Reply::Transferred).await,
                }
            })
        }),
    Method::new("rpc/clone", EndsUp::MainBuffer, |context| Box::pin(open(context)))
        .handles(Handles::Shared)
        .served(|context, port| Box::pin(serve(context, port, Reply::Cloned))),
];

// The main thread's side

#[allow(clippy::unused_async)] // every method opens by a future
async fn open(context: &Context) -> Result<Box<dyn Reader>, Unopened> {
    let port = context.port();
    let depth = context.group.iodepth;
    let askers = if depth == 1 { Array::of1(&glue::asker(port)) } else { glue::askers(port, depth) };
    let askers = askers.into_iter().map(JsCast::unchecked_into).collect::<Vec<Function>>();
    Ok(queue::lanes(askers.into_iter().map(|ask| Asking { ask, owed: Cell::new(false) })))
}

/// Asks one question at a time.
struct Asking {
    ask: Function,
    /// Whether an answer is on its way: still, where a read was given up.
    owed: Cell<bool>,
}

impl ReadOp for Asking {
    #[inline]
    async fn read(&self, op: &Op, sink: &mut impl Sink) -> Result<u64, OpfsError> {
        if self.owed.replace(true) {
            return Err(OpfsError::owed());
        }
        let asked = self.ask.call2(&JsValue::UNDEFINED, &op.file.into(), &(op.at as f64).into());
        let asked = asked.map_err(|error| OpfsError::thrown(Call::Ask, "", &error))?;
        let answer = opfs::settle(Call::Ask, "", asked.unchecked_into::<Promise>()).await?;
        self.owed.set(false);
        let buffer: ArrayBuffer = answer.dyn_into().map_err(|answer| OpfsError::answered(&answer.as_string().unwrap_or_default()))?;
        sink.buffer(&buffer);
        Ok(buffer.byte_length().into())
    }

    async fn stages(&self, ops: &[Op], laps: &mut Laps) -> Result<(), OpfsError> {
        delivered(self, ops, laps).await
    }
}

/// The stages that the main thread sees: what it takes to ask and to be answered where nothing is read.
pub async fn delivered(asking: &impl ReadOp, ops: &[Op], laps: &mut Laps) -> Result<(), OpfsError> {
    let nothing = Op { file: NO_FILE, ..ops[0] };
    asking.read(&nothing, &mut Discard).await?;
    laps.begin();
    for _ in ops {
        asking.read(&nothing, &mut Discard).await?;
    }
    laps.end(Stage::Delivery, ops.len());
    queue::copied(asking, &ops[0], laps).await
}

// The worker's side

/// The number that asks for no file: the answer has as many bytes as any, and nothing is read.
pub const NO_FILE: u32 = u32::MAX;

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
    Each(Rc<Opening>),
}

/// Files that are opened for each read.
pub struct Opening {
    directory: Directory,
    names: Vec<String>,
    /// One for each file where several reads are in flight: a handle's lock is exclusive, so reads of a file wait for one another.
    turns: Vec<Mutex<()>>,
}

impl Files {
    pub async fn open(context: &Context) -> Result<Self, OpfsError> {
        Ok(match context.group.open {
            job::Open::Kept => Self::Kept(context.kept_sync_handles().await?),
            job::Open::Each => Self::opening(context, &context.directory),
        })
    }

    /// Files of the same names in another directory, with handles of their own.
    pub async fn open_in(context: &Context, files: &writing::Files) -> Result<Self, OpfsError> {
        Ok(match context.group.open {
            job::Open::Kept => Self::Kept(writing::sync::kept(files).await?.into()),
            job::Open::Each => Self::opening(context, &files.directory),
        })
    }

    fn opening(context: &Context, directory: &Directory) -> Self {
        let turns = if context.group.iodepth > 1 { context.names.iter().map(|_| Mutex::new(())).collect() } else { Vec::new() };
        Self::Each(Rc::new(Opening { directory: directory.clone(), names: context.names.clone(), turns }))
    }

    /// Flushes the files that are open.
    pub fn flush(&self) -> Result<(), OpfsError> {
        match self {
            Self::Kept(handles) => handles.iter().try_for_each(SyncHandle::flush),
            Self::Each(_) => Ok(()),
        }
    }

    /// Reads from a file, and answers with what came of it: at once where the file is open, and otherwise when it has been.
    pub fn read<T>(
        &self,
        file: usize,
        read: impl FnOnce(&SyncHandle) -> Result<T, OpfsError> + 'static,
        answer: impl FnOnce(Result<T, OpfsError>) + 'static,
    ) {
        match self {
            Self::Kept(handles) => answer(read(&handles[file])),
            Self::Each(opening) => {
                let opening = Rc::clone(opening);
                spawn_local(async move { answer(opening.read(file, read).await) });
            }
        }
    }
}

impl Opening {
    /// Opens a file, reads and closes it.
    async fn read<T>(&self, file: usize, read: impl FnOnce(&SyncHandle) -> Result<T, OpfsError>) -> Result<T, OpfsError> {
        let _turn = match self.turns.get(file) {
            Some(turn) => Some(turn.lock().await),
            None => None,
        };
        let handle = self.directory.file(&self.names[file]).await?.open_sync().await?;
        read(&handle)
    }
}

async fn serve(context: &Context, port: MessagePort, reply: Reply) -> Result<Box<dyn Served>, OpfsError> {
    let length = context.block_length();
    let files = Files::open(context).await?;
    let answering = Rc::new(Answering { port: port.clone(), reply, lanes: context.group.iodepth > 1 });
    let answer = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        let Question { file, at, lane } = Question::of(&event, answering.lanes);
        if file == NO_FILE as usize {
            return answering.post(lane, Ok(ArrayBuffer::new(length)));
        }
        let answering = Rc::clone(&answering);
        files.read(file, move |handle| read(handle, at, length), move |read| answering.post(lane, read));
    });
    Ok(Box::new(Serving::by(port, answer)))
}

/// What the main thread asks for.
pub struct Question {
    /// The file's number.
    pub file: usize,
    /// The offset.
    pub at: u64,
    /// Which of several lanes asks; 0 where there is one, which does not say.
    pub lane: u32,
}

impl Question {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // the other side posts whole numbers
    pub fn of(event: &MessageEvent, lanes: bool) -> Self {
        let question: Array = event.data().unchecked_into();
        let number = |place: u32| question.get(place).as_f64().unwrap_or_default();
        Self { file: number(0) as usize, at: number(1) as u64, lane: if lanes { number(2) as u32 } else { 0 } }
    }
}

fn read(handle: &SyncHandle, at: u64, length: u32) -> Result<ArrayBuffer, OpfsError> {
    let view = View::of(Uint8Array::new_with_length(length));
    handle.read_full(&view, at)?;
    Ok(view.js().buffer())
}

/// Where answers go, and how.
struct Answering {
    port: MessagePort,
    reply: Reply,
    /// Whether an answer says which lane it is for: several may come in another order than they were asked for.
    lanes: bool,
}

impl Answering {
    /// The buffer, or an error as its text.
    fn post(&self, lane: u32, read: Result<ArrayBuffer, OpfsError>) {
        let posted = match read {
            Ok(buffer) => match self.reply {
                Reply::Transferred => {
                    let transferred = Array::of1(&buffer);
                    self.port.post_message_with_transferable(&self.answer(lane, buffer.into()), &transferred)
                }
                Reply::Cloned => self.port.post_message(&self.answer(lane, buffer.into())),
            },
            Err(error) => self.port.post_message(&self.answer(lane, error.to_string().into())),
        };
        if let Err(error) = posted {
            // A string can always be posted.
            let text = OpfsError::thrown(Call::Ask, "", &error).to_string();
            self.port.post_message(&self.answer(lane, text.into())).expect("strings can be cloned");
        }
    }

    fn answer(&self, lane: u32, answer: JsValue) -> JsValue {
        if self.lanes { Array::of2(&lane.into(), &answer).into() } else { answer }
    }
}

/// A port that is answered until this is dropped, and what answering takes.
pub struct Serving<H> {
    port: MessagePort,
    _held: H,
}

impl<H> Serving<H> {
    /// Answered already, as long as this is held.
    pub fn holding(port: MessagePort, held: H) -> Self {
        Self { port, _held: held }
    }
}

impl Serving<Closure<dyn FnMut(MessageEvent)>> {
    /// Answered by this.
    pub fn by(port: MessagePort, answer: Closure<dyn FnMut(MessageEvent)>) -> Self {
        port.set_onmessage(Some(answer.as_ref().unchecked_ref()));
        Self::holding(port, answer)
    }
}

impl<H> Served for Serving<H> {}

impl<H> Drop for Serving<H> {
    fn drop(&mut self) {
        self.port.close();
    }
}
