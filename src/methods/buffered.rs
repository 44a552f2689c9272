//! A buffer of our own of 4 KiB in front of the reads, as `BufRead` and the file streams of most languages have it: small reads in order are
//! copied out of what was read ahead, and a block as large as the buffer is read past it.
//!
//! Each file that is kept open has its own buffer. Where a file is opened for every op the buffer is empty every time.

use std::cell::Cell;
use std::rc::Rc;

use js_sys::{Array, Function};
use opfs_bench_core::job;
use opfs_bench_core::ops::Op;
use opfs_bench_core::result::EndsUp;
use wasm_bindgen::prelude::*;

use super::blob;
use super::lanes::{Lane, Lanes, opener};
use super::{Block, Context, Handles, Loop, Method, Queue, Reader, Sink, Timed, Unopened, Views};
use crate::clock;
use crate::opfs::{Call, Directory, OpfsError, SyncHandle, View};

pub const METHODS: &[Method] = &[
    Method::new("worker/sync-buffered", EndsUp::WorkerWasm, |context| Box::pin(open_sync(context)))
        .queue(Queue::Synchronous)
        .handles(Handles::Shared),
    Method::new("main/slice-buffered", EndsUp::MainBuffer, |context| Box::pin(open_slices(context))),
];

/// The buffer's bytes.
const BUFFER: u32 = 4096;

// By sync handles

async fn open_sync(context: &Context) -> Result<Box<dyn Reader>, Unopened> {
    let files = match context.group.open {
        job::Open::Kept => Files::Kept(context.kept_sync_handles().await?),
        job::Open::Each => Files::Each(context.directory.clone()),
    };
    let buffers = context.names.iter().map(|_| Buffer::new()).collect();
    let lengths = Rc::clone(&context.lengths);
    Ok(Box::new(Synchronous { files, names: context.names.clone(), lengths, buffers, block: context.block() }))
}

enum Files {
    Kept(Rc<[SyncHandle]>),
    Each(Directory),
}

struct Synchronous {
    files: Files,
    names: Vec<String>,
    lengths: Rc<[u32]>,
    buffers: Vec<Buffer>,
    block: Rc<Block>,
}

/// What was read ahead of a file.
struct Buffer {
    block: Block,
    /// The offset of its first byte in the file, and how many there are.
    from: Cell<u64>,
    filled: Cell<u32>,
}

impl Buffer {
    fn new() -> Self {
        Self { block: Block::new(BUFFER as usize), from: Cell::new(0), filled: Cell::new(0) }
    }

    fn empty(&self) {
        self.filled.set(0);
    }

    /// The bytes that it holds from this offset of the file on: where they begin in it, and how many there are.
    #[inline]
    fn held(&self, at: u64) -> Option<(u32, u32)> {
        let skip = u32::try_from(at.checked_sub(self.from.get())?).ok()?;
        let held = self.filled.get().checked_sub(skip)?;
        (held > 0).then_some((skip, held))
    }

    /// Reads an op into the beginning of `to`: what the buffer holds of it, then the rest, by way of the buffer if it is smaller than that.
    #[inline]
    fn read(&self, handle: &SyncHandle, op: &Op, to: &Block, view: &View) -> Result<u64, OpfsError> {
        let mut done = 0;
        while done < op.len {
            let at = op.at + u64::from(done);
            if let Some((skip, held)) = self.held(at) {
                let length = held.min(op.len - done);
                to.copy_from(done as usize, &self.block, skip as usize, length as usize);
                done += length;
            } else if op.len - done >= BUFFER {
                done += if done == 0 { handle.read_full(view, at)? } else { handle.read_full(&view.after(done), at)? };
            } else {
                let read = handle.read_once(&self.block.view(), at)?;
                if read == 0 {
                    return Err(handle.short(op.at, done, op.len));
                }
                self.from.set(at);
                self.filled.set(read);
            }
        }
        Ok(done.into())
    }
}

impl Loop for Synchronous {
    async fn run(&self, ops: &[Op], sink: &mut impl Sink) -> Result<Timed, OpfsError> {
        sink.begin(&self.block);
        let mut bytes = 0;
        match &self.files {
            Files::Kept(handles) => {
                let views = Views::of(&self.block, &self.lengths);
                let start = clock::now_ms();
                for op in ops {
                    let view = views.for_file(op.file);
                    bytes += self.buffers[op.file as usize].read(&handles[op.file as usize], op, &self.block, view)?;
                    sink.block(&self.block, op.len);
                }
                Ok(Timed::since(start, bytes))
            }
            Files::Each(directory) => {
                let start = clock::now_ms();
                for op in ops {
                    let handle = directory.file(&self.names[op.file as usize]).await?.open_sync().await?;
                    let buffer = &self.buffers[op.file as usize];
                    buffer.empty();
                    // Awaiting may have grown Wasm memory, so the view is taken anew.
                    bytes += buffer.read(&handle, op, &self.block, &self.block.view_of(0, op.len as usize))?;
                    drop(handle);
                    sink.block(&self.block, op.len);
                }
                Ok(Timed::since(start, bytes))
            }
        }
    }
}

// By promises

async fn open_slices(context: &Context) -> Result<Box<dyn Reader>, Unopened> {
    let opened: Option<Array> = match context.group.open {
        job::Open::Kept => Some(context.snapshots().await?.into_iter().map(JsValue::from).collect()),
        job::Open::Each => None,
    };
    let open = opener(context.directory.js(), &blob::names(&context.names));
    let lane = || buffered_lane(opened.as_ref(), &open, context.block_length(), BUFFER);
    Ok(Box::new(Lanes::new(context.group.iodepth, &context.names, Call::ArrayBuffer, lane)))
}

// With several reads in flight, each has a buffer of its own.
#[wasm_bindgen(inline_js = "
export const bufferedLane = (opened, open, blockLength, BUFFER) => {
  const block = new Uint8Array(blockLength);
  // The file, the offset of the first byte, and the bytes.
  let ahead = {};
  return {
    held: undefined,
    async read(file, at, length, pieces) {
      let blob;
      if (opened) {
        blob = opened[file];
      } else {
        ahead = {};
        blob = await open(file);
      }
      // A read that brings nothing must not pass for one that brought what was there.
      if (pieces) {
        block.fill(0);
        pieces.made = 0;
      }
      let done = 0;
      while (done < length) {
        const skip = at + done - ahead.from;
        if (ahead.file === file && skip >= 0 && skip < ahead.bytes.length) {
          const held = ahead.bytes.subarray(skip, skip + length - done);
          block.set(held, done);
          done += held.length;
          continue;
        }
        const from = at + done;
        const rest = length - done;
        this.held = blob.slice(from, from + Math.max(rest, BUFFER));
        const bytes = new Uint8Array(await this.held.arrayBuffer());
        if (pieces) pieces.made += bytes.length;
        if (bytes.length === 0) throw { message: `the file ended after ${done} of ${length} B from offset ${at}` };
        if (rest < BUFFER) {
          ahead = { file, from, bytes };
        } else {
          block.set(bytes, done);
          done += bytes.length;
        }
      }
      pieces?.push(block.slice(0, length));
      return length;
    },
    count: (bytes) => bytes,
  };
};")]
extern "C" {
    #[wasm_bindgen(js_name = bufferedLane)]
    fn buffered_lane(opened: Option<&Array>, open: &Function, length: u32, buffer: u32) -> Lane;
}
