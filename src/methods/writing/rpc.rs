//! The main thread hands bytes to a worker that owns sync handles: the buffer is transferred, and written there.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use futures_util::future::LocalBoxFuture;
use js_sys::{Array, ArrayBuffer, Function, Promise, Uint8Array};
use opfs_bench_core::job;
use opfs_bench_core::ops::Op;
use opfs_bench_core::written::Pattern;
use wasm_bindgen::prelude::*;
use web_sys::{MessageEvent, MessagePort};

use super::source::JsSource;
use super::{Files, Flushes, Writer, Writing};
use crate::glue;
use crate::methods::queue::{self, ReadOp};
use crate::methods::rpc::{Question, Serving};
use crate::methods::{Context, Reader, Served, Sink, Unopened, rpc};
use crate::opfs::{self, Call, OpfsError, SyncHandle, View};

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
    Ok(Writing::boxed(queue::lanes(lanes), writer))
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
                let asked = self.hand.call4(&JsValue::UNDEFINED, &rpc::NO_FILE.into(), &0.into(), &ArrayBuffer::new(0), &0.into());
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

impl ReadOp for Hander {
    #[inline]
    async fn read(&self, op: &Op, _: &mut impl Sink) -> Result<u64, OpfsError> {
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
pub async fn serve(context: &Context, port: MessagePort, method: &str) -> Result<Box<dyn Served>, OpfsError> {
    let files = Files::of(context, method).await?;
    let opened = Rc::new(rpc::Files::open_in(context, &files).await?);
    let answering = port.clone();
    let answer = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        let Question { file, at, lane } = Question::of(&event, true);
        let data: Array = event.data().unchecked_into();
        let (buffer, flush) = (Uint8Array::new(&data.get(3)), data.get(4).as_f64().unwrap_or_default());
        let (answering, files) = (answering.clone(), Rc::clone(&opened));
        if file == rpc::NO_FILE as usize {
            return post(&answering, lane, files.flush().map(|()| 0));
        }
        let write = move |handle: &SyncHandle| {
            let written = write(handle, &View::of(buffer), at, flush)?;
            if flush == f64::from(Flush::All as u32) {
                files.flush()?;
            }
            Ok(written)
        };
        opened.read(file, write, move |written| post(&answering, lane, written));
    });
    Ok(Box::new(Serving::by(port, answer)))
}

fn write(handle: &SyncHandle, bytes: &View, at: u64, flush: f64) -> Result<u32, OpfsError> {
    let written = handle.write_all(bytes, at)?;
    if flush == f64::from(Flush::File as u32) {
        handle.flush()?;
    }
    Ok(written)
}

/// How many bytes were written, or an error as its text.
fn post(port: &MessagePort, lane: u32, written: Result<u32, OpfsError>) {
    let answer = written.map_or_else(|error| error.to_string().into(), JsValue::from);
    port.post_message(&Array::of2(&lane.into(), &answer)).expect("numbers and strings can be cloned");
}
