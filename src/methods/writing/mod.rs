//! Methods that write. Their timed loops are what other methods' are; what stands around a batch is more: the bytes that it writes are
//! made before time is taken, what it left open is closed after, and what must now be in the files is noted.
//!
//! Each method overwrites copies of the group's files that are its own: sync handles and writables would lock each other out, and groups
//! that read the same fixture must find it as it was.

pub mod copy;
mod flushes;
mod lanes;
pub mod rpc;
mod source;
pub mod sync;
pub mod writable;

use std::cell::RefCell;
use std::rc::Rc;

use futures_util::future::LocalBoxFuture;
use opfs_bench_core::fixture::{Checksum, FixtureFile};
use opfs_bench_core::job::{Group, Work};
use opfs_bench_core::ops::Op;
use opfs_bench_core::units::Bytes;
use opfs_bench_core::written::{Last, Ledger, Pattern};
use web_sys::Blob;

use super::{Context, Reader, Timed};
use crate::opfs::{self, Directory, OpfsError};
use flushes::Flushes;

/// Files are read back by this many bytes at least ...
const CHUNK: u64 = 1 << 20;
/// ... until so many have been: what takes longer to check than to measure would end as a failure.
const READ_BACK: Bytes = Bytes(64 << 20);

/// What stands around the batches of a method that writes.
pub trait Writer {
    /// Readies a batch: what its ops write, and what has to be open before time is taken.
    fn ready<'a>(&'a self, pattern: Pattern, ops: &'a [Op]) -> LocalBoxFuture<'a, Result<(), OpfsError>>;

    /// Ends it outside of the timed part.
    fn settle(&self) {}

    /// Makes all that was written the files', where it is not yet.
    fn commit(&self) -> LocalBoxFuture<'_, Result<(), OpfsError>> {
        Box::pin(async { Ok(()) })
    }

    /// Flushes what its own handles hold. False where it holds none: its files are closed, and others can flush them.
    fn flush(&self) -> LocalBoxFuture<'_, Result<bool, OpfsError>> {
        Box::pin(async { Ok(false) })
    }

    /// The files that it changes.
    fn files(&self) -> &Files;
}

/// The files that a method changes, and what must be in them.
pub struct Files {
    /// Where they are.
    pub directory: Directory,
    /// What they are called, by number.
    pub names: Vec<String>,
    ledger: RefCell<Ledger>,
    /// Whether what is in them comes from the fixture.
    copied: bool,
    /// Which of them the last batches changed, until they are flushed.
    touched: RefCell<Vec<u32>>,
}

/// What a check of written bytes found.
pub struct ReadBack {
    /// How many blocks were read back.
    pub blocks: u64,
    /// The checksum of what was written to them last.
    pub expected: String,
    /// The same of what was found.
    pub found: String,
}

impl Files {
    fn new(directory: Directory, group: &Group, names: &[String]) -> Self {
        let copied = group.rw.work() == Work::Copy;
        Self { directory, names: names.to_vec(), ledger: RefCell::new(Ledger::new(group)), copied, touched: RefCell::default() }
    }

    /// The group's files copied for a method, to be overwritten.
    pub async fn of(context: &Context, method: &str) -> Result<Self, OpfsError> {
        let directory = context.copied_to(&folder(method)).await?;
        Ok(Self::new(directory, &context.group, &context.names))
    }

    /// The same where the worker has copied them.
    pub async fn there(context: &Context, method: &str) -> Result<Self, OpfsError> {
        Ok(Self::new(context.directory.directory(&folder(method)).await?, &context.group, &context.names))
    }

    /// Empty files of the same names, to be copied to.
    pub async fn empty(context: &Context, method: &str) -> Result<Self, OpfsError> {
        let directory = context.directory.directory(&folder(method)).await?;
        for name in &context.names {
            directory.create(name).await?;
        }
        Ok(Self::new(directory, &context.group, &context.names))
    }

    /// A batch begins: what its blocks hold is unknown until it has ended.
    pub fn begin(&self, ops: &[Op]) {
        self.ledger.borrow_mut().begin(ops);
        let touched = &mut *self.touched.borrow_mut();
        touched.extend(ops.iter().map(|op| op.file));
        touched.sort_unstable();
        touched.dedup();
    }

    /// All of the batch is written.
    pub fn end(&self, round: u32, ops: &[Op]) {
        self.ledger.borrow_mut().end(round, ops);
    }

    /// What was written is lost: nothing is known of any block.
    fn forget(&self) {
        self.ledger.borrow_mut().forget();
    }

    /// Which files were changed since this was last asked.
    pub fn take_touched(&self) -> Vec<u32> {
        self.touched.take()
    }

    /// Reads everything back that was written, in another way than it was written: by `getFile()`, as whoever opens the file now sees it.
    pub async fn read_back(&self, pattern: Pattern, first_file: u32) -> Result<ReadBack, OpfsError> {
        let (mut expected, mut found) = (Checksum::new(), Checksum::new());
        let (mut blocks, mut bytes) = (0, 0);
        let (length, files) = (self.ledger.borrow().length(), (0_u32..).zip(&self.names));
        for (number, name) in files {
            let written: Vec<(u64, Last)> = self.ledger.borrow().written(number).collect();
            let file = self.directory.file(name).await?.snapshot().await?;
            let (mut chunk, mut block) = (Chunk::default(), Vec::new());
            for (at, last) in written {
                if bytes >= READ_BACK.0 {
                    break;
                }
                bytes += length;
                blocks += 1;
                if self.copied {
                    compare_copy(&file, name, FixtureFile::new(pattern.seed, first_file + number), length, &mut expected, &mut found)
                        .await?;
                    continue;
                }
                block.resize(usize::try_from(length).expect("a block is at most 64 MiB"), 0);
                Pattern { round: last.round, ..pattern }.fill(last.place, &mut block);
                expected.update(&block);
                found.update(chunk.block(&file, name, at, block.len()).await?);
            }
        }
        Ok(ReadBack { blocks, expected: expected.digits(), found: found.digits() })
    }
}

fn folder(method: &str) -> String {
    format!("written-{}", method.replace('/', "-"))
}

/// A file that was copied against the one that it is a copy of, its length too.
async fn compare_copy(
    file: &Blob,
    name: &str,
    mut original: FixtureFile,
    length: u64,
    expected: &mut Checksum,
    found: &mut Checksum,
) -> Result<(), OpfsError> {
    expected.update(&length.to_le_bytes());
    found.update(&opfs::size(file).to_le_bytes());
    for at in (0..length).step_by(usize::try_from(CHUNK).expect("a mebibyte")) {
        let count = u32::try_from((length - at).min(CHUNK)).expect("a mebibyte at most");
        let mut bytes = vec![0; count as usize];
        original.fill(at, &mut bytes);
        expected.update(&bytes);
        found.update(&part(file, name, at, count).await?);
    }
    Ok(())
}

/// A part of a file that is read back. Its blocks come in order.
#[derive(Default)]
struct Chunk {
    from: u64,
    bytes: Vec<u8>,
}

impl Chunk {
    async fn block(&mut self, file: &Blob, name: &str, at: u64, length: usize) -> Result<&[u8], OpfsError> {
        if at < self.from || at + length as u64 > self.from + self.bytes.len() as u64 {
            let wanted = CHUNK.max(length as u64);
            self.bytes = part(file, name, at, u32::try_from(wanted).expect("a block is at most 64 MiB")).await?;
            self.from = at;
        }
        let start = usize::try_from(at - self.from).expect("within the chunk");
        // Short where the file is.
        Ok(&self.bytes[start.min(self.bytes.len())..(start + length).min(self.bytes.len())])
    }
}

async fn part(file: &Blob, name: &str, at: u64, length: u32) -> Result<Vec<u8>, OpfsError> {
    let buffer = opfs::array_buffer(&opfs::slice(file, name, at, length)?, name).await?;
    Ok(js_sys::Uint8Array::new(&buffer).to_vec())
}

/// Flushes what a reader's last batches wrote. What it cannot flush itself, its files being closed: their directory and names.
pub async fn flush(reader: &dyn Reader) -> Result<Option<(Directory, Vec<String>)>, OpfsError> {
    let Some(writer) = reader.writer() else { return Ok(None) };
    if writer.flush().await? {
        return Ok(None);
    }
    let Files { directory, names, touched, .. } = writer.files();
    Ok(Some((directory.clone(), touched.take().into_iter().map(|file| names[file as usize].clone()).collect())))
}

/// A reader whose ops write: the loop, and what stands around its batches.
struct Writing<W> {
    timed: Box<dyn Reader>,
    writer: Rc<W>,
}

impl<W: Writer + 'static> Writing<W> {
    fn boxed(timed: Box<dyn Reader>, writer: Rc<W>) -> Box<dyn Reader> {
        Box::new(Self { timed, writer })
    }
}

impl<W: Writer> Reader for Writing<W> {
    fn read<'a>(&'a self, ops: &'a [Op], check: Option<&'a mut Checksum>) -> LocalBoxFuture<'a, Result<Timed, OpfsError>> {
        self.timed.read(ops, check)
    }

    /// The browser makes none: what is written is handed to it.
    fn buffers<'a>(&'a self, _: &'a [Op]) -> LocalBoxFuture<'a, Result<u64, OpfsError>> {
        Box::pin(async { Ok(0) })
    }

    fn writer(&self) -> Option<&dyn Writer> {
        Some(&*self.writer)
    }
}
