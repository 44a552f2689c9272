//! When a method flushes.

use std::cell::Cell;

use opfs_bench_core::job::Group;

/// Counts writes until the next flush, and until the end of the batch.
pub struct Flushes {
    every: u32,
    at_end: bool,
    until: Cell<u32>,
    left: Cell<u64>,
}

impl Flushes {
    pub fn of(group: &Group) -> Self {
        Self { every: group.fsync, at_end: group.end_fsync, until: Cell::new(group.fsync), left: Cell::new(0) }
    }

    /// A batch of so many ops begins. What is due after every so many writes goes on over batches, as fio's `fsync` does over a job: a batch
    /// may be shorter than that.
    pub fn begin(&self, ops: usize) {
        self.left.set(ops as u64);
    }

    /// An op has written: whether a flush is due. Never where there is none every so many writes: 0 less 1 is not 0.
    #[inline]
    pub fn due(&self) -> bool {
        let until = self.until.get().wrapping_sub(1);
        self.until.set(until);
        if until == 0 {
            self.until.set(self.every);
        }
        until == 0
    }

    /// Whether all is flushed when a batch ends.
    pub fn at_end(&self) -> bool {
        self.at_end
    }

    /// An op has written: whether it was the batch's last and all is to be flushed now.
    #[inline]
    pub fn ends(&self) -> bool {
        self.left.set(self.left.get().wrapping_sub(1));
        self.at_end && self.left.get() == 0
    }
}

#[cfg(test)]
mod tests {
    use opfs_bench_core::job::Job;

    use super::*;

    fn due(fsync: u32, end_fsync: bool, ops: usize) -> (Vec<bool>, Vec<bool>) {
        let job = Job::from_toml(Job::preset("quick").expect("shipped")).expect("valid");
        let flushes = Flushes::of(&Group { fsync, end_fsync, ..job.groups[0].clone() });
        flushes.begin(ops);
        (0..ops).map(|_| (flushes.due(), flushes.ends())).unzip()
    }

    #[test]
    fn a_flush_is_due_after_every_so_many_writes_and_at_the_end_where_it_is_asked_for() {
        assert_eq!(due(0, false, 3), (vec![false; 3], vec![false; 3]));
        assert_eq!(due(1, false, 3).0, [true; 3]);
        assert_eq!(due(2, false, 5).0, [false, true, false, true, false]);
        assert_eq!(due(0, true, 3), (vec![false; 3], vec![false, false, true]));
    }

    #[test]
    fn counting_goes_on_over_batches() {
        let job = Job::from_toml(Job::preset("quick").expect("shipped")).expect("valid");
        let flushes = Flushes::of(&Group { fsync: 3, ..job.groups[0].clone() });
        let due = [0; 3].map(|_| {
            flushes.begin(2);
            [flushes.due(), flushes.due()]
        });
        assert_eq!(due, [[false, false], [true, false], [false, true]]);
    }
}
