//! Whole groups, in files of this machine.

use std::cell::Cell;
use std::fs::{self, OpenOptions};
use std::io::{Seek, SeekFrom, Write};

use opfs_bench_core::fixture::Form;
use opfs_bench_core::job::Open;
use opfs_bench_core::result::{Ended, When};
use tempfile::TempDir;

use super::*;

const SEED: Seed = Seed(3);
const BUDGET: Nanos = Nanos(300_000_000);

/// Two groups of the same file, kept open and opened each time; and small files of which each op is timed by itself, in a loop and at a rate.
fn job() -> Job {
    let group = |name: &str, lines: &str| {
        format!("[[group]]\nname = \"{name}\"\ntitle = \"{name}\"\nbaseline = \"main/slice\"\nmethods = [\"worker/sync\"]\n{lines}\n")
    };
    let groups = [
        group("kept", "rw = \"randread\"\nbs = 1000\nsize = 300000\nopen = \"kept\""),
        group("each", "rw = \"read\"\nbs = 1000\nsize = 300000\nopen = \"each\""),
        group("small", "rw = \"read\"\nbs = 2000\nsize = 20000\nnrfiles = 10\nopen = \"each\"\ntiming = \"ops\""),
        group("paced", "rw = \"read\"\nbs = 2000\nsize = 20000\nnrfiles = 10\nopen = \"kept\"\ntiming = \"ops\"\nrate_iops = 2000"),
    ];
    let head = "name = \"native\"\ntitle = \"Native\"\nbudget_s = 1\nstorage = \"1 MiB\"\n";
    Job::from_toml(&format!("{head}{}", groups.concat())).expect("valid")
}

fn workloads() -> (TempDir, Workloads) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let workloads = Workloads::new(job(), SEED, folder.path()).expect("a folder");
    (folder, workloads)
}

fn reads(native: Option<Native>) -> NativeReads {
    match native {
        Some(Native::Measured(reads)) => *reads,
        other => panic!("{other:?}"),
    }
}

fn error(native: Option<Native>) -> String {
    match native {
        Some(Native::Failed { error }) => error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_kind_of_group_is_measured_by_the_rules_and_verified() {
    let (folder, mut workloads) = workloads();
    for index in 0..4 {
        let NativeReads { record, estimates, place } = reads(workloads.measure(index, BUDGET, || false));
        let name = &record.group.name;
        assert_eq!(record.group, job().groups[index]);
        assert!(matches!(record.ended, Ended::Width | Ended::Budget), "{name}: {:?}", record.ended);
        assert!(estimates.rounds >= 12, "{name}: {} rounds", estimates.rounds);
        assert_eq!(estimates, estimate(&record, SEED));
        let per_op = estimates.arms[0].per_op.expect("timed");
        assert!(per_op.median_ns > 10.0 && per_op.interval_ns.is_some(), "{name}: {per_op:?}");
        for arm in &record.arms {
            let when: Vec<When> = arm.verifications.iter().map(|checked| checked.when).collect();
            assert_eq!(when, [When::Before, When::After]);
            assert!(arm.verifications.iter().all(|checked| checked.found == checked.expected), "{name}");
            assert!(arm.bytes >= estimates.rounds as u64 * arm.n * record.group.bs.0, "{name}");
        }
        let paced = record.arms[0].latencies.as_ref().map(|times| times.pacing.is_some());
        assert_eq!(paced, [None, None, Some(false), Some(true)][index], "{name}");
        assert_eq!(place.folder, folder.path().canonicalize().expect("there").parent().expect("inside one").display().to_string());
    }
    assert_eq!(fs::read_dir(folder.path().join(FOLDER)).expect("there").count(), 11, "each file is written once");
}

/// The browser's arms are checked against the same: `expected` follows from seed, group and index alone.
#[test]
fn the_bytes_are_those_of_the_browser_s_files() {
    let (_folder, mut workloads) = workloads();
    let record = reads(workloads.measure(2, BUDGET, || false)).record;
    let job = job();
    let group = &job.groups[2];
    let first = first_file(&job.filesets(), &group.fileset());
    let ops = opfs_bench_core::ops::verification(group, SEED, 2);
    assert_eq!(first, 1, "the other fileset's file comes first");
    assert_eq!(record.arms[0].verifications[0].found, opfs_bench_core::fixture::expected(SEED, first, &ops, Form::Bytes));
}

/// Changes, cuts off, or removes the one file of the first group as soon as it is written.
fn damaged(damage: impl Fn(&Path)) -> String {
    let (folder, mut workloads) = workloads();
    let path = files::paths(&folder.path().join(FOLDER), job().groups[0].fileset()).remove(0);
    let asked = Cell::new(0);
    let stopped = || {
        asked.set(asked.get() + 1);
        // Asked before each file is written, and before each step.
        if asked.get() == 2 {
            damage(&path);
        }
        false
    };
    error(workloads.measure(0, BUDGET, stopped))
}

#[test]
fn files_that_are_not_what_was_written_are_told() {
    let changed = damaged(|path| {
        let mut file = OpenOptions::new().write(true).open(path).expect("there");
        // The verification reads the first block always.
        file.seek(SeekFrom::Start(500)).and_then(|_| file.write_all(&[0; 8])).expect("writable");
    });
    assert!(changed.contains("other bytes were read than written: checksum"), "{changed}");
    let short = damaged(|path| OpenOptions::new().write(true).open(path).and_then(|file| file.set_len(299_999)).expect("writable"));
    assert!(short.contains("the file ended after 999 of 1000 B from offset 299000"), "{short}");
}

#[test]
fn what_cannot_be_written_is_told_and_nothing_of_it_stays() {
    let (folder, mut workloads) = workloads();
    // A folder stands where the second small file should be.
    let paths = files::paths(&folder.path().join(FOLDER), job().groups[2].fileset());
    fs::create_dir(&paths[1]).expect("writable");
    let told = error(workloads.measure(2, BUDGET, || false));
    assert!(told.contains("cannot write 20000 B to") && told.contains(&folder.path().join(FOLDER).display().to_string()), "{told}");
    assert!(!paths[0].exists());
    // The others are measured all the same.
    reads(workloads.measure(0, BUDGET, || false));
    fs::remove_dir_all(folder.path()).expect("removable");
    let told = error(workloads.measure(2, BUDGET, || false));
    assert!(told.contains("cannot write"), "{told}");
}

#[test]
fn files_that_are_too_large_are_told_with_the_figures() {
    let mut job = job();
    job.groups[0].size = Bytes(300 << 20);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let told = error(Workloads::new(job, SEED, folder.path()).expect("a folder").measure(0, BUDGET, || false));
    assert!(told.contains("256 MiB at most are written; these are 300 MiB"), "{told}");
    assert_eq!(fs::read_dir(folder.path().join(FOLDER)).expect("there").count(), 0);
}

#[test]
fn a_run_that_is_stopped_ends_at_once_wherever_it_is() {
    for steps in [0, 1, 5, 40] {
        let (_folder, mut workloads) = workloads();
        let left = Cell::new(steps);
        let stopped = || left.replace(left.get() - 1) == 0;
        assert_eq!(workloads.measure(0, Nanos(60_000_000_000), stopped), None);
    }
}

#[test]
fn budgets_are_a_tenth_within_bounds() {
    let seconds = |in_browser: f64| budget(Nanos::from_s(in_browser)).as_s();
    assert_eq!([1.0, 5.0, 10.0, 15.0, 600.0].map(seconds), [0.5, 0.5, 1.0, 1.5, 1.5]);
}

#[test]
fn files_that_are_kept_open_are_opened_once() {
    let (folder, mut workloads) = workloads();
    assert_eq!(job().groups[0].open, Open::Kept);
    let path = files::paths(&folder.path().join(FOLDER), job().groups[0].fileset()).remove(0);
    let asked = Cell::new(0);
    // Gone after the first read: what is open can still be read, what must be opened cannot.
    let stopped = || {
        asked.set(asked.get() + 1);
        if asked.get() == 4 {
            fs::remove_file(&path).expect("there");
        }
        false
    };
    if cfg!(unix) {
        reads(workloads.measure(0, BUDGET, stopped));
    }
}

/// Own files of all sizes in a folder of their own, and the first three groups as they read them.
fn own() -> (TempDir, Vec<PathBuf>, Job, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let sizes = [1_u64, 70_001, 999, 12_345];
    let mut paths = Vec::new();
    let mut all = opfs_bench_core::fixture::Checksum::new();
    for (place, size) in sizes.iter().enumerate() {
        let bytes: Vec<u8> = (0..*size).map(|at| u8::try_from((at * 7 + place as u64) % 251).expect("below 251")).collect();
        all.update(&bytes);
        paths.push(folder.path().join(format!("own {place}")));
        fs::write(&paths[place], bytes).expect("writable");
    }
    let mut job = job().with_own(&sizes, &()).expect("they fit");
    // As a result has it.
    for own in job.groups.iter_mut().filter_map(|group| group.own.as_mut()) {
        own.files = [].into();
    }
    (folder, paths, job, all.digits())
}

#[test]
fn a_person_s_own_files_are_copied_and_read_as_in_the_browser() {
    let (_own, paths, job, checksum) = own();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let workloads = Workloads::new(job.clone(), SEED, folder.path()).expect("a folder");
    let mut workloads = workloads.with_own(paths, checksum).expect("the same files");
    for index in 0..job.groups.len() {
        let NativeReads { record, estimates, .. } = reads(workloads.measure(index, BUDGET, || false));
        let name = &record.group.name;
        // One that is paced takes its time, and a busy machine more of it.
        assert!((estimates.rounds >= 12 || record.group.rate_iops.is_some()) && estimates.arms[0].per_op.is_some(), "{name}");
        for arm in &record.arms {
            assert!(arm.verifications.iter().all(|checked| checked.found == checked.expected && checked.ops >= 4), "{name}: {arm:?}");
            assert!(!record.group.is_uneven() || record.group.rate_iops.is_some() || arm.n.is_multiple_of(4), "{name}: {}", arm.n);
        }
    }
    assert_eq!(fs::read_dir(folder.path().join(FOLDER)).expect("there").count(), 4, "each file is copied once");
}

#[test]
fn own_files_that_are_no_longer_what_the_browser_read_are_told() {
    let (_own, paths, job, checksum) = own();
    let workloads = |folder: &TempDir| Workloads::new(job.clone(), SEED, folder.path()).expect("a folder");
    // A byte of another value, also where no check would read it.
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut changed = workloads(&folder).with_own(paths.clone(), checksum.clone()).expect("as large as they were");
    fs::write(&paths[0], "!").expect("writable");
    let told = error(changed.measure(0, BUDGET, || false));
    assert!(told.contains("the files have changed since the browser copied them: checksum"), "{told}");
    fs::write(&paths[0], "two").expect("writable");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let told = format!("{:#}", workloads(&folder).with_own(paths.clone(), checksum.clone()).expect_err("another size"));
    assert!(told.contains("and the job was made for own files, 4 of 1 B to 68.4 KiB"), "{told}");
    fs::remove_file(&paths[0]).expect("there");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let told = format!("{:#}", workloads(&folder).with_own(paths, checksum).expect_err("gone"));
    assert!(told.contains("cannot read"), "{told}");
}

#[test]
fn a_changed_copy_of_own_files_is_told() {
    let (_own, paths, job, checksum) = own();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let index = job.groups.iter().position(Group::is_uneven).expect("one reads them whole");
    let copy = folder.path().join(FOLDER).join("own-1.bin");
    let mut workloads = Workloads::new(job, SEED, folder.path()).expect("a folder").with_own(paths, checksum).expect("the same files");
    let asked = Cell::new(0);
    let stopped = || {
        asked.set(asked.get() + 1);
        // Asked before each of four files is copied, and before each step.
        if asked.get() == 5 {
            let mut file = OpenOptions::new().write(true).open(&copy).expect("there");
            file.seek(SeekFrom::Start(50_000)).and_then(|_| file.write_all(&[255])).expect("writable");
        }
        false
    };
    let told = error(workloads.measure(index, BUDGET, stopped));
    assert!(told.contains("other bytes were read than written: checksum"), "{told}");
}
