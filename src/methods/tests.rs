//! Every method on real files in a real browser, in a dedicated worker. The main thread's methods run here too: their code is
//! the same, and a worker is where fixtures can be written.

use std::rc::Rc;

use opfs_bench_core::fixture::{Checksum, FixtureFile, file_name};
use opfs_bench_core::job::{Group, Job, Open, Thread, Timing};
use opfs_bench_core::ops::Op;
use opfs_bench_core::result::{EndsUp, When};
use opfs_bench_core::seed::Seed;
use opfs_bench_core::units::{Bytes, Nanos};
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::MessageChannel;

use super::slowed::Slowed;
use super::{Block, Context, Found, Loop, Method, Reader, Served, Sink, Timed, all, find};
use crate::bench::Bench;
use crate::clock;
use crate::opfs::{Directory, OpfsError, PREFIX};
use crate::worker::fixtures::{Fixtures, Part};
use crate::worker::messages::{Batch, Pass};

const SEED: Seed = Seed(11);

/// Six files of three blocks of 1 000 bytes, or whole.
fn group(whole: bool, open: Open) -> Group {
    let (open, bs) = (if open == Open::Each { "each" } else { "kept" }, if whole { 3000 } else { 1000 });
    let text = format!(
        r#"
        name = "test"
        title = "Test"
        budget_s = 1
        storage = "1 MiB"
        [[group]]
        name = "test"
        title = "Test"
        rw = "randread"
        bs = {bs}
        size = 18000
        nrfiles = 6
        open = "{open}"
        baseline = "main/slice"
        methods = ["worker/sync"]
        "#
    );
    Job::from_toml(&text).expect("valid").groups.remove(0)
}

async fn folder(name: &str) -> (String, Directory) {
    let name = format!("{PREFIX}test-{name}");
    let folder = Directory::root().await.unwrap().directory(&name).await.unwrap();
    (name, folder)
}

async fn write(folder: &Directory, group: &Group, seed: Seed) {
    let mut fixtures = Fixtures::default();
    for pass in [Pass::Write, Pass::Read] {
        for file in 0..group.nrfiles {
            let part = Part { fileset: group.fileset(), number: file, file, from: 0, to: group.fileset().file_size.0 };
            fixtures.part(folder, seed, part, pass).await.unwrap();
        }
    }
    let fixture = fixtures.finish(group.fileset());
    assert_eq!(fixture.checksum, fixture.read_back);
}

/// Opens a method; one that asks a worker is served by this very thread.
async fn open(method: &'static Method, folder: &Directory, group: &Group) -> (Rc<dyn Reader>, Option<Box<dyn Served>>) {
    open_found(Found { method, slowed: None }, folder, group).await
}

async fn open_found(found: Found, folder: &Directory, group: &Group) -> (Rc<dyn Reader>, Option<Box<dyn Served>>) {
    let channel = MessageChannel::new().unwrap();
    let context = Context::new(folder.clone(), group.clone(), Some(channel.port1()));
    let served = match found.method.serve {
        Some(serve) => Some(serve(&context, channel.port2()).await.unwrap()),
        None => None,
    };
    (found.open(&context).await.unwrap(), served)
}

fn fitting(group: &Group) -> impl Iterator<Item = &'static Method> {
    all().filter(|method| method.reads() && super::unfit(method, group).is_none())
}

#[wasm_bindgen_test]
async fn every_method_reads_the_fixtures_bytes_and_counts_them() {
    let mut tried = 0;
    for (whole, open_when) in [(true, Open::Each), (true, Open::Kept), (false, Open::Each), (false, Open::Kept)] {
        let group = group(whole, open_when);
        let (name, folder) = folder("right").await;
        write(&folder, &group, SEED).await;
        for method in fitting(&group) {
            let (reader, served) = open(method, &folder, &group).await;
            let mut bench = Bench::new(group.clone(), 0, SEED, 0);
            let verification = bench.verify(&*reader, When::Before).await.unwrap();
            assert_eq!(verification.found, verification.expected, "{} {open_when:?}", method.name);
            let batch = Batch { round: 3, stride: 1, n: 40, dither: Nanos(10_000), rate_iops: None };
            let timed = bench.sample(&*reader, batch).await.unwrap();
            assert_eq!(timed.bytes, 40 * group.bs.0, "{} {open_when:?}", method.name);
            assert!(timed.elapsed.is_some() && timed.ops.is_empty() && timed.pacing.is_none());
            drop((reader, served));
            tried += 1;
        }
        Directory::root().await.unwrap().remove(&name).await.unwrap();
    }
    assert_eq!(
        tried,
        2 * all().filter(|method| method.reads()).count() + 2 * all().filter(|method| method.reads() && method.parts).count()
    );
}

#[wasm_bindgen_test]
async fn every_method_is_timed_op_by_op_in_a_loop_and_at_a_rate() {
    for open_when in [Open::Each, Open::Kept] {
        let group = Group { timing: Timing::Ops, ..group(true, open_when) };
        let (name, folder) = folder("one-by-one").await;
        write(&folder, &group, SEED).await;
        for method in fitting(&group) {
            let (reader, served) = open(method, &folder, &group).await;
            for rate_iops in [None, Some(1_000)] {
                let batch = Batch { round: 3, stride: 1, n: 20, dither: Nanos(10_000), rate_iops };
                let sampled = Bench::new(group.clone(), 0, SEED, 0).sample(&*reader, batch).await.unwrap();
                assert_eq!((sampled.bytes, sampled.ops.len()), (20 * group.bs.0, 20), "{} {open_when:?}", method.name);
                assert_eq!(sampled.elapsed, Some(sampled.ops.iter().copied().sum()), "{}", method.name);
                assert_eq!(sampled.pacing.is_some(), rate_iops.is_some());
            }
            drop((reader, served));
        }
        Directory::root().await.unwrap().remove(&name).await.unwrap();
    }
}

#[wasm_bindgen_test]
async fn every_method_notices_a_fixture_of_other_bytes() {
    for group in [group(true, Open::Each), group(true, Open::Kept)] {
        let (name, folder) = folder("wrong").await;
        write(&folder, &group, Seed(12)).await;
        for method in fitting(&group) {
            let (reader, served) = open(method, &folder, &group).await;
            let verification = Bench::new(group.clone(), 0, SEED, 0).verify(&*reader, When::Before).await.unwrap();
            assert_ne!(verification.found, verification.expected, "{}", method.name);
            drop((reader, served));
        }
        Directory::root().await.unwrap().remove(&name).await.unwrap();
    }
}

/// Says that it has read, and leaves its block as it is.
struct Pretender {
    block: Block,
}

impl Loop for Pretender {
    async fn run(&self, ops: &[Op], sink: &mut impl Sink) -> Result<Timed, OpfsError> {
        sink.begin(&self.block);
        for _ in ops {
            sink.block(&self.block);
        }
        Ok(Timed { elapsed_ms: 0.0, bytes: ops.iter().map(|op| u64::from(op.len)).sum() })
    }
}

#[wasm_bindgen_test]
async fn a_block_that_holds_the_right_bytes_already_is_no_read() {
    let mut group = group(true, Open::Kept);
    (group.size, group.nrfiles) = (group.bs, 1);
    let mut bytes = vec![0; 3000];
    FixtureFile::new(SEED, 0).fill(0, &mut bytes);
    let pretender = Pretender { block: Block::new(3000) };
    pretender.block.view().copy_from(&bytes);
    let verification = Bench::new(group, 0, SEED, 0).verify(&pretender, When::Before).await.unwrap();
    assert_ne!(verification.found, verification.expected);
}

#[wasm_bindgen_test]
async fn every_method_says_which_call_failed_on_which_file() {
    let group = group(true, Open::Each);
    let (name, folder) = folder("missing").await;
    for method in fitting(&group) {
        let (reader, served) = open(method, &folder, &group).await;
        let error = Bench::new(group.clone(), 0, SEED, 0).verify(&*reader, When::Before).await.unwrap_err().to_string();
        assert!(
            error.contains("getFileHandle()") && error.contains("6x3000-") && error.contains("NotFoundError"),
            "{}: {error}",
            method.name
        );
        drop((reader, served));
    }
    Directory::root().await.unwrap().remove(&name).await.unwrap();
}

#[wasm_bindgen_test]
async fn a_file_that_is_too_short_is_an_error_not_a_fast_read() {
    let group = group(true, Open::Kept);
    let (name, folder) = folder("short").await;
    write(&folder, &group, SEED).await;
    for file in 0..group.nrfiles {
        let handle = folder.file(&file_name(&group.fileset(), file)).await.unwrap();
        handle.open_sync_patiently().await.unwrap().truncate(2999).unwrap();
    }
    for method in fitting(&group) {
        let (reader, served) = open(method, &folder, &group).await;
        let batch = Batch { round: 0, stride: 1, n: 6, dither: Nanos(0), rate_iops: None };
        match Bench::new(group.clone(), 0, SEED, 0).sample(&*reader, batch).await {
            Ok(timed) => assert_eq!(timed.bytes, 6 * 2999, "{}", method.name),
            Err(error) => assert!(error.to_string().contains("2999 of 3000 B"), "{}: {error}", method.name),
        }
        drop((reader, served));
    }
    Directory::root().await.unwrap().remove(&name).await.unwrap();
}

#[wasm_bindgen_test]
async fn blocks_larger_than_what_is_left_of_wasm_memory_are_checked_right() {
    let mut group = group(true, Open::Kept);
    (group.bs, group.size, group.nrfiles) = (Bytes(5 << 20), Bytes(15 << 20), 3);
    let (name, folder) = folder("large").await;
    write(&folder, &group, SEED).await;
    for method in fitting(&group) {
        let (reader, served) = open(method, &folder, &group).await;
        let verification = Bench::new(group.clone(), 0, SEED, 0).verify(&*reader, When::Before).await.unwrap();
        assert_eq!(verification.found, verification.expected, "{}", method.name);
        drop((reader, served));
    }
    Directory::root().await.unwrap().remove(&name).await.unwrap();
}

#[wasm_bindgen_test]
async fn the_empty_loops_read_nothing() {
    let group = group(true, Open::Kept);
    let (name, folder) = folder("empty").await;
    for method in all().filter(|method| !method.reads()) {
        let (reader, _) = open(method, &folder, &group).await;
        let batch = Batch { round: 0, stride: 1, n: 100, dither: Nanos(0), rate_iops: None };
        let timed = Bench::new(group.clone(), 0, SEED, 0).sample(&*reader, batch).await.unwrap();
        assert_eq!((timed.bytes, method.ends_up), (0, EndsUp::Nowhere));
    }
    Directory::root().await.unwrap().remove(&name).await.unwrap();
}

#[wasm_bindgen_test]
fn threads_and_destinations_agree() {
    for method in all().filter(|method| method.reads()) {
        let thread = method.name.parse::<opfs_bench_core::job::MethodName>().unwrap().thread();
        let in_worker = matches!(method.ends_up, EndsUp::WorkerBuffer | EndsUp::WorkerWasm);
        assert_eq!(thread == Thread::Worker, in_worker, "{}", method.name);
        assert_eq!(thread == Thread::Rpc, method.serve.is_some(), "{}", method.name);
    }
}

#[wasm_bindgen_test]
async fn a_slowed_method_reads_the_plain_one_s_bytes_and_counts_them() {
    let group = group(true, Open::Kept);
    let (name, folder) = folder("slowed").await;
    write(&folder, &group, SEED).await;
    for method in fitting(&group) {
        for percent in [0, 100] {
            let slowed = format!("{}-slowed-{percent}", method.name);
            let found = find(&slowed.parse().unwrap()).unwrap();
            let (reader, served) = open_found(found, &folder, &group).await;
            let mut bench = Bench::new(group.clone(), 0, SEED, 0);
            let verification = bench.verify(&*reader, When::Before).await.unwrap();
            assert_eq!(verification.found, verification.expected, "{slowed}");
            let timed = bench.sample(&*reader, Batch { round: 3, stride: 1, n: 40, dither: Nanos(0), rate_iops: None }).await.unwrap();
            assert_eq!(timed.bytes, 40 * group.bs.0, "{slowed}");
            drop((reader, served));
        }
    }
    Directory::root().await.unwrap().remove(&name).await.unwrap();
}

/// Says that it took this many milliseconds.
struct Claims(f64);

impl Loop for Claims {
    async fn run(&self, _: &[Op], _: &mut impl Sink) -> Result<Timed, OpfsError> {
        Ok(Timed { elapsed_ms: self.0, bytes: 7 })
    }
}

/// On this browser's own clock: without the random part of a tick, every batch would be half a tick too long.
#[wasm_bindgen_test]
async fn slowed_by_100_per_cent_is_twice_as_long_on_average() {
    const BATCHES: u32 = 1_000;
    let tick = clock::measure_tick().unwrap();
    let ticks = 2.5;
    let plain_ms = ticks * tick.as_ms();
    let slowed = Slowed::new(Rc::new(Claims(plain_ms)), 100, tick);
    let mut sum = 0.0;
    for _ in 0..BATCHES {
        let timed = slowed.read(&[], None).await.unwrap();
        assert_eq!(timed.bytes, 7);
        // A machine that takes the thread away in the middle of a wait is not what is tested.
        sum += ((timed.elapsed_ms - plain_ms) / tick.as_ms()).min(ticks + 1.0);
    }
    let mean = sum / f64::from(BATCHES);
    assert!((mean - ticks).abs() < 0.2, "{mean} ticks of {tick:?} for {ticks}");
}

#[wasm_bindgen_test]
async fn slowed_by_nothing_or_checked_is_exactly_as_long() {
    for (percent, check) in [(0, false), (100, true)] {
        let slowed = Slowed::new(Rc::new(Claims(1.25)), percent, Nanos(1_000));
        let mut checksum = Checksum::new();
        let timed = slowed.read(&[], check.then_some(&mut checksum)).await.unwrap();
        assert_eq!(timed.elapsed_ms, 1.25, "{percent} %");
    }
}
