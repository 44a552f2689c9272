//! Synchronous access handles, in a worker: `FileSystemSyncAccessHandle.read()` straight into Wasm memory. Besides the exclusive
//! lock that a handle takes by default there are two that others may hold too.

use std::rc::Rc;

use futures_util::future::LocalBoxFuture;
use js_sys::{Array, Object, Uint8Array};
use opfs_bench_core::fixture::Checksum;
use opfs_bench_core::job;
use opfs_bench_core::ops::Op;
use opfs_bench_core::result::{EndsUp, Stage};
use wasm_bindgen::prelude::*;
use web_sys::FileSystemDirectoryHandle;

use super::blob;
use super::block::Block;
use super::lanes::{Lane, Lanes};
use super::{Context, Copies, Handles, Laps, Loop, Method, Open, Queue, Reader, Sink, Timed, Unopened, Views, writing};
use crate::clock;
use crate::opfs::{Call, Directory, OpfsError, SharedLock, SyncHandle};

pub const METHODS: &[Method] = &[
    Method::new("worker/sync", EndsUp::WorkerWasm, |context| Box::pin(open(context, context.block())))
        .queue(Queue::Synchronous)
        .handles(Handles::Shared)
        .writes(|context| Box::pin(writing::sync::open(context, "worker/sync")))
        .copying(|context| Box::pin(writing::copy::by_sync(context, "worker/sync")))
        .opening(|context| Box::pin(open_and_close(context))),
    modal("worker/sync-read-only", |context| Box::pin(open_shared(context, SharedLock::ReadOnly))),
    modal("worker/sync-readwrite-unsafe", |context| Box::pin(open_shared(context, SharedLock::ReadWriteUnsafe))),
];

/// A method whose handles have a lock of their own kind.
pub(super) const fn modal(name: &'static str, open: Open) -> Method {
    Method::new(name, EndsUp::WorkerWasm, open).queue(Queue::Synchronous).handles(Handles::Own).copies(Copies::WhereKept)
}

/// Opens it to read into this block.
pub(super) async fn open(context: &Context, block: Rc<Block>) -> Result<Box<dyn Reader>, Unopened> {
    Ok(match context.group.open {
        job::Open::Kept => Box::new(Kept { handles: context.kept_sync_handles().await?, block, lengths: Rc::clone(&context.lengths) }),
        job::Open::Each => Box::new(Each::new(context, None, block)),
    })
}

pub(super) async fn open_shared(context: &Context, lock: SharedLock) -> Result<Box<dyn Reader>, Unopened> {
    // On a file of its own: a browser that takes the exclusive lock instead might keep it for a while.
    let tried = context.directory.create(&format!("{}-lock", lock.mode())).await?;
    if !tried.open_sync_shared_patiently(lock).await?.holds(lock) {
        return Err(Unopened::absent(&format!("createSyncAccessHandle({{ mode: \"{}\" }})", lock.mode())));
    }
    let block = context.block();
    if context.group.open == job::Open::Each {
        return Ok(Box::new(Each::new(context, Some(lock), block)));
    }
    let copies = context.copied_to(lock.mode()).await?;
    let mut handles = Vec::with_capacity(context.names.len());
    for name in &context.names {
        handles.push(copies.file(name).await?.open_sync_shared_patiently(lock).await?);
    }
    Ok(Box::new(Kept { handles: handles.into(), block, lengths: Rc::clone(&context.lengths) }))
}

struct Kept {
    handles: Rc<[SyncHandle]>,
    block: Rc<Block>,
    lengths: Rc<[u32]>,
}

impl Loop for Kept {
    async fn run(&self, ops: &[Op], sink: &mut impl Sink) -> Result<Timed, OpfsError> {
        let views = Views::of(&self.block, &self.lengths);
        sink.begin(&self.block);
        let mut bytes = 0;
        let start = clock::now_ms();
        for op in ops {
            bytes += u64::from(self.handles[op.file as usize].read_full(views.for_file(op.file), op.at)?);
            sink.block(&self.block, op.len);
        }
        Ok(Timed::since(start, bytes))
    }
}

/// The loop that looks a file up, opens it, reads and closes it for each op. It awaits, so it stands in JavaScript as those of promises do.
/// The view is asked for again where Wasm memory grew meanwhile.
#[wasm_bindgen(inline_js = "
export const syncLane = (directory, names, options, newView) => {
  let view = newView();
  return {
    held: undefined,
    async read(file, at, length, pieces) {
      let call = 'getFileHandle';
      let bytes;
      try {
        const found = (this.held = await directory.getFileHandle(names[file]));
        call = 'createSyncAccessHandle';
        const handle = options ? await found.createSyncAccessHandle(options) : await found.createSyncAccessHandle();
        call = '';
        try {
          if (view.length === 0) view = newView();
          // A read that brings nothing must not pass for one that brought what was there.
          if (pieces) view.fill(0);
          bytes = handle.read(view.length === length ? view : view.subarray(0, length), { at });
        } finally {
          handle.close();
        }
      } catch (error) {
        throw { call, error };
      }
      if (bytes !== length) throw { call: '', error: { message: `the file ended after ${bytes} of ${length} B from offset ${at}` } };
      pieces?.push(view.slice(0, length));
      return bytes;
    },
    count: (bytes) => bytes,
  };
};")]
extern "C" {
    #[wasm_bindgen(js_name = syncLane)]
    fn sync_lane(directory: &FileSystemDirectoryHandle, names: &Array, options: Option<&Object>, new_view: &NewView) -> Lane;
}

type NewView = Closure<dyn Fn() -> Uint8Array>;

/// Files that are opened for each op.
struct Each {
    lanes: Lanes,
    directory: Directory,
    names: Vec<String>,
    /// None: the exclusive one.
    lock: Option<SharedLock>,
    block: Rc<Block>,
}

impl Each {
    fn new(context: &Context, lock: Option<SharedLock>, block: Rc<Block>) -> Self {
        let viewed = Rc::clone(&block);
        let new_view = NewView::new(move || viewed.view().js().clone());
        let options = lock.map(SharedLock::options);
        let lane = sync_lane(context.directory.js(), &blob::names(&context.names), options.as_ref(), &new_view);
        let lanes = Lanes::of([lane].into_iter(), &context.names, Call::Read).holding(new_view);
        Self { lanes, directory: context.directory.clone(), names: context.names.clone(), lock, block }
    }

    async fn take_apart(&self, ops: &[Op], laps: &mut Laps) -> Result<(), OpfsError> {
        let file = laps.look_up(&self.directory, &self.names[ops[0].file as usize]).await?;
        let handle = match self.lock {
            None => file.open_sync().await?,
            Some(lock) => file.open_sync_shared(lock).await?,
        };
        laps.end(Stage::Open, 1);
        // All ops of a file have the same length.
        let view = self.block.view_of(0, ops[0].len as usize);
        laps.begin();
        handle.read_full(&view, ops[0].at)?;
        laps.end(Stage::FirstRead, 1);
        for op in ops {
            handle.read_full(&view, op.at)?;
        }
        laps.end(Stage::Read, ops.len());
        drop(handle);
        laps.end(Stage::Close, 1);
        Ok(())
    }
}

impl Reader for Each {
    fn read<'a>(&'a self, ops: &'a [Op], check: Option<&'a mut Checksum>) -> LocalBoxFuture<'a, Result<Timed, OpfsError>> {
        self.lanes.read(ops, check)
    }

    /// What is read goes into Wasm memory: the browser makes no buffers.
    fn buffers<'a>(&'a self, _: &'a [Op]) -> LocalBoxFuture<'a, Result<u64, OpfsError>> {
        Box::pin(async { Ok(0) })
    }

    fn stages<'a>(&'a self, ops: &'a [Op], laps: &'a mut Laps) -> LocalBoxFuture<'a, Result<(), OpfsError>> {
        Box::pin(self.take_apart(ops, laps))
    }
}

/// Opens and closes files. That takes their lock and gives it back, too: a sync handle has no other. Bytes show that they were open.
#[allow(clippy::unused_async)] // every method opens by a future
async fn open_and_close(context: &Context) -> Result<Box<dyn Reader>, Unopened> {
    let lane = open_close_lane(context.directory.js(), &blob::names(&context.names));
    Ok(Box::new(Lanes::of([lane].into_iter(), &context.names, Call::Read)))
}

#[wasm_bindgen(inline_js = "
export const openCloseLane = (directory, names) => ({
  held: undefined,
  async read(file, at, length, pieces) {
    let call = 'getFileHandle';
    try {
      this.held = await directory.getFileHandle(names[file]);
      call = 'createSyncAccessHandle';
      const handle = await this.held.createSyncAccessHandle();
      if (!pieces) {
        handle.close();
        return 0;
      }
      call = '';
      const bytes = new Uint8Array(length);
      const read = handle.read(bytes, { at });
      handle.close();
      pieces.push(bytes);
      return read;
    } catch (error) {
      throw { call, error };
    }
  },
  count: (bytes) => bytes,
});")]
extern "C" {
    #[wasm_bindgen(js_name = openCloseLane)]
    fn open_close_lane(directory: &FileSystemDirectoryHandle, names: &Array) -> Lane;
}
