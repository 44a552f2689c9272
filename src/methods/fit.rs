//! Whether methods can do what a group asks, each alone and all together; where not, why.

use opfs_bench_core::job::{self, Group, MOST_KEPT_FILES, MethodName, Timing, Work};
use opfs_bench_core::share::Deal;
use opfs_bench_core::units::Bytes;

use super::copies::{LARGEST_COPY, locks_apart, named};
use super::{Copies, Handles, Method, Queue, that_do};

/// The largest group that a method may hold in Wasm memory, which never becomes smaller again: what a phone's page can have without being
/// ended for it.
const LARGEST_HELD: Bytes = Bytes(64 << 20);

/// Why an arm of a group cannot be, if so: its method cannot do the workload as the arm has it, or an option does nothing.
pub fn unfit_arm(method: &Method, name: &MethodName, group: &Group) -> Option<String> {
    let own = group.of_arm(name);
    if method.queue == Queue::Synchronous && own.iodepth != group.iodepth {
        return Some(format!("{name}: {} reads one op after another, so that it has no iodepth of its own: take that out", method.name));
    }
    if method.deal.is_none() && own.numjobs != group.numjobs {
        return Some(format!("{name}: {} has no numjobs, which says how many workers a method of a pool has: take that out", method.name));
    }
    unfit(method, &own)
}

/// Why a method cannot do a workload, if so.
pub fn unfit(method: &Method, group: &Group) -> Option<String> {
    let work = group.rw.work();
    if method.opener(work).is_none() {
        let able: Vec<&str> = that_do(work).map(|other| other.name).collect();
        let verb = match work {
            Work::Read => "read files",
            Work::Write => "write",
            Work::Copy => "copy files",
            Work::Open => "be timed opening files alone",
            Work::Lock => "take locks",
        };
        return Some(format!("{} cannot {verb}; these can: {}", method.name, able.join(", ")));
    }
    if method.commits && work == Work::Write {
        if group.fsync > 0 && group.open == job::Open::Kept {
            return Some(format!(
                "{} has no flush: what it writes is the file's when that is closed, so take end_fsync = true or open = \"each\" in place of \
                 fsync = {}",
                method.name, group.fsync
            ));
        }
        if group.iodepth > 1 && group.open == job::Open::Each {
            return Some(format!(
                "{} with open = \"each\" cannot have iodepth = {}: of two writables on one file the one that is closed last undoes what the \
                 other wrote; take open = \"kept\"",
                method.name, group.iodepth
            ));
        }
    }
    // A group of no files has no file size; that it has none is told as a mistake of its own.
    if !method.parts && group.nrfiles > 0 && !group.whole_files() {
        let file_size = group.fileset().file_size;
        return Some(format!("{} reads whole files, but an op of this group is {} of a file of {file_size}", method.name, group.bs));
    }
    if method.queue == Queue::OneByOne && group.iodepth > 1 {
        return Some(format!("{} reads one op after another, and this group has iodepth = {}", method.name, group.iodepth));
    }
    if method.deal.is_some() && group.timing == Timing::Ops {
        return Some(format!("{} is timed as a whole, since its workers read at the same time: take timing = \"ops\" out", method.name));
    }
    if method.deal == Some(Deal::Files) && group.nrfiles < group.numjobs {
        return Some(format!(
            "{} has files for each worker, since a sync handle locks its file, but {} workers cannot share nrfiles = {}: take numjobs = {2} \
             at most, or more files",
            method.name, group.numjobs, group.nrfiles
        ));
    }
    if method.copies == Copies::Held && group.file_bytes() > LARGEST_HELD {
        return Some(format!(
            "{} holds the files in WebAssembly memory, {LARGEST_HELD} of them at most; these are {}",
            method.name,
            group.file_bytes()
        ));
    }
    if method.one_length && group.is_uneven() {
        return Some(format!("{} reads blocks of one length, and these files differ in theirs", method.name));
    }
    (method.copied(group) > LARGEST_COPY)
        .then(|| format!("{} reads a copy of the files, of {LARGEST_COPY} at most; these are {}", method.name, group.file_bytes()))
}

/// Why a group's methods cannot hold and open their sync handles beside one another, if so.
pub fn not_together(group: &Group) -> Option<String> {
    let arms = || named(group).into_iter().filter(|(_, own)| own.open == job::Open::Kept);
    if locks_apart(group) && group.writes() {
        return Some(
            "methods that keep their sync handles open lock the files that others of this group open each time to write to them: make two \
             groups of them"
                .into(),
        );
    }
    if locks_apart(group) && group.file_bytes() > LARGEST_COPY {
        return Some(format!(
            "methods that keep their sync handles open beside others that open them each time read a copy of the files, of {LARGEST_COPY} at \
             most; these are {}: make two groups of them",
            group.file_bytes()
        ));
    }
    let of_worker = |method: &Method| method.handles == Handles::Shared && !group.writes();
    let shared = arms().filter(|(method, _)| of_worker(method)).map(|_| ("the worker", group.nrfiles)).take(1);
    let own = arms().map(|(method, own)| (method.name, method.own_handles(&own))).filter(|(_, handles)| *handles > 0);
    let held: Vec<(&str, u32)> = shared.chain(own).collect();
    let all = held.iter().fold(0_u32, |all, (_, handles)| all.saturating_add(*handles));
    (all > MOST_KEPT_FILES).then(|| {
        let each: Vec<String> = held.iter().map(|(name, handles)| format!("{name} {handles}")).collect();
        format!(
            "{all} sync handles would be open at once, in all workers together ({}); allowed are {MOST_KEPT_FILES}, since browsers limit open \
             files: take fewer files, numjobs or methods",
            each.join(", ")
        )
    })
}
