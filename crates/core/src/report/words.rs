//! What methods, places and workloads are called in a sentence.

use super::prose::{capitalised, count, one_line};
use crate::job::{Group, MethodName, Open, Rw, Thread, Timing};
use crate::result::{Arm, EndsUp, GroupRecord, Role};

/// Who reads outside the browser.
pub(super) const OPERATING_SYSTEM: &str = "the operating system's own calls";

/// The method's group of methods in words; two methods of the same words differ in the call that reads.
pub(super) fn method(method: &MethodName) -> String {
    let thread = match (method.thread(), method.api()) {
        (Thread::Worker, "sync") => return "sync handles in a worker".into(),
        (Thread::Worker, "sync-js" | "sync-js-buffer") => return "sync handles in a worker, in plain JavaScript".into(),
        (Thread::Worker, "sync-unaligned") => return "sync handles in a worker, into unaligned memory".into(),
        (Thread::Worker, "sync-web-sys") => return "sync handles in a worker, through web-sys".into(),
        (Thread::Worker, "sync-buffered") => return "sync handles in a worker, with a buffer in front".into(),
        (Thread::Worker, "sync-read-only") => return "read-only sync handles in a worker".into(),
        (Thread::Worker, "sync-readwrite-unsafe") => return "sync handles without a lock in a worker".into(),
        (Thread::Worker, "file-reader-sync") => return "FileReaderSync in a worker".into(),
        (Thread::Rpc, "transfer") => return "a worker that hands the bytes to the main thread".into(),
        (Thread::Rpc, "transfer-list") => return "a worker that hands the bytes of a whole list to the main thread".into(),
        (Thread::Rpc, "clone") => return "a worker that copies the bytes to the main thread".into(),
        (Thread::Rpc, "shared") => return "a worker that shares memory with the main thread".into(),
        (Thread::Rpc, "transfer-js") => return "a worker that hands the bytes to the main thread, in plain JavaScript".into(),
        (Thread::Rpc, "shared-js") => return "a worker that shares memory with the main thread, in plain JavaScript".into(),
        (Thread::Rpc, api) => return format!("a worker asked by the main thread ({api})"),
        (Thread::Pool, "sync") => return "sync handles in several workers".into(),
        (Thread::Pool, "sync-read-only") => return "read-only sync handles in several workers".into(),
        (Thread::Pool, _) => "in several workers",
        (Thread::Limit, _) => return "a copy inside WebAssembly memory".into(),
        (Thread::Native, _) => return OPERATING_SYSTEM.into(),
        (Thread::Worker, _) => "in a worker",
        (Thread::Main, _) => "on the main thread",
    };
    let api = match method.api() {
        "stream" => "streams",
        "stream-byob" => "streams into a buffer of the page's own",
        "file-reader" => "FileReader",
        "response" => "Response",
        "fetch" => "fetch",
        "idb-array-buffer" | "idb-blob" => "IndexedDB",
        "cache" => "Cache Storage",
        "slice-buffered" => "promises with a buffer in front",
        "slice-js-future" => "promises by JsFuture",
        "text" => "promises of text",
        "slice-js" | "array-buffer-js" => "promises in plain JavaScript",
        _ => "promises",
    };
    format!("{api} {thread}")
}

/// What an arm is called in a row of its group.
pub(super) fn arm(record: &GroupRecord, arm: &Arm) -> String {
    match arm.role {
        Role::Baseline | Role::Contender => arm.method.to_string(),
        Role::Null => "null arm".into(),
        Role::Empty if record.arms.iter().filter(|other| other.role == Role::Empty).count() < 2 => "empty loop".into(),
        Role::Empty => match arm.method.thread() {
            Thread::Worker | Thread::Limit => "empty loop, worker".into(),
            Thread::Pool => "empty loop, pool".into(),
            Thread::Main | Thread::Rpc | Thread::Native => "empty loop, main".into(),
        },
    }
}

/// Where bytes end up: short, and as the legend says it. Nothing to say where nothing is read.
pub(super) fn ends_up(place: EndsUp) -> Option<(&'static str, &'static str)> {
    match place {
        EndsUp::MainBuffer => Some(("main JS", "a JavaScript buffer on the main thread")),
        EndsUp::MainWasm => Some(("main Wasm", "WebAssembly memory on the main thread")),
        EndsUp::WorkerBuffer => Some(("worker JS", "a JavaScript buffer in the worker")),
        EndsUp::WorkerWasm => Some(("worker Wasm", "WebAssembly memory in the worker")),
        EndsUp::Shared => Some(("shared JS", "a SharedArrayBuffer that the worker fills and the main thread reads")),
        EndsUp::MainText => Some(("main text", "decoded text, a JavaScript string on the main thread")),
        EndsUp::WorkerText => Some(("worker text", "decoded text, a JavaScript string in the worker")),
        EndsUp::Native => Some(("native", "memory of a program outside the browser")),
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

/// What a group reads, in one line: `4 KiB at a time in random order; 1 file of 32 MiB, kept open; 16 reads in flight (iodepth 16)`.
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
        (Timing::Passes, _) => "; timed in passes over all of it".into(),
        (Timing::Ops, None) => "; each op timed by itself".into(),
        (Timing::Ops, Some(rate)) => format!("; each op timed by itself, {rate} ops/s offered"),
    };
    let depth = if group.iodepth == 1 { String::new() } else { format!("; {} reads in flight (iodepth {0})", group.iodepth) };
    let workers = if group.numjobs == 1 { String::new() } else { format!("; {} workers in a pool (numjobs {0})", group.numjobs) };
    format!("{} at a time {order}; {} of {file_size}, {open}{depth}{workers}{timed}", group.bs, count(files, "file"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_has_words_of_its_own() {
        for (name, words) in [
            ("main/slice", "promises on the main thread"),
            ("worker/bytes", "promises in a worker"),
            ("worker/stream-byob", "streams into a buffer of the page's own in a worker"),
            ("main/idb-blob", "IndexedDB on the main thread"),
            ("worker/cache", "Cache Storage in a worker"),
            ("worker/sync-buffered", "sync handles in a worker, with a buffer in front"),
            ("main/slice-buffered", "promises with a buffer in front on the main thread"),
            ("rpc/transfer-list:open=kept", "a worker that hands the bytes of a whole list to the main thread"),
            ("main/text", "promises of text on the main thread"),
            ("worker/sync-readwrite-unsafe", "sync handles without a lock in a worker"),
            ("pool/sync", "sync handles in several workers"),
            ("pool/slice", "promises in several workers"),
            ("rpc/shared", "a worker that shares memory with the main thread"),
            ("limit/memcpy", "a copy inside WebAssembly memory"),
            ("native/read", "the operating system's own calls"),
        ] {
            assert_eq!(method(&name.parse().expect("a method's name")), words);
        }
    }
}
