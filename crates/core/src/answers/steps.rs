//! What an op of a method consists of: which steps it takes, as its loop in the browser part takes them.
//!
//! It stands here by name, and not in the result beside each arm, so that every result can be looked at, also those of earlier versions.
//! A test of the registry asks of each method there that it is either here or among those that have no such count.

use crate::job::{Group, MethodName, Open, Thread};

/// How many kinds of steps there are.
pub const STEPS: usize = 5;

/// A kind of step. Each has a cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// A promise that is awaited to read bytes. Those of opening are in [`Step::Open`].
    Await,
    /// A question to a worker and its answer.
    Message,
    /// A synchronous call: a sync handle's `read()`, a blob's `slice()`. The latter returns in no time and yet costs about as much as an
    /// await in Chromium, since another process hears of the new blob before it can be read.
    Call,
    /// Looking a file up, opening and, where that is done, closing it, with everything that is awaited for it.
    Open,
    /// A byte that is read.
    Byte,
}

impl Step {
    /// All of them. Where two cannot be told apart in a run, the later one's cost is in that of the earlier.
    pub const ALL: [Self; STEPS] = [Self::Await, Self::Message, Self::Call, Self::Open, Self::Byte];
}

/// Who reads and by which kind of calls: what one step costs is the same inside a way, and another matter in the next one. One price of
/// a byte for a whole thread would be wrong by a factor of 50 in Chromium, where sync handles and promises of a worker bring the same bytes
/// by other means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Promises of blobs, on the main thread or in a worker.
    Promises(Thread),
    /// Sync handles in a worker.
    SyncHandles,
    /// The main thread asks a worker that has sync handles, which transfers the bytes.
    Transferred,
    /// The same, and the bytes are copied.
    Cloned,
    /// The same, and the bytes stand in shared memory.
    Shared,
}

impl Way {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 6] =
        [Self::Promises(Thread::Main), Self::Promises(Thread::Worker), Self::SyncHandles, Self::Transferred, Self::Cloned, Self::Shared];

    /// The method that stands for it where it has to be named.
    #[must_use]
    pub fn example(self) -> &'static str {
        match self {
            Self::Promises(Thread::Main) => "main/slice",
            Self::Promises(_) => "worker/slice",
            Self::SyncHandles => "worker/sync",
            Self::Transferred => "rpc/transfer",
            Self::Cloned => "rpc/clone",
            Self::Shared => "rpc/shared",
        }
    }
}

/// The method's way, and the steps of one read of an open file, its bytes apart. None where they are not the same for every read (a stream's
/// chunks are cut by the browser), where something else is done besides (text is decoded), or where no OPFS file is read.
fn of_read(method: &MethodName) -> Option<(Way, [f64; STEPS])> {
    let taken = |step: Step, times: f64| {
        let mut steps = [0.0; STEPS];
        steps[step as usize] = times;
        steps
    };
    let promises = |awaits, calls| {
        let mut steps = taken(Step::Await, awaits);
        steps[Step::Call as usize] = calls;
        Some((Way::Promises(method.thread()), steps))
    };
    match (method.thread(), method.api()) {
        (Thread::Main | Thread::Worker, "array-buffer") => promises(1.0, 0.0),
        // slice(); what makes an object of that besides, such as new Response(), asks no other process.
        (Thread::Main | Thread::Worker, "slice" | "bytes" | "response" | "file-reader") => promises(1.0, 1.0),
        // slice() and createObjectURL(); fetch() and arrayBuffer() are awaited.
        (Thread::Main | Thread::Worker, "fetch") => promises(2.0, 2.0),
        (Thread::Worker, "sync" | "sync-read-only" | "sync-readwrite-unsafe") => Some((Way::SyncHandles, taken(Step::Call, 1.0))),
        // The worker's read is one call to each question, so it is in the question's cost.
        (Thread::Rpc, "transfer") => Some((Way::Transferred, taken(Step::Message, 1.0))),
        (Thread::Rpc, "clone") => Some((Way::Cloned, taken(Step::Message, 1.0))),
        (Thread::Rpc, "shared") => Some((Way::Shared, taken(Step::Message, 1.0))),
        _ => None,
    }
}

/// Whether the steps of a method are known.
#[must_use]
pub fn are_known(method: &MethodName) -> bool {
    of_read(method).is_some()
}

/// A method's way and the steps of one of its ops in a group, each as often as it is taken, with the options of its name. None where they
/// are not known.
#[must_use]
pub fn of_op(method: &MethodName, group: &Group) -> Option<(Way, [f64; STEPS])> {
    let (way, mut steps) = of_read(method)?;
    steps[Step::Open as usize] = if group.of_arm(method).open == Open::Each { 1.0 } else { 0.0 };
    steps[Step::Byte as usize] = if group.is_uneven() { group.size.0 as f64 / group.blocks() as f64 } else { group.bs.0 as f64 };
    Some((way, steps))
}
