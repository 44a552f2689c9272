//! Everything that reads by promises: one read after another, or several in flight. The loops stand in `src/lanes.js`, and are the
//! same whether time is taken or bytes are checked; here is what goes in and what comes out.
//!
//! Where a read fails, no lane begins another, and the batch ends with that error when those under way have ended too: what comes
//! after it is not disturbed by them. Only the deadline ends a batch in the midst of its reads.

use std::any::Any;
use std::rc::Rc;
use std::slice;

use futures_util::future::LocalBoxFuture;
use js_sys::{Array, ArrayBuffer, Float64Array, Function, JsString, Object, Promise, Reflect, Uint8Array, Uint32Array};
use opfs_bench_core::fixture::{Checksum, Form};
use opfs_bench_core::ops::Op;
use opfs_bench_core::result::Stage;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::FileSystemDirectoryHandle;

use super::blob;
use super::laps::Buffers;
use super::{Laps, Reader, Sink, Timed};
use crate::glue;
use crate::opfs::{self, Call, Directory, OpfsError};

#[wasm_bindgen(module = "/src/lanes.js")]
extern "C" {
    #[wasm_bindgen(js_name = readAll)]
    fn read_all(
        lanes: &Array,
        files: &Uint32Array,
        offsets: &Float64Array,
        lengths: &Uint32Array,
        turn: &Object,
        taken: Option<&Array>,
    ) -> Promise;
    #[wasm_bindgen(js_name = newTurn)]
    fn new_turn() -> Object;
    fn stop(turn: &Object);
    #[wasm_bindgen(js_name = keptLane)]
    pub(super) fn kept_lane(opened: &Array, parts: bool, how: &How) -> Lane;
    #[wasm_bindgen(js_name = eachLane)]
    pub(super) fn each_lane(directory: &FileSystemDirectoryHandle, names: &Array, parts: bool, how: &How) -> Lane;
    pub(super) fn opener(directory: &FileSystemDirectoryHandle, names: &Array) -> Function;
    #[wasm_bindgen(js_name = readBlobs)]
    fn read_blobs(how: &How, blobs: &Array, pieces: Option<&Array>) -> Promise;

    /// How an op is read: `read(file, at, length, pieces)` and `count(came, pieces)`.
    pub(super) type Lane;
    /// How a blob is read: `read(blob, pieces)` and `count(came, pieces)`.
    pub(super) type How;

    /// What ended a batch.
    pub(super) type Failure;
    #[wasm_bindgen(method, getter)]
    fn place(this: &Failure) -> u32;
    #[wasm_bindgen(method, getter)]
    fn call(this: &Failure) -> String;
    #[wasm_bindgen(method, getter)]
    fn error(this: &Failure) -> JsValue;
}

/// Bytes that a check holds at once, before they go into the checksum.
const CHECKED_AT_ONCE: usize = 4 << 20;

/// Lanes, opened on a group's files.
pub(super) struct Lanes {
    all: Array,
    names: Rc<[String]>,
    /// The call that reads.
    call: Call,
    form: Form,
    stages: Stages,
    /// What must not be dropped before the lanes are.
    _held: Option<Box<dyn Any>>,
}

/// Which stages a method's work has.
enum Stages {
    /// It is not taken apart.
    None,
    /// Each op is one call.
    Calls,
    /// Asking, and being answered.
    Delivery { nothing: Op },
    /// Looking a file up, opening it, cutting a part out, and reading that.
    Blobs { directory: Directory, parts: bool, how: How },
}

impl Lanes {
    /// So many reads in flight. Each lane reads with what `lane` makes.
    pub fn new(depth: u32, names: &[String], call: Call, lane: impl Fn() -> Lane) -> Self {
        Self::of((0..depth).map(|_| lane()), names, call)
    }

    /// Of lanes that are made already, one at least.
    pub fn of(lanes: impl Iterator<Item = Lane>, names: &[String], call: Call) -> Self {
        let all = lanes.map(JsValue::from).collect();
        Self { all, names: names.into(), call, form: Form::Bytes, stages: Stages::None, _held: None }
    }

    /// The same where what comes is in this form.
    pub fn form(self, form: Form) -> Self {
        Self { form, ..self }
    }

    /// The same, taken apart: each op is one call.
    pub fn of_calls(self) -> Self {
        Self { stages: Stages::Calls, ..self }
    }

    /// The same, taken apart: where it reads from the file of this number, nothing is read, and as many bytes are delivered as the offset
    /// says.
    pub fn delivering(self, no_file: u32) -> Self {
        let nothing = Op { file: no_file, at: 0, len: 0 };
        Self { stages: Stages::Delivery { nothing }, ..self }
    }

    /// The same, taken apart: files of this directory are opened and read as `how` says.
    pub fn of_blobs(self, directory: Directory, parts: bool, how: How) -> Self {
        Self { stages: Stages::Blobs { directory, parts, how }, ..self }
    }

    /// The same with something that it reads from.
    pub fn holding(self, held: impl Any) -> Self {
        Self { _held: Some(Box::new(held)), ..self }
    }

    /// Runs the loop. What ops brought goes into `taken`, in their order.
    async fn run(&self, ops: &[Op], taken: Option<&Array>) -> Result<Timed, OpfsError> {
        let Lists { files, offsets, lengths } = Lists::of(ops);
        let turn = Turn(new_turn());
        let reading = JsFuture::from(read_all(&self.all, &files, &offsets, &lengths, &turn.0, taken));
        match reading.await {
            Ok(read) => Ok(timed(read.unchecked_ref())),
            Err(failure) => Err(self.explain(failure.unchecked_ref(), ops)),
        }
    }

    /// Which call failed, on which file.
    fn explain(&self, failure: &Failure, ops: &[Op]) -> OpfsError {
        let name = ops.get(failure.place() as usize).and_then(|op| self.names.get(op.file as usize)).map_or("", String::as_str);
        failed(self.call, name, failure)
    }

    /// Reads some ops at a time, and hands over what each brought.
    async fn read_pieces(&self, ops: &[Op], mut take: impl FnMut(&Array)) -> Result<Timed, OpfsError> {
        let mut all = Timed { elapsed_ms: 0.0, bytes: 0 };
        let length = ops.iter().map(|op| op.len as usize).max().unwrap_or(1).max(1);
        for ops in ops.chunks((CHECKED_AT_ONCE / length).max(2 * self.all.length() as usize)) {
            let taken = Array::new();
            all = all.and(self.run(ops, Some(&taken)).await?);
            taken.iter().for_each(|pieces| take(pieces.unchecked_ref()));
        }
        Ok(all)
    }
}

impl Reader for Lanes {
    fn read<'a>(&'a self, ops: &'a [Op], check: Option<&'a mut Checksum>) -> LocalBoxFuture<'a, Result<Timed, OpfsError>> {
        match check {
            None => Box::pin(self.run(ops, None)),
            Some(checksum) => Box::pin(self.read_pieces(ops, |pieces| pieces.iter().for_each(|piece| give(&piece, checksum)))),
        }
    }

    fn buffers<'a>(&'a self, ops: &'a [Op]) -> LocalBoxFuture<'a, Result<u64, OpfsError>> {
        Box::pin(async move {
            let mut buffers = Buffers::default();
            self.read_pieces(ops, |pieces| match made(pieces) {
                Some(bytes) => buffers.0 += bytes,
                None => pieces.iter().for_each(|piece| give(&piece, &mut buffers)),
            })
            .await?;
            Ok(buffers.0)
        })
    }

    fn stages<'a>(&'a self, ops: &'a [Op], laps: &'a mut Laps) -> LocalBoxFuture<'a, Result<(), OpfsError>> {
        Box::pin(async move {
            match &self.stages {
                Stages::None => Ok(()),
                Stages::Calls => self.calls(Stage::Read, &ops[0], ops, laps).await,
                Stages::Delivery { nothing } => {
                    let nothing = vec![Op { at: ops[0].len.into(), len: ops[0].len, ..*nothing }; ops.len()];
                    self.run(&nothing[..1], None).await?;
                    self.calls(Stage::Delivery, &ops[0], &nothing, laps).await
                }
                Stages::Blobs { directory, parts, how } => {
                    let name = &self.names[ops[0].file as usize];
                    let read = async |blobs: &Array, pieces: Option<&Array>| {
                        opfs::settle(self.call, name, read_blobs(how, blobs, pieces)).await.map(drop)
                    };
                    blob::take_apart(directory, name, *parts, ops, laps, read).await
                }
            }
        })
    }

    fn form(&self) -> Form {
        self.form
    }
}

impl Lanes {
    /// The stage of so many calls, one after another, and what it takes to copy what one brings.
    async fn calls(&self, stage: Stage, copied: &Op, ops: &[Op], laps: &mut Laps) -> Result<(), OpfsError> {
        laps.begin();
        self.run(ops, None).await?;
        laps.end(stage, ops.len());
        let taken = Array::new();
        self.run(slice::from_ref(copied), Some(&taken)).await?;
        laps.copy(&arrays(taken.get(0).unchecked_ref()));
        Ok(())
    }
}

/// Whose turn it is in a batch, which ends when nobody waits for it.
struct Turn(Object);

impl Drop for Turn {
    fn drop(&mut self) {
        stop(&self.0);
    }
}

/// Ops as loops in JavaScript take them.
pub(super) struct Lists {
    pub files: Uint32Array,
    pub offsets: Float64Array,
    pub lengths: Uint32Array,
}

impl Lists {
    /// Element by element, since lists in Wasm memory would count as what ops allocate.
    pub fn of(ops: &[Op]) -> Self {
        let count = u32::try_from(ops.len()).expect("a batch is far shorter");
        let (files, offsets) = (Uint32Array::new_with_length(count), Float64Array::new_with_length(count));
        let lengths = Uint32Array::new_with_length(count);
        for (place, op) in (0..count).zip(ops) {
            files.set_index(place, op.file);
            offsets.set_index(place, op.at as f64);
            lengths.set_index(place, op.len);
        }
        Self { files, offsets, lengths }
    }

    /// Files and offsets as one object.
    pub fn js(&self) -> Object {
        glue::object([("files", self.files.as_ref()), ("offsets", self.offsets.as_ref())])
    }
}

/// What a loop says that it took and read.
pub(super) fn timed(read: &Array) -> Timed {
    let number = |place: u32| read.get(place).as_f64().unwrap_or(f64::NAN);
    // A count of bytes; what is none is found out as a wrong one.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    Timed { elapsed_ms: number(0), bytes: number(1) as u64 }
}

/// The call as `lanes.js` and the families name it; empty for the usual one.
pub(super) fn failed(usual: Call, name: &str, failure: &Failure) -> OpfsError {
    let error = &failure.error();
    match failure.call().as_str() {
        "" => OpfsError::thrown(usual, name, error),
        "getFileHandle" => OpfsError::thrown(Call::GetFileHandle, name, error),
        "getFile" => OpfsError::thrown(Call::GetFile, name, error),
        "createSyncAccessHandle" => OpfsError::thrown(Call::CreateSyncAccessHandle, name, error),
        "missing" => OpfsError::not_stored(usual, name),
        "owed" => OpfsError::owed(),
        // An answer in words.
        _ => OpfsError::answered(&error.as_string().unwrap_or_default()),
    }
}

/// Gives a sink what was read: a string, an array or a buffer.
pub(super) fn give(piece: &JsValue, sink: &mut impl Sink) {
    if let Some(text) = piece.dyn_ref::<JsString>() {
        sink.text(text);
    } else if let Some(bytes) = piece.dyn_ref::<Uint8Array>() {
        sink.bytes(bytes);
    } else {
        sink.buffer(piece.unchecked_ref::<ArrayBuffer>());
    }
}

/// The bytes of the buffers that the browser made for an op, where what it brought is a copy.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a count of bytes
fn made(pieces: &Array) -> Option<u64> {
    Reflect::get(pieces, &"made".into()).ok()?.as_f64().map(|bytes| bytes as u64)
}

/// Bytes of what was read. Text as a checksum takes it.
pub(super) fn arrays(pieces: &Array) -> Vec<Uint8Array> {
    struct Arrays(Vec<Uint8Array>);
    impl Sink for Arrays {
        fn takes(&self) -> bool {
            true
        }
        fn begin(&mut self, _: &super::Block) {}
        fn block(&mut self, _: &super::Block, _: u32) {}
        fn buffer(&mut self, buffer: &ArrayBuffer) {
            self.0.push(Uint8Array::new(buffer));
        }
        fn bytes(&mut self, bytes: &Uint8Array) {
            self.0.push(bytes.clone());
        }
        fn text(&mut self, text: &JsString) {
            self.0.push(String::from(text).as_bytes().into());
        }
    }
    let mut arrays = Arrays(Vec::new());
    pieces.iter().for_each(|piece| give(&piece, &mut arrays));
    arrays.0
}

#[cfg(all(test, target_arch = "wasm32"))]
mod tests {
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::*;

    /// What a browser would have to do: reads of one byte, the op's offset. The first of four ops in a row takes the longest, the
    /// last the shortest. The op at an offset fails.
    #[wasm_bindgen(inline_js = "
export const newWork = (failsAt) => ({ now: 0, most: 0, begun: 0, failsAt });
export const byteLane = (work) => ({
  async read(file, at) {
    work.begun += 1;
    work.now += 1;
    work.most = Math.max(work.most, work.now);
    await new Promise((resolve) => setTimeout(resolve, (3 - (at % 4)) * 6));
    work.now -= 1;
    if (at === work.failsAt) throw new Error('no more of it');
    return new Uint8Array([at]);
  },
  count(bytes, pieces) {
    pieces?.push(bytes);
    return bytes.byteLength;
  },
});")]
    extern "C" {
        #[wasm_bindgen(js_name = newWork)]
        fn new_work(fails_at: f64) -> Work;
        #[wasm_bindgen(js_name = byteLane)]
        fn byte_lane(work: &Work) -> Lane;

        type Work;
        #[wasm_bindgen(method, getter)]
        fn now(this: &Work) -> u32;
        #[wasm_bindgen(method, getter)]
        fn most(this: &Work) -> u32;
        #[wasm_bindgen(method, getter)]
        fn begun(this: &Work) -> u32;
    }

    fn ops(count: u64) -> Vec<Op> {
        (0..count).map(|at| Op { file: 0, at, len: 1 }).collect()
    }

    fn lanes(depth: u32, fails_at: Option<u64>) -> (Work, Lanes) {
        let work = new_work(fails_at.map_or(-1.0, |at| at as f64));
        let lanes = Lanes::new(depth, &[], Call::ArrayBuffer, || byte_lane(&work));
        (work, lanes)
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
            let (work, lanes) = lanes(depth, None);
            assert_eq!(lanes.read(&ops, None).await.unwrap().bytes, 21);
            assert_eq!((work.most(), work.begun(), work.now()), (depth.min(21), 21, 0), "{depth}");
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
            let (work, lanes) = lanes(depth, Some(7));
            let error = lanes.read(&ops, None).await.unwrap_err().to_string();
            assert!(error.contains("no more of it"), "{error}");
            assert_eq!(work.now(), 0);
            assert!((8..=8 + depth).contains(&work.begun()), "{} of 40 began", work.begun());
        }
    }

    #[wasm_bindgen_test]
    async fn nothing_to_read_is_read_at_once() {
        let (work, lanes) = lanes(4, None);
        assert_eq!(lanes.read(&[], None).await.unwrap().bytes, 0);
        assert_eq!(work.begun(), 0);
    }

    #[wasm_bindgen_test]
    async fn a_batch_that_nobody_waits_for_begins_no_more_reads() {
        let (ops, (work, lanes)) = (ops(40), lanes(2, None));
        let late = crate::deadline::within(25.0, lanes.read(&ops, None)).await;
        assert!(late.is_err());
        let begun = work.begun();
        opfs::sleep(60.0).await;
        assert_eq!((work.begun(), work.now()), (begun, 0));
    }
}
