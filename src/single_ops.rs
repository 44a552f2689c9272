//! Samples whose ops are timed one by one: in a closed loop, or by a schedule.
//!
//! An op is the method's own loop over a list of one, whose two readings of the clock surround exactly that op. So no method
//! knows of this, and what it allocates for its loop is outside of the time.

use opfs_bench_core::ops::Op;
use opfs_bench_core::plan::Schedule;
use opfs_bench_core::units::Nanos;

use crate::clock;
use crate::methods::Reader;
use crate::opfs::{self, OpfsError};
use crate::worker::messages::Sampled;

/// Timers of browsers fire some milliseconds late, up to 16 of them on a busy page: what is left of a wait by then is waited busily.
const BUSY_MS: f64 = 20.0;

/// Reads the ops one after another: each at its moment where there is a rate, else when the one before has ended.
pub async fn sample(reader: &dyn Reader, ops: &[Op], rate_iops: Option<u32>) -> Result<Sampled, OpfsError> {
    let mut taken = Vec::with_capacity(ops.len());
    let mut schedule = rate_iops.map(|rate| Schedule::new(clock::now_ms(), rate));
    let mut last_ms = f64::NEG_INFINITY;
    let mut bytes = 0;
    let mut stepped_back = false;
    for op in ops {
        if let Some(schedule) = &schedule {
            wait_until(schedule.due_ms()).await;
        }
        let began_ms = clock::now_ms();
        let timed = reader.read(std::slice::from_ref(op), None).await?;
        stepped_back |= timed.elapsed_ms < 0.0 || began_ms < last_ms;
        last_ms = began_ms;
        bytes += timed.bytes;
        taken.push(match &mut schedule {
            Some(schedule) => schedule.record(began_ms, timed.elapsed_ms),
            None => Nanos::from_ms(timed.elapsed_ms),
        });
    }
    let elapsed = (!stepped_back).then(|| taken.iter().copied().sum());
    Ok(Sampled { elapsed, bytes, ops: taken, pacing: schedule.map(|schedule| schedule.pacing()) })
}

/// Sleeps for most of the wait, which lets the page live, and is awake for its end, which no timer meets.
async fn wait_until(due_ms: f64) {
    let left_ms = due_ms - clock::now_ms();
    if left_ms > BUSY_MS {
        opfs::sleep(left_ms - BUSY_MS).await;
    }
    clock::wait_until(due_ms);
}

#[cfg(all(test, target_arch = "wasm32"))]
mod tests {
    use std::cell::RefCell;

    use futures_util::future::LocalBoxFuture;
    use opfs_bench_core::fixture::Checksum;
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::*;
    use crate::methods::Timed;

    const MS: u64 = 1_000_000;
    const STALLS: usize = 1;
    const STALL_MS: f64 = 45.0;

    /// Reads nothing, but the op that stalls takes its time; notes when each began.
    #[derive(Default)]
    struct Stalling {
        began_ms: RefCell<Vec<f64>>,
        steps_back: bool,
    }

    impl Reader for Stalling {
        fn buffers<'a>(&'a self, _: &'a [Op]) -> LocalBoxFuture<'a, Result<u64, OpfsError>> {
            unreachable!("samples count no buffers")
        }

        fn read<'a>(&'a self, ops: &'a [Op], _: Option<&'a mut Checksum>) -> LocalBoxFuture<'a, Result<Timed, OpfsError>> {
            Box::pin(async move {
                assert_eq!(ops.len(), 1, "one by one");
                let began_ms = clock::now_ms();
                if self.began_ms.borrow().len() == STALLS {
                    clock::wait_until(began_ms + STALL_MS);
                }
                self.began_ms.borrow_mut().push(began_ms);
                let elapsed_ms = if self.steps_back { -1.0 } else { clock::now_ms() - began_ms };
                Ok(Timed { elapsed_ms, bytes: u64::from(ops[0].len) })
            })
        }
    }

    fn ops(count: u32) -> Vec<Op> {
        (0..count).map(|op| Op { file: 0, at: u64::from(op) * 100, len: 100 }).collect()
    }

    #[wasm_bindgen_test]
    async fn a_closed_loop_hides_from_other_ops_that_one_stalled() {
        let sampled = sample(&Stalling::default(), &ops(8), None).await.unwrap();
        assert_eq!((sampled.ops.len(), sampled.bytes, sampled.pacing), (8, 800, None));
        assert_eq!(sampled.elapsed, Some(sampled.ops.iter().copied().sum()));
        assert!(sampled.ops[STALLS].0 >= 44 * MS, "{:?}", sampled.ops);
        assert!(sampled.ops[STALLS + 1..].iter().min() < Some(&Nanos(5 * MS)), "{:?}", sampled.ops);
    }

    #[wasm_bindgen_test]
    async fn paced_ops_wait_for_the_one_that_stalled() {
        let sampled = sample(&Stalling::default(), &ops(8), Some(100)).await.unwrap();
        assert_eq!(sampled.elapsed, Some(sampled.ops.iter().copied().sum()));
        for (behind, least_ms) in [(0, 44), (1, 34), (2, 24), (3, 14), (4, 4)] {
            assert!(sampled.ops[STALLS + behind].0 >= least_ms * MS, "{:?}", sampled.ops);
        }
        assert!(sampled.pacing.unwrap().span_ns.0 >= 80 * MS);
    }

    #[wasm_bindgen_test]
    async fn no_op_begins_before_its_moment() {
        // Intervals that are slept through, and such that are not.
        for rate in [20, 400] {
            let reader = Stalling::default();
            let start_ms = clock::now_ms();
            sample(&reader, &ops(4), Some(rate)).await.unwrap();
            for (place, began_ms) in (1_u32..).zip(reader.began_ms.borrow().iter()) {
                assert!(*began_ms >= start_ms + f64::from(place) * 1e3 / f64::from(rate), "{rate}: {place}");
            }
        }
    }

    #[wasm_bindgen_test]
    async fn a_clock_that_steps_back_times_nothing() {
        let reader = Stalling { steps_back: true, ..Stalling::default() };
        assert_eq!(sample(&reader, &ops(2), None).await.unwrap().elapsed, None);
    }
}
