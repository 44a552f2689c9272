//! What methods, places and workloads are called in a sentence.

use super::prose::{capitalised, count, one_line};
use crate::job::{Group, MethodName, Open, Rw, Thread, Timing, Work};
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
        "writable" => "writable streams",
        "pipe-to" => "pipeTo()",
        "web-locks" => "Web Locks",
        "slice-js" | "array-buffer-js" => "promises in plain JavaScript",
        _ => "promises",
    };
    format!("{api} {thread}")
}

/// The same where it does other work than to read.
pub(super) fn method_for(method: &MethodName, work: Work) -> String {
    match (work, method.thread(), method.api()) {
        (Work::Write, Thread::Rpc, "transfer") => "a worker that the main thread hands the bytes to".into(),
        _ => self::method(method),
    }
}

/// What is done with files.
pub(super) fn doing(work: Work) -> &'static str {
    match work {
        Work::Read => "reading",
        Work::Write => "writing",
        Work::Copy => "copying",
        Work::Open => "opening",
        Work::Lock => "locking",
    }
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
        EndsUp::FileBuffered => Some((
            "file, buffered",
            "a file, as far as the call says that wrote, which has returned: the browser or the system may still hold the bytes in memory; and \
             what a writable wrote is not the file's before it is closed",
        )),
        EndsUp::FileFlushed => {
            Some(("file, flushed", "a file that is flushed in the time that is taken: the browser has asked for the storage itself"))
        }
        EndsUp::FileClosed => Some((
            "file, closed",
            "a file that is closed in the time that is taken. Only then does what a writable wrote replace the file's bytes; whether they \
             have reached the storage is not told",
        )),
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
    let bs = group.bs;
    let done = match group.rw {
        Rw::Read if group.is_uneven() => "whole files, one after another in order".into(),
        Rw::RandRead if group.is_uneven() => "whole files, one after another in random order".into(),
        Rw::ReadBackwards if group.is_uneven() => "whole files, the last first".into(),
        Rw::Read => format!("{bs} at a time in order"),
        Rw::RandRead => format!("{bs} at a time in random order"),
        Rw::ReadBackwards => format!("{bs} at a time, the last first"),
        Rw::Write => format!("{bs} overwritten at a time in order"),
        Rw::RandWrite => format!("{bs} overwritten at a time in random order"),
        Rw::Copy => format!("files copied, {bs} at a time where that is the method's choice"),
        Rw::Open => "files looked up, opened and closed".into(),
        Rw::Lock => "a lock for each file, taken and given back".into(),
    };
    let open = match (group.open, group.rw.work()) {
        (_, Work::Lock) => "not opened",
        (Open::Each, Work::Read) => "opened for every read",
        (Open::Each, Work::Write) => "opened for every write",
        (Open::Each, Work::Copy | Work::Open) => "opened each time",
        (Open::Kept, _) => "kept open",
    };
    let flushed = flushed(group).map_or_else(String::new, |flushed| format!("; {flushed}"));
    let timed = match (group.timing, group.rate_iops) {
        (Timing::Batches, _) => String::new(),
        (Timing::Passes, _) => "; timed in passes over all of it".into(),
        (Timing::Ops, None) => "; each op timed by itself".into(),
        (Timing::Ops, Some(rate)) => format!("; each op timed by itself, {rate} ops/s offered"),
    };
    let depth = if group.iodepth == 1 {
        String::new()
    } else {
        format!("; {} {} in flight (iodepth {0})", group.iodepth, if group.writes() { "writes" } else { "reads" })
    };
    let workers = if group.numjobs == 1 { String::new() } else { format!("; {} workers in a pool (numjobs {0})", group.numjobs) };
    let files = match &group.own {
        None => format!("{} of {file_size}", count(files, "file")),
        Some(own) => {
            let mean = if own.whole && group.nrfiles > 1 { format!(" ({} in the mean)", file_size.rounded()) } else { String::new() };
            let unread = own.unread(group).map_or_else(String::new, |unread| format!(" ({unread})"));
            format!("{}{mean}{unread}", own.files(group.nrfiles))
        }
    };
    format!("{done}; {files}, {open}{depth}{workers}{flushed}{timed}")
}

/// When what is written is flushed. None where nothing is written.
fn flushed(group: &Group) -> Option<String> {
    let every = match group.fsync {
        0 => None,
        1 => Some("flushed after every write (fsync 1)".to_owned()),
        writes => Some(format!("flushed after every {writes} writes (fsync {writes})")),
    };
    let end = group.end_fsync.then(|| "flushed at the end of every sample (end_fsync)".to_owned());
    let told: Vec<String> = every.into_iter().chain(end).collect();
    group.writes().then(|| if told.is_empty() { "not flushed".into() } else { told.join(", ") })
}

/// What one op of a group is. One text for all that is no read, so that a report of several groups does not explain it again and again.
pub(super) fn op(group: &Group) -> &'static str {
    match group.rw.work() {
        Work::Read => "one read, with opening and closing where a file is opened for every read",
        Work::Write | Work::Copy | Work::Open | Work::Lock => {
            "one write, one file copied, one file opened and closed, or one lock taken and given back, as the group says; with opening and \
             closing where that is done for every op, and with its share of the flushes in a sample"
        }
    }
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
            ("main/writable", "writable streams on the main thread"),
            ("worker/pipe-to", "pipeTo() in a worker"),
            ("main/web-locks", "Web Locks on the main thread"),
            ("native/read", "the operating system's own calls"),
        ] {
            assert_eq!(method(&name.parse().expect("a method's name")), words);
        }
    }
}
