//! Cache Storage, on either thread: what pages use for files that they downloaded. The group's files are copied into a cache before
//! anything is timed; an op looks one up and reads the body of the answer, whole.

use js_sys::Array;
use opfs_bench_core::result::EndsUp;
use wasm_bindgen::prelude::*;
use web_sys::{Cache, Request};

use super::lanes::{Lane, Lanes};
use super::{Context, Copies, Method, Reader, Unopened};
use crate::opfs::{Call, OpfsError};
use crate::stores::StoredAnswers;

pub const METHODS: &[Method] = &[answers("main/cache", EndsUp::MainBuffer), answers("worker/cache", EndsUp::WorkerBuffer)];

const fn answers(name: &'static str, ends_up: EndsUp) -> Method {
    Method::new(name, ends_up, |context| Box::pin(open(context))).whole().needs(&["caches"]).copies(Copies::Stored)
}

async fn open(context: &Context) -> Result<Box<dyn Reader>, Unopened> {
    let cache = StoredAnswers::open(&context.directory.name()).await?;
    let keys = context.names.iter().map(|name| StoredAnswers::key(name)).collect::<Result<Vec<Request>, OpfsError>>()?;
    for (key, name) in keys.iter().zip(&context.names) {
        // The other thread's method may have stored it.
        if !cache.holds(key).await? {
            cache.put(key, &context.file_bytes(name).await?).await?;
        }
    }
    let keys: Array = keys.into_iter().map(JsValue::from).collect();
    let lane = || cache_lane(cache.js(), &keys);
    Ok(Box::new(Lanes::new(context.group.iodepth, &context.names, Call::CacheStorage, lane).of_calls()))
}

#[wasm_bindgen(inline_js = "
export const cacheLane = (cache, keys) => ({
  held: undefined,
  async read(file) {
    this.held = await cache.match(keys[file]);
    if (!this.held) throw { call: 'missing' };
    return await this.held.arrayBuffer();
  },
  count(buffer, pieces) {
    pieces?.push(buffer);
    return buffer.byteLength;
  },
});")]
extern "C" {
    #[wasm_bindgen(js_name = cacheLane)]
    fn cache_lane(cache: &Cache, keys: &Array) -> Lane;
}
