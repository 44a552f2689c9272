//! Fixtures: seeded bytes, or those of a person's own files, written by a sync handle (which works in every Safari that has one), then
//! read back and compared. A browser without sync handles writes and reads them by promises.

use js_sys::Uint8Array;
use opfs_bench_core::fixture::{Checksum, FixtureFile, file_name};
use opfs_bench_core::job::Fileset;
use opfs_bench_core::result::Fixture;
use opfs_bench_core::seed::Seed;
use opfs_bench_core::units::Nanos;

use super::messages::Pass;
use crate::clock;
use crate::methods::Block;
use crate::opfs::{self, Directory, OpfsError, SyncHandle};

/// Bytes are generated and written by this many.
const CHUNK: u64 = 1 << 20;

/// What has been written and read back of the fixture at hand.
#[derive(Default)]
pub struct Fixtures {
    source: Checksum,
    read_back: Checksum,
    write_ms: f64,
    flush_ms: f64,
}

/// A part of a fixture file.
#[derive(Clone, Copy)]
pub struct Part {
    /// The fixture.
    pub fileset: Fileset,
    /// The file's number among all of the job: it gives its bytes.
    pub number: u32,
    /// The file's number in the fileset: it gives its name.
    pub file: u32,
    /// From this offset ...
    pub from: u64,
    /// ... to this one.
    pub to: u64,
}

/// Where a part's bytes come from.
pub enum Source {
    /// The seed.
    Seed(Seed),
    /// A person's own file: these are the part's.
    Own(Uint8Array),
}

impl Source {
    /// The bytes of the part from this offset of its file on.
    fn fill(&self, part: Part, at: u64, bytes: &mut [u8]) {
        match self {
            Self::Seed(seed) => FixtureFile::new(*seed, part.number).fill(at, bytes),
            Self::Own(own) => {
                let from = u32::try_from(at - part.from).expect("a part is some mebibytes");
                own.subarray(from, from + u32::try_from(bytes.len()).expect("a part is some mebibytes")).copy_to(bytes);
            }
        }
    }
}

impl Part {
    /// Offset and length of each chunk.
    fn chunks(self) -> impl Iterator<Item = (u64, usize)> {
        let offsets = (self.from..self.to).step_by(usize::try_from(CHUNK).expect("a mebibyte"));
        offsets.map(move |at| (at, usize::try_from((self.to - at).min(CHUNK)).expect("a mebibyte at most")))
    }
}

impl Fixtures {
    /// Writes a part, or reads it back.
    pub async fn part(&mut self, directory: &Directory, source: &Source, part: Part, pass: Pass) -> Result<(), OpfsError> {
        let name = file_name(&part.fileset, part.file);
        let sync = opfs::has_sync_handles(directory).await?;
        match pass {
            Pass::Write if !sync => {
                let start = clock::now_ms();
                let mut bytes = vec![0; usize::try_from(part.to - part.from).expect("a part is some mebibytes")];
                source.fill(part, part.from, &mut bytes);
                directory.create(&name).await?.write_by_stream(&bytes, part.from).await?;
                self.source.update(&bytes);
                self.write_ms += clock::now_ms() - start;
            }
            Pass::Read if !sync => {
                let file = directory.file(&name).await?.snapshot().await?;
                for (at, length) in part.chunks() {
                    let chunk = opfs::slice(&file, &name, at, u32::try_from(length).expect("a mebibyte at most"))?;
                    let buffer = opfs::array_buffer(&chunk, &name).await?;
                    self.read_back.update(&Uint8Array::new(&buffer).to_vec());
                }
            }
            Pass::Write => {
                let start = clock::now_ms();
                let handle = directory.create(&name).await?.open_sync_patiently().await?;
                self.write(&handle, source, part)?;
                let flush = clock::now_ms();
                handle.flush()?;
                drop(handle);
                let end = clock::now_ms();
                self.flush_ms += end - flush;
                self.write_ms += end - start;
            }
            Pass::Read => {
                let handle = directory.file(&name).await?.open_sync_patiently().await?;
                self.read(&handle, part)?;
            }
        }
        Ok(())
    }

    fn write(&mut self, handle: &SyncHandle, source: &Source, part: Part) -> Result<(), OpfsError> {
        let mut bytes = Vec::new();
        for (at, length) in part.chunks() {
            bytes.resize(length, 0);
            source.fill(part, at, &mut bytes);
            handle.write_full(&bytes, at)?;
            self.source.update(&bytes);
        }
        Ok(())
    }

    fn read(&mut self, handle: &SyncHandle, part: Part) -> Result<(), OpfsError> {
        for (at, length) in part.chunks() {
            let block = Block::new(length);
            handle.read_full(&block.view(), at)?;
            block.pieces(u32::try_from(length).expect("a mebibyte at most"), |piece| self.read_back.update(piece));
        }
        Ok(())
    }

    /// The fixture's checksums and times; begins the next one.
    pub fn finish(&mut self, fileset: Fileset) -> Fixture {
        let Self { source, read_back, write_ms, flush_ms } = std::mem::take(self);
        Fixture {
            fileset,
            checksum: source.digits(),
            read_back: read_back.digits(),
            write_ns: Nanos::from_ms(write_ms),
            flush_ns: Nanos::from_ms(flush_ms),
        }
    }
}
