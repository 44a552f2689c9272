//! Several reads in flight, and workers that share the ops.

use opfs_bench_core::fixture::{self, Checksum, file_name};
use opfs_bench_core::ops::Op;
use opfs_bench_core::share::{Deal, Share};
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

use super::super::lanes::{Lane, Lanes};
use super::super::{Copies, Queue};
use super::*;
use crate::opfs::Call;

const DEPTH: u32 = 4;

fn deep(whole: bool, open: Open) -> Group {
    Group { iodepth: DEPTH, ..group(whole, open) }
}

#[wasm_bindgen_test]
async fn every_method_reads_the_fixtures_bytes_with_several_reads_in_flight() {
    for (whole, open_when) in [(true, Open::Each), (true, Open::Kept), (false, Open::Each), (false, Open::Kept)] {
        let group = deep(whole, open_when);
        let (name, folder) = folder("deep").await;
        write(&folder, &group, SEED).await;
        for method in fitting(&group) {
            let Some((reader, served)) = open(method, &folder, &group).await else { continue };
            let mut bench = Bench::new(group.clone(), 0, SEED, 0);
            // Twice: buffers and questions are used again.
            for when in [When::Before, When::After] {
                let verification = bench.verify(&*reader, when).await.unwrap();
                assert_eq!(verification.found, verification.expected, "{} {open_when:?}", method.name);
                let batch = Batch { round: 3, stride: 1, n: 50, dither: Nanos(0), rate_iops: None };
                assert_eq!(bench.sample(&*reader, batch).await.unwrap().bytes, 50 * group.bs.0, "{} {open_when:?}", method.name);
            }
            drop((reader, served));
        }
        clean(&name).await;
    }
}

/// A deep batch in which a read fails, then one in which none does: nothing of the first may be taken for the second's.
#[wasm_bindgen_test]
async fn a_read_that_fails_leaves_the_next_batch_alone() {
    let group = deep(true, Open::Each);
    let (name, folder) = folder("half-missing").await;
    write(&folder, &group, SEED).await;
    let op = |file: u32| Op { file, at: 0, len: 3000 };
    let here: Vec<Op> = (0..5).cycle().take(30).map(op).collect();
    let missing: Vec<Op> = here.iter().enumerate().map(|(place, here)| if place == 9 { op(5) } else { *here }).collect();
    let mut tried = 0;
    // What another storage or memory holds is still there when the file is not.
    let holds = |method: &Method| matches!(method.copies, Copies::Stored | Copies::Held);
    for method in fitting(&group).filter(|method| !holds(method)) {
        let Some((reader, served)) = open(method, &folder, &group).await else { continue };
        let gone = file_name(&group.fileset(), 5);
        folder.remove(&gone).await.unwrap();
        for _ in 0..2 {
            let error = reader.read(&missing, None).await.unwrap_err().to_string();
            assert!(error.contains(&gone) && error.contains("NotFoundError"), "{}: {error}", method.name);
            let mut found = Checksum::new();
            let expected = fixture::expected(SEED, 0, &here, reader.form());
            let read = reader.read(&here, Some(&mut found)).await.unwrap_or_else(|error| panic!("{}: {error}", method.name));
            assert_eq!((read.bytes, found.digits()), (30 * 3000, expected), "{}", method.name);
        }
        drop((reader, served));
        write(&folder, &group, SEED).await;
        tried += 1;
    }
    assert!(tried >= 10, "{tried}");
    clean(&name).await;
}

#[wasm_bindgen(inline_js = "
export const never = () => ({ read: () => new Promise(() => {}), count: () => 0 });")]
extern "C" {
    /// Never comes.
    fn never() -> Lane;
}

#[wasm_bindgen_test]
async fn several_reads_that_never_settle_are_an_error_and_not_the_end() {
    let mut bench = Bench::new(deep(true, Open::Kept), 0, SEED, 0).with_deadline(50.0);
    let reader: Box<dyn super::super::Reader> = Box::new(Lanes::new(DEPTH, &[], Call::Promise, never));
    let batch = Batch { round: 0, stride: 1, n: 9, dither: Nanos(0), rate_iops: None };
    let errors = [bench.sample(&*reader, batch).await.unwrap_err(), bench.verify(&*reader, When::Before).await.unwrap_err()];
    for error in errors {
        assert!(error.to_string().contains("no answer within 0.05 s"), "{error}");
    }
}

#[wasm_bindgen_test]
async fn a_wrong_byte_is_noticed_in_whichever_order_reads_end() {
    let group = deep(true, Open::Each);
    let (name, folder) = folder("deep-wrong").await;
    write(&folder, &group, SEED).await;
    let handle = folder.file(&file_name(&group.fileset(), 3)).await.unwrap().open_sync_patiently().await.unwrap();
    handle.write_full(&[0, 1, 2, 3], 1500).unwrap();
    drop(handle);
    for method in fitting(&group).filter(|method| method.queue == Queue::Deep) {
        let Some((reader, served)) = open(method, &folder, &group).await else { continue };
        let verification = Bench::new(group.clone(), 0, SEED, 0).verify(&*reader, When::Before).await.unwrap();
        assert_ne!(verification.found, verification.expected, "{}", method.name);
        drop((reader, served));
    }
    clean(&name).await;
}

/// What the workers of a pool do, one after another in this one, with all their files open at the same time.
#[wasm_bindgen_test]
async fn workers_that_share_the_ops_read_all_of_them_and_hold_their_own_locks() {
    for (workers, open_when) in [(1, Open::Kept), (2, Open::Kept), (4, Open::Kept), (6, Open::Kept), (4, Open::Each)] {
        let group = Group { numjobs: workers, ..group(false, open_when) };
        let (name, folder) = folder("shares").await;
        write(&folder, &group, SEED).await;
        for method in all().filter(|method| method.deal.is_some() && method.does_work()) {
            let mut seats = Vec::new();
            for worker in 0..workers {
                let share = Share { worker, workers, deal: method.deal.unwrap() };
                let context = Context::new(folder.clone(), group.clone(), None).of_share(share);
                match (Found { method, slowed: None }).open(&context).await {
                    Ok(reader) => seats.push((reader, Bench::new(group.clone(), 0, SEED, 0).of_share(share))),
                    Err(Unopened::Absent { .. }) if method.deal == Some(Deal::Ops) => {}
                    Err(error) => panic!("{} of {workers} in {}: {error}", worker + 1, method.name),
                }
            }
            let (mut checked, mut bytes) = (0, 0);
            let absent = seats.is_empty();
            for (reader, bench) in &mut seats {
                let verification = bench.verify(&**reader, When::Before).await.unwrap();
                assert_eq!(verification.found, verification.expected, "{}", method.name);
                checked += verification.ops;
                bench.prepare(Batch { round: 3, stride: 1, n: 50, dither: Nanos(0), rate_iops: None });
                bytes += bench.read(&**reader).await.unwrap();
            }
            assert!(absent || (checked, bytes) == (18, 50 * group.bs.0), "{}: {checked} ops checked, {bytes} B read", method.name);
        }
        clean(&name).await;
    }
}
