//! A group opened on one thread: the readers of its methods, and the offsets that both threads work out alike.

use opfs_bench_core::fixture::{self, Checksum, Form};
use opfs_bench_core::job::{Group, Timing};
use opfs_bench_core::ops::{self, Op};
use opfs_bench_core::result::{Verification, When};
use opfs_bench_core::seed::Seed;
use opfs_bench_core::units::Nanos;

use crate::clock;
use crate::deadline;
use crate::methods::{Reader, Timed};
use crate::opfs::OpfsError;
use crate::single_ops;
use crate::worker::messages::{Batch, Sampled};

/// What a thread needs to take samples of a group.
pub struct Bench {
    group: Group,
    index: u32,
    seed: Seed,
    first_file: u32,
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
        Self { group, index, seed, first_file, ops: Vec::new(), verified: None, expected: Vec::new(), deadline_ms: deadline::ANSWER_MS }
    }

    /// The same with another deadline.
    #[cfg(all(test, target_arch = "wasm32"))]
    pub fn with_deadline(self, deadline_ms: f64) -> Self {
        Self { deadline_ms, ..self }
    }

    /// Takes one sample: works the offsets out, waits the dither, and lets the method time itself, in one go or op by op.
    pub async fn sample(&mut self, reader: &dyn Reader, batch: Batch) -> Result<Sampled, OpfsError> {
        ops::round(&self.group, self.seed, self.index, batch.round, batch.stride, batch.n, &mut self.ops);
        if self.group.timing == Timing::Ops {
            clock::dither(batch.dither);
            return deadline::within(self.deadline_ms, single_ops::sample(reader, &self.ops, batch.rate_iops)).await;
        }
        let reading = deadline::within(self.deadline_ms, reader.read(&self.ops, None));
        clock::dither(batch.dither);
        let Timed { elapsed_ms, bytes } = reading.await?;
        Ok(Sampled { elapsed: (elapsed_ms >= 0.0).then(|| Nanos::from_ms(elapsed_ms)), bytes, ops: Vec::new(), pacing: None })
    }

    /// Checks a method's bytes against the fixture's.
    pub async fn verify(&mut self, reader: &dyn Reader, when: When) -> Result<Verification, OpfsError> {
        let ops = self.verified.get_or_insert_with(|| ops::verification(&self.group, self.seed, self.index));
        let form = reader.form();
        let known = self.expected.iter().position(|(other, _)| *other == form).unwrap_or_else(|| {
            self.expected.push((form, fixture::expected(self.seed, self.first_file, ops, form)));
            self.expected.len() - 1
        });
        let expected = &self.expected[known].1;
        let mut found = Checksum::new();
        let read = deadline::within(self.deadline_ms, reader.read(ops, Some(&mut found))).await?.bytes;
        let wanted: u64 = ops.iter().map(|op| u64::from(op.len)).sum();
        if read != wanted {
            return Err(OpfsError::counted(read, wanted));
        }
        Ok(Verification { when, ops: ops.len() as u64, expected: expected.clone(), found: found.digits() })
    }
}
