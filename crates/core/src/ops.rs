//! Which bytes an arm reads or writes, in which order. All arms of a group take the same ones: they follow from the seed, the group
//! and the round, so every thread works them out for itself.

use rand::{Rng, RngExt};

use crate::job::{Group, OwnFile, Rw, Work};
use crate::seed::{Purpose, Seed};

/// One read or write; of a file that is copied, all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Op {
    /// The file, by its number in the fileset.
    pub file: u32,
    /// The offset in bytes.
    pub at: u64,
    /// How many bytes.
    pub len: u32,
}

/// A pilot reads the ops of this round, which no run reaches.
pub const PILOT_ROUND: u32 = u32::MAX;

/// A verification reads at most this many ops ...
const VERIFIED_OPS: u64 = 64;
/// ... and about this many bytes.
const VERIFIED_BYTES: u64 = 64 << 20;

/// The blocks of a group's files.
#[derive(Clone, Debug)]
struct Blocks<'a> {
    layout: Layout<'a>,
    count: u64,
    /// The length of a block; where they differ, of the longest.
    len: u32,
}

/// Where blocks are.
#[derive(Clone, Debug)]
enum Layout<'a> {
    /// As many in each file.
    Even { per_file: u64 },
    /// Each is one of these files, whole.
    Files(&'a [OwnFile]),
    /// The number of each file's first block: as many as lie wholly within it.
    Within(Vec<u64>),
}

impl<'a> Blocks<'a> {
    fn of(group: &'a Group) -> Self {
        if let Some(own) = &group.own {
            let len = u32::try_from(group.bs.0).expect("a checked job's blocks are at most 64 MiB");
            if own.whole {
                return Self { layout: Layout::Files(&own.files), count: own.files.len() as u64, len };
            }
            let mut count = 0;
            let mut firsts = Vec::with_capacity(own.files.len());
            for file in own.files.iter() {
                firsts.push(count);
                count += file.size.0 / group.bs.0;
            }
            return Self { layout: Layout::Within(firsts), count, len };
        }
        let file_size = group.fileset().file_size.0;
        let whole = |len: u64| (1, u64::from(group.nrfiles), len);
        let (per_file, count, len) = match group.rw.work() {
            Work::Read | Work::Write => (file_size / group.bs.0, group.size.0 / group.bs.0, group.bs.0),
            Work::Copy => whole(file_size),
            // What they open is checked by its first block.
            Work::Open | Work::Lock => whole(group.bs.0),
        };
        Self { layout: Layout::Even { per_file }, count, len: u32::try_from(len).expect("a checked job's ops are at most 1 GiB") }
    }

    fn all(&self) -> Vec<u32> {
        (0..u32::try_from(self.count).expect("a checked job has at most 2^22 blocks")).collect()
    }

    fn op(&self, block: u64) -> Op {
        let number = |file: u64| u32::try_from(file).expect("a checked job has at most 10 000 files");
        let place = usize::try_from(block).expect("a checked job has at most 2^22 blocks");
        let (file, in_file) = match &self.layout {
            Layout::Even { per_file } => (block / per_file, block % per_file),
            Layout::Files(files) => {
                let len = u32::try_from(files[place].size.0).expect("a checked job's blocks are at most 64 MiB");
                return Op { file: number(block), at: 0, len };
            }
            Layout::Within(firsts) => {
                let file = firsts.partition_point(|first| *first <= block) - 1;
                (file as u64, block - firsts[file])
            }
        };
        Op { file: number(file), at: in_file * u64::from(self.len), len: self.len }
    }

    /// The op of another file that is as far in as this one, or where that has fewer blocks, begins again from its first.
    fn moved(&self, op: &Op, file: u32) -> Op {
        match &self.layout {
            Layout::Even { .. } => Op { file, ..*op },
            Layout::Files(_) => self.op(file.into()),
            Layout::Within(firsts) => {
                let first = firsts[file as usize];
                let end = firsts.get(file as usize + 1).copied().unwrap_or(self.count);
                self.op(first + op.at / u64::from(self.len) % (end - first))
            }
        }
    }
}

/// Moves `count` of the blocks to the front, each order as likely as any other, and returns them. Fisher and Yates' shuffle from
/// the front: what it begins with does not depend on how far it goes.
fn shuffled<'a>(blocks: &'a mut [u32], count: u64, rng: &mut impl Rng) -> &'a mut [u32] {
    let end = u32::try_from(blocks.len()).expect("as many as there are numbers");
    let count = usize::try_from(count).expect("at most the blocks");
    for (place, first) in (0..count).zip(0..) {
        blocks.swap(place, rng.random_range(first..end) as usize);
    }
    &mut blocks[..count]
}

/// The first `n` ops of a round, into `ops`. An arm with a smaller `n` reads the beginning of what the others read.
///
/// Reading in order, a round begins `stride` ops after the one before, so that an arm whose `n` is `stride` reads on
/// where it stopped. Random rounds begin with an order of their own, in which every block comes once before one comes again.
pub fn round(group: &Group, seed: Seed, index: u32, number: u32, stride: u64, n: u64, ops: &mut Vec<Op>) {
    ops.clear();
    let blocks = Blocks::of(group);
    let start = u64::from(number).wrapping_mul(stride % blocks.count) % blocks.count;
    let in_order = |i: u64| (start + i % blocks.count) % blocks.count;
    match group.rw {
        Rw::Read | Rw::Write | Rw::Copy | Rw::Open | Rw::Lock => ops.extend((0..n).map(|i| blocks.op(in_order(i)))),
        Rw::ReadBackwards => ops.extend((0..n).map(|i| blocks.op(blocks.count - 1 - in_order(i)))),
        Rw::RandRead | Rw::RandWrite => {
            let mut rng = seed.stream(Purpose::Ops { group: index, round: number });
            let mut order = blocks.all();
            let mut left = n;
            while left > 0 {
                let taken = left.min(blocks.count);
                ops.extend(shuffled(&mut order, taken, &mut rng).iter().map(|block| blocks.op(u64::from(*block))));
                left -= taken;
            }
        }
    }
}

/// The bytes of the first `n` ops of a round, as [`round`] has them.
#[must_use]
pub fn bytes(group: &Group, seed: Seed, index: u32, number: u32, stride: u64, n: u64) -> u64 {
    if !group.is_uneven() {
        return group.moved(n);
    }
    let mut ops = Vec::new();
    round(group, seed, index, number, stride, n, &mut ops);
    ops.iter().map(|op| u64::from(op.len)).sum()
}

/// Moves ops to a file, each as far into it as it was into its own.
pub fn move_to(group: &Group, file: u32, ops: &mut [Op]) {
    let blocks = Blocks::of(group);
    for op in ops {
        *op = blocks.moved(op, file);
    }
}

/// The ops that a verification reads: the first and the last block, and others at random, all of them where they are few.
#[must_use]
pub fn verification(group: &Group, seed: Seed, index: u32) -> Vec<Op> {
    let blocks = Blocks::of(group);
    let uneven = matches!(blocks.layout, Layout::Files(_));
    let affordable = if uneven { VERIFIED_OPS } else { (VERIFIED_BYTES / u64::from(blocks.len)).max(2) };
    let wanted = blocks.count.min(affordable).min(VERIFIED_OPS);
    let mut order = blocks.all();
    let mut rng = seed.stream(Purpose::Verification { group: index });
    let last = u32::try_from(blocks.count - 1).expect("as many as there are numbers");
    let chosen = shuffled(&mut order, wanted, &mut rng);
    for end in [0, last] {
        if !chosen.contains(&end) {
            // The other end is never overwritten: the place taken is one whose block is neither.
            let place = chosen.iter().position(|block| *block != 0 && *block != last);
            chosen[place.expect("at least two places, and the ends take one each")] = end;
        }
    }
    let ops = chosen.iter().map(|block| (*block, blocks.op(u64::from(*block))));
    if !uneven {
        return ops.map(|(_, op)| op).collect();
    }
    // Of files of all sizes, as many as there are bytes for: one that is too large for what is left does not end it.
    let mut bytes = 0;
    let mut affordable = |op: &Op| {
        let with_it = bytes + u64::from(op.len);
        let fits = with_it <= VERIFIED_BYTES;
        bytes = if fits { with_it } else { bytes };
        fits
    };
    ops.filter(|(block, op)| affordable(op) || [0, last].contains(block)).map(|(_, op)| op).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::job::Job;

    fn group(name: &str) -> Group {
        let job = Job::from_toml(Job::preset("quick").expect("shipped")).expect("valid");
        job.groups.into_iter().find(|group| group.name == name).expect("a group of quick")
    }

    fn ops(group: &Group, number: u32, stride: u64, n: u64) -> Vec<Op> {
        let mut ops = Vec::new();
        round(group, Seed(1), 0, number, stride, n, &mut ops);
        ops
    }

    #[test]
    fn reading_in_order_goes_on_where_the_round_before_stopped() {
        let group = group("in-order-1m");
        let blocks: Vec<u64> = (0..20).flat_map(|number| ops(&group, number, 3, 3)).map(|op| op.at >> 20).collect();
        let expected: Vec<u64> = (0..60).map(|block| block % 32).collect();
        assert_eq!(blocks, expected);
    }

    #[test]
    fn reading_backwards_is_reading_in_order_from_the_end() {
        let forwards = group("in-order-1m");
        let backwards = Group { rw: Rw::ReadBackwards, ..forwards.clone() };
        for number in 0..20 {
            let mirrored = |op: &Op| 31 - (op.at >> 20);
            let found: Vec<u64> = ops(&backwards, number, 3, 40).iter().map(mirrored).collect();
            assert_eq!(found, ops(&forwards, number, 3, 40).iter().map(|op| op.at >> 20).collect::<Vec<_>>());
        }
    }

    #[test]
    fn writes_go_where_reads_of_the_same_order_go() {
        for (name, rw) in [("random-4k", Rw::RandWrite), ("in-order-1m", Rw::Write)] {
            let reads = group(name);
            assert_eq!(ops(&Group { rw, ..reads.clone() }, 4, 3, 50), ops(&reads, 4, 3, 50));
        }
    }

    #[test]
    fn what_is_done_to_whole_files_takes_one_after_another() {
        let small = group("small-files");
        for (rw, len) in [(Rw::Copy, 20_480), (Rw::Open, 512), (Rw::Lock, 512)] {
            let group = Group { rw, bs: crate::units::Bytes(512), ..small.clone() };
            let files: Vec<Op> = ops(&group, 0, 7, 100);
            assert!(files.iter().enumerate().all(|(i, op)| op.file as usize == i % 50 && op.at == 0 && op.len == len), "{rw:?}");
            assert_eq!(verification(&group, Seed(3), 0).len(), 50);
        }
    }

    #[test]
    fn whole_files_are_read_from_their_start() {
        let group = group("small-files");
        let files: Vec<Op> = ops(&group, 0, 7, 100);
        assert!(files.iter().enumerate().all(|(i, op)| op.file as usize == i % 50 && op.at == 0 && op.len == 20_480));
    }

    #[test]
    fn every_random_block_comes_once_before_one_comes_again() {
        let group = group("random-4k");
        let all = ops(&group, 5, 1, 8192 * 2);
        for pass in all.chunks(8192) {
            assert_eq!(pass.iter().map(|op| op.at).collect::<HashSet<_>>().len(), 8192);
        }
        assert_ne!(all[..8192], all[8192..]);
        assert_ne!(all[..100], ops(&group, 6, 1, 100));
    }

    #[test]
    fn an_arm_with_fewer_ops_reads_the_beginning_of_the_others() {
        for name in ["random-4k", "in-order-1m", "small-files"] {
            let group = group(name);
            assert_eq!(ops(&group, 3, 2, 5)[..], ops(&group, 3, 2, 60)[..5], "{name}");
        }
    }

    /// A job's group of this name on own files of these sizes.
    fn own(name: &str, sizes: &[u64]) -> Group {
        let job = Job::from_toml(Job::preset("quick").expect("shipped")).expect("valid");
        let job = job.with_own(sizes, &()).expect("they fit");
        job.groups.into_iter().find(|group| group.name == name).expect("a group of quick")
    }

    const SIZES: [u64; 5] = [1, 4097, 9000, 700, 65_536];

    #[test]
    fn own_files_are_read_whole_each_once_a_pass() {
        let group = own("small-files", &SIZES);
        for rw in [Rw::Read, Rw::RandRead, Rw::ReadBackwards] {
            let group = Group { rw, ..group.clone() };
            for number in 0..6 {
                let passes = ops(&group, number, 10, 10);
                for pass in passes.chunks(5) {
                    let mut read: Vec<(u32, u64, u64)> = pass.iter().map(|op| (op.file, op.at, op.len.into())).collect();
                    read.sort_unstable();
                    assert_eq!(read, (0..).zip(SIZES).map(|(file, size)| (file, 0, size)).collect::<Vec<_>>(), "{rw:?}");
                }
                let total: u64 = SIZES.iter().sum();
                assert_eq!(bytes(&group, Seed(1), 0, number, 10, 10), 2 * total);
                let part: u64 = ops(&group, number, 10, 7).iter().map(|op| u64::from(op.len)).sum();
                assert_eq!(bytes(&group, Seed(1), 0, number, 10, 7), part);
            }
        }
    }

    #[test]
    fn blocks_of_own_files_lie_wholly_within_them() {
        for rw in [Rw::Read, Rw::RandRead, Rw::ReadBackwards] {
            let group = Group { rw, ..own("random-4k", &SIZES) };
            let mut read: Vec<(u32, u64, u32)> = ops(&group, 0, 1, 19).iter().map(|op| (op.file, op.at, op.len)).collect();
            read.sort_unstable();
            // Files 1, 2 and 4 are long enough; they are numbered anew.
            let blocks =
                [(0, 1), (1, 2), (2, 16)].into_iter().flat_map(|(file, count)| (0..count).map(move |block| (file, block * 4096, 4096)));
            assert_eq!(read, blocks.collect::<Vec<_>>(), "{rw:?}");
            assert_eq!(bytes(&group, Seed(1), 0, 0, 1, 30), 30 * 4096);
        }
    }

    #[test]
    fn ops_are_moved_to_a_file_that_has_them() {
        let group = own("random-4k", &SIZES);
        let mut moved = ops(&group, 3, 1, 19);
        for (file, blocks) in [(0, 1), (1, 2), (2, 16)] {
            move_to(&group, file, &mut moved);
            assert!(moved.iter().all(|op| op.file == file && op.at / 4096 < blocks && op.at.is_multiple_of(4096)), "{moved:?}");
        }
        let whole = own("small-files", &SIZES);
        let mut moved = ops(&whole, 0, 1, 5);
        move_to(&whole, 2, &mut moved);
        assert!(moved.iter().all(|op| *op == Op { file: 2, at: 0, len: 9000 }), "{moved:?}");
        let even = self::group("random-4k");
        let mut moved = ops(&even, 0, 1, 5);
        let before = moved.clone();
        move_to(&even, 0, &mut moved);
        assert_eq!(moved, before);
    }

    #[test]
    fn of_own_files_so_many_are_checked_as_there_are_bytes_for() {
        let checked = |sizes: &[u64]| verification(&own("small-files", sizes), Seed(1), 0);
        assert_eq!(checked(&SIZES).len(), 5);
        // The large ones in between take the bytes of the small ones of none.
        let mut sizes = vec![1000; 40];
        sizes[7..12].fill(40 << 20);
        let ops = checked(&sizes);
        let large = ops.iter().filter(|op| op.len > 1000).count();
        assert_eq!((ops.len(), large), (36, 1), "{ops:?}");
        for end in [0, 39] {
            assert!(ops.iter().any(|op| op.file == end));
        }
        let ops = checked(&[60 << 20; 3]);
        assert_eq!(ops.iter().map(|op| op.file).collect::<HashSet<_>>(), HashSet::from([0, 2]));
    }

    #[test]
    fn verification_reads_both_ends_and_all_of_few_blocks() {
        for (name, count) in [("random-4k", 64), ("in-order-1m", 32), ("small-files", 50)] {
            let group = group(name);
            for seed in 0..20 {
                let ops = verification(&group, Seed(seed), 0);
                let distinct: HashSet<_> = ops.iter().map(|op| (op.file, op.at)).collect();
                assert_eq!((ops.len(), distinct.len()), (count, count), "{name}");
                assert!(distinct.contains(&(0, 0)));
                assert!(distinct.contains(&(group.nrfiles - 1, group.fileset().file_size.0 - group.bs.0)));
            }
        }
    }
}
