//! What a read into Wasm memory would cost if it did nothing but copy: the same bytes copied inside it. No page can read its files so; it
//! is there to be compared with.

use std::hint::black_box;
use std::rc::Rc;

use js_sys::Uint8Array;
use opfs_bench_core::ops::Op;
use opfs_bench_core::result::EndsUp;

use super::block::Block;
use super::context::chunks;
use super::{Context, Copies, Loop, Method, Queue, Reader, Sink, Timed, Unopened};
use crate::clock;
use crate::opfs::{Call, OpfsError};

pub const METHODS: &[Method] =
    &[Method::new("limit/memcpy", EndsUp::WorkerWasm, |context| Box::pin(open(context))).copies(Copies::Held).queue(Queue::Synchronous)];

async fn open(context: &Context) -> Result<Box<dyn Reader>, Unopened> {
    let group = &context.group;
    let size = |place: usize| group.own.as_ref().map_or(group.fileset().file_size, |own| own.files[place].size);
    let mut files = Vec::with_capacity(context.names.len());
    for (place, name) in context.names.iter().enumerate() {
        let size = usize::try_from(size(place).0).expect("a group that fits is small");
        let room = || format!("the browser has no {size} B more of WebAssembly memory: choose a smaller job");
        let mut file = File { name: name.clone(), bytes: Block::try_new(size).ok_or_else(room)?, length: 0 };
        let put = |chunk: &Uint8Array, at| {
            file.put(chunk, at);
            Ok(())
        };
        chunks(&context.directory.file(name).await?.snapshot().await?, name, put).await?;
        files.push(file);
    }
    Ok(Box::new(Held { files, block: context.block() }))
}

/// A file's bytes, as many as there are.
struct File {
    name: String,
    bytes: Block,
    length: u64,
}

impl File {
    /// Takes the next bytes in. What is beyond the file's proper end is not needed.
    fn put(&mut self, chunk: &Uint8Array, at: u64) {
        let room = self.bytes.view().js().subarray(u32::try_from(at).unwrap_or(u32::MAX), u32::MAX);
        let taken = room.length().min(chunk.length());
        room.set(&chunk.subarray(0, taken), 0);
        self.length += u64::from(taken);
    }

    #[cold]
    fn short(&self, op: &Op) -> OpfsError {
        let held = u32::try_from(self.length.saturating_sub(op.at)).unwrap_or(u32::MAX);
        OpfsError::short(Call::ArrayBuffer, &self.name, op.at, held, op.len)
    }
}

/// The files, and the block that each op copies its own bytes into.
struct Held {
    files: Vec<File>,
    block: Rc<Block>,
}

impl Loop for Held {
    async fn run(&self, ops: &[Op], sink: &mut impl Sink) -> Result<Timed, OpfsError> {
        sink.begin(&self.block);
        let mut bytes = 0;
        let start = clock::now_ms();
        for op in ops {
            let file = &self.files[op.file as usize];
            if op.at + u64::from(op.len) > file.length {
                return Err(file.short(op));
            }
            self.block.copy_from(0, &file.bytes, usize::try_from(op.at).expect("within the file"), op.len as usize);
            // Whoever reads looks at what came. Where nobody did, copies that the next one overwrites could be left out.
            black_box(&self.block);
            bytes += u64::from(op.len);
            sink.block(&self.block, op.len);
        }
        Ok(Timed::since(start, bytes))
    }
}
