//! The bytes of fixtures: seeded, incompressible, and known at every offset without reading anything, so that what a
//! method read can be checked against what should be there.

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use xxhash_rust::xxh3::Xxh3;

use crate::job::Fileset;
use crate::ops::Op;
use crate::seed::{Purpose, Seed};

/// The generator's output comes in 32-bit words.
const WORD: u64 = 4;

/// One fixture file: a window into an endless stream of random bytes.
pub struct FixtureFile {
    rng: ChaCha8Rng,
}

impl FixtureFile {
    /// The file of this number. A number is one file whatever its size: a longer file begins with the shorter one's bytes.
    #[must_use]
    pub fn new(seed: Seed, file: u32) -> Self {
        Self { rng: seed.stream(Purpose::Fixture(file)) }
    }

    /// Fills the buffer with the file's bytes from offset `at`, which must be a multiple of 4.
    fn fill_aligned(&mut self, at: u64, buffer: &mut [u8]) {
        self.rng.set_word_pos(u128::from(at / WORD));
        self.rng.fill_bytes(buffer);
    }

    /// Fills the buffer with the file's bytes from offset `at`.
    pub fn fill(&mut self, at: u64, buffer: &mut [u8]) {
        let skip = usize::try_from(at % WORD).expect("below 4");
        if skip == 0 || buffer.is_empty() {
            self.fill_aligned(at, buffer);
            return;
        }
        let head = buffer.len().min(4 - skip);
        let mut word = [0; 4];
        self.fill_aligned(at - skip as u64, &mut word);
        buffer[..head].copy_from_slice(&word[skip..skip + head]);
        self.fill_aligned(at + head as u64, &mut buffer[head..]);
    }
}

/// XXH3 (64 bits) over bytes that come in pieces: a check against accidents, fast enough for every byte of a run.
#[derive(Default)]
pub struct Checksum(Xxh3);

impl Checksum {
    /// Of nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes further bytes in.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// 16 hexadecimal digits.
    #[must_use]
    pub fn digits(&self) -> String {
        format!("{:016x}", self.0.digest())
    }
}

/// The checksum of what these ops must read, one after another.
#[must_use]
pub fn expected(seed: Seed, first_file: u32, ops: &[Op]) -> String {
    let mut checksum = Checksum::new();
    let mut buffer = Vec::new();
    for op in ops {
        buffer.resize(op.len as usize, 0);
        FixtureFile::new(seed, first_file + op.file).fill(op.at, &mut buffer);
        checksum.update(&buffer);
    }
    checksum.digits()
}

/// The number of a fileset's first file among all files of the job: no two filesets share bytes.
#[must_use]
pub fn first_file(filesets: &[Fileset], fileset: &Fileset) -> u32 {
    filesets.iter().take_while(|other| *other != fileset).map(|other| other.nrfiles).sum()
}

/// The name of a file of a fileset. Names of files of different filesets differ.
#[must_use]
pub fn file_name(fileset: &Fileset, file: u32) -> String {
    format!("{}x{}-{file}.bin", fileset.nrfiles, fileset.file_size.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn bytes_do_not_repeat_and_do_not_compress() {
        let mut bytes = vec![0; 1 << 16];
        FixtureFile::new(Seed(3), 0).fill(0, &mut bytes);
        let mut counts = [0_u32; 256];
        for byte in &bytes {
            counts[usize::from(*byte)] += 1;
        }
        // Chi-squared with 255 degrees of freedom: 99.99 % below 347.
        let chi_squared: f64 = counts.iter().map(|count| (f64::from(*count) - 256.0).powi(2) / 256.0).sum();
        assert!(chi_squared < 347.0, "{chi_squared}");
    }

    #[test]
    fn the_first_bytes_of_a_seed_never_change() {
        let mut bytes = [0; 8];
        FixtureFile::new(Seed(1), 0).fill(0, &mut bytes);
        let mut again = [0; 8];
        FixtureFile::new(Seed(1), 0).fill(0, &mut again);
        assert_eq!(bytes, again);
        FixtureFile::new(Seed(1), 1).fill(0, &mut again);
        assert_ne!(bytes, again);
    }

    #[test]
    fn filesets_have_numbers_and_names_of_their_own() {
        use crate::units::Bytes;
        let small = Fileset { nrfiles: 50, file_size: Bytes(20_480) };
        let large = Fileset { nrfiles: 1, file_size: Bytes(32 << 20) };
        assert_eq!(first_file(&[small, large], &large), 50);
        assert_ne!(file_name(&small, 0), file_name(&large, 0));
    }

    proptest! {
        #[test]
        fn any_window_is_a_part_of_the_file(at in 0_usize..200, len in 0_usize..100) {
            let mut whole = vec![0; 300];
            let mut file = FixtureFile::new(Seed(9), 2);
            file.fill(0, &mut whole);
            let mut window = vec![0; len];
            file.fill(at as u64, &mut window);
            prop_assert_eq!(&window[..], &whole[at..at + len]);
        }
    }
}
