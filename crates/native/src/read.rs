//! The timed loops: positioned reads of files that are open, or that are opened for each read.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use opfs_bench_core::job;
use opfs_bench_core::ops::Op;

/// A buffer begins with a cache line, as the browser part's do: operating systems copy to other places more slowly on some processors.
const LINE: usize = 64;

/// What a batch took and read.
#[derive(Clone, Copy, Debug)]
pub struct Timed {
    /// How long it took.
    pub elapsed: Duration,
    /// Counted read by read.
    pub bytes: u64,
}

/// A group's files, and the buffer that all reads go into.
#[derive(Debug)]
pub struct Reader {
    paths: Vec<PathBuf>,
    /// Empty where each read opens its file.
    open: Vec<File>,
    buffer: Buffer,
}

impl Reader {
    /// Opens the files, if they are to be kept open, for reads of so many bytes.
    pub fn open(paths: Vec<PathBuf>, open: job::Open, block: usize) -> io::Result<Self> {
        let open = match open {
            job::Open::Kept => paths.iter().map(File::open).collect::<io::Result<_>>()?,
            job::Open::Each => Vec::new(),
        };
        Ok(Self { paths, open, buffer: Buffer::new(block) })
    }

    /// Reads the ops, and hands what each has read to `take`, which does nothing where time is taken.
    #[inline]
    pub fn read(&mut self, ops: &[Op], mut take: impl FnMut(&mut [u8])) -> io::Result<Timed> {
        let buffer = self.buffer.bytes();
        let mut bytes = 0;
        if self.open.is_empty() {
            let start = Instant::now();
            for op in ops {
                let file = File::open(&self.paths[op.file as usize])?;
                let buffer = &mut buffer[..op.len as usize];
                bytes += read_full(&file, buffer, op.at)?;
                drop(file);
                take(buffer);
            }
            return Ok(Timed { elapsed: start.elapsed(), bytes });
        }
        let start = Instant::now();
        for op in ops {
            let buffer = &mut buffer[..op.len as usize];
            bytes += read_full(&self.open[op.file as usize], buffer, op.at)?;
            take(buffer);
        }
        Ok(Timed { elapsed: start.elapsed(), bytes })
    }

    /// Overwrites the buffer, so that a read that brings nothing does not pass for one that brought what was there.
    pub fn spoil(&mut self) {
        self.buffer.bytes().fill(0);
    }
}

/// Fills the buffer with the bytes from offset `at` on, read after read until it is full.
#[inline]
fn read_full(file: &File, buffer: &mut [u8], at: u64) -> io::Result<u64> {
    let mut filled = 0;
    while filled < buffer.len() {
        match read_at(file, &mut buffer[filled..], at + filled as u64) {
            Ok(0) => return Err(short(filled, buffer.len(), at)),
            Ok(read) => filled += read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled as u64)
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, at)
}

#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, at)
}

#[cold]
fn short(read: usize, wanted: usize, at: u64) -> io::Error {
    io::Error::new(ErrorKind::UnexpectedEof, format!("the file ended after {read} of {wanted} B from offset {at}"))
}

#[derive(Debug)]
struct Buffer {
    bytes: Vec<u8>,
    start: usize,
    length: usize,
}

impl Buffer {
    fn new(length: usize) -> Self {
        let bytes = vec![0; length + LINE];
        let start = bytes.as_ptr().align_offset(LINE).min(LINE);
        Self { bytes, start, length }
    }

    fn bytes(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..self.start + self.length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_begin_with_a_cache_line() {
        for length in [1, 64, 1000, 1 << 20] {
            let mut buffer = Buffer::new(length);
            assert_eq!((buffer.bytes().as_ptr() as usize % LINE, buffer.bytes().len()), (0, length));
        }
    }
}
