//! The registry against itself, the presets and the documentation.

use std::collections::HashSet;

use opfs_bench_core::job::{self, Job, Rw, Timing};
use opfs_bench_core::units::Bytes;

use super::fit::unfit;
use super::*;

#[test]
fn names_are_well_formed_and_unique() {
    let mut seen = HashSet::new();
    for method in all() {
        let name: MethodName = method.name.parse().expect(method.name);
        let found = find(&name).expect(method.name);
        assert_eq!((found.method.name, found.slowed), (method.name, None));
        assert!(seen.insert(method.name), "{} stands twice", method.name);
    }
}

#[test]
fn a_slowdown_of_whole_per_cent_is_found_for_every_method_that_reads_by_itself() {
    for method in all() {
        for percent in [0, 5, 100] {
            let name: MethodName = format!("{}-slowed-{percent}", method.name).parse().expect(method.name);
            let found = find(&name).map(|found| (found.method.name, found.slowed));
            let slowed = method.does_work() && method.deal.is_none();
            assert_eq!(found, slowed.then_some((method.name, Some(percent))), "{name}");
        }
    }
}

#[test]
fn other_slowdowns_are_unknown_methods() {
    for name in [
        "main/slice-slowed-101",
        "main/slice-slowed-",
        "main/slice-slowed-05",
        "main/slice-slowed-5-slowed-5",
        "main/slice-slowed",
        "main/telepathy-slowed-5",
    ] {
        assert!(find(&name.parse().expect("well formed")).is_none(), "{name}");
    }
}

#[test]
fn every_preset_names_methods_that_exist_and_fit() {
    for preset in Job::presets() {
        let job = Job::from_toml(Job::preset(preset).expect("listed")).expect("valid");
        for group in &job.groups {
            for name in group.named() {
                let found = find(name).unwrap_or_else(|| panic!("{preset}, {}: no method {name}", group.name));
                assert_eq!(unfit_arm(found.method, name, group), None, "{preset}, {}", group.name);
            }
            assert_eq!(not_together(group), None, "{preset}, {}", group.name);
        }
        assert!(held(&job) <= job.storage, "{preset}: {} of {}", held(&job), job.storage);
    }
}

#[test]
fn the_presets_name_every_method() {
    let jobs: Vec<Job> = Job::presets().map(|preset| Job::from_toml(Job::preset(preset).expect("listed")).expect("valid")).collect();
    let named: HashSet<&str> = jobs.iter().flat_map(|job| &job.groups).flat_map(named).map(|(method, _)| method.name).collect();
    let all: HashSet<&str> = all().filter(|method| method.does_work()).map(|method| method.name).collect();
    assert_eq!(named, all);
}

#[test]
fn copies_are_counted_and_not_too_large() {
    let text = Job::preset("every-method").expect("shipped");
    let mut job = Job::from_toml(text).expect("valid");
    let of = |name: &str| find(&name.parse().expect("well formed")).expect("registered").method;
    let group = job.groups[0].clone();
    assert_eq!([of("worker/sync").copied(&group), of("worker/sync-read-only").copied(&group)], [Bytes(0), group.size]);
    let each = Group { open: job::Open::Each, ..group.clone() };
    assert_eq!([of("worker/sync-read-only").copied(&each), of("main/idb-blob").copied(&each)], [Bytes(0), group.size]);
    job.groups.truncate(1);
    job.groups[0].methods = ["worker/sync", "worker/idb-blob", "main/idb-blob-slowed-5"].map(|name| name.parse().expect("a name")).to_vec();
    assert_eq!(written(&job), Bytes(2 * group.size.0), "the file, and one copy in IndexedDB");
    let large = Group { size: Bytes(1 << 30), ..group };
    assert!(unfit(of("main/idb-blob"), &large).expect("too large").contains("256 MiB at most; these are 1 GiB"));
    assert!(unfit(of("limit/memcpy"), &large).expect("too large").contains("64 MiB of them at most; these are 1 GiB"));
    assert_eq!(unfit(of("main/slice"), &large), None);
    assert_eq!(of("limit/memcpy").copied(&large), Bytes(0), "memory is no storage");
}

fn parallel(group: &str) -> Group {
    let job = Job::from_toml(Job::preset("parallel").expect("shipped")).expect("valid");
    job.groups.into_iter().find(|other| other.name == group).expect(group)
}

fn method(name: &str) -> &'static Method {
    find(&name.parse().expect("well formed")).expect("registered").method
}

#[test]
fn copies_are_written_once_for_all_groups_that_read_the_same_files() {
    let job = Job::from_toml(Job::preset("parallel").expect("shipped")).expect("valid");
    assert_eq!(job.written(), Bytes(64 << 20));
    assert_eq!(written(&job), Bytes(128 << 20), "those of pool/sync and of pool/sync-read-only");
}

#[test]
fn synchronous_calls_have_no_queue_and_others_are_as_deep_as_the_group() {
    let group = parallel("depth-16");
    for (name, depth) in [
        ("main/slice", 16),
        ("worker/stream-byob", 16),
        ("rpc/shared", 16),
        ("worker/idb-blob", 16),
        ("main/cache", 16),
        ("main/empty", 16),
        ("worker/empty", 1),
        ("pool/slice", 16),
        ("pool/sync", 1),
        ("worker/sync-read-only", 1),
        ("worker/file-reader-sync", 1),
        ("worker/sync-js", 1),
        ("worker/sync-web-sys", 1),
    ] {
        assert_eq!(method(name).depth(&group), depth, "{name}");
    }
    let told = unfit(method("main/slice-js"), &group).expect("its loop is one in JavaScript");
    assert!(told.contains("one op after another, and this group has iodepth = 16"), "{told}");
    assert_eq!(unfit(method("main/slice-js"), &parallel("depth-1")), None);
}

#[test]
fn a_pool_needs_a_file_for_each_worker_that_locks_its_own() {
    let group = Group { nrfiles: 4, numjobs: 6, ..parallel("workers-4") };
    let told = unfit(method("pool/sync"), &group).expect("two workers are left over");
    assert!(told.contains("6 workers cannot share nrfiles = 4: take numjobs = 4 at most"), "{told}");
    for fitting in ["pool/sync-read-only", "pool/slice"] {
        assert_eq!(unfit(method(fitting), &group), None);
    }
    assert_eq!(unfit(method("pool/sync"), &Group { nrfiles: 6, ..group }), None);
    let timed = Group { timing: Timing::Ops, ..parallel("workers-4") };
    assert!(unfit(method("pool/slice"), &timed).expect("several at once").contains("take timing = \"ops\" out"));
}

#[test]
fn sync_handles_of_all_workers_together_are_limited() {
    let group = parallel("workers-4");
    // The worker holds 8, pool/sync 8 and pool/sync-read-only 8 in each of its workers.
    assert_eq!(not_together(&Group { numjobs: 14, ..group.clone() }), None);
    let many = Group { numjobs: 15, ..group };
    let told = not_together(&many).expect("136");
    assert!(told.starts_with("136 sync handles would be open at once, in all workers together ("), "{told}");
    for part in ["the worker 8", "pool/sync 8", "pool/sync-read-only 120", "allowed are 128"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert_eq!(not_together(&Group { open: job::Open::Each, ..many.clone() }), None);
    let methods = ["main/slice", "rpc/transfer", "worker/sync-js"].map(|name| name.parse().expect("a name")).to_vec();
    assert_eq!(not_together(&Group { methods, nrfiles: 128, ..many }), None, "they share the worker's");
}

/// The cells of the documentation's table, a row for each method.
fn documented() -> Vec<Vec<&'static str>> {
    let rows = include_str!("../../docs/methods.md").lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| row.trim_matches('|').split(" | ").map(str::trim).collect()).collect()
}

#[test]
fn the_documentation_s_table_is_the_registry() {
    let row = |method: &Method| {
        let thread = match method.name.parse::<MethodName>().expect(method.name).thread() {
            job::Thread::Main => "main thread",
            job::Thread::Worker => "worker",
            job::Thread::Rpc => "main thread, asks a worker",
            job::Thread::Pool => "several workers",
            job::Thread::Limit => "worker (a limit)",
            job::Thread::Native => unreachable!("no method of a browser"),
        };
        let ends_up = match method.ends_up {
            EndsUp::MainBuffer => "main JS",
            EndsUp::MainWasm => "main Wasm",
            EndsUp::WorkerBuffer => "worker JS",
            EndsUp::WorkerWasm => "worker Wasm",
            EndsUp::Shared => "shared JS",
            EndsUp::MainText => "main text",
            EndsUp::WorkerText => "worker text",
            EndsUp::FileClosed => "a file",
            EndsUp::Nowhere if method.works.lock.is_some() => "nowhere",
            EndsUp::FileBuffered | EndsUp::FileFlushed | EndsUp::Nowhere | EndsUp::Native => unreachable!("it does something in a browser"),
        };
        let reads = match (method.parts, method.copies) {
            _ if method.works.read.is_none() => "nothing",
            (true, Copies::None) => "parts",
            (true, Copies::WhereKept) => "parts, of a copy where files are kept open",
            (true, Copies::Stored) => "parts of a copy",
            (true, Copies::Held) => "parts of a copy in memory",
            (false, Copies::None) => "whole files",
            (false, Copies::WhereKept) => "whole files, of a copy where files are kept open",
            (false, Copies::Stored) => "whole copies",
            (false, Copies::Held) => "whole copies in memory",
        };
        let does =
            [(method.works.write, "writes"), (method.works.copy, "copies"), (method.works.open, "opens"), (method.works.lock, "locks")];
        let does: Vec<&str> = does.into_iter().filter_map(|(opener, does)| opener.map(|_| does)).collect();
        let reads = if does.is_empty() { reads.to_owned() } else { format!("{reads}; {}", does.join(", ")) };
        [format!("`{}`", method.name), thread.into(), ends_up.into(), reads]
    };
    let registered: Vec<[String; 4]> = all().filter(|method| method.does_work()).map(row).collect();
    let documented: Vec<[String; 4]> = documented()
        .into_iter()
        .map(|cells| {
            let [name, thread, calls, ends_up, reads, browsers] = cells[..] else { panic!("six cells: {cells:?}") };
            assert!(!calls.is_empty() && !browsers.is_empty(), "{cells:?}");
            [name, thread, ends_up, reads].map(str::to_owned)
        })
        .collect();
    assert_eq!(documented, registered);
}

/// What the cost model cannot count: chunks that the browser cuts, decoding, other storages, reads that overlap or are
/// answered together or from a buffer in front, and twins, whose steps are
/// those of the methods that they are compared with.
const UNCOUNTED: [&str; 31] = [
    "main/writable",
    "worker/writable",
    "main/pipe-to",
    "worker/pipe-to",
    "main/web-locks",
    "worker/web-locks",
    "main/text",
    "worker/text",
    "main/stream",
    "worker/stream",
    "main/stream-byob",
    "worker/stream-byob",
    "worker/file-reader-sync",
    "pool/sync",
    "pool/sync-read-only",
    "pool/slice",
    "main/idb-array-buffer",
    "worker/idb-array-buffer",
    "main/idb-blob",
    "worker/idb-blob",
    "main/cache",
    "worker/cache",
    "limit/memcpy",
    "rpc/transfer-list",
    "main/slice-buffered",
    "worker/sync-buffered",
    "worker/sync-web-sys",
    "worker/sync-unaligned",
    "main/slice-js-future",
    "worker/slice-js-future",
    "worker/sync-js-buffer",
];

#[test]
fn the_steps_of_every_method_are_counted_or_said_to_be_no_number() {
    let uncounted = |name: &str| UNCOUNTED.contains(&name) || name.ends_with("-js");
    for method in all().filter(|method| method.does_work()) {
        let name: MethodName = method.name.parse().expect("well formed");
        assert_ne!(opfs_bench_core::answers::steps::are_known(&name), uncounted(method.name), "{name}");
    }
}

fn name(text: &str) -> MethodName {
    text.parse().expect("well formed")
}

/// `parallel`'s group of four workers with these methods and its files opened each time.
fn each(methods: &[&str]) -> Group {
    let methods = methods.iter().map(|text| name(text)).collect();
    Group { open: job::Open::Each, baseline: name("main/slice"), methods, ..parallel("workers-4") }
}

#[test]
fn an_arm_is_fit_by_its_own_options() {
    let group = each(&[]);
    let unfit = |text: &str| unfit_arm(find(&name(text)).expect("registered").method, &name(text), &group);
    for fitting in ["main/slice:open=kept", "main/slice:iodepth=4", "pool/sync:numjobs=2", "worker/sync:iodepth=1", "worker/sync:numjobs=4"]
    {
        assert_eq!(unfit(fitting), None, "{fitting}");
    }
    for (text, told) in [
        ("worker/sync:iodepth=4", "has no iodepth of its own: take that out"),
        ("main/slice:numjobs=2", "has no numjobs, which says how many workers"),
        ("pool/sync:numjobs=9", "9 workers cannot share nrfiles = 8"),
        ("rpc/transfer-list:iodepth=2", "reads one op after another"),
    ] {
        assert!(unfit(text).expect(text).contains(told), "{text}: {:?}", unfit(text));
    }
}

#[test]
fn what_keeps_locks_beside_what_opens_each_time_reads_a_copy() {
    let copies_of = |methods: &[&str]| copied(&each(methods)).0 / each(methods).size.0;
    assert_eq!(copies_of(&["worker/sync", "rpc/transfer"]), 0);
    assert_eq!(copies_of(&["worker/sync:open=kept", "rpc/transfer:open=kept"]), 0, "nothing else locks the files");
    assert_eq!(copies_of(&["worker/sync:open=kept", "main/slice:open=kept"]), 0, "promises lock nothing");
    assert_eq!(copies_of(&["worker/sync:open=kept", "worker/sync"]), 1);
    assert_eq!(copies_of(&["worker/sync:open=kept", "rpc/transfer:open=kept", "pool/sync"]), 1, "the worker's handles are shared");
    // Each pool's workers lock other files.
    assert_eq!(copies_of(&["pool/sync:open=kept,numjobs=2", "pool/sync:open=kept,numjobs=3", "worker/sync"]), 2);
    let large = Group { size: Bytes(512 << 20), ..each(&["worker/sync:open=kept", "worker/sync"]) };
    assert!(not_together(&large).expect("too large").contains("of 256 MiB at most; these are 512 MiB: make two groups of them"));
}

#[test]
fn handles_that_arms_keep_by_their_options_are_counted() {
    let writing = |methods: &[&str]| not_together(&Group { rw: job::Rw::Write, ..each(methods) });
    assert!(writing(&["worker/sync:open=kept", "worker/sync"]).is_some_and(|told| told.contains("make two groups")));
    assert_eq!(writing(&["worker/sync", "rpc/transfer"]), None);
    let kept = |methods: &[&str]| not_together(&Group { nrfiles: 64, ..each(methods) });
    assert_eq!(kept(&["worker/sync:open=kept", "rpc/transfer:open=kept", "pool/sync:open=kept,numjobs=2"]), None);
    let told = kept(&["worker/sync:open=kept", "pool/sync:open=kept,numjobs=2", "pool/sync:open=kept,numjobs=3"]).expect("192");
    assert!(told.starts_with("192 sync handles would be open at once"), "{told}");
}

#[test]
fn files_are_held_from_the_first_group_that_reads_them_to_the_last() {
    let mut job = Job::from_toml(Job::preset("parallel").expect("shipped")).expect("valid");
    assert_eq!((written(&job), held(&job)), (Bytes(128 << 20), Bytes(96 << 20)), "one file, then 8 and two copies of them");
    job.groups.swap(0, 5);
    assert_eq!(held(&job), Bytes(128 << 20), "the 8 files are read first and last");
}

fn writing(rw: Rw, open: job::Open) -> Group {
    Group { rw, open, ..parallel("depth-1") }
}

#[test]
fn what_a_method_cannot_do_is_told_with_those_that_can() {
    let write = writing(Rw::RandWrite, job::Open::Kept);
    let told = unfit(method("main/slice"), &write).expect("it only reads");
    assert_eq!(told, "main/slice cannot write; these can: worker/sync, rpc/transfer, main/writable, worker/writable");
    let told = unfit(method("main/writable"), &writing(Rw::Read, job::Open::Kept)).expect("it only writes");
    assert!(told.starts_with("main/writable cannot read files; these can: main/array-buffer, "), "{told}");
    let told = unfit(method("rpc/transfer"), &writing(Rw::Copy, job::Open::Each)).expect("it copies nothing");
    assert!(told.ends_with("these can: worker/sync, main/writable, worker/writable, main/pipe-to, worker/pipe-to"), "{told}");
    for name in ["worker/sync", "rpc/transfer", "main/writable", "worker/writable"] {
        assert_eq!(unfit(method(name), &write), None, "{name}");
    }
}

#[test]
fn a_writable_has_no_flush_and_is_alone_with_its_file() {
    let flushed = Group { fsync: 4, ..writing(Rw::Write, job::Open::Kept) };
    let told = unfit(method("main/writable"), &flushed).expect("nothing flushes it");
    assert!(told.contains("has no flush: what it writes is the file's when that is closed"), "{told}");
    assert_eq!(unfit(method("worker/sync"), &flushed), None);
    assert_eq!(unfit(method("main/writable"), &Group { open: job::Open::Each, ..flushed }), None, "each op closes it");
    let deep = Group { iodepth: 4, ..writing(Rw::Write, job::Open::Each) };
    let told = unfit(method("worker/writable"), &deep).expect("the last one would win");
    assert!(told.contains("cannot have iodepth = 4: of two writables on one file the one that is closed last"), "{told}");
    assert_eq!(unfit(method("worker/writable"), &Group { open: job::Open::Kept, ..deep }), None);
}

#[test]
fn where_written_bytes_are_when_an_op_is_over_depends_on_the_flush() {
    use job::Open::{Each, Kept};
    let written = |name: &str, open, fsync, end_fsync| method(name).destination(&Group { fsync, end_fsync, ..writing(Rw::Write, open) });
    for (name, open, fsync, end_fsync, wanted) in [
        ("worker/sync", Kept, 0, false, EndsUp::FileBuffered),
        ("worker/sync", Kept, 1, false, EndsUp::FileFlushed),
        ("worker/sync", Kept, 0, true, EndsUp::FileFlushed),
        ("worker/sync", Each, 0, false, EndsUp::FileClosed),
        ("worker/sync", Each, 1, false, EndsUp::FileFlushed),
        ("rpc/transfer", Kept, 0, false, EndsUp::FileBuffered),
        ("main/writable", Kept, 0, false, EndsUp::FileBuffered),
        ("main/writable", Kept, 0, true, EndsUp::FileClosed),
        ("main/writable", Each, 1, false, EndsUp::FileClosed),
        ("main/empty", Kept, 1, false, EndsUp::Nowhere),
    ] {
        assert_eq!(written(name, open, fsync, end_fsync), wanted, "{name} {open:?} {fsync} {end_fsync}");
    }
    assert_eq!(method("worker/sync").destination(&writing(Rw::Read, Kept)), EndsUp::WorkerWasm);
    assert_eq!(method("worker/sync").destination(&writing(Rw::Open, Each)), EndsUp::Nowhere);
}

#[test]
fn each_method_that_writes_has_files_of_its_own_and_they_count() {
    let mut job = Job::from_toml(Job::preset("parallel").expect("shipped")).expect("valid");
    let methods = ["worker/writable", "worker/sync"].map(|name| name.parse().expect("a name")).to_vec();
    let baseline: MethodName = "main/writable".parse().expect("a name");
    let group = Group { baseline, methods, ..writing(Rw::Write, job::Open::Kept) };
    assert_eq!(not_together(&Group { nrfiles: 128, ..group.clone() }), None);
    job.groups = vec![group.clone(), Group { name: "again".into(), rw: Rw::RandWrite, ..group.clone() }];
    assert_eq!(written(&job), Bytes(4 * group.size.0), "the fixture, and one copy for each method");
}
