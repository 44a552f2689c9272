//! The files, with the bytes that the browser's files hold.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use opfs_bench_core::fixture::{Checksum, FixtureFile, file_name, file_names};
use opfs_bench_core::job::{Fileset, Group};
use opfs_bench_core::reference::Copying;
use opfs_bench_core::seed::Seed;

/// Bytes are generated and written by this many, as in the browser.
const CHUNK: u64 = 1 << 20;

/// Where a fileset's files are.
pub fn paths(folder: &Path, fileset: Fileset) -> Vec<PathBuf> {
    (0..fileset.nrfiles).map(|file| folder.join(file_name(&fileset, file))).collect()
}

/// Where the files are that a group reads.
pub fn of_group(folder: &Path, group: &Group) -> Vec<PathBuf> {
    file_names(group).into_iter().map(|name| folder.join(name)).collect()
}

/// Copies a person's own files, as [`write`] writes others, and has their bytes pass by whoever takes checksums. The checksum of all of them, or
/// None where it was stopped.
pub fn copy(folder: &Path, fileset: Fileset, own: &[PathBuf], copying: &mut Copying, stopped: impl Fn() -> bool) -> Result<Option<String>> {
    let paths = paths(folder, fileset);
    let mut all = Checksum::new();
    for (number, (path, source)) in (0..).zip(paths.iter().zip(own)) {
        if stopped() {
            return Ok(None);
        }
        let mut copied = || -> std::io::Result<()> {
            let (mut from, mut to) = (File::open(source)?, File::create_new(path)?);
            let mut chunk = vec![0; usize::try_from(CHUNK).expect("a mebibyte")];
            let mut at = 0;
            loop {
                let read = from.read(&mut chunk)?;
                if read == 0 {
                    return to.sync_all();
                }
                copying.pass(number, at, &chunk[..read]);
                all.update(&chunk[..read]);
                to.write_all(&chunk[..read])?;
                at += read as u64;
            }
        };
        if let Err(error) = copied() {
            remove(&paths);
            return Err(error).with_context(|| format!("cannot copy {} to {}", source.display(), folder.display()));
        }
    }
    Ok(Some(all.digits()))
}

/// Writes a fileset and hands it to the disk, as the browser's are flushed: what is written back later would disturb the reads. False where
/// it was stopped. What could not be written whole is removed, so that a full disk is full no longer.
pub fn write(folder: &Path, fileset: Fileset, first_file: u32, seed: Seed, stopped: impl Fn() -> bool) -> Result<bool> {
    let paths = paths(folder, fileset);
    for (path, number) in paths.iter().zip(first_file..) {
        if stopped() {
            return Ok(false);
        }
        if let Err(error) = write_file(path, fileset.file_size.0, FixtureFile::new(seed, number)) {
            remove(&paths);
            return Err(error).with_context(|| format!("cannot write {} to {}", fileset.bytes(), folder.display()));
        }
    }
    Ok(true)
}

fn remove(paths: &[PathBuf]) {
    for path in paths {
        // Most of them were never made.
        let _ = fs::remove_file(path);
    }
}

fn write_file(path: &Path, size: u64, mut bytes: FixtureFile) -> std::io::Result<()> {
    let mut file = File::create_new(path)?;
    let mut chunk = Vec::new();
    let mut at = 0;
    while at < size {
        chunk.resize(usize::try_from((size - at).min(CHUNK)).expect("a mebibyte at most"), 0);
        bytes.fill(at, &mut chunk);
        file.write_all(&chunk)?;
        at += chunk.len() as u64;
    }
    file.sync_all()
}
