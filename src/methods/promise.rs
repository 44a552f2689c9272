//! Promises, on either thread: `getFile()`, then `arrayBuffer()` of the whole file or of a slice.

use opfs_bench_core::job;
use opfs_bench_core::ops::Op;
use opfs_bench_core::result::EndsUp;
use web_sys::{Blob, File};

use super::{Context, Loop, Method, Reader, Sink, Timed};
use crate::clock;
use crate::opfs::{self, Directory, OpfsError};

pub const METHODS: &[Method] = &[
    whole("main/array-buffer", EndsUp::MainBuffer),
    whole("worker/array-buffer", EndsUp::WorkerBuffer),
    part("main/slice", EndsUp::MainBuffer),
    part("worker/slice", EndsUp::WorkerBuffer),
];

const fn whole(name: &'static str, ends_up: EndsUp) -> Method {
    Method { name, ends_up, parts: false, open: |context| Box::pin(open::<Whole>(context)), serve: None }
}

const fn part(name: &'static str, ends_up: EndsUp) -> Method {
    Method { name, ends_up, parts: true, open: |context| Box::pin(open::<Part>(context)), serve: None }
}

/// Which blob of a file an op reads.
trait Select: 'static {
    fn select(file: &File, name: &str, op: &Op) -> Result<Blob, OpfsError>;
}

/// The file itself.
struct Whole;

impl Select for Whole {
    #[inline]
    fn select(file: &File, _: &str, _: &Op) -> Result<Blob, OpfsError> {
        Ok(Blob::from(file.clone()))
    }
}

/// A slice of it.
struct Part;

impl Select for Part {
    #[inline]
    fn select(file: &File, name: &str, op: &Op) -> Result<Blob, OpfsError> {
        opfs::slice(file, name, op.at, op.len)
    }
}

async fn open<S: Select>(context: &Context) -> Result<Box<dyn Reader>, OpfsError> {
    let names = context.names.clone();
    Ok(match context.group.open {
        job::Open::Each => Box::new(Each::<S> { directory: context.directory.clone(), names, select: std::marker::PhantomData }),
        job::Open::Kept => {
            let mut files = Vec::with_capacity(names.len());
            for name in &names {
                files.push(context.directory.file(name).await?.snapshot().await?);
            }
            Box::new(Kept::<S> { files, names, select: std::marker::PhantomData })
        }
    })
}

struct Kept<S> {
    files: Vec<File>,
    names: Vec<String>,
    select: std::marker::PhantomData<S>,
}

impl<S: Select> Loop for Kept<S> {
    async fn run(&self, ops: &[Op], sink: &mut impl Sink) -> Result<Timed, OpfsError> {
        let mut bytes = 0;
        let start = clock::now_ms();
        for op in ops {
            let name = &self.names[op.file as usize];
            let blob = S::select(&self.files[op.file as usize], name, op)?;
            let buffer = opfs::array_buffer(&blob, name).await?;
            bytes += u64::from(buffer.byte_length());
            sink.buffer(&buffer);
        }
        Ok(Timed::since(start, bytes))
    }
}

struct Each<S> {
    directory: Directory,
    names: Vec<String>,
    select: std::marker::PhantomData<S>,
}

impl<S: Select> Loop for Each<S> {
    async fn run(&self, ops: &[Op], sink: &mut impl Sink) -> Result<Timed, OpfsError> {
        let mut bytes = 0;
        let start = clock::now_ms();
        for op in ops {
            let name = &self.names[op.file as usize];
            let file = self.directory.file(name).await?.snapshot().await?;
            let buffer = opfs::array_buffer(&S::select(&file, name, op)?, name).await?;
            bytes += u64::from(buffer.byte_length());
            sink.buffer(&buffer);
        }
        Ok(Timed::since(start, bytes))
    }
}
