//! The buffer in front of the reads: blocks that it holds whole, in part or not at all.

use opfs_bench_core::fixture::{self, Checksum};
use opfs_bench_core::ops::Op;
use wasm_bindgen_test::wasm_bindgen_test;

use super::*;

/// Files of 10 000 bytes, two and a half times the buffer.
fn blocks(bs: u32, open: Open) -> Group {
    Group { bs: Bytes(bs.into()), size: Bytes(20_000), nrfiles: 2, ..group(false, open) }
}

#[wasm_bindgen_test]
async fn blocks_that_reach_over_the_buffer_s_end_are_whole() {
    for open_when in [Open::Kept, Open::Each] {
        // Some end where the buffer does not, one is larger than it.
        for bs in [1, 1000, 2500, 5000] {
            let group = blocks(bs, open_when);
            let (name, folder) = folder("buffered").await;
            write(&folder, &group, SEED).await;
            let op = |file: u32, block: u32| Op { file, at: u64::from(block * bs), len: bs };
            let count = (10_000 / bs).min(200);
            // In order, file against file, and from the end on.
            let mut ops: Vec<Op> = (0..count).map(|block| op(0, block)).collect();
            ops.extend((0..count).map(|block| op(block % 2, 10_000 / bs - 1 - block / 2)));
            for method in ["worker/sync-buffered", "main/slice-buffered"] {
                let method = all().find(|other| other.name == method).expect("registered");
                let (reader, _) = open(method, &folder, &group).await.expect("every browser has it");
                for _ in 0..2 {
                    let mut found = Checksum::new();
                    let read = reader.read(&ops, Some(&mut found)).await.unwrap();
                    let expected = fixture::expected(SEED, 0, &ops, reader.form());
                    let wanted = (u64::from(2 * count * bs), expected);
                    assert_eq!((read.bytes, found.digits()), wanted, "{} {bs} {open_when:?}", method.name);
                }
            }
            clean(&name).await;
        }
    }
}
