//! Methods with a known slowdown, on this browser's own clock.

use opfs_bench_core::fixture::Checksum;
use opfs_bench_core::ops::Op;
use wasm_bindgen_test::wasm_bindgen_test;

use super::super::slowed::Slowed;
use super::super::{Loop, Sink, Timed, find};
use super::*;
use crate::clock;
use crate::opfs::OpfsError;

#[wasm_bindgen_test]
async fn a_slowed_method_reads_the_plain_one_s_bytes_and_counts_them() {
    let group = group(true, Open::Kept);
    let (name, folder) = folder("slowed").await;
    write(&folder, &group, SEED).await;
    for method in fitting(&group).filter(|method| method.deal.is_none()) {
        for percent in [0, 100] {
            let slowed = format!("{}-slowed-{percent}", method.name);
            let found = find(&slowed.parse().unwrap()).unwrap();
            let Some((reader, served)) = open_found(found, &folder, &group).await else { continue };
            let mut bench = Bench::new(group.clone(), 0, SEED, 0);
            let verification = bench.verify(&*reader, When::Before).await.unwrap();
            assert_eq!(verification.found, verification.expected, "{slowed}");
            let timed = bench.sample(&*reader, Batch { round: 3, stride: 1, n: 40, dither: Nanos(0), rate_iops: None }).await.unwrap();
            assert_eq!(timed.bytes, 40 * group.bs.0, "{slowed}");
            drop((reader, served));
        }
    }
    clean(&name).await;
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
