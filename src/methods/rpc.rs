//! The main thread asks a worker that owns sync handles; the bytes come back in a buffer that is transferred, or copied.
//! It is what applications do that want sync handles' speed and need the bytes on the main thread.

use std::rc::Rc;

use js_sys::{Array, Function, Object};
use opfs_bench_core::job::{self, Work};
use opfs_bench_core::result::EndsUp;
use wasm_bindgen::prelude::*;

use super::blob;
use super::lanes::{Lane, Lanes};
use super::{Context, Handles, Method, Reader, Served, Unopened, writing};
use crate::glue;
use crate::lines::Port;
use crate::opfs::{Call, OpfsError, SyncHandle};

const TRANSFER: &str = "rpc/transfer";

pub const METHODS: &[Method] = &[
    Method::new(TRANSFER, EndsUp::MainBuffer, |context| Box::pin(open(context)))
        .handles(Handles::Shared)
        .writes(|context| Box::pin(writing::rpc::open(context, TRANSFER)))
        .served(|context, port| {
            Box::pin(async move {
                match context.group.rw.work() {
                    Work::Write => writing::rpc::serve(context, port, TRANSFER).await,
                    _ => serve(context, port, true).await,
                }
            })
        }),
    Method::new("rpc/clone", EndsUp::MainBuffer, |context| Box::pin(open(context)))
        .handles(Handles::Shared)
        .served(|context, port| Box::pin(serve(context, port, false))),
];

// The main thread's side

#[wasm_bindgen(inline_js = "
export const asking = (ask) => ({
  read: ask,
  count(answer, pieces) {
    if (typeof answer === 'string') throw { call: 'answered', error: answer };
    pieces?.push(answer);
    return answer.byteLength;
  },
});")]
extern "C" {
    fn asking(ask: &Function) -> Lane;
}

#[allow(clippy::unused_async)] // every method opens by a future
async fn open(context: &Context) -> Result<Box<dyn Reader>, Unopened> {
    let port = context.port();
    let depth = context.group.iodepth;
    let askers = if depth == 1 { Array::of1(&glue::asker(port)) } else { glue::askers(port, depth) };
    let lanes = askers.into_iter().map(|ask| asking(ask.unchecked_ref()));
    Ok(Box::new(Lanes::of(lanes, &context.names, Call::Ask).delivering(NO_FILE)))
}

// The worker's side

/// The number that asks for no file: nothing is read, and the answer has as many bytes as the offset says.
pub const NO_FILE: u32 = u32::MAX;

#[wasm_bindgen(module = "/src/serving.js")]
extern "C" {
    #[wasm_bindgen(js_name = serveBuffers)]
    fn serve_buffers(port: &Port, files: &Object, lengths: &[u32], transfers: bool, lanes: bool);
}

async fn serve(context: &Context, port: Port, transfers: bool) -> Result<Box<dyn Served>, OpfsError> {
    let files = Files::open(context).await?;
    serve_buffers(&port, &files.js, &context.lengths, transfers, context.group.iodepth > 1);
    Ok(Box::new(Serving::holding(port, files)))
}

/// What the worker reads with, as `serving.js` takes it.
pub struct Files {
    pub js: Object,
    /// Open as long as this is there.
    _handles: Option<Rc<[SyncHandle]>>,
    _told: Closure<dyn Fn(String, u32, JsValue) -> String>,
}

impl Files {
    /// The group's: open, or to be opened for each read.
    pub async fn open(context: &Context) -> Result<Self, OpfsError> {
        let names = context.names.clone();
        let told = Closure::<dyn Fn(String, u32, JsValue) -> String>::new(move |call: String, file: u32, error: JsValue| {
            let call = match call.as_str() {
                "getFileHandle" => Call::GetFileHandle,
                "createSyncAccessHandle" => Call::CreateSyncAccessHandle,
                _ => Call::Read,
            };
            OpfsError::thrown(call, names.get(file as usize).map_or("", String::as_str), &error).to_string()
        });
        let (js, handles) = match context.group.open {
            job::Open::Kept => {
                let handles = context.kept_sync_handles().await?;
                let of_js: Array = handles.iter().map(SyncHandle::js).collect();
                (glue::object([("told", told.as_ref()), ("handles", &of_js)]), Some(handles))
            }
            job::Open::Each => {
                let names = blob::names(&context.names);
                (glue::object([("told", told.as_ref()), ("directory", context.directory.js()), ("names", &names)]), None)
            }
        };
        Ok(Self { js, _handles: handles, _told: told })
    }
}

/// A port that is answered until this is dropped, and what answering takes.
pub struct Serving<H> {
    port: Port,
    _held: H,
}

impl<H> Serving<H> {
    /// Answered already, as long as this is held.
    pub fn holding(port: Port, held: H) -> Self {
        Self { port, _held: held }
    }
}

impl<H> Served for Serving<H> {}

impl<H> Drop for Serving<H> {
    fn drop(&mut self) {
        self.port.close();
    }
}
