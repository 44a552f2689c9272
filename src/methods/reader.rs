//! A method that is opened: its timed loop, and where what it reads goes.

use std::future::Future;

use futures_util::future::LocalBoxFuture;
use js_sys::{ArrayBuffer, JsString, Uint8Array};
use opfs_bench_core::fixture::{Checksum, Form};
use opfs_bench_core::ops::Op;

use super::laps::Buffers;
use super::{Block, Laps, Writer};
use crate::clock;
use crate::opfs::OpfsError;

/// A method, opened on a group's files.
pub trait Reader {
    /// Reads the ops and takes the time. With a checksum, every byte goes into it and the time means nothing.
    fn read<'a>(&'a self, ops: &'a [Op], check: Option<&'a mut Checksum>) -> LocalBoxFuture<'a, Result<Timed, OpfsError>>;

    /// Reads the ops. The bytes of the buffers that the browser made for them.
    fn buffers<'a>(&'a self, ops: &'a [Op]) -> LocalBoxFuture<'a, Result<u64, OpfsError>>;

    /// Takes the work on one file apart: looks it up, opens it, reads these ops, which are all of that file, and closes it. Of a method
    /// that cannot be taken apart nothing is timed.
    fn stages<'a>(&'a self, _ops: &'a [Op], _laps: &'a mut Laps) -> LocalBoxFuture<'a, Result<(), OpfsError>> {
        Box::pin(async { Ok(()) })
    }

    /// In which form what is read goes into the checksum.
    fn form(&self) -> Form {
        Form::Bytes
    }

    /// Of a method that writes: what stands around its batches.
    fn writer(&self) -> Option<&dyn Writer> {
        None
    }
}

/// A method's timed loop.
pub(super) trait Loop {
    /// In which form the sink gets what is read.
    const FORM: Form = Form::Bytes;

    fn run(&self, ops: &[Op], sink: &mut impl Sink) -> impl Future<Output = Result<Timed, OpfsError>>;

    /// [`Reader::stages`].
    fn stages(&self, _ops: &[Op], _laps: &mut Laps) -> impl Future<Output = Result<(), OpfsError>> {
        async { Ok(()) }
    }
}

impl<L: Loop> Reader for L {
    fn read<'a>(&'a self, ops: &'a [Op], check: Option<&'a mut Checksum>) -> LocalBoxFuture<'a, Result<Timed, OpfsError>> {
        match check {
            None => Box::pin(async move { self.run(ops, &mut Discard).await }),
            Some(checksum) => Box::pin(self.run(ops, checksum)),
        }
    }

    fn buffers<'a>(&'a self, ops: &'a [Op]) -> LocalBoxFuture<'a, Result<u64, OpfsError>> {
        Box::pin(async move {
            let mut buffers = Buffers::default();
            self.run(ops, &mut buffers).await?;
            Ok(buffers.0)
        })
    }

    fn stages<'a>(&'a self, ops: &'a [Op], laps: &'a mut Laps) -> LocalBoxFuture<'a, Result<(), OpfsError>> {
        Box::pin(Loop::stages(self, ops, laps))
    }

    fn form(&self) -> Form {
        L::FORM
    }
}

/// What a batch took and read.
#[derive(Clone, Copy, Debug)]
pub struct Timed {
    /// Milliseconds on the thread's clock. Below 0 where the clock stepped back.
    pub elapsed_ms: f64,
    /// Counted read by read.
    pub bytes: u64,
}

impl Timed {
    pub(super) fn since(start_ms: f64, bytes: u64) -> Self {
        Self { elapsed_ms: clock::now_ms() - start_ms, bytes }
    }

    /// Both together.
    pub(super) fn and(self, other: Self) -> Self {
        Self { elapsed_ms: self.elapsed_ms + other.elapsed_ms, bytes: self.bytes + other.bytes }
    }
}

/// Where an op's bytes go.
pub(super) trait Sink {
    /// Whether it takes any: what is done for a sink's sake alone must not stand in the timed loop.
    fn takes(&self) -> bool;
    /// Called with the block that all reads go into, before the first.
    fn begin(&mut self, block: &Block);
    /// The first bytes of it, which an op read.
    fn block(&mut self, block: &Block, length: u32);
    /// A buffer that the browser made.
    fn buffer(&mut self, buffer: &ArrayBuffer);
    /// Bytes that the browser made a buffer for.
    fn bytes(&mut self, bytes: &Uint8Array);
    /// Bytes that the browser decoded.
    fn text(&mut self, text: &JsString);
}

/// Nowhere: what stands in the timed loops, and compiles to nothing.
#[derive(Default)]
pub(super) struct Discard;

impl Sink for Discard {
    #[inline(always)]
    fn takes(&self) -> bool {
        false
    }
    #[inline(always)]
    fn begin(&mut self, _: &Block) {}
    #[inline(always)]
    fn block(&mut self, _: &Block, _: u32) {}
    #[inline(always)]
    fn buffer(&mut self, _: &ArrayBuffer) {}
    #[inline(always)]
    fn bytes(&mut self, _: &Uint8Array) {}
    #[inline(always)]
    fn text(&mut self, _: &JsString) {}
}

impl Sink for Checksum {
    fn takes(&self) -> bool {
        true
    }

    fn begin(&mut self, block: &Block) {
        block.spoil();
    }

    fn block(&mut self, block: &Block, length: u32) {
        block.pieces(length, |piece| self.update(piece));
        block.spoil();
    }

    fn buffer(&mut self, buffer: &ArrayBuffer) {
        self.bytes(&Uint8Array::new(buffer));
    }

    fn bytes(&mut self, bytes: &Uint8Array) {
        self.update(&bytes.to_vec());
    }

    fn text(&mut self, text: &JsString) {
        self.update_text(&String::from(text));
    }
}
