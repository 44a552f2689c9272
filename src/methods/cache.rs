//! Cache Storage, on either thread: what pages use for files that they downloaded. The group's files are copied into a cache before
//! anything is timed; an op looks one up and reads the body of the answer, whole.

use opfs_bench_core::ops::Op;
use opfs_bench_core::result::{EndsUp, Stage};
use web_sys::Request;

use super::laps::Read;
use super::{Context, Copies, Laps, Loop, Method, Reader, Sink, Timed, Unopened};
use crate::clock;
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
    Ok(Box::new(Answers { cache, keys, names }))
}

struct Answers {
    cache: StoredAnswers,
    keys: Vec<Request>,
    names: Vec<String>,
}

impl Loop for Answers {
    async fn stages(&self, ops: &[Op], laps: &mut Laps) -> Result<(), OpfsError> {
        laps.begin();
        for op in ops {
            self.cache.get(&self.keys[op.file as usize], &self.names[op.file as usize]).await?;
        }
        laps.end(Stage::Read, ops.len());
        let op = &ops[0];
        let mut read = Read::default();
        read.buffer(&self.cache.get(&self.keys[op.file as usize], &self.names[op.file as usize]).await?);
        laps.copy(&read);
        Ok(())
    }

    async fn run(&self, ops: &[Op], sink: &mut impl Sink) -> Result<Timed, OpfsError> {
        let mut bytes = 0;
        let start = clock::now_ms();
        for op in ops {
            let buffer = self.cache.get(&self.keys[op.file as usize], &self.names[op.file as usize]).await?;
            bytes += u64::from(buffer.byte_length());
            sink.buffer(&buffer);
        }
        Ok(Timed::since(start, bytes))
    }
}
