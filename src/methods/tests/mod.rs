//! Every method on real files in a real browser, in a dedicated worker. The main thread's methods run here too: their code is
//! the same, and a worker is where fixtures can be written.

mod buffered;
mod mistakes;
mod options;
mod own;
mod parallel;
mod slowed;
mod text;
mod writing;

use std::rc::Rc;

use opfs_bench_core::job::{Group, Job, Open, Thread, Timing, Work};
use opfs_bench_core::result::{EndsUp, When};
use opfs_bench_core::seed::Seed;
use opfs_bench_core::units::{Bytes, Nanos};
use wasm_bindgen::JsValue;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::MessageChannel;

use super::{Context, Found, Method, Reader, Served, Unopened, all};
use crate::bench::Bench;
use crate::lines::{Channel, Port};
use crate::opfs::{Directory, PREFIX};
use crate::stores;
use crate::worker::fixtures::{Fixtures, Part, Source};
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
            fixtures.part(folder, &Source::Seed(seed), part, pass).await.unwrap();
        }
    }
    let fixture = fixtures.finish(group.fileset());
    assert_eq!(fixture.checksum, fixture.read_back);
}

/// Removes a folder, and the copies that are named after it.
async fn clean(name: &str) {
    Directory::root().await.unwrap().remove(name).await.unwrap();
    stores::remove(name).await.unwrap();
}

/// An open method, and what serves it where it asks a worker: this very thread.
type OpenMethod = (Rc<dyn Reader>, Option<Box<dyn Served>>);

/// Opens a method. None where the browser lacks it, and says what.
async fn open(method: &'static Method, folder: &Directory, group: &Group) -> Option<OpenMethod> {
    open_found(Found { method, slowed: None }, folder, group).await
}

async fn open_found(found: Found, folder: &Directory, group: &Group) -> Option<OpenMethod> {
    let name = found.method.name;
    match try_open(found, folder, group).await {
        Ok(open) => Some(open),
        Err(Unopened::Absent { missing }) => {
            // These alone are asked for by more than their names.
            let mode = name.contains("/sync-") && missing.starts_with("createSyncAccessHandle({ mode: ");
            let stream = name.ends_with("/stream-byob") && missing.contains("ReadableStreamBYOBReader");
            let isolated = name.starts_with("rpc/shared") && missing.contains("isolated");
            assert!(mode || stream || isolated || found.method.needs.contains(&missing.as_str()), "{name}: {missing}");
            None
        }
        Err(Unopened::Failed { error }) => panic!("{name}: {error}"),
    }
}

/// Both ends of a line, as between a page and its worker.
fn line() -> (Port, Port) {
    let channel = MessageChannel::new().unwrap();
    let end = |end: &JsValue| {
        let channel = Channel::of(end, |_| unreachable!("there are no requests"));
        let line = channel.line(1);
        // It would be heard as long as the other end speaks.
        std::mem::forget(channel);
        line
    };
    (end(&channel.port1()), end(&channel.port2()))
}

async fn try_open(found: Found, folder: &Directory, group: &Group) -> Result<OpenMethod, Unopened> {
    let (asks, answers) = line();
    let context = Context::new(folder.clone(), group.clone(), Some(asks));
    let served = match found.method.serve {
        Some(serve) => Some(serve(&context, answers).await?),
        None => None,
    };
    Ok((found.open(&context).await?, served))
}

fn fitting(group: &Group) -> impl Iterator<Item = &'static Method> {
    all().filter(|method| method.does_work() && super::fit::unfit(method, group).is_none())
}

/// Whole files and parts of them, opened each time and kept open.
fn groups() -> [Group; 4] {
    [(true, Open::Each), (true, Open::Kept), (false, Open::Each), (false, Open::Kept)].map(|(whole, open)| group(whole, open))
}

/// Which methods a test of [`groups`] has tried, by their names, and which this browser lacks.
#[derive(Default)]
struct Seen {
    tried: Vec<&'static str>,
    absent: Vec<&'static str>,
}

impl Seen {
    fn tried(&mut self, method: &Method) {
        self.tried.push(method.name);
    }

    fn absent(&mut self, method: &Method) {
        self.absent.push(method.name);
    }

    /// Fails unless every method of the registry was met in all the groups that it fits, and most of them are in this browser.
    fn assert_all(&self) {
        assert!(self.tried.len() > self.absent.len(), "lacking: {:?}", self.absent);
        for method in super::that_do(Work::Read) {
            let met = self.tried.iter().chain(&self.absent).filter(|name| **name == method.name).count();
            assert_eq!(met, if method.parts { 4 } else { 2 }, "{}", method.name);
        }
    }
}

#[wasm_bindgen_test]
async fn every_method_reads_the_fixtures_bytes_and_counts_them() {
    let mut seen = Seen::default();
    for group in groups() {
        let (name, folder) = folder("right").await;
        write(&folder, &group, SEED).await;
        for method in fitting(&group) {
            let Some((reader, served)) = open(method, &folder, &group).await else {
                seen.absent(method);
                continue;
            };
            let mut bench = Bench::new(group.clone(), 0, SEED, 0);
            let verification = bench.verify(&*reader, When::Before).await.unwrap();
            assert_eq!(verification.found, verification.expected, "{} {:?}", method.name, group.open);
            let batch = Batch { round: 3, stride: 1, n: 40, dither: Nanos(10_000), rate_iops: None };
            let timed = bench.sample(&*reader, batch).await.unwrap();
            assert_eq!(timed.bytes, 40 * group.bs.0, "{} {:?}", method.name, group.open);
            assert!(timed.elapsed.is_some() && timed.ops.is_empty() && timed.pacing.is_none());
            drop((reader, served));
            seen.tried(method);
        }
        clean(&name).await;
    }
    seen.assert_all();
}

#[wasm_bindgen_test]
async fn every_method_is_timed_op_by_op_in_a_loop_and_at_a_rate() {
    for open_when in [Open::Each, Open::Kept] {
        let group = Group { timing: Timing::Ops, ..group(true, open_when) };
        let (name, folder) = folder("one-by-one").await;
        write(&folder, &group, SEED).await;
        for method in fitting(&group) {
            let Some((reader, served)) = open(method, &folder, &group).await else { continue };
            for rate_iops in [None, Some(1_000)] {
                let batch = Batch { round: 3, stride: 1, n: 20, dither: Nanos(10_000), rate_iops };
                let sampled = Bench::new(group.clone(), 0, SEED, 0).sample(&*reader, batch).await.unwrap();
                assert_eq!((sampled.bytes, sampled.ops.len()), (20 * group.bs.0, 20), "{} {open_when:?}", method.name);
                assert_eq!(sampled.elapsed, Some(sampled.ops.iter().copied().sum()), "{}", method.name);
                assert_eq!(sampled.pacing.is_some(), rate_iops.is_some());
            }
            drop((reader, served));
        }
        clean(&name).await;
    }
}

#[wasm_bindgen_test]
async fn every_method_notices_a_fixture_of_other_bytes() {
    for group in [group(true, Open::Each), group(true, Open::Kept)] {
        let (name, folder) = folder("wrong").await;
        write(&folder, &group, Seed(12)).await;
        for method in fitting(&group) {
            let Some((reader, served)) = open(method, &folder, &group).await else { continue };
            let verification = Bench::new(group.clone(), 0, SEED, 0).verify(&*reader, When::Before).await.unwrap();
            assert_ne!(verification.found, verification.expected, "{}", method.name);
            drop((reader, served));
        }
        clean(&name).await;
    }
}

#[wasm_bindgen_test]
async fn blocks_larger_than_what_is_left_of_wasm_memory_are_checked_right() {
    let mut group = group(true, Open::Kept);
    (group.bs, group.size, group.nrfiles) = (Bytes(5 << 20), Bytes(15 << 20), 3);
    let (name, folder) = folder("large").await;
    write(&folder, &group, SEED).await;
    for method in fitting(&group) {
        let Some((reader, served)) = open(method, &folder, &group).await else { continue };
        let verification = Bench::new(group.clone(), 0, SEED, 0).verify(&*reader, When::Before).await.unwrap();
        assert_eq!(verification.found, verification.expected, "{}", method.name);
        drop((reader, served));
    }
    clean(&name).await;
}

#[wasm_bindgen_test]
async fn the_empty_loops_read_nothing() {
    let group = group(true, Open::Kept);
    let (name, folder) = folder("empty").await;
    for method in all().filter(|method| !method.does_work()) {
        let Some((reader, _)) = open(method, &folder, &group).await else { continue };
        let batch = Batch { round: 0, stride: 1, n: 100, dither: Nanos(0), rate_iops: None };
        let timed = Bench::new(group.clone(), 0, SEED, 0).sample(&*reader, batch).await.unwrap();
        assert_eq!((timed.bytes, method.ends_up), (0, EndsUp::Nowhere));
    }
    clean(&name).await;
}

/// What a registry has that is ahead of this browser.
const TELEPATHY: &Method = &Method::new("main/telepathy", EndsUp::MainBuffer, |_| unreachable!("it is not in this browser"))
    .needs(&["Blob.prototype.bytes", "Blob.prototype.telepathy"]);

#[wasm_bindgen_test]
async fn a_method_that_the_browser_lacks_says_what_is_missing() {
    let (name, folder) = folder("absent").await;
    let opened = try_open(Found { method: TELEPATHY, slowed: None }, &folder, &group(true, Open::Kept)).await;
    assert_eq!(opened.err(), Some(Unopened::absent("Blob.prototype.telepathy")));
    clean(&name).await;
}

#[wasm_bindgen_test]
fn threads_and_destinations_agree() {
    for method in super::that_do(Work::Read) {
        let thread = method.name.parse::<opfs_bench_core::job::MethodName>().unwrap().thread();
        let in_worker = matches!(method.ends_up, EndsUp::WorkerBuffer | EndsUp::WorkerWasm | EndsUp::WorkerText);
        assert_eq!(thread.timed_in_worker() || thread == Thread::Pool, in_worker, "{}", method.name);
        assert_eq!(thread == Thread::Pool, method.deal.is_some(), "{}", method.name);
        assert_eq!(thread == Thread::Rpc, method.serve.is_some(), "{}", method.name);
    }
}
