//! The hot loops again, in plain JavaScript: what a read costs with no Wasm around it. They run as ordinary arms, so the price of this
//! crate's own glue is a ratio like any other. The loops stand in `www/twins.js`.

use std::rc::Rc;

use js_sys::{Array, ArrayBuffer, Float64Array, Promise, Uint8Array, Uint32Array};
use opfs_bench_core::job;
use opfs_bench_core::ops::Op;
use opfs_bench_core::result::EndsUp;
use wasm_bindgen::prelude::*;
use web_sys::FileSystemDirectoryHandle;

use super::{Block, Context, Handles, Loop, Method, Open, Queue, Reader, Sink, Timed, Unopened};
use crate::awaiting::Settled;
use crate::opfs::{Call, Directory, OpfsError, SyncHandle};

#[wasm_bindgen(module = "/www/twins.js")]
extern "C" {
    #[wasm_bindgen(js_name = syncKept, catch)]
    fn sync_kept(handles: &Array, view: &Uint8Array, files: &Uint32Array, offsets: &Float64Array) -> Result<Array, JsValue>;
    #[wasm_bindgen(js_name = syncEach)]
    fn sync_each(
        directory: &FileSystemDirectoryHandle,
        names: &Array,
        view: &Uint8Array,
        files: &Uint32Array,
        offsets: &Float64Array,
    ) -> Promise;
    #[wasm_bindgen(js_name = sliceKept)]
    fn slice_kept(opened: &Array, length: f64, files: &Uint32Array, offsets: &Float64Array) -> Promise;
    #[wasm_bindgen(js_name = sliceEach)]
    fn slice_each(
        directory: &FileSystemDirectoryHandle,
        names: &Array,
        length: f64,
        files: &Uint32Array,
        offsets: &Float64Array,
    ) -> Promise;
}

pub const METHODS: &[Method] = &[
    synchronous("worker/sync-js", EndsUp::WorkerWasm, |context| Box::pin(open_sync(context, Memory::Wasm(context.block())))),
    synchronous("worker/sync-js-buffer", EndsUp::WorkerBuffer, |context| Box::pin(open_sync(context, Memory::buffer(context)))),
    Method::new("main/slice-js", EndsUp::MainBuffer, |context| Box::pin(open_slice(context))).queue(Queue::OneByOne),
    Method::new("worker/slice-js", EndsUp::WorkerBuffer, |context| Box::pin(open_slice(context))).queue(Queue::OneByOne),
];

const fn synchronous(name: &'static str, ends_up: EndsUp, open: Open) -> Method {
    Method::new(name, ends_up, open).queue(Queue::Synchronous).handles(Handles::Shared)
}

/// Where a loop with sync handles reads to.
enum Memory {
    /// Where Rust reads to, so that the loops differ in nothing else.
    Wasm(Rc<Block>),
    /// Where JavaScript alone would read to.
    Buffer(Uint8Array),
}

impl Memory {
    fn buffer(context: &Context) -> Self {
        Self::Buffer(Uint8Array::new_with_length(context.block_length()))
    }

    /// Valid until Wasm memory grows.
    fn view(&self) -> Uint8Array {
        match self {
            Self::Wasm(block) => block.view().js().clone(),
            Self::Buffer(array) => array.clone(),
        }
    }

    /// A read that brings nothing must not pass for one that brought what was there.
    fn spoil(&self) {
        match self {
            Self::Wasm(block) => block.spoil(),
            Self::Buffer(array) => {
                array.fill(0, 0, array.length());
            }
        }
    }

    fn give(&self, sink: &mut impl Sink) {
        match self {
            Self::Wasm(block) => sink.block(block),
            Self::Buffer(array) => sink.bytes(array),
        }
    }
}

/// One of the loops with what it reads from.
enum Twin {
    /// The handles are open as long as those that they are of.
    SyncKept {
        handles: Array,
        _open: Rc<[SyncHandle]>,
        memory: Memory,
    },
    SyncEach {
        directory: Directory,
        names: Array,
        memory: Memory,
    },
    SliceKept {
        opened: Array,
        length: f64,
    },
    SliceEach {
        directory: Directory,
        names: Array,
        length: f64,
    },
}

async fn open_sync(context: &Context, memory: Memory) -> Result<Box<dyn Reader>, Unopened> {
    Ok(Box::new(match context.group.open {
        job::Open::Kept => {
            let open = context.kept_sync_handles().await?;
            Twin::SyncKept { handles: open.iter().map(SyncHandle::js).collect(), _open: open, memory }
        }
        job::Open::Each => Twin::SyncEach { directory: context.directory.clone(), names: names(context), memory },
    }))
}

async fn open_slice(context: &Context) -> Result<Box<dyn Reader>, Unopened> {
    let length = context.group.bs.0 as f64;
    if context.group.open == job::Open::Each {
        return Ok(Box::new(Twin::SliceEach { directory: context.directory.clone(), names: names(context), length }));
    }
    Ok(Box::new(Twin::SliceKept { opened: context.snapshots().await?.iter().collect(), length }))
}

fn names(context: &Context) -> Array {
    context.names.iter().map(|name| JsValue::from(name.as_str())).collect()
}

impl Loop for Twin {
    async fn run(&self, ops: &[Op], sink: &mut impl Sink) -> Result<Timed, OpfsError> {
        if !sink.takes() {
            return Ok(self.read(ops).await?.0);
        }
        // The same loop for each op alone, since what it reads is seen after its last op only.
        let mut all = Timed { elapsed_ms: 0.0, bytes: 0 };
        for op in ops {
            self.memory().inspect(|memory| memory.spoil());
            let (timed, buffer) = self.read(std::slice::from_ref(op)).await?;
            all = Timed { elapsed_ms: all.elapsed_ms + timed.elapsed_ms, bytes: all.bytes + timed.bytes };
            match self.memory() {
                Some(memory) => memory.give(sink),
                None => sink.buffer(&buffer),
            }
        }
        Ok(all)
    }
}

impl Twin {
    /// For loops that read into memory of ours.
    fn memory(&self) -> Option<&Memory> {
        match self {
            Self::SyncKept { memory, .. } | Self::SyncEach { memory, .. } => Some(memory),
            Self::SliceKept { .. } | Self::SliceEach { .. } => None,
        }
    }

    /// Runs the loop. Its time, and the buffer that the browser made for its last op, if it made one.
    async fn read(&self, ops: &[Op]) -> Result<(Timed, ArrayBuffer), OpfsError> {
        let files = Uint32Array::from(&ops.iter().map(|op| op.file).collect::<Vec<_>>()[..]);
        let offsets = Float64Array::from(&ops.iter().map(|op| op.at as f64).collect::<Vec<_>>()[..]);
        let read = match self {
            Self::SyncKept { handles, memory, .. } => sync_kept(handles, &memory.view(), &files, &offsets).map(JsValue::from),
            Self::SyncEach { directory, names, memory } => {
                settled(sync_each(directory.js(), names, &memory.view(), &files, &offsets)).await
            }
            Self::SliceKept { opened, length } => settled(slice_kept(opened, *length, &files, &offsets)).await,
            Self::SliceEach { directory, names, length } => settled(slice_each(directory.js(), names, *length, &files, &offsets)).await,
        };
        let read: Array = match read {
            Ok(read) => read.unchecked_into(),
            Err(error) => return Err(self.explain(ops, &error).await),
        };
        let number = |place: u32| read.get(place).as_f64().unwrap_or(f64::NAN);
        // A count of bytes; what is none is found out as a wrong one.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let timed = Timed { elapsed_ms: number(0), bytes: number(1) as u64 };
        Ok((timed, read.get(2).unchecked_into()))
    }

    /// A loop in JavaScript does not say which of its calls threw, on which file: opening the files again tells, in most cases.
    async fn explain(&self, ops: &[Op], error: &JsValue) -> OpfsError {
        if let Self::SyncEach { directory, names, .. } | Self::SliceEach { directory, names, .. } = self {
            for op in ops {
                let name = names.get(op.file).as_string().unwrap_or_default();
                let opened = match (directory.file(&name).await, self) {
                    (Ok(file), Self::SyncEach { .. }) => file.open_sync().await.map(drop),
                    (Ok(file), _) => file.snapshot().await.map(drop),
                    (Err(error), _) => Err(error),
                };
                if let Err(error) = opened {
                    return error;
                }
            }
        }
        let call = if matches!(self, Self::SyncKept { .. } | Self::SyncEach { .. }) { Call::Read } else { Call::ArrayBuffer };
        OpfsError::thrown(call, "", error)
    }
}

async fn settled(promise: Promise) -> Result<JsValue, JsValue> {
    Settled::of(&promise).await
}
