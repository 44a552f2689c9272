//! `IndexedDB`, on either thread: what many pages use in place of OPFS. The group's files are copied into a database before anything
//! is timed, as an `ArrayBuffer` or as a `Blob` each. An op gets a value in a transaction of its own; of a blob it reads a slice.

use std::rc::Rc;

use js_sys::{Array, ArrayBuffer};
use opfs_bench_core::job;
use opfs_bench_core::ops::Op;
use opfs_bench_core::result::EndsUp;
use wasm_bindgen::JsValue;
use web_sys::Blob;

use super::blob::{self, ReadBlob};
use super::promise::Part;
use super::queue::{self, ReadOp};
use super::{Context, Copies, Laps, Method, Reader, Sink, Unopened};
use crate::opfs::{Call, OpfsError};
use crate::stores::Database;

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
async fn filled(context: &Context, kind: &str, value: fn(&ArrayBuffer) -> Result<JsValue, JsValue>) -> Result<Values, OpfsError> {
    let database = Database::open(&context.directory.name()).await?;
    let names = context.names.clone();
    let keys: Vec<JsValue> = names.iter().map(|name| format!("{kind} {name}").into()).collect();
    for (key, name) in keys.iter().zip(&names) {
        // The other thread's method may have stored it.
        if !database.holds(key).await? {
            let value = value(&context.file_bytes(name).await?).map_err(|error| OpfsError::thrown(Call::IndexedDb, name, &error))?;
            database.put(key, &value).await?;
        }
    }
    Ok(Values { database, keys, names })
}

async fn open_buffers(context: &Context) -> Result<Box<dyn Reader>, Unopened> {
    let values = Rc::new(filled(context, "buffer", |bytes| Ok(bytes.into())).await?);
    Ok(queue::reader(context.group.iodepth, || Buffers(Rc::clone(&values))))
}

struct Values {
    database: Database,
    keys: Vec<JsValue>,
    names: Vec<String>,
}

struct Buffers(Rc<Values>);

impl ReadOp for Buffers {
    #[inline]
    async fn read(&self, op: &Op, sink: &mut impl Sink) -> Result<u64, OpfsError> {
        let buffer: ArrayBuffer = self.0.database.get(&self.0.keys[op.file as usize]).await?;
        sink.buffer(&buffer);
        Ok(buffer.byte_length().into())
    }

    async fn stages(&self, ops: &[Op], laps: &mut Laps) -> Result<(), OpfsError> {
        queue::read_and_copied(self, ops, laps).await
    }
}

async fn open_blobs(context: &Context) -> Result<Box<dyn Reader>, Unopened> {
    let values = filled(context, "blob", |bytes| Ok(Blob::new_with_buffer_source_sequence(&Array::of1(bytes))?.into())).await?;
    let depth = context.group.iodepth;
    if context.group.open == job::Open::Each {
        let values = Rc::new(values);
        return Ok(queue::reader(depth, || Blobs(Rc::clone(&values))));
    }
    let mut files = Vec::with_capacity(values.keys.len());
    for key in &values.keys {
        files.push(values.database.get(key).await?);
    }
    Ok(blob::kept(depth, files, &values.names, || Part))
}

/// Blobs that are looked up for each op.
struct Blobs(Rc<Values>);

impl ReadOp for Blobs {
    #[inline]
    async fn read(&self, op: &Op, sink: &mut impl Sink) -> Result<u64, OpfsError> {
        let Values { database, keys, names } = &*self.0;
        let name = &names[op.file as usize];
        let file: Blob = database.get(&keys[op.file as usize]).await?;
        Part.read(&Part::select(&file, name, op)?, name, sink).await
    }
}
