//! How several workers share a group's ops: each works its own out, so that nobody has to send them.

use serde::{Deserialize, Serialize};

use crate::fixture::Checksum;
use crate::ops::Op;
use crate::result::{Verification, When};

/// One worker's part of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// The worker's number, from 0.
    pub worker: u32,
    /// How many workers there are: at least one.
    pub workers: u32,
    /// By what ops are dealt out.
    pub deal: Deal,
}

/// By what ops are dealt out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Deal {
    /// File i belongs to worker i mod workers, and an op to its file's: for files that one worker alone can open.
    Files,
    /// In turn, whatever their files: all workers open all of them.
    Ops,
}

impl Share {
    /// The files that the worker opens, by their number in the fileset and in rising order.
    #[must_use]
    pub fn files(self, nrfiles: u32) -> Vec<u32> {
        (0..nrfiles).filter(|file| self.opens(*file)).collect()
    }

    fn opens(self, file: u32) -> bool {
        self.deal == Deal::Ops || file % self.workers == self.worker
    }

    /// Leaves the worker's own ops, in their order.
    pub fn keep(self, ops: &mut Vec<Op>) {
        let mut turn = (0..self.workers).cycle();
        ops.retain(|op| match self.deal {
            Deal::Files => self.opens(op.file),
            Deal::Ops => turn.next() == Some(self.worker),
        });
    }

    /// Renames the files of its own ops: from their number in the fileset to their place in [`Self::files`].
    pub fn renumber(self, ops: &mut [Op]) {
        if self.deal == Deal::Files {
            for op in ops.iter_mut() {
                op.file /= self.workers;
            }
        }
    }
}

/// The check of all ops from the checks of the shares: its checksums are those of the shares' checksums, so that one wrong byte in one
/// share makes it wrong.
#[must_use]
pub fn joined(when: When, shares: &[Verification]) -> Verification {
    let checksum = |of: fn(&Verification) -> &str| {
        let mut checksum = Checksum::new();
        for share in shares {
            checksum.update(of(share).as_bytes());
        }
        checksum.digits()
    };
    Verification {
        when,
        ops: shares.iter().map(|share| share.ops).sum(),
        expected: checksum(|share| &share.expected),
        found: checksum(|share| &share.found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads of file after file, each at an offset of its own.
    fn ops(files: &[u32]) -> Vec<Op> {
        (0..).zip(files).map(|(place, file)| Op { file: *file, at: place * 100, len: 100 }).collect()
    }

    fn shares(workers: u32, deal: Deal) -> impl Iterator<Item = Share> {
        (0..workers).map(move |worker| Share { worker, workers, deal })
    }

    #[test]
    fn every_op_is_one_worker_s_and_keeps_its_order() {
        let all = ops(&[3, 0, 1, 7, 4, 4, 2, 0, 6, 5, 3]);
        for deal in [Deal::Files, Deal::Ops] {
            for workers in [1, 2, 3, 8, 20] {
                let mut dealt = Vec::new();
                for share in shares(workers, deal) {
                    let mut own = all.clone();
                    share.keep(&mut own);
                    assert!(own.is_sorted_by_key(|op| op.at));
                    dealt.extend(own);
                }
                dealt.sort_by_key(|op| op.at);
                assert_eq!(dealt, all, "{deal:?} to {workers}");
            }
        }
    }

    #[test]
    fn ops_that_are_dealt_in_turn_differ_by_one_at_most() {
        let all = ops(&[0; 11]);
        let counts = shares(4, Deal::Ops).map(|share| {
            let mut own = all.clone();
            share.keep(&mut own);
            own.len()
        });
        assert_eq!(counts.collect::<Vec<_>>(), [3, 3, 3, 2]);
    }

    #[test]
    fn a_file_that_is_dealt_has_one_owner_who_finds_it_by_its_place() {
        for workers in [1, 2, 3, 8] {
            let mut owned = Vec::new();
            for share in shares(workers, Deal::Files) {
                let files = share.files(8);
                let mut own = ops(&[3, 0, 1, 7, 4, 4, 2, 0, 6, 5, 3]);
                share.keep(&mut own);
                let mut renumbered = own.clone();
                share.renumber(&mut renumbered);
                assert!(own.iter().zip(&renumbered).all(|(op, renumbered)| files[renumbered.file as usize] == op.file));
                owned.extend(files);
            }
            owned.sort_unstable();
            assert_eq!(owned, (0..8).collect::<Vec<_>>());
        }
        assert!(shares(3, Deal::Ops).all(|share| share.files(8).len() == 8));
    }

    #[test]
    fn all_is_right_where_every_share_is() {
        let share =
            |ops, expected: &str, found: &str| Verification { when: When::After, ops, expected: expected.into(), found: found.into() };
        let right = joined(When::After, &[share(3, "aa", "aa"), share(2, "bb", "bb")]);
        assert_eq!((right.when, right.ops), (When::After, 5));
        assert_eq!(right.expected, right.found);
        for wrong in [[share(3, "aa", "aa"), share(2, "bb", "bc")], [share(3, "aa", "bb"), share(2, "bb", "aa")]] {
            let joined = joined(When::After, &wrong);
            assert_eq!(joined.expected, right.expected);
            assert_ne!(joined.found, right.found);
        }
    }
}
