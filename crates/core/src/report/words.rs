//! What methods, places and workloads are called in a sentence.

use super::prose::{capitalised, count, one_line};
use crate::job::{Group, MethodName, Open, Rw, Thread, Timing};
use crate::result::{Arm, EndsUp, GroupRecord, Role};

/// The method's group of methods in words; two methods of the same words differ in the call that reads.
pub(super) fn method(method: &MethodName) -> String {
    match (method.thread(), method.api()) {
        (Thread::Worker, "sync") => "sync handles in a worker".into(),
        (Thread::Worker, "sync-js") => "sync handles in a worker, in plain JavaScript".into(),
        (Thread::Worker, "sync-web-sys") => "sync handles in a worker, through web-sys".into(),
        (Thread::Worker, "slice-js") => "promises in a worker, in plain JavaScript".into(),
        (Thread::Main, "slice-js") => "promises on the main thread, in plain JavaScript".into(),
        (Thread::Worker, "sync-read-only") => "read-only sync handles in a worker".into(),
        (Thread::Worker, "file-reader-sync") => "FileReaderSync in a worker".into(),
        (Thread::Worker, _) => "promises in a worker".into(),
        (Thread::Main, _) => "promises on the main thread".into(),
        (Thread::Rpc, "transfer") => "a worker that hands the bytes to the main thread".into(),
        (Thread::Rpc, api) => format!("a worker asked by the main thread ({api})"),
    }
}

/// What an arm is called in a row of its group.
pub(super) fn arm(record: &GroupRecord, arm: &Arm) -> String {
    match arm.role {
        Role::Baseline | Role::Contender => arm.method.to_string(),
        Role::Null => "null arm".into(),
        Role::Empty if record.arms.iter().filter(|other| other.role == Role::Empty).count() < 2 => "empty loop".into(),
        Role::Empty if arm.method.thread().timed_in_worker() => "empty loop, worker".into(),
        Role::Empty => "empty loop, main".into(),
    }
}

/// Where bytes end up: short, and as the legend says it. Nothing to say where nothing is read.
pub(super) fn ends_up(place: EndsUp) -> Option<(&'static str, &'static str)> {
    match place {
        EndsUp::MainBuffer => Some(("main JS", "a JavaScript buffer on the main thread")),
        EndsUp::MainWasm => Some(("main Wasm", "WebAssembly memory on the main thread")),
        EndsUp::WorkerBuffer => Some(("worker JS", "a JavaScript buffer in the worker")),
        EndsUp::WorkerWasm => Some(("worker Wasm", "WebAssembly memory in the worker")),
        EndsUp::Nowhere => None,
    }
}

/// A group's title inside a sentence.
pub(super) fn title(group: &Group) -> String {
    let title = one_line(group.title.trim_end().trim_end_matches('.'));
    if title.is_empty() { group.name.clone() } else { title }
}

/// A group's title as a heading.
pub(super) fn heading(group: &Group) -> String {
    capitalised(&title(group))
}

/// What a group reads, in one line: `4 KiB at a time in random order; 1 file of 32 MiB, kept open`.
pub(super) fn workload(group: &Group) -> String {
    let files = usize::try_from(group.nrfiles.max(1)).unwrap_or(usize::MAX);
    // A result from elsewhere may say 0 files, which a job of our own cannot.
    let file_size = crate::units::Bytes(group.size.0 / u64::from(group.nrfiles.max(1)));
    let order = match group.rw {
        Rw::Read => "in order",
        Rw::RandRead => "in random order",
    };
    let open = match group.open {
        Open::Each => "opened for every read",
        Open::Kept => "kept open",
    };
    let timed = match (group.timing, group.rate_iops) {
        (Timing::Batches, _) => String::new(),
        (Timing::Ops, None) => "; each op timed by itself".into(),
        (Timing::Ops, Some(rate)) => format!("; each op timed by itself, {rate} ops/s offered"),
    };
    format!("{} at a time {order}; {} of {file_size}, {open}{timed}", group.bs, count(files, "file"))
}
