//! The bytes that ops write, and which of them must be found where afterwards. They follow from the seed, the group, the round and the
//! op's place in its batch: what an earlier round left, what was written elsewhere and what was never written are all other bytes.

use rand::Rng;

use crate::job::{Group, Work};
use crate::ops::Op;
use crate::seed::{Purpose, Seed};
use crate::units::Bytes;

/// Ops of a batch write so many different blocks in turn ...
const MOST_BLOCKS: u32 = 64;
/// ... or fewer, which hold this much together: they lie ready in memory before time is taken.
const READY: Bytes = Bytes(4 << 20);

/// How many different blocks of this size the ops of a batch write in turn.
#[must_use]
pub fn distinct(bs: Bytes) -> u32 {
    u32::try_from(READY.0 / bs.0.max(1)).unwrap_or(u32::MAX).clamp(1, MOST_BLOCKS)
}

/// What a round writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// The run's seed.
    pub seed: Seed,
    /// The group's number in the job.
    pub group: u32,
    /// The round.
    pub round: u32,
}

impl Pattern {
    /// Fills a block with what the op at this place of the batch writes.
    pub fn fill(self, place: u64, block: &mut [u8]) {
        let length = block.len() as u64;
        let number = place % u64::from(distinct(Bytes(length)));
        let mut rng = self.seed.stream(Purpose::Written { group: self.group, round: self.round });
        rng.set_word_pos(u128::from(number * length.div_ceil(4)));
        rng.fill_bytes(block);
    }
}

/// What was last written to a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Last {
    /// In this round ...
    pub round: u32,
    /// ... by the op at this place of its batch.
    pub place: u64,
}

/// What each block of a method's files must hold: that which was written to it last.
#[derive(Clone, Debug)]
pub struct Ledger {
    per_file: u64,
    length: u64,
    blocks: Vec<Option<(u32, u32)>>,
}

impl Ledger {
    /// Of files to which nothing was written.
    #[must_use]
    pub fn new(group: &Group) -> Self {
        let length = if group.rw.work() == Work::Copy { group.fileset().file_size.0 } else { group.bs.0 };
        let count = usize::try_from(group.size.0 / length).expect("a checked job has at most 2^22 blocks");
        Self { per_file: group.fileset().file_size.0 / length, length, blocks: vec![None; count] }
    }

    /// The length of a block.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length
    }

    /// A batch begins: until it has ended, nothing is known of its blocks.
    pub fn begin(&mut self, ops: &[Op]) {
        for op in ops {
            let block = self.block(op);
            self.blocks[block] = None;
        }
    }

    /// The batch has ended, all of it.
    pub fn end(&mut self, round: u32, ops: &[Op]) {
        for (op, place) in ops.iter().zip(0..) {
            let block = self.block(op);
            self.blocks[block] = Some((round, place));
        }
    }

    /// All that was written is lost.
    pub fn forget(&mut self) {
        self.blocks.fill(None);
    }

    /// The blocks of a file to which something was written: the offset of each, and what.
    pub fn written(&self, file: u32) -> impl Iterator<Item = (u64, Last)> {
        let first = usize::try_from(u64::from(file) * self.per_file).expect("a block's number");
        let count = usize::try_from(self.per_file).expect("a block's number");
        let blocks = self.blocks[first..first + count].iter().zip(0_u64..);
        let length = self.length;
        blocks.filter_map(move |(last, block)| last.map(|(round, place)| (block * length, Last { round, place: place.into() })))
    }

    fn block(&self, op: &Op) -> usize {
        usize::try_from(u64::from(op.file) * self.per_file + op.at / self.length).expect("a block's number")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::job::{Job, Rw};

    fn group() -> Group {
        let job = Job::from_toml(Job::preset("quick").expect("shipped")).expect("valid");
        Group { rw: Rw::Write, bs: Bytes(512), size: Bytes(4096), nrfiles: 2, ..job.groups[0].clone() }
    }

    fn op(file: u32, block: u64) -> Op {
        Op { file, at: block * 512, len: 512 }
    }

    #[test]
    fn no_two_blocks_in_sight_of_each_other_are_alike() {
        let mut seen = HashSet::new();
        for group in 0..3 {
            for round in [0, 1, 7, u32::MAX] {
                for place in 0..64 {
                    let mut block = vec![0; 512];
                    Pattern { seed: Seed(5), group, round }.fill(place, &mut block);
                    assert!(seen.insert(block), "{group} {round} {place}");
                }
            }
        }
    }

    #[test]
    fn blocks_lie_ready_in_a_few_mebibytes_and_come_again_in_turn() {
        for (bs, count) in [(1, 64), (512, 64), (4096, 64), (65_536, 64), (1 << 20, 4), (4 << 20, 1), (64 << 20, 1)] {
            assert_eq!(distinct(Bytes(bs)), count, "{bs}");
        }
        let pattern = Pattern { seed: Seed(5), group: 0, round: 1 };
        let (mut one, mut other) = ([0; 7], [0; 7]);
        pattern.fill(3, &mut one);
        pattern.fill(64 + 3, &mut other);
        assert_eq!(one, other);
    }

    #[test]
    fn a_ledger_says_what_each_block_was_given_last() {
        let mut ledger = Ledger::new(&group());
        ledger.begin(&[op(0, 1), op(1, 3), op(0, 1)]);
        assert_eq!(ledger.written(0).count(), 0, "the batch may have failed anywhere");
        ledger.end(4, &[op(0, 1), op(1, 3), op(0, 1)]);
        assert_eq!(ledger.written(0).collect::<Vec<_>>(), [(512, Last { round: 4, place: 2 })]);
        assert_eq!(ledger.written(1).collect::<Vec<_>>(), [(1536, Last { round: 4, place: 1 })]);
        ledger.end(5, &[op(1, 3)]);
        assert_eq!(ledger.written(1).collect::<Vec<_>>(), [(1536, Last { round: 5, place: 0 })]);
        ledger.begin(&[op(1, 3), op(1, 0)]);
        assert_eq!((ledger.written(0).count(), ledger.written(1).count()), (1, 0));
        ledger.forget();
        assert_eq!(ledger.written(0).count(), 0);
    }

    #[test]
    fn files_that_are_copied_are_one_block_each() {
        let mut ledger = Ledger::new(&Group { rw: Rw::Copy, ..group() });
        ledger.end(2, &[Op { file: 1, at: 0, len: 2048 }]);
        assert_eq!((ledger.length(), ledger.written(0).count(), ledger.written(1).count()), (2048, 0, 1));
    }
}
