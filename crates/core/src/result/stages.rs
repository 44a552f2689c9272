//! What the parts of a method's work took, each timed apart, and what it allocated. Both are taken after the rounds, in a pass of
//! their own, so that nothing of it stands in a timed loop.

use serde::{Deserialize, Serialize};

use super::group::Arm;
use crate::units::Nanos;

/// A part of the work, in the order in which the parts come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// The file's directory is looked up: `navigator.storage.getDirectory()`, then `getDirectoryHandle()`.
    Directory,
    /// The file is looked up: `getFileHandle()`.
    FileHandle,
    /// It is opened: `createSyncAccessHandle()` or `getFile()`.
    Open,
    /// The first read since it was opened.
    FirstRead,
    /// The part that is to be read is cut out: `slice()`. It is not in the reads' time, but in the first read's.
    Slice,
    /// Reads after the first.
    Read,
    /// The bytes go from the worker to the main thread that asked for them, and the question to the worker.
    Delivery,
    /// The bytes are copied from where the browser put them into Wasm memory. No op does this: it is what comes after.
    Copy,
    /// The file is closed.
    Close,
}

/// What a stage took.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageTimes {
    /// The stage.
    pub stage: Stage,
    /// How many calls each reading covers, since one alone may be shorter than the clock can tell.
    pub calls: u32,
    /// A reading for each pass, all of its calls together.
    pub readings_ns: Vec<Nanos>,
}

/// What a number of ops allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allocated {
    /// How many ops.
    pub ops: u64,
    /// Bytes that Wasm's allocator handed out on the thread that takes the time, all ops together.
    pub wasm_bytes: u64,
    /// Bytes of the buffers that the browser made for the ops, all ops together.
    pub buffer_bytes: u64,
}

/// Whether an arm's stages come in order, each once and with readings, and its allocations are of ops.
pub(super) fn check(arm: &Arm) -> Result<(), String> {
    let Arm { method, stages, allocated, .. } = arm;
    if !stages.is_sorted_by(|one, next| one.stage < next.stage) {
        return Err(format!("the stages of {method} are not in order, each once"));
    }
    if stages.iter().any(|times| times.calls == 0 || times.readings_ns.is_empty()) {
        return Err(format!("a stage of {method} has no readings, or readings of no calls"));
    }
    if allocated.is_some_and(|allocated| allocated.ops == 0) {
        return Err(format!("{method} allocated for no ops"));
    }
    Ok(())
}
