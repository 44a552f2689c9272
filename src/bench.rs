//! A group opened on one thread: the readers of its methods, and the offsets that both threads work out alike.

use opfs_bench_core::fixture::{self, Checksum, Form};
use opfs_bench_core::job::{Group, Timing};
use opfs_bench_core::ops::{self, Op};
use opfs_bench_core::reference::Reference;
use opfs_bench_core::result::{Allocated, StageTimes, Verification, When};
use opfs_bench_core::seed::Seed;
use opfs_bench_core::share::Share;
use opfs_bench_core::units::Nanos;
use opfs_bench_core::written::Pattern;

use crate::allocation;
use crate::clock;
use crate::deadline;
use crate::methods::{Laps, READS, ReadBack, Reader, Timed};
use crate::opfs::OpfsError;
use crate::single_ops;
use crate::worker::messages::{Batch, Sampled};

/// What is read beside the rounds is a round's that no run reaches.
const APART_ROUND: u32 = u32::MAX - 1_000;
/// What a verification writes is a round's that no run reaches.
const VERIFICATION_ROUND: u32 = u32::MAX - 1;
/// Allocations are counted over so many ops and bytes at most.
const ALLOCATED_OPS: u64 = 32;
const ALLOCATED_BYTES: u64 = 16 << 20;

/// What a thread needs to take samples of a group.
pub struct Bench {
    group: Group,
    index: u32,
    seed: Seed,
    first_file: u32,
    /// What must be read of a person's own files.
    reference: Option<Reference>,
    /// Of a worker in a pool: which ops are its own.
    share: Option<Share>,
    ops: Vec<Op>,
    /// The ops of a verification, worked out once: every arm is checked by the same.
    verified: Option<Vec<Op>>,
    /// Their checksum in each form that was asked for.
    expected: Vec<(Form, String)>,
    /// How long a sample or a check may take.
    deadline_ms: f64,
}

impl Bench {
    /// For group `index` of the job, whose files begin with number `first_file`.
    pub fn new(group: Group, index: u32, seed: Seed, first_file: u32) -> Self {
        Self {
            group,
            index,
            seed,
            first_file,
            reference: None,
            share: None,
            ops: Vec::new(),
            verified: None,
            expected: Vec::new(),
            deadline_ms: deadline::ANSWER_MS,
        }
    }

    /// The same with what must be read of a person's own files, where the group reads such.
    pub fn with_reference(self, reference: Option<Reference>) -> Self {
        Self { reference, ..self }
    }

    /// The same for one worker's ops.
    pub fn of_share(self, share: Share) -> Self {
        Self { share: Some(share), ..self }
    }

    /// The same with another deadline.
    #[cfg(all(test, target_arch = "wasm32"))]
    pub fn with_deadline(self, deadline_ms: f64) -> Self {
        Self { deadline_ms, ..self }
    }

    /// Works a batch's offsets out.
    pub fn prepare(&mut self, batch: Batch) {
        ops::round(&self.group, self.seed, self.index, batch.round, batch.stride, batch.n, &mut self.ops);
        if let Some(share) = self.share {
            share.keep(&mut self.ops);
            share.renumber(&mut self.ops);
        }
    }

    /// Reads what is prepared, for somebody else who takes the time. The bytes that were read.
    pub async fn read(&self, reader: &dyn Reader) -> Result<u64, OpfsError> {
        Ok(deadline::within(self.deadline_ms, reader.read(&self.ops, None)).await?.bytes)
    }

    /// Takes one sample: works the offsets out, waits the dither, and lets the method time itself, in one go or op by op.
    pub async fn sample(&mut self, reader: &dyn Reader, batch: Batch) -> Result<Sampled, OpfsError> {
        self.prepare(batch);
        self.ready(reader, batch.round, &self.ops).await?;
        if self.group.timing == Timing::Ops {
            clock::dither(batch.dither);
            let sampled = deadline::within(self.deadline_ms, single_ops::sample(reader, &self.ops, batch.rate_iops)).await?;
            Self::settle(reader, batch.round, &self.ops);
            return Ok(sampled);
        }
        let reading = deadline::within(self.deadline_ms, reader.read(&self.ops, None));
        clock::dither(batch.dither);
        let Timed { elapsed_ms, bytes } = reading.await?;
        Self::settle(reader, batch.round, &self.ops);
        Ok(Sampled { elapsed: (elapsed_ms >= 0.0).then(|| Nanos::from_ms(elapsed_ms)), bytes, ops: Vec::new(), pacing: None })
    }

    /// What comes before a batch of a method that writes. Nothing of one that reads.
    async fn ready(&self, reader: &dyn Reader, round: u32, ops: &[Op]) -> Result<(), OpfsError> {
        let Some(writer) = reader.writer() else { return Ok(()) };
        writer.files().begin(ops);
        deadline::within(self.deadline_ms, writer.ready(self.pattern(round), ops)).await
    }

    /// What comes after it. Without it, nothing is known of what the batch wrote.
    fn settle(reader: &dyn Reader, round: u32, ops: &[Op]) {
        if let Some(writer) = reader.writer() {
            writer.settle();
            writer.files().end(round, ops);
        }
    }

    fn pattern(&self, round: u32) -> Pattern {
        Pattern { seed: self.seed, group: self.index, round }
    }

    /// Counts what a method's ops allocate: what twice as many ops allocate more than so many, since a batch has a price of its own.
    pub async fn allocated(&mut self, reader: &dyn Reader) -> Result<Allocated, OpfsError> {
        let n = (ALLOCATED_BYTES / self.group.op_bytes().0.max(1)).clamp(1, ALLOCATED_OPS);
        let mut allocated = [0; 2];
        for (allocated, batch) in allocated.iter_mut().zip([n, 2 * n]) {
            ops::round(&self.group, self.seed, self.index, APART_ROUND, n, batch, &mut self.ops);
            self.ready(reader, APART_ROUND, &self.ops).await?;
            let before = allocation::bytes();
            let reading = reader.read(&self.ops, None);
            deadline::within(self.deadline_ms, reading).await?;
            *allocated = allocation::bytes() - before;
            Self::settle(reader, APART_ROUND, &self.ops);
        }
        self.ops.truncate(usize::try_from(n).expect("few"));
        let buffer_bytes = deadline::within(self.deadline_ms, reader.buffers(&self.ops)).await?;
        Ok(Allocated { ops: n, wasm_bytes: allocated[1].saturating_sub(allocated[0]), buffer_bytes })
    }

    /// Takes a method's work on the group's files apart, pass after pass, file after file. The readings of a clock with this tick.
    pub async fn stages(&mut self, reader: &dyn Reader, tick: Nanos) -> Result<Vec<StageTimes>, OpfsError> {
        let block = usize::try_from(self.group.bs.0).expect("blocks are at most 64 MiB");
        let mut laps = Laps::new(tick, block);
        let mut pass = 0;
        loop {
            ops::round(&self.group, self.seed, self.index, APART_ROUND + pass, READS, READS, &mut self.ops);
            ops::move_to(&self.group, pass % self.group.nrfiles, &mut self.ops);
            deadline::within(self.deadline_ms, reader.stages(&self.ops, &mut laps)).await?;
            pass += 1;
            if !laps.go_on() || laps.is_empty() {
                return Ok(laps.into_times());
            }
        }
    }

    /// Checks what a method writes: before the rounds a few blocks, then all that its samples have left. Both are read back in another way
    /// than they were written.
    async fn verify_written(&self, reader: &dyn Reader, when: When) -> Result<Verification, OpfsError> {
        let writer = reader.writer().expect("only such a method's writes are checked");
        if when == When::Before {
            let ops = ops::verification(&self.group, self.seed, self.index);
            self.ready(reader, VERIFICATION_ROUND, &ops).await?;
            let written = deadline::within(self.deadline_ms, reader.read(&ops, None)).await?.bytes;
            check_count(written, &ops)?;
            Self::settle(reader, VERIFICATION_ROUND, &ops);
        }
        deadline::within(self.deadline_ms, writer.commit()).await?;
        let reading = writer.files().read_back(self.pattern(VERIFICATION_ROUND), self.first_file);
        let ReadBack { blocks, expected, found } = deadline::within(self.deadline_ms, reading).await?;
        Ok(Verification { when, ops: blocks, expected, found })
    }

    /// Checks a method's bytes against the fixture's, or against what it was to write.
    pub async fn verify(&mut self, reader: &dyn Reader, when: When) -> Result<Verification, OpfsError> {
        if reader.writer().is_some() {
            return self.verify_written(reader, when).await;
        }
        let share = self.share;
        let whole = self.verified.get_or_insert_with(|| {
            let mut ops = ops::verification(&self.group, self.seed, self.index);
            if let Some(share) = share {
                share.keep(&mut ops);
            }
            ops
        });
        let form = reader.form();
        let known = self.expected.iter().position(|(other, _)| *other == form).unwrap_or_else(|| {
            let expected = match &self.reference {
                Some(reference) => reference.expected(whole, form),
                None => fixture::expected(self.seed, self.first_file, whole, form),
            };
            self.expected.push((form, expected));
            self.expected.len() - 1
        });
        let mut own = whole.clone();
        if let Some(share) = share {
            share.renumber(&mut own);
        }
        let ops = &own;
        let expected = &self.expected[known].1;
        let mut found = if self.reference.is_some() { Checksum::of_ops(ops) } else { Checksum::new() };
        let read = deadline::within(self.deadline_ms, reader.read(ops, Some(&mut found))).await?.bytes;
        check_count(read, ops)?;
        Ok(Verification { when, ops: ops.len() as u64, expected: expected.clone(), found: found.digits() })
    }
}

fn check_count(bytes: u64, ops: &[Op]) -> Result<(), OpfsError> {
    let wanted: u64 = ops.iter().map(|op| u64::from(op.len)).sum();
    if bytes == wanted { Ok(()) } else { Err(OpfsError::counted(bytes, wanted)) }
}
