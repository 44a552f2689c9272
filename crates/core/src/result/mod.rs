//! A result: one JSON file of a run. Everything that was measured is in it, raw; what follows from it stands beside it
//! and can be computed again ([`crate::estimate`]) to the last bit. Versioned, and never rewritten.

mod environment;
mod group;
mod latencies;
mod native;
mod stages;

use serde::{Deserialize, Serialize};

pub use environment::{Battery, Environment, Screen, Storage, Ticks};
pub use group::{
    Arm, Batch, CoolDown, DropCause, Ended, EndsUp, GroupRecord, Incident, PilotBatch, Role, Round, Sentinels, Verification, WarmUp,
    WashOut, When,
};
pub use latencies::{OpTimes, Pacing, schedule};
pub use native::{Native, NativePlace, NativeReads};
pub use stages::{Allocated, Stage, StageTimes};

use crate::estimate::GroupEstimates;
use crate::job::{Fileset, Job};
use crate::seed::Seed;
use crate::units::{Bytes, Nanos};

/// The format's name and version, the first field of every file.
pub const FORMAT: &str = "opfs-bench result 2";
/// Earlier formats that are read too: what they lack is absent.
const EARLIER: [&str; 1] = ["opfs-bench result 1"];

/// A whole run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    /// [`FORMAT`].
    pub format: String,
    /// The protocol's number ([`crate::protocol::NUMBER`]).
    pub protocol: u32,
    /// The version of opfs-bench.
    pub version: String,
    /// What all chance in the run came from.
    pub seed: Seed,
    /// When the run began, by the device's clock: ISO 8601 in UTC.
    pub started: String,
    /// How long the run took, fixtures and clean-up included.
    pub elapsed_ns: Nanos,
    /// How it ended.
    pub outcome: Outcome,
    /// The job, with every default filled in.
    pub job: Job,
    /// The device and the browser.
    pub environment: Environment,
    /// The clock of each thread. None where the run ended before it was measured.
    pub ticks: Option<Ticks>,
    /// The files that were read.
    pub fixtures: Vec<Fixture>,
    /// The groups that were measured, in the job's order, each with its raw samples and what follows from them.
    pub groups: Vec<GroupResult>,
    /// Groups that were measured again because their null arm differed from the baseline: the first attempts.
    pub superseded: Vec<GroupResult>,
    /// Groups of the job that were not measured, since their files did not fit into the storage.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<Skipped>,
    /// How often a program outside the page asked how far the run was; each may disturb a sample of the main thread.
    pub polls: u32,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum Outcome {
    /// All groups were measured.
    Finished,
    /// A person stopped it. What was measured until then is kept.
    Stopped,
    /// It could not go on. What was measured until then is kept.
    Failed {
        /// What failed, where, and what a person can do.
        error: String,
    },
}

/// A group whose files did not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// The group's number in the job, from 0.
    pub index: u32,
    /// The bytes that it would have written, with the copies that its methods read.
    pub needed: Bytes,
    /// What the browser still granted the site.
    pub free: Bytes,
}

/// The files of one fileset, as they were written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fixture {
    /// How many files of which size. Of a person's own files no more than that is known, and the checksum.
    pub fileset: Fileset,
    /// The XXH3 checksum of all bytes, file after file, as they were generated from the seed, or as a person's own files held them where they
    /// were copied from: 16 hexadecimal digits.
    pub checksum: String,
    /// The same of the bytes as a sync handle reads them back. Where the two differ, the storage, or sync handles, cannot be trusted.
    pub read_back: String,
    /// How long writing took, flushes included. Not a benchmark: it holds the generating too.
    pub write_ns: Nanos,
    /// How long the flushes took.
    pub flush_ns: Nanos,
}

/// One group: raw samples and what follows from them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupResult {
    /// What was measured.
    pub record: GroupRecord,
    /// What follows: `estimate(&record, seed)`.
    pub estimates: GroupEstimates,
    /// The same workload outside the browser. None where the command did not measure it: the page cannot, and another machine's
    /// browser has its files there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub native: Option<Native>,
}

impl GroupResult {
    /// With nothing measured outside the browser.
    #[must_use]
    pub fn new(record: GroupRecord, estimates: GroupEstimates) -> Self {
        Self { record, estimates, native: None }
    }

    /// Every record of it, each with what follows from it: its own, and that of the reads outside the browser.
    pub fn records(&self) -> impl Iterator<Item = (&GroupRecord, &GroupEstimates)> {
        let native = self.native.as_ref().and_then(Native::reads);
        [(&self.record, &self.estimates)].into_iter().chain(native.map(|reads| (&reads.record, &reads.estimates)))
    }

    /// The same, with estimates to be replaced.
    pub fn records_mut(&mut self) -> impl Iterator<Item = (&GroupRecord, &mut GroupEstimates)> {
        let native = match &mut self.native {
            Some(Native::Measured(reads)) => Some((&reads.record, &mut reads.estimates)),
            Some(Native::Failed { .. }) | None => None,
        };
        [(&self.record, &mut self.estimates)].into_iter().chain(native)
    }
}

/// Files can be edited. What the estimates take for granted is looked at once, here.
fn check(record: &GroupRecord, estimates: &GroupEstimates) -> Result<(), String> {
    let arms = record.arms.len();
    if estimates.arms.len() != arms {
        return Err(format!("{} arms, but estimates of {}", arms, estimates.arms.len()));
    }
    for round in record.rounds.iter().chain(&record.warm_up.rounds) {
        let once = |(place, arm): (usize, &usize)| *arm < arms && !round.order[..place].contains(arm);
        if round.elapsed_ns.len() != arms || !round.order.iter().enumerate().all(once) {
            return Err(format!("round {} does not fit the {arms} arms", round.number));
        }
        if let Some(arm) = (0..arms).find(|arm| round.elapsed_ns[*arm].is_some() && record.arms[*arm].n == 0) {
            return Err(format!("{} has samples of no ops", record.arms[arm].method));
        }
    }
    record.arms.iter().try_for_each(stages::check)?;
    (0..arms).try_for_each(|arm| latencies::check(record, arm))
}

/// Why a text is no result.
#[derive(Debug, thiserror::Error)]
pub enum BadResult {
    /// No JSON, or JSON of another shape.
    #[error("not a result of opfs-bench: {0}")]
    Shape(String),
    /// Lists of a group that do not belong together, or numbers that no run can have.
    #[error("not a result as opfs-bench writes it: group {group}: {problem}")]
    Inconsistent {
        /// The group's name.
        group: String,
        /// What does not fit.
        problem: String,
    },
    /// A result of another version of the format.
    #[error("its format is {found:?}; this version of opfs-bench reads up to {FORMAT:?}: take a newer one")]
    Format {
        /// What the file says.
        found: String,
    },
}

impl RunResult {
    /// Reads a result file.
    ///
    /// # Errors
    /// When the text is no result of this version.
    pub fn from_json(text: &str) -> Result<Self, BadResult> {
        #[derive(Deserialize)]
        struct Head {
            format: String,
        }
        let shape = |error: serde_json::Error| BadResult::Shape(error.to_string());
        let head: Head = serde_json::from_str(text).map_err(shape)?;
        if head.format != FORMAT && !EARLIER.contains(&head.format.as_str()) {
            return Err(BadResult::Format { found: head.format });
        }
        let result: Self = serde_json::from_str(text).map_err(shape)?;
        for group in result.groups.iter().chain(&result.superseded) {
            for (record, estimates) in group.records() {
                check(record, estimates).map_err(|problem| BadResult::Inconsistent { group: record.group.name.clone(), problem })?;
            }
        }
        Ok(result)
    }

    /// The text of a result file.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a result holds only what JSON can hold")
    }
}
