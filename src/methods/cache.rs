//! Cache Storage, on either thread: what pages use for files that they downloaded. The group's files are copied into a cache before
//! anything is timed; an op looks one up and reads the body of the answer, whole.

use std::rc::Rc;

use opfs_bench_core::ops::Op;
use opfs_bench_core::result::EndsUp;
use web_sys::Request;

use super::queue::{self, ReadOp};
use super::{Context, Copies, Laps, Method, Reader, Sink, Unopened};
use crate::opfs::OpfsError;
use crate::stores::StoredAnswers;

pub const METHODS: &[Method] = &[answers("main/cache", EndsUp::MainBuffer), answers("worker/cache", EndsUp::WorkerBuffer)];

const fn answers(name: &'static str, ends_up: EndsUp) -> Method {
    Method::new(name, ends_up, |context| Box::pin(open(context))).whole().needs(&["caches"]).copies(Copies::Stored)
}

async fn open(context: &Context) -> Result<Box<dyn Reader>, Unopened> {
    let cache = StoredAnswers::open(&context.directory.name()).await?;
    let names = context.names.clone();
    let keys = names.iter().map(|name| StoredAnswers::key(name)).collect::<Result<Vec<Request>, OpfsError>>()?;
    for (key, name) in keys.iter().zip(&names) {
        // The other thread's method may have stored it.
        if !cache.holds(key).await? {
            cache.put(key, &context.file_bytes(name).await?).await?;
        }
    }
    let answers = Rc::new(Answers { cache, keys, names });
    Ok(queue::reader(context.group.iodepth, || Rc::clone(&answers)))
}

struct Answers {
    cache: StoredAnswers,
    keys: Vec<Request>,
    names: Vec<String>,
}

impl ReadOp for Rc<Answers> {
    #[inline]
    async fn read(&self, op: &Op, sink: &mut impl Sink) -> Result<u64, OpfsError> {
        let buffer = self.cache.get(&self.keys[op.file as usize], &self.names[op.file as usize]).await?;
        sink.buffer(&buffer);
        Ok(buffer.byte_length().into())
    }

    async fn stages(&self, ops: &[Op], laps: &mut Laps) -> Result<(), OpfsError> {
        queue::read_and_copied(self, ops, laps).await
    }
}
