//! The main thread hands bytes to a worker that owns sync handles: the buffer is transferred, and written there.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use futures_util::future::LocalBoxFuture;
use futures_util::lock::Mutex;
use js_sys::{Array, ArrayBuffer, Function, Promise, Uint8Array};
use opfs_bench_core::job;
use opfs_bench_core::ops::Op;
use opfs_bench_core::written::Pattern;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::MessageEvent;

use super::lanes::{self, WriteOp};
use super::source::JsSource;
use super::sync::kept;
use super::{Files, Flushes, Writer, Writing};
use crate::glue;
use crate::lines::Port;
use crate::methods::rpc::{NO_FILE, Serving};
use crate::methods::{Context, Reader, Served, Unopened};
use crate::opfs::{self, Call, Directory, OpfsError, SyncHandle, View};

/// What is flushed behind a write.
#[derive(Clone, Copy)]
enum Flush {
    Nothing = 0,
    File = 1,
    /// All files that are open.
    All = 2,
}

// The main thread's side

/// Opens the files that the worker has copied for the method.
pub async fn open(context: &Context, method: &str) -> Result<Box<dyn Reader>, Unopened> {
    let handers: Vec<Function> = glue::handers(context.port(), context.group.iodepth).into_iter().map(JsCast::unchecked_into).collect();
    let writer = Rc::new(Handing {
        hand: handers[0].clone(),
        kept: context.group.open == job::Open::Kept,
        files: Files::there(context, method).await?,
        source: JsSource::new(context.block_length()),
        buffers: RefCell::default(),
        next: Cell::new(0),
        flushes: Flushes::of(&context.group),
    });
    let lanes = handers.into_iter().map(|hand| Hander { hand, owed: Cell::new(false), writer: Rc::clone(&writer) });
    Ok(Writing::boxed(lanes::of(lanes), writer))
}

struct Handing {
    /// That of the first lane.
    hand: Function,
    /// Whether the worker keeps the files open.
    kept: bool,
    files: Files,
    source: JsSource,
    /// A batch's, one for each op: what is transferred is gone.
    buffers: RefCell<Vec<ArrayBuffer>>,
    next: Cell<usize>,
    flushes: Flushes,
}

impl Writer for Handing {
    fn ready<'a>(&'a self, pattern: Pattern, ops: &'a [Op]) -> LocalBoxFuture<'a, Result<(), OpfsError>> {
        self.source.fill(pattern);
        self.flushes.begin(ops.len());
        self.next.set(0);
        self.buffers.replace(ops.iter().map(|op| self.source.next().slice(0, op.len).buffer()).collect());
        Box::pin(async { Ok(()) })
    }

    /// The worker has the handles, so it is asked; when none of the lanes does.
    fn flush(&self) -> LocalBoxFuture<'_, Result<bool, OpfsError>> {
        Box::pin(async {
            if self.kept {
                self.files.take_touched();
                let asked = self.hand.call4(&JsValue::UNDEFINED, &NO_FILE.into(), &0.into(), &ArrayBuffer::new(0), &0.into());
                let asked = asked.map_err(|error| OpfsError::thrown(Call::Ask, "", &error))?;
                answered(asked.unchecked_into()).await?;
            }
            Ok(self.kept)
        })
    }

    fn files(&self) -> &Files {
        &self.files
    }
}

/// How many bytes the worker says that it has written.
#[inline]
async fn answered(asked: Promise) -> Result<u64, OpfsError> {
    let answer = opfs::settle(Call::Ask, "", asked).await?;
    let written = answer.as_f64().ok_or_else(|| OpfsError::answered(&answer.as_string().unwrap_or_default()))?;
    Ok(opfs::whole(written))
}

/// Hands one buffer over at a time.
struct Hander {
    hand: Function,
    owed: Cell<bool>,
    writer: Rc<Handing>,
}

impl WriteOp for Hander {
    #[inline]
    async fn write(&self, op: &Op) -> Result<u64, OpfsError> {
        if self.owed.replace(true) {
            return Err(OpfsError::owed());
        }
        let Handing { buffers, next, flushes, .. } = &*self.writer;
        let (file, all) = (flushes.due(), flushes.ends());
        let flush = if all {
            Flush::All
        } else if file {
            Flush::File
        } else {
            Flush::Nothing
        };
        let asked = {
            let buffer = &buffers.borrow()[next.replace(next.get() + 1)];
            self.hand.call4(&JsValue::UNDEFINED, &op.file.into(), &(op.at as f64).into(), buffer, &(flush as u32).into())
        };
        let asked = asked.map_err(|error| OpfsError::thrown(Call::Ask, "", &error))?;
        let written = answered(asked.unchecked_into()).await?;
        self.owed.set(false);
        Ok(written)
    }
}

// The worker's side

/// Copies the files for the method, and writes what it is handed.
pub async fn serve(context: &Context, port: Port, method: &str) -> Result<Box<dyn Served>, OpfsError> {
    let files = Files::of(context, method).await?;
    let opened = Rc::new(Opened::of(context, &files).await?);
    let answering = port.clone();
    let answer = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        let data: Array = event.data().unchecked_into();
        let Question { file, at, lane } = Question::of(&data);
        let (buffer, flush) = (Uint8Array::new(&data.get(3)), data.get(4).as_f64().unwrap_or_default());
        let (answering, files) = (answering.clone(), Rc::clone(&opened));
        if file == NO_FILE as usize {
            return post(&answering, lane, files.flush().map(|()| 0));
        }
        let write = move |handle: &SyncHandle| {
            let written = write(handle, &View::of(buffer), at, flush)?;
            if flush == f64::from(Flush::All as u32) {
                files.flush()?;
            }
            Ok(written)
        };
        opened.write(file, write, move |written| post(&answering, lane, written));
    });
    port.set_onmessage(answer.as_ref().unchecked_ref());
    Ok(Box::new(Serving::holding(port, answer)))
}

fn write(handle: &SyncHandle, bytes: &View, at: u64, flush: f64) -> Result<u32, OpfsError> {
    let written = handle.write_all(bytes, at)?;
    if flush == f64::from(Flush::File as u32) {
        handle.flush()?;
    }
    Ok(written)
}

/// How many bytes were written, or an error as its text.
fn post(port: &Port, lane: u32, written: Result<u32, OpfsError>) {
    let answer = written.map_or_else(|error| error.to_string().into(), JsValue::from);
    port.post(&Array::of2(&lane.into(), &answer)).expect("numbers and strings can be cloned");
}

/// What the main thread asks for.
struct Question {
    /// The file's number.
    file: usize,
    /// The offset.
    at: u64,
    /// Which of several lanes asks.
    lane: u32,
}

impl Question {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // the other side posts whole numbers
    fn of(question: &Array) -> Self {
        let number = |place: u32| question.get(place).as_f64().unwrap_or_default();
        Self { file: number(0) as usize, at: number(1) as u64, lane: number(2) as u32 }
    }
}

/// What the worker writes with.
enum Opened {
    Kept(Vec<SyncHandle>),
    Each(Rc<Opening>),
}

/// Files that are opened for each op.
struct Opening {
    directory: Directory,
    names: Vec<String>,
    /// One for each file: a handle's lock is exclusive, so where several ops are in flight those of a file wait for one another.
    turns: Vec<Mutex<()>>,
}

impl Opened {
    /// The method's own copies, with handles of their own.
    async fn of(context: &Context, files: &Files) -> Result<Self, OpfsError> {
        Ok(match context.group.open {
            job::Open::Kept => Self::Kept(kept(files).await?),
            job::Open::Each => {
                let turns = context.names.iter().map(|_| Mutex::new(())).collect();
                Self::Each(Rc::new(Opening { directory: files.directory.clone(), names: context.names.clone(), turns }))
            }
        })
    }

    /// Flushes the files that are open.
    fn flush(&self) -> Result<(), OpfsError> {
        match self {
            Self::Kept(handles) => handles.iter().try_for_each(SyncHandle::flush),
            Self::Each(_) => Ok(()),
        }
    }

    /// Writes to a file, and answers with what came of it: at once where the file is open, and otherwise when it has been.
    fn write<T>(
        &self,
        file: usize,
        write: impl FnOnce(&SyncHandle) -> Result<T, OpfsError> + 'static,
        answer: impl FnOnce(Result<T, OpfsError>) + 'static,
    ) {
        match self {
            Self::Kept(handles) => answer(write(&handles[file])),
            Self::Each(opening) => {
                let opening = Rc::clone(opening);
                spawn_local(async move { answer(opening.write(file, write).await) });
            }
        }
    }
}

impl Opening {
    /// Opens a file, writes and closes it.
    async fn write<T>(&self, file: usize, write: impl FnOnce(&SyncHandle) -> Result<T, OpfsError>) -> Result<T, OpfsError> {
        let _turn = self.turns[file].lock().await;
        let handle = self.directory.file(&self.names[file]).await?.open_sync().await?;
        write(&handle)
    }
}
