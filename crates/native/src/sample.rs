//! Samples of one group: batches, or single ops, one after another or by a schedule; and checks of the bytes.

use std::path::Path;
use std::slice;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use opfs_bench_core::fixture::{self, Checksum, Form};
use opfs_bench_core::job::{Group, Timing};
use opfs_bench_core::ops::{self, Op, PILOT_ROUND};
use opfs_bench_core::plan::{Outcome, Schedule, Step};
use opfs_bench_core::protocol;
use opfs_bench_core::reference::Reference;
use opfs_bench_core::result::{Verification, When};
use opfs_bench_core::seed::Seed;
use opfs_bench_core::stats;
use opfs_bench_core::units::Nanos;

use crate::files;
use crate::read::{Reader, Timed};

/// Sleeping ends some fractions of a millisecond late; what is left of a wait by then is waited busily.
const BUSY_MS: f64 = 2.0;
/// A clock that stands must not be read for ever.
const MOST_READINGS: u32 = 1 << 26;

/// A duration of less than 584 years.
pub fn nanos(duration: Duration) -> Nanos {
    Nanos(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX))
}

/// The tick of this machine's clock: found as a browser's is, but not to whole microseconds.
pub fn tick() -> Result<Nanos> {
    let mut steps = Vec::with_capacity(protocol::TICK_READINGS);
    let mut last = Instant::now();
    for _ in 0..MOST_READINGS {
        let now = Instant::now();
        if now > last {
            steps.push(nanos(now - last).as_f64());
        }
        last = now;
        if steps.len() == protocol::TICK_READINGS {
            break;
        }
    }
    let [most, median] = [0.9, 0.5].map(|share| stats::percentile(&steps, share));
    let step = most.zip(median).map(|(most, median)| most.min(2.0 * median));
    step.map(|step| Nanos::from_ms(step / 1e6)).context("this machine's clock stands still: nothing can be timed")
}

fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

/// Takes samples of a group.
#[derive(Debug)]
pub struct Sampler {
    group: Group,
    index: u32,
    seed: Seed,
    first_file: u32,
    /// What must be read of a person's own files.
    reference: Option<Reference>,
    reader: Reader,
    ops: Vec<Op>,
    /// The ops of a verification and their checksum, worked out once.
    verified: Option<(Vec<Op>, String)>,
    epoch: Instant,
}

impl Sampler {
    /// Opens the group's files in the folder.
    pub fn open(folder: &Path, group: Group, index: u32, seed: Seed, first_file: u32, reference: Option<Reference>) -> Result<Self> {
        let block = usize::try_from(group.bs.0).context("blocks are larger than this machine's memory")?;
        let reader = Reader::open(files::of_group(folder, &group), group.open, block).context("cannot open the files")?;
        Ok(Self { group, index, seed, first_file, reference, reader, ops: Vec::new(), verified: None, epoch: Instant::now() })
    }

    /// Does a step that times or checks something; both arms read alike.
    pub fn perform(&mut self, step: &Step) -> Result<Outcome> {
        match *step {
            // How long an op takes is found out in a closed loop, also where samples are paced.
            Step::Pilot { n, .. } => self.sample(PILOT_ROUND, n, 1, None),
            Step::Sample { round, n, stride, dither, .. } => {
                self.busy_until(self.now_ms() + dither.as_ms());
                self.sample(round, n, stride, self.group.rate_iops)
            }
            Step::Verify { when, .. } => self.verify(when).map(Outcome::Verified),
            Step::RoundOver { .. } | Step::CoolDown { .. } | Step::WashOut { .. } | Step::Done => {
                bail!("nothing of an arm in {step:?}")
            }
        }
    }

    fn sample(&mut self, round: u32, n: u64, stride: u64, rate_iops: Option<u32>) -> Result<Outcome> {
        ops::round(&self.group, self.seed, self.index, round, stride, n, &mut self.ops);
        if self.group.timing == Timing::Ops {
            return self.one_by_one(rate_iops);
        }
        let Timed { elapsed, bytes } = self.reader.read(&self.ops, |_| ())?;
        Ok(Outcome::Timed { elapsed: nanos(elapsed), bytes, ops: Vec::new(), pacing: None })
    }

    /// Each op at its moment where there is a rate, else when the one before has ended.
    fn one_by_one(&mut self, rate_iops: Option<u32>) -> Result<Outcome> {
        let mut taken = Vec::with_capacity(self.ops.len());
        let mut schedule = rate_iops.map(|rate| Schedule::new(self.now_ms(), rate));
        let mut bytes = 0;
        for place in 0..self.ops.len() {
            if let Some(schedule) = &schedule {
                self.wait_until(schedule.due_ms());
            }
            let began_ms = self.now_ms();
            let timed = self.reader.read(slice::from_ref(&self.ops[place]), |_| ())?;
            bytes += timed.bytes;
            taken.push(match &mut schedule {
                Some(schedule) => schedule.record(began_ms, ms(timed.elapsed)),
                None => nanos(timed.elapsed),
            });
        }
        let elapsed = taken.iter().copied().sum();
        Ok(Outcome::Timed { elapsed, bytes, ops: taken, pacing: schedule.map(|schedule| schedule.pacing()) })
    }

    fn verify(&mut self, when: When) -> Result<Verification> {
        let (ops, expected) = self.verified.get_or_insert_with(|| {
            let ops = ops::verification(&self.group, self.seed, self.index);
            let expected = match &self.reference {
                Some(reference) => reference.expected(&ops, Form::Bytes),
                None => fixture::expected(self.seed, self.first_file, &ops, Form::Bytes),
            };
            (ops, expected)
        });
        let mut found = if self.reference.is_some() { Checksum::of_ops(ops) } else { Checksum::new() };
        self.reader.spoil();
        self.reader.read(ops, |bytes| {
            found.update(bytes);
            bytes.fill(0);
        })?;
        Ok(Verification { when, ops: ops.len() as u64, expected: expected.clone(), found: found.digits() })
    }

    fn now_ms(&self) -> f64 {
        ms(self.epoch.elapsed())
    }

    fn busy_until(&self, moment_ms: f64) {
        while self.now_ms() < moment_ms {
            std::hint::spin_loop();
        }
    }

    fn wait_until(&self, due_ms: f64) {
        let left_ms = due_ms - self.now_ms();
        if left_ms > BUSY_MS {
            thread::sleep(Duration::from_secs_f64((left_ms - BUSY_MS) / 1e3));
        }
        self.busy_until(due_ms);
    }
}
