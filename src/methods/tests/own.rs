//! Files of a person's own, of all sizes: read whole, and in blocks.

use js_sys::{Array, Uint8Array};
use opfs_bench_core::ops;
use opfs_bench_core::reference::Reference;
use opfs_bench_core::result::Fixture;
use opfs_bench_core::share::{Deal, Share};
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::Blob;

use super::*;
use crate::main::own::OwnFiles;
use crate::opfs::OpfsError;

/// The block of 1000 bytes leaves two of them out, and ends of the others.
const SIZES: [usize; 6] = [1, 4097, 1000, 999, 65_539, 2500];

fn bytes(file: usize) -> Vec<u8> {
    (0..SIZES[file]).map(|at| u8::try_from((at * 7 + file * 31) % 251).expect("below 251")).collect()
}

/// What [`groups`] are, on own files.
fn job(iodepth: u32) -> Job {
    let mut job = Job::from_toml(Job::preset("quick").expect("shipped")).expect("valid");
    job.groups = groups().into_iter().enumerate().map(|(place, group)| Group { name: format!("g{place}"), iodepth, ..group }).collect();
    // For its text to be known too.
    job.groups.iter_mut().for_each(|group| group.methods.push("main/text".parse().unwrap()));
    let sizes: Vec<u64> = SIZES.iter().map(|size| *size as u64).collect();
    let job = job.with_own(&sizes, &()).expect("they fit");
    assert_eq!((job.groups.len(), job.groups[0].nrfiles, job.groups[2].nrfiles), (4, 6, 4), "{:?}", job.left_out);
    job
}

/// Copies the files as a run does, by parts, and says what must be read of them.
async fn copy(folder: &Directory, job: &Job) -> (Fixture, Vec<Reference>) {
    let fileset = job.groups[0].fileset();
    let blob = |file| Blob::new_with_buffer_source_sequence(&Array::of1(&Uint8Array::from(&bytes(file)[..]))).unwrap();
    let mut own = OwnFiles::new(&(0..SIZES.len()).map(blob).collect());
    own.begin(job, SEED);
    let mut fixtures = Fixtures::default();
    for pass in [Pass::Write, Pass::Read] {
        for file in 0..fileset.nrfiles {
            let size = own.size(file);
            for from in (0..size).step_by(1500) {
                let part = Part { fileset, number: file, file, from, to: (from + 1500).min(size) };
                let source = match pass {
                    Pass::Write => Source::Own(own.read(file, from, part.to).await.unwrap()),
                    Pass::Read => Source::Seed(SEED),
                };
                fixtures.part(folder, &source, part, pass).await.unwrap();
            }
        }
    }
    own.end();
    (fixtures.finish(fileset), (0..4).map(|index| own.reference(index).expect("of own files")).collect())
}

fn bench(group: &Group, index: u32, reference: &Reference) -> Bench {
    Bench::new(group.clone(), index, SEED, 0).with_reference(Some(reference.clone()))
}

/// Whether the browser has the method, which then reads what it must, before rounds, in them and after them.
async fn reads(method: &'static Method, folder: &Directory, group: &Group, index: u32, reference: &Reference) -> Result<bool, OpfsError> {
    let Some((reader, _served)) = open(method, folder, group).await else { return Ok(false) };
    let mut bench = bench(group, index, reference);
    for when in [When::Before, When::After] {
        let verification = bench.verify(&*reader, when).await?;
        assert_eq!(verification.found, verification.expected, "{} {index}", method.name);
    }
    // In the order of random rounds, which begin with any of the files.
    for (round, n) in [(0, 3), (3, 7), (4, 40)] {
        let batch = Batch { round, stride: 1, n, dither: Nanos(0), rate_iops: None };
        let wanted = ops::bytes(group, SEED, index, round, 1, n);
        assert_eq!(bench.sample(&*reader, batch).await?.bytes, wanted, "{} {index} {n}", method.name);
    }
    Ok(true)
}

#[wasm_bindgen_test]
async fn every_method_reads_own_files_of_all_sizes() {
    for iodepth in [1, 4] {
        let job = job(iodepth);
        let (name, folder) = folder("own").await;
        let (fixture, references) = copy(&folder, &job).await;
        assert_eq!(fixture.checksum, fixture.read_back);
        for ((index, group), reference) in (0..).zip(&job.groups).zip(&references) {
            let mut read = 0;
            for method in fitting(group) {
                let mut found = reads(method, &folder, group, index, reference).await;
                if let Err(late) = &found
                    && late.to_string().contains("no answer within")
                {
                    // In Chromium a promise that never settles is rare, and no reader's mistake. Twice in a row would be one.
                    wasm_bindgen_test::console_log!("{} {index} {iodepth}, once more: {late}", method.name);
                    found = reads(method, &folder, group, index, reference).await;
                }
                read += u32::from(found.unwrap_or_else(|error| panic!("{} {index} {iodepth}: {error}", method.name)));
            }
            let uneven = group.is_uneven();
            let all = super::super::that_do(Work::Read).filter(|method| uneven && !method.one_length || !uneven && method.parts);
            let deep = |method: &&Method| iodepth == 1 || method.queue != super::super::Queue::OneByOne;
            let all = u32::try_from(all.filter(deep).count()).unwrap();
            assert!(read + 6 > all && read > 20, "{read} of {all} methods in group {index}");
        }
        clean(&name).await;
    }
}

#[wasm_bindgen_test]
async fn work_on_own_files_is_taken_apart_file_by_file() {
    let job = job(1);
    let (name, folder) = folder("own-apart").await;
    let (_, references) = copy(&folder, &job).await;
    for index in [0, 2] {
        let group = &job.groups[index];
        for method in fitting(group).filter(|method| method.deal.is_none()) {
            let Some((reader, served)) = open(method, &folder, group).await else { continue };
            let mut bench = bench(group, u32::try_from(index).expect("few"), &references[index]);
            bench.stages(&*reader, Nanos(5_000)).await.unwrap_or_else(|error| panic!("{}: {error}", method.name));
            bench.allocated(&*reader).await.unwrap_or_else(|error| panic!("{}: {error}", method.name));
            drop((reader, served));
        }
    }
    clean(&name).await;
}

#[wasm_bindgen_test]
async fn every_method_notices_a_byte_that_is_not_the_source_s() {
    let job = job(1);
    for index in 0..4 {
        let group = &job.groups[index];
        let (name, folder) = folder("own-damaged").await;
        let (_, references) = copy(&folder, &job).await;
        // Letters, which no decoding hides.
        let mut damaged = bytes(2);
        assert!(damaged[0].is_ascii());
        damaged[0] = if damaged[0] == b'a' { b'b' } else { b'a' };
        let handle = folder.create("own-2.bin").await.unwrap().open_sync().await.unwrap();
        handle.write_full(&damaged, 0).unwrap();
        drop(handle);
        let mut read = 0;
        for method in fitting(group) {
            let Some((reader, served)) = open(method, &folder, group).await else { continue };
            let mut bench = bench(group, u32::try_from(index).expect("few"), &references[index]);
            let verification = bench.verify(&*reader, When::Before).await.unwrap();
            assert_ne!(verification.found, verification.expected, "{} {index}", method.name);
            drop((reader, served));
            read += 1;
        }
        assert!(read > 20, "{read}");
        clean(&name).await;
    }
}

#[wasm_bindgen_test]
async fn a_worker_of_a_pool_reads_its_share_of_own_files() {
    let job = job(1);
    let (name, folder) = folder("own-pool").await;
    let (_, references) = copy(&folder, &job).await;
    for (index, api) in [(0, "pool/sync"), (0, "pool/slice"), (2, "pool/sync"), (2, "pool/slice")] {
        let method = super::super::find(&api.parse().unwrap()).unwrap();
        let group = Group { numjobs: 3, ..job.groups[index].clone() };
        for worker in 0..3 {
            let share = Share { worker, workers: 3, deal: method.method.deal.unwrap() };
            let context = Context::new(folder.clone(), group.clone(), None).of_share(share);
            let reader = method.open(&context).await.unwrap_or_else(|error| panic!("{api}: {error}"));
            let mut bench = bench(&group, u32::try_from(index).expect("few"), &references[index]).of_share(share);
            let verification = bench.verify(&*reader, When::Before).await.unwrap();
            assert_eq!(verification.found, verification.expected, "{api} {worker}");
            assert!(verification.ops > 0 && (share.deal == Deal::Files || verification.ops >= 2), "{verification:?}");
        }
    }
    clean(&name).await;
}
