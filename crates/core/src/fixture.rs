//! The bytes of fixtures: seeded, incompressible, and known at every offset without reading anything, so that what a
//! method read can be checked against what should be there.

use std::borrow::Cow;

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use xxhash_rust::xxh3::Xxh3;

use crate::job::{Fileset, Group};
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
pub struct Checksum {
    all: Xxh3,
    /// Of what is compared op by op: the op whose bytes come now.
    ops: Option<OpByOp>,
}

/// Where an op ends and the next begins, in bytes that come in pieces.
struct OpByOp {
    /// Those that are to come, the next one last.
    lengths: Vec<u32>,
    /// What is still to come of the op at hand.
    left: u32,
    op: Xxh3,
}

impl Checksum {
    /// Of nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The checksum of what these ops read, as [`crate::reference::Reference::expected`] has it: that of their checksums.
    #[must_use]
    pub fn of_ops(ops: &[Op]) -> Self {
        let lengths = ops.iter().rev().map(|op| op.len).collect();
        Self { all: Xxh3::new(), ops: Some(OpByOp { lengths, left: 0, op: Xxh3::new() }) }
    }

    /// Takes further bytes in.
    pub fn update(&mut self, mut bytes: &[u8]) {
        let Self { all, ops: Some(ops) } = self else { return self.all.update(bytes) };
        while !bytes.is_empty() {
            if ops.left == 0 {
                // More than all ops hold belongs to none.
                let Some(next) = ops.lengths.pop() else { return all.update(bytes) };
                (ops.left, ops.op) = (next, Xxh3::new());
            }
            let (part, rest) = bytes.split_at(bytes.len().min(ops.left as usize));
            ops.op.update(part);
            bytes = rest;
            ops.left -= u32::try_from(part.len()).expect("what is left at most");
            if ops.left == 0 {
                all.update(digits(&ops.op).as_bytes());
            }
        }
    }

    /// Takes in what an op read as text, all of it.
    pub fn update_text(&mut self, text: &str) {
        if self.ops.is_some() {
            let mut op = Xxh3::new();
            op.update(text.as_bytes());
            self.all.update(digits(&op).as_bytes());
        } else {
            self.all.update(text.as_bytes());
        }
    }

    /// 16 hexadecimal digits.
    #[must_use]
    pub fn digits(&self) -> String {
        digits(&self.all)
    }
}

fn digits(of: &Xxh3) -> String {
    format!("{:016x}", of.digest())
}

/// What a method makes of the bytes that an op reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// Nothing: they are what was written.
    #[default]
    Bytes,
    /// Text, each op's bytes for themselves: [`decoded`].
    Text,
}

/// Bytes decoded as UTF-8 as the web's standard says ("UTF-8 decode" of WHATWG's Encoding, which `Blob.text()` does): a byte order mark at the
/// beginning is left out, and what is no UTF-8 becomes a U+FFFD for each longest part of a sequence that could have become one.
#[must_use]
pub fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes))
}

/// The checksum of what these ops must read, one after another, in the form in which it comes. That of a text is its UTF-8's.
#[must_use]
pub fn expected(seed: Seed, first_file: u32, ops: &[Op], form: Form) -> String {
    let mut checksum = Checksum::new();
    let mut buffer = Vec::new();
    for op in ops {
        buffer.resize(op.len as usize, 0);
        FixtureFile::new(seed, first_file + op.file).fill(op.at, &mut buffer);
        match form {
            Form::Bytes => checksum.update(&buffer),
            Form::Text => checksum.update(decoded(&buffer).as_bytes()),
        }
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
    match fileset.own {
        Some(_) => format!("own-{file}.bin"),
        None => format!("{}x{}-{file}.bin", fileset.nrfiles, fileset.file_size.0),
    }
}

/// The names of the files that a group reads, by their number in its ops.
#[must_use]
pub fn file_names(group: &Group) -> Vec<String> {
    let fileset = group.fileset();
    match &group.own {
        Some(own) => own.files.iter().map(|file| file_name(&fileset, file.number)).collect(),
        None => (0..fileset.nrfiles).map(|file| file_name(&fileset, file)).collect(),
    }
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

    /// Unicode's own example of U+FFFD for maximal subparts, and what the web's standard adds.
    #[test]
    fn text_is_decoded_as_the_web_decodes_it() {
        for (bytes, text) in [
            (&b"plain \xc3\xa9 \xf0\x9f\x9a\x80"[..], "plain é 🚀"),
            (b"a\xf1\x80\x80\xe1\x80\xc2b\x80c\x80\xbfd", "a\u{fffd}\u{fffd}\u{fffd}b\u{fffd}c\u{fffd}\u{fffd}d"),
            // A surrogate, an overlong form, one beyond the last character, and bytes that are in no sequence.
            (b"\xed\xa0\x80", "\u{fffd}\u{fffd}\u{fffd}"),
            (b"\xc0\xaf", "\u{fffd}\u{fffd}"),
            (b"\xf4\x91\x92\x93\xff", "\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}"),
            // The mark is left out once, at the beginning, and whole.
            (b"\xef\xbb\xbftext", "text"),
            (b"\xef\xbb\xbf\xef\xbb\xbftext", "\u{feff}text"),
            (b"a\xef\xbb\xbf", "a\u{feff}"),
            (b"\xef\xbb", "\u{fffd}"),
            (b"", ""),
        ] {
            assert_eq!(decoded(bytes), text, "{bytes:02x?}");
        }
    }

    #[test]
    fn what_is_expected_of_text_is_that_of_each_op_for_itself() {
        let ops = [Op { file: 0, at: 3, len: 50 }, Op { file: 1, at: 0, len: 7 }];
        let mut checksum = Checksum::new();
        for op in ops {
            let mut bytes = vec![0; op.len as usize];
            FixtureFile::new(Seed(4), 10 + op.file).fill(op.at, &mut bytes);
            checksum.update(decoded(&bytes).as_bytes());
        }
        let [text, bytes] = [Form::Text, Form::Bytes].map(|form| expected(Seed(4), 10, &ops, form));
        assert_eq!(text, checksum.digits());
        assert_ne!(text, bytes);
    }

    #[test]
    fn filesets_have_numbers_and_names_of_their_own() {
        use crate::units::Bytes;
        let small = Fileset { nrfiles: 50, file_size: Bytes(20_480), own: None };
        let large = Fileset { nrfiles: 1, file_size: Bytes(32 << 20), own: None };
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
