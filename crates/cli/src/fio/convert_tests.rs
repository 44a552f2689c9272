use super::*;
use opfs_bench_core::job::Rw;
use serde_json::json;

fn converted(text: &str) -> Converted {
    convert("job.fio", text, &[], &[]).unwrap_or_else(|refused| panic!("{refused}"))
}

fn refused(text: &str) -> String {
    convert("job.fio", text, &[], &[]).expect_err(text).to_string()
}

fn notes(converted: &Converted) -> String {
    converted.notes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// As it stands in a hundred how-tos.
const RANDOM_4K: &str = "\
; random 4k reads
[global]
ioengine=libaio
direct=1
bs=4k
rw=randread
iodepth=16
size=1G
runtime=60
time_based
group_reporting
filename=/mnt/disk/testfile

[randread-4k]
";

#[test]
fn random_4k_reads_at_depth_16() {
    let converted = converted(RANDOM_4K);
    let group = &converted.job.groups[0];
    assert_eq!((group.name.as_str(), group.rw, group.bs, group.size), ("randread-4k", Rw::RandRead, Bytes(4096), Bytes(1 << 30)));
    assert_eq!(group.title, "random 4 KiB reads in a 1 GiB file, 16 in flight");
    assert_eq!((group.iodepth, group.nrfiles, converted.job.budget_s), (16, 1, 60.0));
    assert_eq!((group.baseline.to_string().as_str(), group.methods.len()), ("main/slice", 3));
    assert!(converted.job.storage >= Bytes(1 << 30));
    let told = notes(&converted);
    for wanted in [
        "line 3: ioengine=libaio: not used",
        "line 4: direct=1: not used: a page cannot bypass",
        "line 10: time_based: ",
        "line 11: group",
        "line 12: filename",
    ] {
        assert!(told.contains(wanted), "{wanted}: {told}");
    }
    assert_eq!(converted.notes.len(), 5, "{told}");
}

#[test]
fn sections_become_groups() {
    let converted = converted(
        "[global]\nsize=64m\nruntime=5\nstonewall\nioengine=io_uring\n[SEQ1M_Q8T1_read]\nbs=1m\niodepth=8\nrw=read\n[SEQ1M Q1]\nbs=1M\nreadwrite=read\n[SEQ1M Q1]\nblocksize=1024k\n",
    );
    let shown: Vec<_> = converted.job.groups.iter().map(|group| (group.name.as_str(), group.bs.0, group.iodepth)).collect();
    assert_eq!(shown, [("seq1m-q8t1-read", 1 << 20, 8), ("seq1m-q1", 1 << 20, 1), ("seq1m-q1-2", 1 << 20, 1)]);
    assert_eq!(converted.job.budget_s, 15.0);
    assert!(!notes(&converted).contains("at the same time"), "{}", notes(&converted));
}

#[test]
fn jobs_that_fio_would_run_at_once_are_told() {
    let told = notes(&converted("[global]\nsize=1m\n[a]\nrw=read\n[b]\nrw=randread\nruntime=20\n"));
    assert!(told.contains("line 5: [b]: fio would run it at the same time"), "{told}");
    assert!(told.contains("runtime of 20 s: all groups together have 30 s"), "{told}");
}

#[test]
fn whole_files_are_read_as_files() {
    let group = &converted("[small]\nrw=read\nfilesize=20k\nnrfiles=50\nbs=20k\n").job.groups[0];
    assert_eq!((group.size, group.nrfiles, group.whole_files()), (Bytes(50 * 20_480), 50, true));
    assert_eq!(group.baseline.to_string(), "main/array-buffer");
}

#[test]
fn files_are_laid_out_as_whole_blocks() {
    let converted = converted("[a]\nrw=read\nsize=10m\nnrfiles=3\nbs=4k\n");
    assert_eq!(converted.job.groups[0].size, Bytes(10_485_760 / 12_288 * 12_288));
    assert!(notes(&converted).contains("line 3: size=10m: 10236 KiB are measured"), "{}", notes(&converted));
}

#[test]
fn a_synchronous_engine_has_one_op_in_flight() {
    for engine in ["", "ioengine=psync\n", "ioengine=sync\n"] {
        let converted = converted(&format!("[a]\nrw=randread\nsize=1m\niodepth=16\n{engine}"));
        assert_eq!(converted.job.groups[0].iodepth, 1);
        assert!(notes(&converted).contains("line 4: iodepth=16: 1 is measured: fio's engine"), "{}", notes(&converted));
    }
}

#[test]
fn several_processes_are_workers_of_a_pool() {
    let converted = converted("[a]\nrw=randread\nsize=8m\nnumjobs=4\n[b]\nstonewall\nrw=randread\nsize=8m\nnumjobs=2\nnrfiles=2\n");
    let has = |group: usize, method: &str| converted.job.groups[group].methods.iter().any(|name| name.to_string() == method);
    assert_eq!([has(0, "pool/slice"), has(0, "pool/sync"), has(1, "pool/sync")], [true, false, true]);
    assert!(notes(&converted).contains("line 4: numjobs=4: methods of pool/"));
}

#[test]
fn a_rate_is_offered_to_ops_that_are_timed_one_by_one() {
    let job = converted("[a]\nrw=randread\nsize=1m\nrate_iops=200\nrandseed=0x1f\n");
    assert_eq!((job.job.groups[0].rate_iops, job.seed), (Some(200), Some(Seed(0x1f))));
    assert_eq!(json!(job.job.groups[0].timing), json!("ops"));
}

#[test]
fn methods_can_be_chosen() {
    let methods = ["worker/sync", "worker/bytes"].map(|name| name.parse().expect("a name"));
    let job = convert("My Job.fio", RANDOM_4K, &methods, &[]).expect("valid").job;
    assert_eq!(job.name, "my-job");
    assert_eq!((job.groups[0].baseline.to_string(), job.groups[0].methods.len()), ("worker/sync".into(), 1));
}

/// As in fio's own examples: a tab before a remark, old names, a range of one size.
#[test]
fn old_spellings_are_read() {
    let converted = converted(
        "; tiobench like\n[global]\ndirect=1\nsize=8m\nbsrange=8k-8k\ntimeout=6\nnumjobs=4\t; 4 at a time\n\n[f1]\nstonewall\nreadwrite=read\n",
    );
    let group = &converted.job.groups[0];
    assert_eq!((group.bs, group.numjobs, converted.job.budget_s), (Bytes(8192), 4, 6.0));
}

#[test]
fn what_would_be_something_else_is_refused_with_every_reason() {
    let told = refused(
        "[global]\nioengine=libaio\nsize=1g\n[mixed]\nrw=randrw\nrwmixread=70\nbs=4k,8k\n[checked]\nrw=read\nverify=crc32c\nbssplit=4k/60:8k/40\n[gone]\nrw=randtrim\n[Typo]\nBS=4k\nthinktime=0\n[remote]\nioengine=rbd\n",
    );
    for wanted in [
        "line 5: rw=randrw: is not measured here",
        "line 10: verify=crc32c: would be measured as something else: nothing is verified inside",
        "line 11: bssplit=4k/60:8k/40: would be measured as something else: blocks of one size",
        "line 13: rw=randtrim: is not measured here",
        "line 15: BS=4k: is no option of fio's that is known here; names are in lower case",
        "line 18: ioengine=rbd: is no engine that reads and writes plain files",
    ] {
        assert!(told.contains(wanted), "{wanted}:\n{told}");
    }
    assert_eq!(told.lines().count(), 6, "{told}");
}

#[test]
fn values_that_cannot_be_measured_are_refused_with_what_is_allowed() {
    for (text, wanted) in [
        ("[a]\nrw=read\n", "line 1: [a]: has no size"),
        ("[a]\nrw=read\nsize=50%\n", "line 3: size=50%: no size that is read here"),
        ("[a]\nrw=read\nfilesize=1m-2m\n", "line 3: filesize=1m-2m: no size"),
        ("[a]\nrw=read\nfilesize=4m\nsize=1m\n", "line 4: size=1m: only whole files are laid out here, and 1 of filesize are 4 MiB"),
        ("[a]\nrw=read\nsize=1m\nruntime=soon\n", "line 4: runtime=soon: no time"),
        ("[a]\nrw=read:8k\nsize=1m\n", "line 2: rw=read:8k: would be measured as something else"),
        ("[a]\nrw=read\nsize=1m\nbs=100m\n", "line 1: [a], bs: 100 MiB; allowed are 1 B to 64 MiB"),
        ("[a]\nrw=read\nsize=1m\nbs=512m\nioengine=libaio\niodepth=999\n", "line 1: [a], iodepth: 999 reads in flight; allowed are"),
        ("[a]\nrw=read\nsize=1m\nnrfiles=4294967296\n", "line 4: nrfiles=4294967296: is too large"),
        (
            "[a]\nrw=read\nsize=1m\nioengine=libaio\niodepth=32\nrate_iops=1000\n",
            "line 6: rate_iops=1000: ops at a rate are timed one by one",
        ),
        ("[a]\nrw=read\nsize=1m\nbsrange=4k-8k\n", "line 4: bsrange=4k-8k: would be measured as something else"),
        ("[a]\nrw=READ\nsize=1m\n", "line 2: rw=READ: is not measured here; measured are `read`"),
    ] {
        assert!(refused(text).contains(wanted), "{text}: {}", refused(text));
    }
}

/// As fio's own example for drives has it: reads can be measured before writes can.
#[test]
fn sections_can_be_chosen() {
    let text =
        "[global]\nbs=4k\nsize=64m\n[seq-read]\nrw=read\nstonewall\n[trims]\nrw=trim\nstonewall\n[rand read]\nrw=randread\nstonewall\n";
    let told = refused(text);
    assert!(told.ends_with("the file: has sections that can be measured: add --section \"seq-read\" --section \"rand read\""), "{told}");
    let job = convert("job.fio", text, &[], &["rand read".into()]).expect("valid").job;
    assert_eq!(job.groups.iter().map(|group| group.name.as_str()).collect::<Vec<_>>(), ["rand-read"]);
    let none = convert("job.fio", text, &[], &["write".into()]).expect_err("no such section").to_string();
    assert!(none.contains("has no section write; it has seq-read, trims, rand read"), "{none}");
}

#[test]
fn text_of_the_file_stays_text_in_the_job() {
    let job = converted("[\"]\\u0000 = 'x]\nrw=read\nsize=1m\ndescription=\"quoted\" \\n = [[group]]\n");
    assert_eq!((job.job.groups.len(), job.job.groups[0].title.as_str()), (1, "\"quoted\" \\n = [[group]]"));
}

#[test]
fn what_flushes_is_written_by_what_can_flush() {
    let methods = |fsync: u32| {
        let text = format!("[a]\nrw=randwrite\nbs=4k\nsize=8m\nfsync={fsync}\n");
        converted(&text).job.groups[0].named().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert!(methods(0).iter().any(|name| name == "main/writable"));
    assert_eq!(methods(32), ["worker/sync", "rpc/transfer"]);
}
