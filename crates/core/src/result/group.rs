//! The raw samples of one group.

use serde::{Deserialize, Serialize};

use super::latencies::OpTimes;
use super::stages::{Allocated, StageTimes};
use crate::job::{self, Group, MethodName};
use crate::units::Nanos;

/// Everything that was measured of one group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupRecord {
    /// The workload, as the job states it.
    pub group: Group,
    /// The group's number in the job, from 0: it and the run's seed give every order, offset and dither.
    pub index: u32,
    /// The arms. Other fields name them by their place in this list.
    pub arms: Vec<Arm>,
    /// What was discarded before the first round.
    pub warm_up: WarmUp,
    /// The rounds, in the order in which they ran, dropped ones included.
    pub rounds: Vec<Round>,
    /// How measuring ended.
    pub ended: Ended,
    /// What happened to the clocks or the group as a whole.
    pub incidents: Vec<Incident>,
    /// Pauses in which a device that had become slow could cool down.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cool_downs: Vec<CoolDown>,
    /// How the storage came to rest after samples that write. None in a group that only reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wash_out: Option<WashOut>,
    /// The time that the group was given.
    pub budget_ns: Nanos,
    /// The time that it took, without pauses.
    pub elapsed_ns: Nanos,
}

/// One method on the group's workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Arm {
    /// The method.
    pub method: MethodName,
    /// What the arm is for.
    pub role: Role,
    /// Where the bytes are when an op is over.
    pub ends_up: EndsUp,
    /// Whether its ops write.
    #[serde(default, skip_serializing_if = "is_false")]
    pub writes: bool,
    /// How many reads it had in flight, in each worker where there are several: the group's `iodepth`, or 1 where its calls are
    /// synchronous.
    #[serde(default = "job::one", skip_serializing_if = "job::is_one")]
    pub iodepth: u32,
    /// The tick of the clock that timed it.
    pub tick_ns: Nanos,
    /// The first op of the launch, opening included where the op opens. None where it did not get that far.
    pub first_touch_ns: Option<Nanos>,
    /// The pilot, batch by batch. Its times are used for the choice of `n` alone.
    pub pilot: Vec<PilotBatch>,
    /// Ops per sample. 0 where the pilot did not finish.
    pub n: u64,
    /// Whether `n` is the group's or the arm's own.
    pub batch: Batch,
    /// The bytes that its kept and dropped rounds read, counted read by read.
    pub bytes: u64,
    /// What its single ops took, where they were timed one by one and a round counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latencies: Option<OpTimes>,
    /// The checks of its bytes against the fixture.
    pub verifications: Vec<Verification>,
    /// What the parts of its work took, in their order, each once. Empty where it was not taken apart.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<StageTimes>,
    /// What its ops allocated. None where that was not looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allocated: Option<Allocated>,
    /// Why it was taken out of the group: the error in full.
    pub failure: Option<String>,
    /// What the browser lacks for it, so that it took part in nothing: no failure, and no fault of the group's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub absent: Option<String>,
}

impl Arm {
    /// Whether it is compared with the baseline.
    #[must_use]
    pub fn is_compared(&self) -> bool {
        matches!(self.role, Role::Null | Role::Contender)
    }

    /// Whether a check of its bytes found others than the fixture's.
    #[must_use]
    pub fn read_wrong_bytes(&self) -> bool {
        self.verifications.iter().any(|verification| verification.expected != verification.found)
    }

    /// Whether it is still measured: the browser has it, it has not failed, and no check found wrong bytes.
    #[must_use]
    pub fn takes_part(&self) -> bool {
        self.absent.is_none() && self.failure.is_none() && !self.read_wrong_bytes()
    }
}

/// What an arm is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The others are compared with it.
    Baseline,
    /// The baseline again: shows how different two identical arms look.
    Null,
    /// Compared with the baseline.
    Contender,
    /// The same loop without the read: what the harness costs. Never subtracted.
    Empty,
}

/// Where an op's bytes are when it is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndsUp {
    /// In a JavaScript buffer on the main thread.
    MainBuffer,
    /// In Wasm memory on the main thread.
    MainWasm,
    /// In a JavaScript buffer in the worker.
    WorkerBuffer,
    /// In Wasm memory in the worker.
    WorkerWasm,
    /// In a buffer that both threads share.
    Shared,
    /// Decoded, in a JavaScript string on the main thread.
    MainText,
    /// Decoded, in a JavaScript string in the worker.
    WorkerText,
    /// In memory of a program outside the browser.
    Native,
    /// In a file as far as the call that wrote says, which has returned: the browser or the system may hold the bytes still.
    FileBuffered,
    /// In a file that was flushed in the time that was taken.
    FileFlushed,
    /// In a file that was closed in the time that was taken. What a writable wrote is the file's from then on.
    FileClosed,
    /// Nothing is read or written.
    Nowhere,
}

/// How an arm came by its number of ops per sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Batch {
    /// The group's number, drawn from its fastest arm.
    Shared,
    /// The shared number would take too long: a smaller one. Comparisons with arms of another `n` are marked "unequal batch".
    Own,
}

/// One batch of the pilot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PilotBatch {
    /// Ops.
    pub n: u64,
    /// What they took.
    pub elapsed_ns: Nanos,
}

/// One check of an arm's bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verification {
    /// Before the first round or after the last.
    pub when: When,
    /// How many ops were checked.
    pub ops: u64,
    /// The XXH3 checksum of the bytes as the seed gives them; of a person's own files, the checksum of each op's checksum, which was taken from
    /// the source while it was copied. Of a pool: the checksum of its workers' checksums, each of its share.
    pub expected: String,
    /// The same of the bytes that the method read.
    pub found: String,
}

/// When bytes were checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum When {
    /// Before the first round.
    Before,
    /// After the last round.
    After,
}

/// The rounds before the first that counts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WarmUp {
    /// Every discarded round.
    pub rounds: Vec<Round>,
    /// Whether the arms had become steady when it ended.
    pub steady: bool,
}

/// One sample of every arm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// The round's number, warm-up included, from 0: it gives its offsets and dither.
    pub number: u32,
    /// When it began, from the start of the group, pauses left out.
    pub at_ns: Nanos,
    /// The arms in the order in which they ran.
    pub order: Vec<usize>,
    /// What the sample of each arm took, in the order of the arms. None where it was not taken.
    pub elapsed_ns: Vec<Option<Nanos>>,
    /// Why the round does not count, for any arm. None where it counts.
    pub dropped: Option<DropCause>,
    /// The sentinels that were taken right after it.
    #[serde(default, skip_serializing_if = "Sentinels::is_empty")]
    pub sentinels: Sentinels,
}

/// How fast the device is, seen by work that never changes: what each took, where it was taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sentinels {
    /// A fixed computation in Wasm on the main thread: the shortest of [`crate::protocol::SENTINEL_PASSES`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub main_ns: Option<Nanos>,
    /// The same in the worker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker_ns: Option<Nanos>,
    /// 4 KiB of a private file overwritten and flushed, in the worker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage_ns: Option<Nanos>,
}

impl Sentinels {
    /// Whether one of the CPU was taken.
    #[must_use]
    pub fn of_cpu(&self) -> bool {
        self.main_ns.is_some() || self.worker_ns.is_some()
    }

    /// Whether none was taken.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A pause for the device to cool down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoolDown {
    /// When it began, from the start of the group, earlier pauses left out.
    pub at_ns: Nanos,
    /// How long it lasted.
    pub took_ns: Nanos,
    /// Whether the device became as fast as it had been.
    pub reached: bool,
}

/// How the storage came to rest after samples that write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WashOut {
    /// What the storage sentinel took before anything was written. None where the browser has none.
    pub at_rest_ns: Option<Nanos>,
    /// The longest wait after a sample.
    pub limit_ns: Nanos,
    /// How often it was waited for.
    pub waits: u32,
    /// How often it came to rest within the limit.
    pub reached: u32,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde passes a reference
fn is_false(value: &bool) -> bool {
    !*value
}

/// Why a whole round does not count: always something from outside, never a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "cause")]
pub enum DropCause {
    /// The page was not visible for a part of it.
    PageHidden,
    /// The two clocks drifted apart: the device slept.
    DeviceSlept {
        /// By how much.
        gap_ns: Nanos,
    },
    /// A read failed.
    IoError {
        /// Of which arm.
        arm: usize,
        /// The error in full.
        error: String,
    },
    /// The clock stepped back.
    ClockSteppedBack,
    /// The run was stopped before every arm had its sample.
    Stopped,
}

/// How the measuring of a group ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// Every interval was narrow enough.
    Width,
    /// The time was used up.
    Budget,
    /// A person stopped the run.
    Stopped,
    /// No comparison was left: the baseline or all others failed, or are not in this browser.
    Failed,
}

/// What happened to a group as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "incident")]
pub enum Incident {
    /// A clock stepped back: nothing that it timed can be trusted.
    ClockSteppedBack,
    /// Samples are shorter than the protocol wants, since the clock is coarse and the budget short.
    CoarseTimer {
        /// Ticks per sample of the fastest arm.
        ticks: u64,
    },
}
