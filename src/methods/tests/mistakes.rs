//! What a method must not take for a read, and what it says of one that fails.

use js_sys::{Promise, Uint8Array};
use opfs_bench_core::fixture::{FixtureFile, file_name};
use opfs_bench_core::ops::Op;
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::wasm_bindgen_test;

use super::super::{Block, Loop, Sink, Timed, shared};
use super::*;
use crate::opfs::{OpfsError, View};

/// Short, so that tests are; any answer that does come takes less.
const DEADLINE_MS: f64 = 100.0;

/// Says that it has read, and leaves its block as it is.
struct Pretender {
    block: Block,
}

impl Loop for Pretender {
    async fn run(&self, ops: &[Op], sink: &mut impl Sink) -> Result<Timed, OpfsError> {
        sink.begin(&self.block);
        for op in ops {
            sink.block(&self.block, op.len);
        }
        Ok(Timed { elapsed_ms: 0.0, bytes: ops.iter().map(|op| u64::from(op.len)).sum() })
    }
}

#[wasm_bindgen_test]
async fn memory_that_holds_the_right_bytes_already_is_no_read() {
    let mut group = group(true, Open::Kept);
    (group.size, group.nrfiles) = (group.bs, 1);
    let mut bytes = vec![0; 3000];
    FixtureFile::new(SEED, 0).fill(0, &mut bytes);
    let pretender = Pretender { block: Block::new(3000) };
    pretender.block.view().js().copy_from(&bytes);
    let lanes = shared::unread(&bytes);
    for reader in [&pretender as &dyn Reader, &lanes] {
        let verification = Bench::new(group.clone(), 0, SEED, 0).verify(reader, When::Before).await.unwrap();
        assert_ne!(verification.found, verification.expected);
    }
}

#[wasm_bindgen_test]
async fn every_method_says_which_call_failed_on_which_file() {
    let group = group(true, Open::Each);
    let (name, folder) = folder("missing").await;
    for method in fitting(&group) {
        let error = match try_open(Found { method, slowed: None }, &folder, &group).await {
            Ok((reader, _served)) => Bench::new(group.clone(), 0, SEED, 0).verify(&*reader, When::Before).await.unwrap_err().to_string(),
            // There is nothing to copy.
            Err(Unopened::Failed { error }) => error,
            Err(Unopened::Absent { .. }) => continue,
        };
        assert!(
            error.contains("getFileHandle()") && error.contains("6x3000-") && error.contains("NotFoundError"),
            "{}: {error}",
            method.name
        );
    }
    clean(&name).await;
}

/// What happens to a group's first file after it was written.
#[derive(Clone, Copy, Debug)]
enum Damage {
    /// A byte in the middle is another: a letter, which no decoding hides.
    ChangedByte,
    /// The last byte is gone.
    Truncated,
    /// Its first and its second block have changed places.
    SwappedBlocks,
}

impl Damage {
    async fn happen(self, folder: &Directory, group: &Group) {
        let file = folder.file(&file_name(&group.fileset(), 0)).await.unwrap().open_sync_patiently().await.unwrap();
        let read = |at: u64, length: u32| {
            let bytes = Uint8Array::new_with_length(length);
            file.read_full(&View::of(bytes.clone()), at).unwrap();
            bytes.to_vec()
        };
        match self {
            Self::ChangedByte => {
                let letter = if read(1_500, 1)[0] == b'a' { b'b' } else { b'a' };
                file.write_full(&[letter], 1_500).unwrap();
            }
            Self::Truncated => file.truncate(2_999).unwrap(),
            Self::SwappedBlocks => {
                let (first, second) = (read(0, 1_000), read(1_000, 1_000));
                assert_ne!(first, second);
                file.write_full(&second, 0).unwrap();
                file.write_full(&first, 1_000).unwrap();
            }
        }
    }
}

/// A method that is registered is among them: the numbers at the end are the registry's. What runs on the main thread is tried here by the
/// same code, and on that thread by an end-to-end test.
#[wasm_bindgen_test]
async fn every_method_notices_damage_to_a_single_file() {
    for damage in [Damage::ChangedByte, Damage::Truncated, Damage::SwappedBlocks] {
        let mut seen = Seen::default();
        for group in groups() {
            let (name, folder) = folder("damaged").await;
            write(&folder, &group, SEED).await;
            damage.happen(&folder, &group).await;
            for method in fitting(&group) {
                let Some((reader, served)) = open(method, &folder, &group).await else {
                    seen.absent(method);
                    continue;
                };
                match Bench::new(group.clone(), 0, SEED, 0).verify(&*reader, When::Before).await {
                    Ok(verification) => assert_ne!(verification.found, verification.expected, "{} {damage:?}", method.name),
                    // Nothing but a file that is too short may be told by an error, or right bytes would never be seen.
                    Err(error) => assert!(matches!(damage, Damage::Truncated), "{} {damage:?}: {error}", method.name),
                }
                drop((reader, served));
                seen.tried(method);
            }
            clean(&name).await;
        }
        seen.assert_all();
    }
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
        let Some((reader, served)) = open(method, &folder, &group).await else { continue };
        let batch = Batch { round: 0, stride: 1, n: 6, dither: Nanos(0), rate_iops: None };
        match Bench::new(group.clone(), 0, SEED, 0).sample(&*reader, batch).await {
            Ok(timed) => assert_eq!(timed.bytes, 6 * 2999, "{}", method.name),
            Err(error) => assert!(error.to_string().contains("2999 of 3000 B"), "{}: {error}", method.name),
        }
        drop((reader, served));
    }
    clean(&name).await;
}

/// Waits for a promise that nothing settles.
struct Waiting;

impl Loop for Waiting {
    async fn run(&self, _: &[Op], _: &mut impl Sink) -> Result<Timed, OpfsError> {
        JsFuture::from(Promise::new(&mut |_, _| ())).await.expect("it never comes to this");
        Ok(Timed { elapsed_ms: 0.0, bytes: 0 })
    }
}

#[wasm_bindgen_test]
async fn a_read_that_never_settles_is_an_error_and_not_the_end() {
    for timing in [Timing::Batches, Timing::Ops] {
        let group = Group { timing, ..group(true, Open::Kept) };
        let mut bench = Bench::new(group, 0, SEED, 0).with_deadline(DEADLINE_MS);
        let batch = Batch { round: 0, stride: 1, n: 2, dither: Nanos(0), rate_iops: None };
        let errors = [bench.sample(&Waiting, batch).await.unwrap_err(), bench.verify(&Waiting, When::Before).await.unwrap_err()];
        for error in errors {
            assert!(error.to_string().contains("no answer within 0.1 s"), "{error}");
        }
    }
}

/// Else the answer to a question that was given up would be taken for that to the next one.
#[wasm_bindgen_test]
async fn a_worker_that_owes_an_answer_is_asked_no_other() {
    let group = group(true, Open::Kept);
    let (name, folder) = folder("owed").await;
    let asks = |method: &&'static Method| method.name.parse::<opfs_bench_core::job::MethodName>().unwrap().thread() == Thread::Rpc;
    for method in fitting(&group).filter(asks) {
        // Nobody serves it.
        let (asks, _) = line();
        let context = Context::new(folder.clone(), group.clone(), Some(asks));
        let Ok(reader) = (Found { method, slowed: None }).open(&context).await else { continue };
        let mut bench = Bench::new(group.clone(), 0, SEED, 0).with_deadline(DEADLINE_MS);
        let batch = Batch { round: 0, stride: 1, n: 1, dither: Nanos(0), rate_iops: None };
        for told in ["no answer within", "an earlier question never came"] {
            let error = bench.sample(&*reader, batch).await.unwrap_err().to_string();
            assert!(error.contains(told), "{}: {error}", method.name);
        }
    }
    clean(&name).await;
}
