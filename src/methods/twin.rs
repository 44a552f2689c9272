//! The hot loops again, in plain JavaScript: what a read costs with no Wasm around it. They run as ordinary arms, so the price of this
//! crate's own glue is a ratio like any other. The loops stand in `www/twins.js`.

use std::rc::Rc;

use js_sys::{Array, ArrayBuffer, Float64Array, Promise, Uint8Array, Uint32Array};
use opfs_bench_core::job;
use opfs_bench_core::ops::Op;
use opfs_bench_core::result::EndsUp;
use wasm_bindgen::prelude::*;
use web_sys::FileSystemDirectoryHandle;

use super::blob;
use super::lanes::{Lists, timed};
use super::{Block, Context, Handles, Loop, Method, Open, Queue, Reader, Sink, Timed, Unopened};
use crate::opfs::{self, Call, Directory, OpfsError, SyncHandle};

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
    #[wasm_bindgen(js_name = wholeKept)]
    fn whole_kept(opened: &Array, files: &Uint32Array) -> Promise;
    #[wasm_bindgen(js_name = wholeEach)]
    fn whole_each(directory: &FileSystemDirectoryHandle, names: &Array, files: &Uint32Array) -> Promise;
}

pub const METHODS: &[Method] = &[
    synchronous("worker/sync-js", EndsUp::WorkerWasm, |context| Box::pin(open_sync(context, Memory::Wasm(context.block())))),
    synchronous("worker/sync-js-buffer", EndsUp::WorkerBuffer, |context| Box::pin(open_sync(context, Memory::buffer(context)))),
    Method::new("main/slice-js", EndsUp::MainBuffer, |context| Box::pin(open_slice(context))).queue(Queue::OneByOne).of_one_length(),
    Method::new("worker/slice-js", EndsUp::WorkerBuffer, |context| Box::pin(open_slice(context))).queue(Queue::OneByOne).of_one_length(),
    Method::new("main/array-buffer-js", EndsUp::MainBuffer, |context| Box::pin(open_whole(context))).queue(Queue::OneByOne).whole(),
    Method::new("worker/array-buffer-js", EndsUp::WorkerBuffer, |context| Box::pin(open_whole(context))).queue(Queue::OneByOne).whole(),
];

const fn synchronous(name: &'static str, ends_up: EndsUp, open: Open) -> Method {
    Method::new(name, ends_up, open).queue(Queue::Synchronous).handles(Handles::Shared).of_one_length()
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

    fn give(&self, op: &Op, sink: &mut impl Sink) {
        match self {
            Self::Wasm(block) => sink.block(block, op.len),
            Self::Buffer(array) => sink.bytes(array),
        }
    }
}

/// A loop with what it reads from.
struct Twin {
    how: How,
    files: Files,
}

/// What an op does with its file.
enum How {
    /// `read()` of a sync handle into this memory.
    Sync(Memory),
    /// `arrayBuffer()` of a slice of so many bytes.
    Slice(f64),
    /// `arrayBuffer()` of all of it.
    Whole,
}

/// The files.
enum Files {
    /// Sync handles or blobs. Handles are open as long as those that they are of.
    Kept { opened: Array, _handles: Option<Rc<[SyncHandle]>> },
    /// Where they are, to be opened for each op.
    Each(Folder),
}

/// Files by their names.
pub(super) struct Folder {
    pub directory: Directory,
    pub names: Array,
}

impl Folder {
    /// The group's.
    pub fn of(context: &Context) -> Self {
        Self { directory: context.directory.clone(), names: blob::names(&context.names) }
    }

    /// The name of the file that an op reads.
    pub fn name(&self, op: &Op) -> String {
        self.names.get(op.file).as_string().unwrap_or_default()
    }
}

async fn open_sync(context: &Context, memory: Memory) -> Result<Box<dyn Reader>, Unopened> {
    let files = match context.group.open {
        job::Open::Kept => {
            let handles = context.kept_sync_handles().await?;
            Files::Kept { opened: handles.iter().map(SyncHandle::js).collect(), _handles: Some(handles) }
        }
        job::Open::Each => Files::Each(Folder::of(context)),
    };
    Ok(Box::new(Twin { how: How::Sync(memory), files }))
}

async fn open_slice(context: &Context) -> Result<Box<dyn Reader>, Unopened> {
    Ok(Box::new(Twin { how: How::Slice(context.block_length().into()), files: blobs(context).await? }))
}

async fn open_whole(context: &Context) -> Result<Box<dyn Reader>, Unopened> {
    Ok(Box::new(Twin { how: How::Whole, files: blobs(context).await? }))
}

async fn blobs(context: &Context) -> Result<Files, OpfsError> {
    Ok(match context.group.open {
        job::Open::Kept => Files::Kept { opened: context.snapshots().await?.iter().collect(), _handles: None },
        job::Open::Each => Files::Each(Folder::of(context)),
    })
}

impl Loop for Twin {
    async fn run(&self, ops: &[Op], sink: &mut impl Sink) -> Result<Timed, OpfsError> {
        if !sink.takes() {
            return Ok(self.read(ops).await?.0);
        }
        // The same loop for each op alone, since what it reads is seen after its last op only.
        let mut all = Timed { elapsed_ms: 0.0, bytes: 0 };
        for op in ops {
            if let How::Sync(memory) = &self.how {
                memory.spoil();
            }
            let (timed, buffer) = self.read(std::slice::from_ref(op)).await?;
            all = all.and(timed);
            match &self.how {
                How::Sync(memory) => memory.give(op, sink),
                How::Slice(_) | How::Whole => sink.buffer(&buffer),
            }
        }
        Ok(all)
    }
}

impl Twin {
    /// Runs the loop. Its time, and the buffer that the browser made for its last op, if it made one.
    async fn read(&self, ops: &[Op]) -> Result<(Timed, ArrayBuffer), OpfsError> {
        let Lists { files, offsets, .. } = Lists::of(ops);
        let call = if matches!(self.how, How::Sync(_)) { Call::Read } else { Call::ArrayBuffer };
        let read = match (&self.how, &self.files) {
            (How::Sync(memory), Files::Kept { opened, .. }) => {
                sync_kept(opened, &memory.view(), &files, &offsets).map_err(|error| OpfsError::thrown(call, "", &error)).map(JsValue::from)
            }
            (How::Sync(memory), Files::Each(Folder { directory, names })) => {
                opfs::settle(call, "", sync_each(directory.js(), names, &memory.view(), &files, &offsets)).await
            }
            (How::Slice(length), Files::Kept { opened, .. }) => opfs::settle(call, "", slice_kept(opened, *length, &files, &offsets)).await,
            (How::Slice(length), Files::Each(Folder { directory, names })) => {
                opfs::settle(call, "", slice_each(directory.js(), names, *length, &files, &offsets)).await
            }
            (How::Whole, Files::Kept { opened, .. }) => opfs::settle(call, "", whole_kept(opened, &files)).await,
            (How::Whole, Files::Each(Folder { directory, names })) => {
                opfs::settle(call, "", whole_each(directory.js(), names, &files)).await
            }
        };
        let read = match read {
            Ok(read) => read.unchecked_into(),
            Err(error) => return Err(self.explain(ops).await.unwrap_or(error)),
        };
        Ok((timed(&read), last_buffer(&read)))
    }

    /// A loop in JavaScript does not say which of its calls threw, on which file: opening the files again tells, in most cases.
    async fn explain(&self, ops: &[Op]) -> Option<OpfsError> {
        let Files::Each(folder) = &self.files else { return None };
        for op in ops {
            let opened = match (folder.directory.file(&folder.name(op)).await, &self.how) {
                (Ok(file), How::Sync(_)) => file.open_sync().await.map(drop),
                (Ok(file), _) => file.snapshot().await.map(drop),
                (Err(error), _) => Err(error),
            };
            if let Err(error) = opened {
                return Some(error);
            }
        }
        None
    }
}

/// The buffer that the last op of a loop brought.
pub(super) fn last_buffer(read: &Array) -> ArrayBuffer {
    read.get(2).unchecked_into()
}
