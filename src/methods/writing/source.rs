//! What a batch writes, ready in memory: different blocks, which its ops take in turn.

use std::cell::Cell;

use js_sys::Uint8Array;
use opfs_bench_core::units::Bytes;
use opfs_bench_core::written::{Pattern, distinct};

use super::super::Block;
use crate::opfs::View;

/// Blocks begin where pages of memory do, as those begin that reads go into.
const PAGE: usize = 4096;

/// Counts the ops of a batch, and says which of the blocks is next.
struct Turn {
    count: u32,
    next: Cell<u32>,
}

impl Turn {
    fn of(length: u32) -> Self {
        Self { count: distinct(Bytes(length.into())), next: Cell::new(0) }
    }

    #[inline]
    fn take(&self) -> usize {
        let turn = self.next.get();
        self.next.set(if turn + 1 == self.count { 0 } else { turn + 1 });
        turn as usize
    }
}

/// Blocks in Wasm memory.
pub struct WasmSource {
    turn: Turn,
    block: Block,
    length: usize,
    stride: usize,
}

impl WasmSource {
    pub fn new(length: u32) -> Self {
        let turn = Turn::of(length);
        let stride = (length as usize).next_multiple_of(PAGE);
        Self { block: Block::new(stride * turn.count as usize), turn, length: length as usize, stride }
    }

    /// Fills the blocks for a batch.
    pub fn fill(&self, pattern: Pattern) {
        self.turn.next.set(0);
        self.block.with_slice(|bytes| {
            for (place, block) in (0..).zip(bytes.chunks_mut(self.stride)) {
                pattern.fill(place, &mut block[..self.length]);
            }
        });
    }

    /// All blocks as JavaScript sees them, valid until Wasm memory grows.
    pub fn views(&self) -> Vec<View> {
        (0..self.turn.count).map(|turn| self.view(turn as usize)).collect()
    }

    /// Which block is next.
    #[inline]
    pub fn turn(&self) -> usize {
        self.turn.take()
    }

    /// A block as JavaScript sees it, valid until Wasm memory grows.
    #[inline]
    pub fn view(&self, turn: usize) -> View {
        self.block.view_of(turn * self.stride, self.length)
    }
}

/// Blocks of JavaScript's, each a buffer of its own.
pub struct JsSource {
    turn: Turn,
    blocks: Vec<Uint8Array>,
}

impl JsSource {
    pub fn new(length: u32) -> Self {
        let turn = Turn::of(length);
        let blocks = (0..turn.count).map(|_| Uint8Array::new_with_length(length)).collect();
        Self { turn, blocks }
    }

    /// Fills the blocks for a batch.
    pub fn fill(&self, pattern: Pattern) {
        self.turn.next.set(0);
        for (place, block) in (0..).zip(&self.blocks) {
            let mut bytes = vec![0; block.length() as usize];
            pattern.fill(place, &mut bytes);
            block.copy_from(&bytes);
        }
    }

    /// The block whose turn it is.
    #[inline]
    pub fn next(&self) -> &Uint8Array {
        &self.blocks[self.turn.take()]
    }
}
