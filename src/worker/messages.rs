//! What the main thread asks of the worker and what it answers. Plain data: handles never cross threads (Safari cannot post
//! them), so a folder's name does, and the worker opens it again.

use js_sys::{Array, Uint8Array};
use opfs_bench_core::job::{Fileset, Group, MethodName, OwnFile};
use opfs_bench_core::reference::Reference;
use opfs_bench_core::result::{Allocated, Fixture, Pacing, StageTimes, When};
use opfs_bench_core::seed::Seed;
use opfs_bench_core::units::Nanos;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::MessageEvent;

use crate::methods::Unopened;

/// A message as it is posted: JSON, as results are, so that one reader and one writer serve both. Whole numbers of any size come through.
pub fn to_message(message: &impl Serialize) -> JsValue {
    serde_json::to_string(message).expect("messages are plain data").into()
}

/// A message with bytes beside it, which are not to become text.
pub fn with_bytes(message: &JsValue, bytes: &Uint8Array) -> JsValue {
    Array::of2(message, bytes).into()
}

/// The bytes beside a message, if any.
pub fn bytes_of(event: &MessageEvent) -> Option<Uint8Array> {
    event.data().dyn_ref::<Array>()?.get(1).dyn_into().ok()
}

/// What was posted by the other thread.
///
/// # Errors
/// When it is something else than [`to_message`] and [`with_bytes`] make, in words that name it.
pub fn from_message<T: DeserializeOwned>(event: &MessageEvent) -> Result<T, String> {
    let data = event.data();
    let text = data.dyn_ref::<Array>().map_or(data.clone(), |parts| parts.get(0)).as_string().ok_or("it is no text")?;
    serde_json::from_str(&text).map_err(|error| error.to_string())
}

/// A numbered request.
#[derive(Debug, Serialize, Deserialize)]
pub struct Asked {
    /// The answer carries the same number.
    pub id: u32,
    /// What is asked.
    pub request: Request,
}

/// A numbered answer.
#[derive(Debug, Serialize, Deserialize)]
pub struct Answered {
    /// The request's number; 0 for the worker's first word.
    pub id: u32,
    /// The answer, or the error in full.
    pub answer: Result<Answer, String>,
}

/// What the worker can be asked.
#[derive(Debug, Serialize, Deserialize)]
pub enum Request {
    /// Measure the clock's tick, and size the sentinels by it. The storage sentinel's file goes into the run's folder.
    Tick {
        /// The run's folder.
        folder: String,
    },
    /// Take sentinels.
    Sentinels {
        /// That of the CPU.
        cpu: bool,
        /// That of the storage.
        storage: bool,
    },
    /// Write a part of a fixture file, or read it back. Parts come in order, file after file; all are written first.
    Fixture {
        /// The run's folder.
        folder: String,
        /// The fixture.
        fileset: Fileset,
        /// The number of the fileset's first file among all of the job.
        first_file: u32,
        /// The run's seed.
        seed: Seed,
        /// Which file of the fileset.
        file: u32,
        /// From this offset ...
        from: u64,
        /// ... to this one.
        to: u64,
        /// Written or read back. A person's own bytes come beside the message; of others the seed says what they are.
        pass: Pass,
    },
    /// The fixture's checksums and times, once all parts are written and read back.
    FixtureDone(Fileset),
    /// Open a group's files for the worker's methods. Ports of the methods that ask the worker come with the message, in their order.
    OpenGroup {
        /// The run's folder.
        folder: String,
        /// The workload.
        group: Box<Group>,
        /// The files of a person's own that it reads, which the group itself does not carry along.
        own: Vec<OwnFile>,
        /// What must be read of them.
        reference: Option<Reference>,
        /// Its number in the job.
        index: u32,
        /// The run's seed.
        seed: Seed,
        /// The number of the group's first file among all of the job.
        first_file: u32,
        /// Methods that the worker runs.
        methods: Vec<MethodName>,
        /// Methods of the main thread that ask the worker, each with the number of its line.
        served: Vec<(MethodName, u32)>,
        /// Where the worker is one of a pool: its place. The methods are the pool's then.
        seat: Option<Seat>,
    },
    /// Time a batch.
    Batch {
        /// Its place in `methods`.
        method: usize,
        /// The batch.
        batch: Batch,
    },
    /// Work a batch's offsets out, so that [`Request::Read`] has nothing to do but to read.
    Prepare {
        /// Its place in `methods`.
        method: usize,
        /// The batch.
        batch: Batch,
    },
    /// Read what was prepared for a method. Whoever asks takes the time.
    Read {
        /// Its place in `methods`.
        method: usize,
    },
    /// Check a method's bytes.
    Verify {
        /// Its place in `methods`.
        method: usize,
        /// Recorded with the outcome.
        when: When,
    },
    /// Flush what a method's last samples wrote.
    Flush {
        /// Its place in `methods`.
        method: usize,
    },
    /// Flush files of the main thread's, which are closed.
    FlushFiles {
        /// The run's folder.
        folder: String,
        /// The directory in it.
        directory: String,
        /// Their names.
        names: Vec<String>,
    },
    /// Count what a method allocates.
    Allocated {
        /// Its place in `methods`.
        method: usize,
    },
    /// Take a method's work apart.
    Stages {
        /// Its place in `methods`.
        method: usize,
        /// The worker's tick.
        tick: Nanos,
    },
    /// Close a group's files and release their locks.
    CloseGroup,
}

/// A worker's place in a pool.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Seat {
    /// Its number, from 0.
    pub worker: u32,
    /// How many there are.
    pub workers: u32,
}

/// Which way a fixture's part goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Pass {
    /// Onto the storage.
    Write,
    /// Back from it.
    Read,
}

/// A batch of ops, from which either thread works out the same offsets.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Batch {
    /// The round's number.
    pub round: u32,
    /// By how many ops a round begins after the one before, for reads in order.
    pub stride: u64,
    /// Ops.
    pub n: u64,
    /// How long to busy-wait first.
    pub dither: Nanos,
    /// Ops a second, where they are paced.
    pub rate_iops: Option<u32>,
}

/// What a batch took and read.
#[derive(Debug, Serialize, Deserialize)]
pub struct Sampled {
    /// None where the clock stepped back.
    pub elapsed: Option<Nanos>,
    /// Counted read by read.
    pub bytes: u64,
    /// What each op took, where they are timed one by one.
    pub ops: Vec<Nanos>,
    /// How they kept to their schedule, where they are paced.
    pub pacing: Option<Pacing>,
}

/// What the worker answers.
#[derive(Debug, Serialize, Deserialize)]
pub enum Answer {
    /// It listens.
    Ready,
    /// The clock's tick.
    Tick(Nanos),
    /// What the sentinels took: the CPU's, and the storage's. None where it was not asked for, or cannot be told.
    Sentinels(Option<Nanos>, Option<Nanos>),
    /// It is done.
    Done,
    /// The fixture's checksums and times.
    Fixture(Fixture),
    /// Whether methods could be opened: one entry for each of `methods`, then of `served`.
    Opened(Vec<Result<(), Unopened>>),
    /// What a batch took and read.
    Timed(Sampled),
    /// What a method's ops allocated.
    Allocated(Allocated),
    /// What the stages of its work took.
    Stages(Vec<StageTimes>),
    /// The bytes that were read.
    Read(u64),
    /// What a check found.
    Verified {
        /// How many ops.
        ops: u64,
        /// The checksum of what the seed gives.
        expected: String,
        /// The checksum of what was read.
        found: String,
    },
}
