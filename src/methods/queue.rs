//! The timed loops of everything that reads by promises: one read after another, or several in flight.
//!
//! A family says how an op is read ([`ReadOp`]); the loops stand here once. Several reads in flight are as many lanes, each of which
//! takes the next op when its own has ended, as one writes it in JavaScript. Lanes are made before time is taken, and nothing is made
//! for an op.
//!
//! Where a read fails, no lane begins another, and the batch ends with that error when those under way have ended too: what comes
//! after it is not disturbed by them. Only the deadline ends a batch in the midst of its reads.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::Future;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use js_sys::{ArrayBuffer, JsString, Uint8Array};
use opfs_bench_core::fixture::Form;
use opfs_bench_core::ops::Op;
use opfs_bench_core::result::Stage;
use wasm_bindgen::JsValue;

use super::block::Block;
use super::{Discard, Laps, Loop, Reader, Sink, Timed};
use crate::clock;
use crate::opfs::OpfsError;

/// How an op is read.
pub(super) trait ReadOp: 'static {
    /// In which form the sink gets what is read.
    const FORM: Form = Form::Bytes;

    /// Reads it to its end. Returns how many bytes came.
    fn read(&self, op: &Op, sink: &mut impl Sink) -> impl Future<Output = Result<u64, OpfsError>>;

    /// [`Reader::stages`].
    fn stages(&self, _ops: &[Op], _laps: &mut Laps) -> impl Future<Output = Result<(), OpfsError>> {
        async { Ok(()) }
    }
}

/// The stages of a method whose ops are one call each: the reads, and what to copy them takes.
pub(super) async fn read_and_copied(reading: &impl ReadOp, ops: &[Op], laps: &mut Laps) -> Result<(), OpfsError> {
    laps.begin();
    for op in ops {
        reading.read(op, &mut Discard).await?;
    }
    laps.end(Stage::Read, ops.len());
    copied(reading, &ops[0], laps).await
}

/// The stage of copying: reads an op once more, for what it brings.
pub(super) async fn copied(reading: &impl ReadOp, op: &Op, laps: &mut Laps) -> Result<(), OpfsError> {
    let mut read = Held::default();
    reading.read(op, &mut read).await?;
    laps.copy(&read);
    Ok(())
}

/// A reader with so many reads in flight. Each lane reads with what `lane` makes, and never two ops at a time.
pub(super) fn reader<O: ReadOp>(depth: u32, lane: impl Fn() -> O) -> Box<dyn Reader> {
    lanes((0..depth).map(|_| lane()))
}

/// The same for lanes that are made already.
pub(super) fn lanes<O: ReadOp>(lanes: impl Iterator<Item = O>) -> Box<dyn Reader> {
    let mut lanes: Vec<O> = lanes.collect();
    match lanes.pop() {
        Some(only) if lanes.is_empty() => Box::new(OneByOne(only)),
        last => {
            lanes.extend(last);
            Box::new(Lanes(lanes))
        }
    }
}

struct OneByOne<O>(O);

impl<O: ReadOp> Loop for OneByOne<O> {
    const FORM: Form = O::FORM;

    async fn run(&self, ops: &[Op], sink: &mut impl Sink) -> Result<Timed, OpfsError> {
        let mut bytes = 0;
        let start = clock::now_ms();
        for op in ops {
            bytes += self.0.read(op, sink).await?;
        }
        Ok(Timed::since(start, bytes))
    }

    async fn stages(&self, ops: &[Op], laps: &mut Laps) -> Result<(), OpfsError> {
        self.0.stages(ops, laps).await
    }
}

struct Lanes<O>(Vec<O>);

impl<O: ReadOp> Loop for Lanes<O> {
    const FORM: Form = O::FORM;

    async fn run(&self, ops: &[Op], sink: &mut impl Sink) -> Result<Timed, OpfsError> {
        let (next, sink) = (Cell::new(0), RefCell::new(InOrder { sink, next: 0, ahead: BTreeMap::new() }));
        let mut lanes: FuturesUnordered<_> = self.0.iter().map(|lane| read_in_turn(lane, ops, &next, &sink)).collect();
        let mut bytes = Ok(0);
        let start = clock::now_ms();
        while let Some(read) = lanes.next().await {
            bytes = bytes.and_then(|bytes| Ok(bytes + read?));
        }
        bytes.map(|bytes| Timed::since(start, bytes))
    }

    /// Those of a lane alone.
    async fn stages(&self, ops: &[Op], laps: &mut Laps) -> Result<(), OpfsError> {
        self.0[0].stages(ops, laps).await
    }
}

/// A lane: reads the op that comes next, until there is none.
async fn read_in_turn<S: Sink>(
    lane: &impl ReadOp,
    ops: &[Op],
    next: &Cell<usize>,
    sink: &RefCell<InOrder<'_, S>>,
) -> Result<u64, OpfsError> {
    let mut bytes = 0;
    loop {
        let place = next.replace(next.get() + 1);
        let Some(op) = ops.get(place) else { return Ok(bytes) };
        let mut taken = S::Apart::default();
        match lane.read(op, &mut taken).await {
            Ok(read) => bytes += read,
            Err(error) => {
                next.set(ops.len());
                return Err(error);
            }
        }
        sink.borrow_mut().take(place, taken);
    }
}

/// Hands what lanes read to a sink in the order of the ops, in whichever they end.
struct InOrder<'a, S: Sink> {
    sink: &'a mut S,
    /// The op whose bytes come next.
    next: usize,
    /// What was read of ops behind it.
    ahead: BTreeMap<usize, S::Apart>,
}

impl<S: Sink> InOrder<'_, S> {
    #[inline]
    fn take(&mut self, place: usize, taken: S::Apart) {
        if !self.sink.takes() {
            return;
        }
        self.ahead.insert(place, taken);
        while let Some(taken) = self.ahead.remove(&self.next) {
            self.sink.join(taken);
            self.next += 1;
        }
    }
}

/// Bytes of one op, until those of the ops before it have come. They stay in the buffers that the browser made, where nothing
/// else will be read into these.
#[derive(Default)]
pub(super) struct Held(Vec<Uint8Array>);

impl Held {
    /// All bytes, piece by piece.
    pub(super) fn pieces(&self) -> impl Iterator<Item = &Uint8Array> {
        self.0.iter()
    }
}

impl Sink for Held {
    type Apart = Self;

    fn takes(&self) -> bool {
        true
    }

    fn begin(&mut self, block: &Block) {
        block.spoil();
    }

    fn block(&mut self, block: &Block) {
        self.0.push(Uint8Array::new(block.view().js()));
        block.spoil();
    }

    fn buffer(&mut self, buffer: &ArrayBuffer) {
        self.bytes(&Uint8Array::new(buffer));
    }

    fn bytes(&mut self, bytes: &Uint8Array) {
        self.0.push(bytes.clone());
    }

    /// As a checksum takes it.
    fn text(&mut self, text: &JsString) {
        self.0.push(String::from(text).as_bytes().into());
    }

    fn reuse(&mut self, buffer: &JsValue, from: u32, length: u32) {
        Uint8Array::new_with_byte_offset_and_length(buffer, from, length).fill(0, 0, length);
    }

    fn reused(&mut self, buffer: &JsValue, from: u32, length: u32) {
        self.0.push(Uint8Array::new_with_byte_offset_and_length(buffer, from, length).slice(0, length));
    }

    fn join(&mut self, apart: Self) {
        self.0.extend(apart.0);
    }
}

#[cfg(all(test, target_arch = "wasm32"))]
mod tests {
    use std::rc::Rc;

    use opfs_bench_core::fixture::Checksum;
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::*;
    use crate::opfs;

    /// What a browser would have to do.
    #[derive(Default)]
    struct Work {
        /// Reads that have begun and not ended, and the most at a time.
        now: Cell<u32>,
        most: Cell<u32>,
        begun: Cell<u32>,
        /// The op at this offset fails.
        fails_at: Option<u64>,
    }

    /// Reads one byte, the op's offset. The first of four ops in a row takes the longest, the last the shortest.
    struct Byte(Rc<Work>);

    impl ReadOp for Byte {
        async fn read(&self, op: &Op, sink: &mut impl Sink) -> Result<u64, OpfsError> {
            let work = &*self.0;
            work.begun.set(work.begun.get() + 1);
            work.now.set(work.now.get() + 1);
            work.most.set(work.most.get().max(work.now.get()));
            opfs::sleep((3 - op.at % 4) as f64 * 6.0).await;
            work.now.set(work.now.get() - 1);
            if work.fails_at == Some(op.at) {
                return Err(OpfsError::answered("no more of it"));
            }
            sink.bytes(&Uint8Array::from(&[u8::try_from(op.at).expect("few ops")][..]));
            Ok(1)
        }
    }

    fn ops(count: u64) -> Vec<Op> {
        (0..count).map(|at| Op { file: 0, at, len: 1 }).collect()
    }

    fn lanes(depth: u32, fails_at: Option<u64>) -> (Rc<Work>, Box<dyn Reader>) {
        let work = Rc::new(Work { fails_at, ..Work::default() });
        (Rc::clone(&work), reader(depth, || Byte(Rc::clone(&work))))
    }

    fn checksum(ops: &[Op]) -> String {
        let mut checksum = Checksum::new();
        for op in ops {
            checksum.update(&[u8::try_from(op.at).expect("few ops")]);
        }
        checksum.digits()
    }

    #[wasm_bindgen_test]
    async fn as_many_reads_are_in_flight_as_there_are_lanes() {
        let ops = ops(21);
        for depth in [1, 2, 4, 16, 40] {
            let (work, reader) = lanes(depth, None);
            assert_eq!(reader.read(&ops, None).await.unwrap().bytes, 21);
            assert_eq!((work.most.get(), work.begun.get(), work.now.get()), (depth.min(21), 21, 0), "{depth}");
        }
    }

    #[wasm_bindgen_test]
    async fn bytes_are_checked_in_the_order_of_the_ops_in_whichever_they_come() {
        let ops = ops(22);
        for depth in [1, 3, 4, 16] {
            let mut found = Checksum::new();
            let read = lanes(depth, None).1.read(&ops, Some(&mut found)).await.unwrap();
            assert_eq!((read.bytes, found.digits()), (22, checksum(&ops)), "{depth}");
        }
        let reversed: Vec<Op> = ops.iter().rev().copied().collect();
        assert_ne!(checksum(&reversed), checksum(&ops), "order counts");
    }

    #[wasm_bindgen_test]
    async fn after_a_read_that_fails_none_begins_and_none_is_left() {
        let ops = ops(40);
        for depth in [1, 4] {
            let (work, reader) = lanes(depth, Some(7));
            let error = reader.read(&ops, None).await.unwrap_err().to_string();
            assert!(error.contains("no more of it"), "{error}");
            assert_eq!(work.now.get(), 0);
            assert!((8..=8 + depth).contains(&work.begun.get()), "{} of 40 began", work.begun.get());
        }
    }

    #[wasm_bindgen_test]
    async fn nothing_to_read_is_read_at_once() {
        let (work, reader) = lanes(4, None);
        assert_eq!(reader.read(&[], None).await.unwrap().bytes, 0);
        assert_eq!(work.begun.get(), 0);
    }
}
