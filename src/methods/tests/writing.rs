//! Methods that write, copy, open and lock: on real files, and where something goes wrong with what they write.

use opfs_bench_core::job::Rw;
use opfs_bench_core::ops::Op;
use opfs_bench_core::result::Verification;
use opfs_bench_core::written::Pattern;

use super::*;
use crate::opfs::OpfsError;

const BATCH: Batch = Batch { round: 3, stride: 1, n: 40, dither: Nanos(10_000), rate_iops: None };
const PATTERN: Pattern = Pattern { seed: SEED, group: 0, round: 5 };

/// Two files of three blocks of 1 000 bytes, or whole.
fn group(whole: bool, open: Open, rw: Rw) -> Group {
    Group { rw, size: Bytes(6_000), nrfiles: 2, ..super::group(whole, open) }
}

/// Everything that is no read, in the ways in which it may be asked for.
fn works() -> Vec<Group> {
    let each = group(false, Open::Each, Rw::Write);
    let kept = group(false, Open::Kept, Rw::RandWrite);
    let mut groups = vec![
        group(true, Open::Each, Rw::Write),
        Group { fsync: 3, ..each.clone() },
        each,
        Group { fsync: 3, ..kept.clone() },
        Group { end_fsync: true, ..kept.clone() },
        Group { end_fsync: true, iodepth: 4, ..kept.clone() },
        kept,
    ];
    groups.extend([Rw::Copy, Rw::Open, Rw::Lock].map(|rw| group(false, Open::Each, rw)));
    groups
}

fn told(method: &Method, group: &Group) -> String {
    let Group { rw, open, fsync, end_fsync, iodepth, bs, .. } = group;
    format!("{} {rw:?} {open:?} {bs} fsync {fsync} {end_fsync} iodepth {iodepth}", method.name)
}

#[wasm_bindgen_test]
async fn every_method_does_what_it_is_asked_and_leaves_the_fixture_as_it_was() {
    let mut tried = Vec::new();
    for group in works() {
        let (name, folder) = folder("works").await;
        write(&folder, &group, SEED).await;
        for method in fitting(&group) {
            let Some((reader, served)) = open(method, &folder, &group).await else {
                tried.push(method.name);
                continue;
            };
            let mut bench = Bench::new(group.clone(), 0, SEED, 0);
            let told = told(method, &group);
            let before = bench.verify(&*reader, When::Before).await.unwrap_or_else(|error| panic!("{told}: {error}"));
            assert_eq!(before.found, before.expected, "{told}");
            let timed = bench.sample(&*reader, BATCH).await.unwrap_or_else(|error| panic!("{told}: {error}"));
            assert_eq!(timed.bytes, 40 * group.op_bytes().0, "{told}");
            assert_eq!(super::super::flush(&*reader).await.map(|_| ()), Ok(()), "{told}");
            bench.allocated(&*reader).await.unwrap_or_else(|error| panic!("{told}: {error}"));
            let after = bench.verify(&*reader, When::After).await.unwrap();
            assert_eq!(after.found, after.expected, "{told}");
            assert!(after.ops >= 2, "{told}: {} blocks were checked", after.ops);
            drop((reader, served));
            tried.push(method.name);
        }
        // What reads the fixture finds it unchanged.
        let reads = Group { rw: Rw::Read, fsync: 0, end_fsync: false, iodepth: 1, ..group.clone() };
        let (reader, _) = open(all().find(|method| method.name == "worker/slice").unwrap(), &folder, &reads).await.unwrap();
        let verification = Bench::new(reads, 0, SEED, 0).verify(&*reader, When::Before).await.unwrap();
        assert_eq!(verification.found, verification.expected);
        clean(&name).await;
    }
    let able = |method: &&Method| {
        method.does_work() && [Work::Write, Work::Copy, Work::Open, Work::Lock].iter().any(|work| method.opener(*work).is_some())
    };
    for method in all().filter(able) {
        assert!(tried.contains(&method.name), "{}", method.name);
    }
}

/// What goes wrong with a batch.
#[derive(Clone, Copy, Debug)]
enum Wrong {
    /// Its last op is never done.
    Skipped,
    /// Its last op goes to where another was to go.
    Misplaced,
    /// Other bytes are written, or one of a copy becomes another.
    Bytes,
    /// Nothing at all is written.
    Lost,
}

/// A batch of which something is wrong, and what its check says.
async fn batch(reader: &dyn Reader, bench: &mut Bench, ops: &[Op], wrong: Option<Wrong>, copies: bool) -> Result<Verification, OpfsError> {
    let writer = reader.writer().expect("it writes");
    // Something was written there before: what is lost is not missed, but old.
    for (pattern, wrong) in [(Pattern { round: 4, ..PATTERN }, None), (PATTERN, wrong)] {
        writer.files().begin(ops);
        let other = Pattern { round: 99, ..pattern };
        writer.ready(if matches!(wrong, Some(Wrong::Bytes)) { other } else { pattern }, ops).await?;
        let (all, last) = (ops.to_vec(), ops.len() - 1);
        let mut done = all.clone();
        match wrong {
            Some(Wrong::Skipped) => done.truncate(last),
            Some(Wrong::Misplaced) => done[last] = ops[0],
            Some(Wrong::Lost) => done.clear(),
            Some(Wrong::Bytes) | None => {}
        }
        reader.read(&done, None).await?;
        writer.settle();
        writer.files().end(pattern.round, &all);
    }
    if matches!(wrong, Some(Wrong::Bytes)) && copies {
        let files = writer.files();
        let handle = files.directory.file(&files.names[1]).await?.open_sync_patiently().await?;
        let block = super::super::Block::new(1);
        handle.read_full(&block.view(), 2_999)?;
        block.spoil();
        handle.write_all(&block.view(), 2_999)?;
    }
    bench.verify(reader, When::After).await
}

#[wasm_bindgen_test]
async fn a_write_that_is_skipped_misplaced_lost_or_changed_is_found_for_every_method() {
    let [blocks, each] = [Open::Kept, Open::Each].map(|open| group(false, open, Rw::Write));
    let copies = group(false, Open::Each, Rw::Copy);
    let mut tried = 0;
    for group in [blocks, each, copies] {
        let (name, folder) = folder("wrong-writes").await;
        write(&folder, &group, SEED).await;
        let mut ops = Vec::new();
        let blocks = if group.rw == Rw::Copy { 2 } else { 6 };
        opfs_bench_core::ops::round(&group, SEED, 0, 5, blocks, blocks, &mut ops);
        for method in fitting(&group) {
            for wrong in [None, Some(Wrong::Skipped), Some(Wrong::Misplaced), Some(Wrong::Bytes), Some(Wrong::Lost)] {
                let Some((reader, served)) = open(method, &folder, &group).await else { continue };
                let mut bench = Bench::new(group.clone(), 0, SEED, 0);
                let found = batch(&*reader, &mut bench, &ops, wrong, group.rw == Rw::Copy)
                    .await
                    .unwrap_or_else(|error| panic!("{} {wrong:?}: {error}", method.name));
                assert_eq!(found.found == found.expected, wrong.is_none(), "{wrong:?} {}", told(method, &group));
                assert_eq!(found.ops, blocks);
                drop((reader, served));
                tried += 1;
            }
        }
        clean(&name).await;
    }
    assert!(tried >= 5 * 6, "{tried}");
}
