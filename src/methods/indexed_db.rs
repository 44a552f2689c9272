//! `IndexedDB`, on either thread: what many pages use in place of OPFS. The group's files are copied into a database before anything
//! is timed, as an `ArrayBuffer` or as a `Blob` each. An op gets a value in a transaction of its own; of a blob it reads a slice.

use js_sys::{Array, ArrayBuffer};
use opfs_bench_core::job;
use opfs_bench_core::result::EndsUp;
use wasm_bindgen::prelude::*;
use web_sys::{Blob, IdbDatabase};

use super::lanes::{Lane, Lanes};
use super::promise::SLICE;
use super::{Context, Copies, Method, Reader, Unopened};
use crate::opfs::{Call, OpfsError};
use crate::stores::{Database, STORE};

pub const METHODS: &[Method] = &[
    buffers("main/idb-array-buffer", EndsUp::MainBuffer),
    buffers("worker/idb-array-buffer", EndsUp::WorkerBuffer),
    blobs("main/idb-blob", EndsUp::MainBuffer),
    blobs("worker/idb-blob", EndsUp::WorkerBuffer),
];

const NEEDS: &[&str] = &["indexedDB"];

const fn buffers(name: &'static str, ends_up: EndsUp) -> Method {
    Method::new(name, ends_up, |context| Box::pin(open_buffers(context))).whole().needs(NEEDS).copies(Copies::Stored)
}

const fn blobs(name: &'static str, ends_up: EndsUp) -> Method {
    Method::new(name, ends_up, |context| Box::pin(open_blobs(context))).needs(NEEDS).copies(Copies::Stored)
}

/// The run's database with all files of the group, and their keys.
async fn filled(
    context: &Context,
    kind: &str,
    value: fn(&ArrayBuffer) -> Result<JsValue, JsValue>,
) -> Result<(Database, Array), OpfsError> {
    let database = Database::open(&context.directory.name()).await?;
    let keys: Array = context.names.iter().map(|name| JsValue::from(format!("{kind} {name}"))).collect();
    for (key, name) in keys.iter().zip(&context.names) {
        let key = &key;
        // The other thread's method may have stored it.
        if !database.holds(key).await? {
            let value = value(&context.file_bytes(name).await?).map_err(|error| OpfsError::thrown(Call::IndexedDb, name, &error))?;
            database.put(key, &value).await?;
        }
    }
    Ok((database, keys))
}

async fn open_buffers(context: &Context) -> Result<Box<dyn Reader>, Unopened> {
    let (database, keys) = filled(context, "buffer", |bytes| Ok(bytes.into())).await?;
    let lanes = lanes(context, || buffer_lane(database.js(), STORE, &keys));
    Ok(Box::new(lanes.of_calls().holding(database)))
}

async fn open_blobs(context: &Context) -> Result<Box<dyn Reader>, Unopened> {
    let (database, keys) = filled(context, "blob", |bytes| Ok(Blob::new_with_buffer_source_sequence(&Array::of1(bytes))?.into())).await?;
    if context.group.open == job::Open::Each {
        let lanes = lanes(context, || blob_lane(database.js(), STORE, &keys));
        return Ok(Box::new(lanes.holding(database)));
    }
    let mut files = Vec::with_capacity(context.names.len());
    for key in keys {
        files.push(database.get(&key).await?);
    }
    Ok(Box::new(SLICE.kept(context, files)))
}

fn lanes(context: &Context, lane: impl Fn() -> Lane) -> Lanes {
    Lanes::new(context.group.iodepth, &context.names, Call::IndexedDb, lane)
}

#[wasm_bindgen(inline_js = "
const got = (database, store, key) =>
  new Promise((resolve, reject) => {
    const request = database.transaction(store, 'readonly').objectStore(store).get(key);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

const count = (buffer, pieces) => {
  if (!(buffer instanceof ArrayBuffer)) throw { call: 'missing' };
  pieces?.push(buffer);
  return buffer.byteLength;
};

export const bufferLane = (database, store, keys) => ({ read: (file) => got(database, store, keys[file]), count });

export const blobLane = (database, store, keys) => ({
  held: undefined,
  async read(file, at, length) {
    const blob = await got(database, store, keys[file]);
    if (!(blob instanceof Blob)) throw { call: 'missing' };
    this.held = blob.slice(at, at + length);
    return await this.held.arrayBuffer();
  },
  count,
});")]
extern "C" {
    #[wasm_bindgen(js_name = bufferLane)]
    fn buffer_lane(database: &IdbDatabase, store: &str, keys: &Array) -> Lane;
    #[wasm_bindgen(js_name = blobLane)]
    fn blob_lane(database: &IdbDatabase, store: &str, keys: &Array) -> Lane;
}
