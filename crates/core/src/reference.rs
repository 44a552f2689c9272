//! What must be read of a person's own files. Of those that are generated every byte follows from the seed; of these, a checksum of each
//! op that will be checked is taken from the source's bytes while they are copied. So what a method reads is compared with the
//! source, and not with the copy.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::fixture::{Checksum, Form, decoded};
use crate::job::Group;
use crate::ops::Op;

/// The checksums of the ops of one group's checks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    ops: Vec<Known>,
}

/// What one op must read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Known {
    file: u32,
    at: u64,
    bytes: String,
    /// Of the same as text, where a method reads it so.
    text: Option<String>,
}

impl Reference {
    /// The checksum of what these ops must read, one after another, in the form in which it comes: that of their checksums. What was not
    /// foreseen has none, and no bytes are right for it.
    #[must_use]
    pub fn expected(&self, ops: &[Op], form: Form) -> String {
        let mut all = Checksum::new();
        for op in ops {
            let known = self.ops.iter().find(|known| (known.file, known.at) == (op.file, op.at));
            let digits = known.and_then(|known| match form {
                Form::Bytes => Some(known.bytes.as_str()),
                Form::Text => known.text.as_deref(),
            });
            all.update(digits.unwrap_or("unknown").as_bytes());
        }
        all.digits()
    }
}

/// Takes the checksums of ops while the bytes of their files pass by, file after file and each from its beginning to its end.
pub struct Copying {
    groups: Vec<Reference>,
    /// By the file's number among all that were chosen.
    watched: BTreeMap<u32, Vec<Watched>>,
}

/// An op whose bytes are waited for.
struct Watched {
    group: usize,
    op: Op,
    checksum: Checksum,
    /// All its bytes, where their text is wanted.
    held: Option<Vec<u8>>,
}

impl Copying {
    /// For these groups of own files, each with the ops of its checks and whether those are checked as text, too.
    #[must_use]
    pub fn new(groups: &[(&Group, Vec<Op>, bool)]) -> Self {
        let mut watched: BTreeMap<u32, Vec<Watched>> = BTreeMap::new();
        for (place, (group, ops, text)) in groups.iter().enumerate() {
            let own = group.own.as_ref().expect("groups of own files");
            for op in ops {
                let number = own.files[op.file as usize].number;
                let held = text.then(Vec::new);
                watched.entry(number).or_default().push(Watched { group: place, op: *op, checksum: Checksum::new(), held });
            }
        }
        Self { groups: vec![Reference::default(); groups.len()], watched }
    }

    /// Takes in the bytes of a file from this offset on.
    pub fn pass(&mut self, number: u32, at: u64, bytes: &[u8]) {
        let end = at + bytes.len() as u64;
        for watched in self.watched.get_mut(&number).into_iter().flatten() {
            let op_end = watched.op.at + u64::from(watched.op.len);
            let (from, to) = (watched.op.at.max(at), op_end.min(end));
            if from >= to {
                continue;
            }
            let within = |offset: u64| usize::try_from(offset - at).expect("within the bytes at hand");
            let part = &bytes[within(from)..within(to)];
            watched.checksum.update(part);
            if let Some(held) = &mut watched.held {
                held.extend_from_slice(part);
            }
            if to == op_end {
                let text = watched.held.take().map(|held| checksum(decoded(&held).as_bytes()));
                let Op { file, at, .. } = watched.op;
                self.groups[watched.group].ops.push(Known { file, at, bytes: watched.checksum.digits(), text });
            }
        }
    }

    /// What each group's ops must read, in the order of the groups.
    #[must_use]
    pub fn finish(self) -> Vec<Reference> {
        self.groups
    }
}

fn checksum(bytes: &[u8]) -> String {
    let mut checksum = Checksum::new();
    checksum.update(bytes);
    checksum.digits()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Job;
    use crate::ops::verification;
    use crate::seed::Seed;

    const SIZES: [u64; 4] = [1, 4097, 20_003, 9000];

    fn source(number: u32) -> Vec<u8> {
        (0..SIZES[number as usize]).map(|at| u8::try_from((at * 7 + u64::from(number) * 31) % 251).expect("below 251")).collect()
    }

    fn job() -> Job {
        let job = Job::from_toml(Job::preset("quick").expect("shipped")).expect("valid");
        job.with_own(&SIZES, &()).expect("two groups fit")
    }

    /// References of the job's groups, with the bytes passing by in chunks.
    fn references(job: &Job, chunk: usize) -> Vec<(Vec<Op>, Reference)> {
        let checked = |index: usize| verification(&job.groups[index], Seed(5), u32::try_from(index).expect("few"));
        let groups: Vec<_> = (0..job.groups.len()).map(|index| (&job.groups[index], checked(index), true)).collect();
        let mut copying = Copying::new(&groups);
        for number in 0..4 {
            for (place, bytes) in source(number).chunks(chunk).enumerate() {
                copying.pass(number, (place * chunk) as u64, bytes);
            }
        }
        groups.iter().map(|(_, ops, _)| ops.clone()).zip(copying.finish()).collect()
    }

    fn read(job: &Job, index: usize, op: &Op) -> Vec<u8> {
        let number = job.groups[index].own.as_ref().expect("own").files[op.file as usize].number;
        source(number)[usize::try_from(op.at).expect("small")..][..op.len as usize].to_vec()
    }

    #[test]
    fn what_is_read_is_compared_op_by_op_however_it_comes() {
        let job = job();
        assert_eq!(job.groups.len(), 2);
        for chunk in [1 << 20, 4096, 1000, 1] {
            for (index, (ops, reference)) in references(&job, chunk).iter().enumerate() {
                assert!(!ops.is_empty());
                let expected = reference.expected(ops, Form::Bytes);
                for piece in [1 << 20, 3, 4097] {
                    let mut found = Checksum::of_ops(ops);
                    let all: Vec<u8> = ops.iter().flat_map(|op| read(&job, index, op)).collect();
                    all.chunks(piece).for_each(|bytes| found.update(bytes));
                    assert_eq!(found.digits(), expected, "{chunk} {piece}");
                }
                let mut found = Checksum::of_ops(ops);
                for op in ops {
                    found.update_text(&decoded(&read(&job, index, op)));
                }
                assert_eq!(found.digits(), reference.expected(ops, Form::Text));
            }
        }
    }

    #[test]
    fn any_other_byte_order_or_length_is_noticed() {
        let job = job();
        let (ops, reference) = &references(&job, 4096)[0];
        let expected = reference.expected(ops, Form::Bytes);
        let all: Vec<Vec<u8>> = ops.iter().map(|op| read(&job, 0, op)).collect();
        let checksum = |pieces: &[Vec<u8>]| {
            let mut found = Checksum::of_ops(ops);
            for piece in pieces {
                found.update(piece);
            }
            found.digits()
        };
        assert_eq!(checksum(&all), expected);
        for place in 0..all.len() {
            let mut damaged = all.clone();
            *damaged[place].last_mut().expect("no file is empty") ^= 1;
            assert_ne!(checksum(&damaged), expected, "{place}");
        }
        let mut swapped = all.clone();
        swapped.swap(0, 1);
        assert_ne!(checksum(&swapped), expected);
        assert_ne!(checksum(&all[1..]), expected);
        let mut longer = all.clone();
        longer.push(vec![0]);
        assert_ne!(checksum(&longer), expected);
        assert_ne!(checksum(&[]), expected);
        let unforeseen = [Op { at: 1, ..ops[0] }];
        assert_ne!(reference.expected(&unforeseen, Form::Bytes), reference.expected(&ops[..1], Form::Bytes));
        assert_ne!(Reference::default().expected(ops, Form::Bytes), expected);
    }
}
