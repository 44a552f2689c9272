//! A run's workloads read by the operating system, with `std::fs` alone: what a browser costs on top can be seen beside it.
//!
//! The same plan is followed as in the browser ([`opfs_bench_core::plan`]): pilot, warm-up, rounds of at least 2 ms a sample, bytes checked
//! before and after. The files hold the same bytes, and every round reads the same blocks in the same order. [`files`] writes them, [`read`]
//! holds the timed loops, [`sample`] takes samples, [`place`] says where it all was.
//!
//! This is a crate of its own because what it times must be compiled with optimisations, also where the rest of the command is not.

#![deny(missing_docs)]

mod files;
mod place;
mod read;
mod sample;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result, bail};
use opfs_bench_core::estimate::estimate;
use opfs_bench_core::fixture::first_file;
use opfs_bench_core::job::{Fileset, Group, Job, Work};
use opfs_bench_core::ops;
use opfs_bench_core::plan::{ArmSpec, GroupPlan, Outcome, RoundChecks, Step, Task};
use opfs_bench_core::reference::{Copying, Reference};
use opfs_bench_core::result::{EndsUp, GroupRecord, Native, NativePlace, NativeReads, Role};
use opfs_bench_core::seed::Seed;
use opfs_bench_core::units::{Bytes, Nanos};

use sample::Sampler;

/// A group gets this share of the time that its group got in the browser ...
const SHARE: u64 = 10;
/// ... but no less than this: fifteen rounds of two samples must fit ...
const LEAST: Nanos = Nanos(500_000_000);
/// ... and no more than this: nobody waits for it.
const MOST: Nanos = Nanos(1_500_000_000);
/// Writing more than this takes longer than reading it.
const LARGEST: Bytes = Bytes(256 << 20);

/// How long a group is measured, given how long it was in the browser.
#[must_use]
pub fn budget(in_browser: Nanos) -> Nanos {
    Nanos(in_browser.0 / SHARE).clamp(LEAST, MOST)
}

/// Where the files are, in a folder that someone else removes.
const FOLDER: &str = "native";

/// The groups of a job, and the files that they read, which are left for whoever made the folder around them to remove.
#[derive(Debug)]
pub struct Workloads {
    job: Job,
    seed: Seed,
    folder: PathBuf,
    place: NativePlace,
    tick: Nanos,
    written: Vec<Fileset>,
    /// A person's own files, where they are, and what must be read of their copy: by the group's number.
    own: Vec<PathBuf>,
    /// The checksum of all that the browser read.
    in_browser: String,
    references: Vec<(usize, Reference)>,
}

impl Workloads {
    /// For a job whose bytes and orders follow from this seed, with its files inside a folder that is there.
    ///
    /// # Errors
    /// When nothing can be written there, or this machine's clock stands.
    pub fn new(job: Job, seed: Seed, scratch: &Path) -> Result<Self> {
        let place = place::of(scratch)?;
        let folder = scratch.join(FOLDER);
        fs::create_dir(&folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
        Ok(Self {
            job,
            seed,
            folder,
            place,
            tick: sample::tick()?,
            written: Vec::new(),
            own: Vec::new(),
            in_browser: String::new(),
            references: Vec::new(),
        })
    }

    /// The same where the job was measured with files of a person's own: these, which are copied. In the browser, all their bytes together had this
    /// checksum.
    ///
    /// # Errors
    /// When they are no longer there, or no longer as large as they were.
    pub fn with_own(mut self, own: Vec<PathBuf>, in_browser: String) -> Result<Self> {
        let size = |path: &PathBuf| fs::metadata(path).map(|file| file.len()).with_context(|| format!("cannot read {}", path.display()));
        let sizes = own.iter().map(size).collect::<Result<Vec<u64>>>()?;
        self.job.restore_own(&sizes)?;
        Ok(Self { own, in_browser, ..self })
    }

    /// Reads the group at this place of the job for so long. None where `stopped` said so meanwhile.
    pub fn measure(&mut self, index: usize, budget: Nanos, stopped: impl Fn() -> bool) -> Option<Native> {
        match self.try_measure(index, budget, stopped) {
            Ok(reads) => reads.map(|reads| Native::Measured(Box::new(reads))),
            Err(error) => Some(Native::Failed { error: format!("{error:#}") }),
        }
    }

    fn try_measure(&mut self, index: usize, budget: Nanos, stopped: impl Fn() -> bool) -> Result<Option<NativeReads>> {
        let group = self.job.groups[index].clone();
        if group.rw.work() != Work::Read {
            bail!("outside the browser only reads are measured, and this group does something else");
        }
        let fileset = group.fileset();
        if fileset.bytes() > LARGEST {
            bail!("outside the browser, files of {LARGEST} at most are written; these are {}", fileset.bytes());
        }
        let first_file = first_file(&self.job.filesets(), &fileset);
        if !self.written.contains(&fileset) {
            let whole = if group.own.is_some() {
                self.copy(fileset, &stopped)?
            } else {
                files::write(&self.folder, fileset, first_file, self.seed, &stopped)?
            };
            if !whole {
                return Ok(None);
            }
            self.written.push(fileset);
        }
        let task = Task::new(index, budget);
        let plan = GroupPlan::new(&group, self.seed, arms(self.tick), task);
        let reference = self.references.iter().find(|(of, _)| *of == index).map(|(_, reference)| reference.clone());
        let sampler = Sampler::open(&self.folder, group, u32::try_from(index).unwrap_or(u32::MAX), self.seed, first_file, reference)?;
        let Some(record) = play(plan, sampler, stopped) else { return Ok(None) };
        check(&record)?;
        let estimates = estimate(&record, self.seed);
        Ok(Some(NativeReads { record, estimates, place: self.place.clone() }))
    }
}

impl Workloads {
    /// Copies a person's own files, and notes what every group must read of them.
    fn copy(&mut self, fileset: Fileset, stopped: impl Fn() -> bool) -> Result<bool> {
        let own = (0..).zip(&self.job.groups).filter(|(_, group)| group.own.is_some());
        let indices: Vec<(usize, &Group)> = own.collect();
        let checked = |(index, group): &(usize, &Group)| ops::verification(group, self.seed, u32::try_from(*index).unwrap_or(u32::MAX));
        let groups: Vec<_> = indices.iter().map(|indexed| (indexed.1, checked(indexed), false)).collect();
        let mut copying = Copying::new(&groups);
        let Some(checksum) = files::copy(&self.folder, fileset, &self.own, &mut copying, stopped)? else { return Ok(false) };
        if checksum != self.in_browser {
            for path in files::paths(&self.folder, fileset) {
                fs::remove_file(path)?;
            }
            bail!("the files have changed since the browser copied them: checksum {checksum} instead of {}", self.in_browser);
        }
        self.references = indices.iter().map(|(index, _)| *index).zip(copying.finish()).collect();
        Ok(true)
    }
}

/// Reads, and the same reads once more: how different those look says what the others are worth.
fn arms(tick: Nanos) -> Vec<ArmSpec> {
    let arm = |role| ArmSpec {
        iodepth: 1,
        method: "native/read".parse().expect("a method's name"),
        role,
        ends_up: EndsUp::Native,
        writes: false,
        tick,
        absent: None,
    };
    vec![arm(Role::Baseline), arm(Role::Null)]
}

/// Takes a group through its plan. Its time is for measuring: checking bytes comes on top.
fn play(mut plan: GroupPlan, mut sampler: Sampler, stopped: impl Fn() -> bool) -> Option<GroupRecord> {
    let mut began = Instant::now();
    let mut clocks = (began, SystemTime::now());
    loop {
        if stopped() {
            return None;
        }
        let step = plan.step();
        let step_began = Instant::now();
        let outcome = match &step {
            Step::Done => return Some(plan.into_record()),
            Step::RoundOver { .. } => {
                let now = (Instant::now(), SystemTime::now());
                let gap = gap(clocks, now);
                clocks = now;
                Outcome::RoundOver(RoundChecks { clock_gap: gap, ..RoundChecks::default() })
            }
            Step::CoolDown { .. } | Step::WashOut { .. } => unreachable!("nothing here heats up or writes"),
            step => sampler.perform(step).unwrap_or_else(|error| Outcome::Failed { error: format!("{error:#}") }),
        };
        if matches!(step, Step::Verify { .. }) {
            began += step_began.elapsed();
        }
        plan.record(outcome, sample::nanos(began.elapsed()));
    }
}

/// How far the two clocks have drifted apart: one stands while the machine sleeps.
fn gap(before: (Instant, SystemTime), now: (Instant, SystemTime)) -> Nanos {
    let wall = now.1.duration_since(before.1).unwrap_or(Duration::ZERO);
    sample::nanos(wall.abs_diff(now.0.duration_since(before.0)))
}

/// What could not be read right is not shown as a time.
fn check(record: &GroupRecord) -> Result<()> {
    let arm = record.arms.iter().find(|arm| !arm.takes_part());
    let Some(arm) = arm else { return Ok(()) };
    let wrong = arm.verifications.iter().find(|checked| checked.found != checked.expected);
    let wrong =
        wrong.map(|checked| format!("other bytes were read than written: checksum {} instead of {}", checked.found, checked.expected));
    bail!("{}", arm.failure.clone().or(wrong).unwrap_or_else(|| "it took part in nothing".to_owned()))
}

#[cfg(test)]
mod tests;
