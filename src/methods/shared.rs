//! The main thread asks a worker that owns sync handles, and the worker reads into memory that both share: nothing is copied and no
//! message comes back. `Atomics.waitAsync()` wakes the main thread, which must not block. Only isolated pages have such memory.
//!
//! The memory, one for each read in flight, begins with two numbers: whether the question is answered, and how many bytes follow. Those are what was read, or
//! an error's text.

use js_sys::{Array, Function, Int32Array, Object, SharedArrayBuffer, Uint8Array};
use opfs_bench_core::result::EndsUp;
use wasm_bindgen::prelude::*;

use super::lanes::{Lane, Lanes};
use super::rpc::{Files, NO_FILE, Serving};
use super::{Context, Handles, Method, Reader, Served, Unopened};
use crate::glue;
use crate::lines::Port;
use crate::opfs::{Call, OpfsError};

/// Besides a page that is isolated.
pub const NEEDS: &[&str] = &["Atomics.waitAsync"];

pub const METHODS: &[Method] = &[Method::new("rpc/shared", EndsUp::Shared, |context| Box::pin(open(context)))
    .needs(NEEDS)
    .handles(Handles::Shared)
    .served(|context, port| Box::pin(serve(context, port)))];

/// The first number: 0 while a question is open, then how it went.
const STATE: u32 = 0;
const READ: i32 = 1;
const FAILED: i32 = 2;
/// The second number: how many bytes follow.
const LENGTH: u32 = 1;
/// Where they begin.
pub const DATA: u32 = 8;
/// Room for an error's text, where blocks are smaller.
const TEXT: u32 = 1024;

/// The memory of one read in flight, as one thread sees it.
pub struct Memory {
    pub buffer: SharedArrayBuffer,
    pub numbers: Int32Array,
    /// What follows the numbers.
    pub data: Uint8Array,
}

impl Memory {
    /// Room for a block, where pages have such memory.
    pub fn new(context: &Context) -> Result<Self, Unopened> {
        if !glue::CROSS_ORIGIN_ISOLATED.with(JsValue::is_truthy) {
            return Err(Unopened::absent("SharedArrayBuffer, which a page has that is cross-origin isolated"));
        }
        let memory = Self::of(SharedArrayBuffer::new(DATA + context.block_length().max(TEXT)));
        // Nothing is asked yet.
        memory.numbers.set_index(STATE, READ);
        Ok(memory)
    }

    /// How many bytes the last answer brought.
    pub fn length(&self) -> u32 {
        u32::try_from(self.numbers.get_index(LENGTH)).unwrap_or_default()
    }

    fn of(buffer: SharedArrayBuffer) -> Self {
        let length = buffer.byte_length() - DATA;
        let numbers = Int32Array::new_with_byte_offset_and_length(&buffer, 0, DATA / 4);
        let data = Uint8Array::new_with_byte_offset_and_length(&buffer, DATA, length);
        Self { buffer, numbers, data }
    }
}

// The main thread's side

#[wasm_bindgen(inline_js = "
export const askingShared = (ask, numbers, data, READ) => ({
  read(file, at, length, pieces) {
    // A read that brings nothing must not pass for one that brought what was there.
    if (pieces) {
      data.fill(0);
      pieces.made = 0;
    }
    return ask(file, at);
  },
  count(_, pieces) {
    const [state, length] = numbers;
    // Copies: memory that is shared cannot be decoded, and the next read goes there too.
    if (state !== READ) throw { call: 'answered', error: new TextDecoder().decode(data.slice(0, length)) };
    pieces?.push(data.slice(0, length));
    return length;
  },
});")]
extern "C" {
    #[wasm_bindgen(js_name = askingShared)]
    fn asking_shared(ask: &Function, numbers: &Int32Array, data: &Uint8Array, read: i32) -> Lane;
}

#[allow(clippy::unused_async)] // every method opens by a future
async fn open(context: &Context) -> Result<Box<dyn Reader>, Unopened> {
    let port = context.port();
    let depth = context.group.iodepth;
    let memories = (0..depth).map(|_| Memory::new(context)).collect::<Result<Vec<Memory>, Unopened>>()?;
    let buffers: Array = memories.iter().map(|memory| &memory.buffer).collect();
    port.post(&buffers).map_err(|error| OpfsError::thrown(Call::Ask, "", &error))?;
    let lanes = (0..).zip(memories).map(|(lane, Memory { numbers, data, .. })| {
        asking_shared(&glue::shared_asker(port, &numbers, (depth > 1).then_some(lane)), &numbers, &data, READ)
    });
    Ok(Box::new(Lanes::of(lanes, &context.names, Call::Ask).delivering(NO_FILE)))
}

// The worker's side

#[wasm_bindgen(module = "/src/serving.js")]
extern "C" {
    #[wasm_bindgen(js_name = serveShared)]
    fn serve_shared(port: &Port, files: &Object, lengths: &[u32], lanes: bool, layout: &Object);
}

async fn serve(context: &Context, port: Port) -> Result<Box<dyn Served>, OpfsError> {
    let files = Files::open(context).await?;
    let layout = glue::object([("data", &DATA.into()), ("read", &READ.into()), ("failed", &FAILED.into())]);
    serve_shared(&port, &files.js, &context.lengths, context.group.iodepth > 1, &layout);
    Ok(Box::new(Serving::holding(port, files)))
}

/// A lane whose memory holds these bytes, and which is told of reads that nobody made.
#[cfg(all(test, target_arch = "wasm32"))]
pub(super) fn unread(bytes: &[u8]) -> Lanes {
    let ask = Function::new_no_args("return Promise.resolve()");
    let memory = Memory::of(SharedArrayBuffer::new(DATA + u32::try_from(bytes.len()).expect("few")));
    memory.data.copy_from(bytes);
    memory.numbers.copy_from(&[READ, i32::try_from(bytes.len()).expect("few")]);
    Lanes::new(1, &[], Call::Ask, || asking_shared(&ask, &memory.numbers, &memory.data, READ))
}
