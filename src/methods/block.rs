//! A buffer in Wasm memory that JavaScript writes into.

use std::cell::Cell;
use std::{ptr, slice};

use js_sys::Uint8Array;

/// The bytes of a cache line.
const LINE: usize = 64;

/// A cache line's bytes. Blocks begin with one: an operating system copies to other places more slowly on some processors, 1 MiB to eight
/// bytes behind a line in up to seven times the time, and where an allocator puts a buffer is chance.
#[repr(C, align(64))]
struct Line([Cell<u8>; LINE]);

/// One block's bytes in Wasm memory. Cells, because the browser changes them behind Rust's back.
pub struct Block {
    lines: Box<[Line]>,
    length: usize,
}

impl Block {
    /// A block of zeros.
    pub fn new(length: usize) -> Self {
        Self::try_new(length).expect("there is memory for a block")
    }

    /// The same, or None where there is no memory for it.
    pub fn try_new(length: usize) -> Option<Self> {
        let count = length.div_ceil(LINE);
        let mut lines = Vec::new();
        lines.try_reserve_exact(count).ok()?;
        lines.resize_with(count, || Line([const { Cell::new(0) }; LINE]));
        Some(Self { lines: lines.into_boxed_slice(), length })
    }

    fn cells(&self) -> &[Cell<u8>] {
        // SAFETY: a line is its bytes and nothing else, lines follow each other without a gap, and there are enough of them.
        unsafe { slice::from_raw_parts(self.lines.as_ptr().cast::<Cell<u8>>(), self.length) }
    }

    /// The block as JavaScript sees it. Valid until Wasm memory grows: take it anew after anything that may allocate.
    pub fn view(&self) -> Uint8Array {
        let start = self.cells().as_ptr().cast_mut().cast::<u8>();
        // SAFETY: the cells are bytes, they live as long as `self`, and cells may be written through shared references.
        unsafe { Uint8Array::view_mut_raw(start, self.length) }
    }

    /// Copies so many bytes of another block, from offset `at` on, into its beginning: within Wasm memory.
    ///
    /// # Panics
    /// Where either block has less than that.
    #[inline]
    pub fn copy_from(&self, other: &Self, at: usize, length: usize) {
        let (from, to) = (&other.cells()[at..at + length], &self.cells()[..length]);
        // SAFETY: both are as long as that, they may overlap, and cells may be written through shared references.
        unsafe { ptr::copy(from.as_ptr().cast::<u8>(), to.as_ptr().cast_mut().cast::<u8>(), length) }
    }

    /// Overwrites it, so that a read that brings nothing does not pass for one that brought what was there.
    pub fn spoil(&self) {
        self.cells().iter().for_each(|cell| cell.set(!cell.get()));
    }

    /// Its bytes, piece by piece. Nothing is allocated: Wasm memory that grows would detach the views of it that loops keep.
    pub fn pieces(&self, mut take: impl FnMut(&[u8])) {
        let mut piece = [0; 4096];
        for cells in self.cells().chunks(piece.len()) {
            for (byte, cell) in piece.iter_mut().zip(cells) {
                *byte = cell.get();
            }
            take(&piece[..cells.len()]);
        }
    }
}

#[cfg(all(test, target_arch = "wasm32"))]
mod tests {
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::*;

    fn bytes(block: &Block) -> Vec<u8> {
        let mut bytes = Vec::new();
        block.pieces(|piece| bytes.extend_from_slice(piece));
        bytes
    }

    #[wasm_bindgen_test]
    fn blocks_begin_with_a_cache_line_and_are_as_long_as_they_should_be() {
        // What an allocator gives is less than that now and then.
        let others: Vec<Vec<u8>> = (1..50).map(|length| vec![0; length * 8 + 1]).collect();
        for length in [1, 63, 64, 65, 512, 4097, 1 << 20] {
            let view = Block::new(length).view();
            assert_eq!((view.byte_offset() as usize % LINE, view.length() as usize), (0, length));
        }
        drop(others);
    }

    #[wasm_bindgen_test]
    fn a_copy_is_the_other_block_s_bytes_and_no_more() {
        let (from, to) = (Block::new(100), Block::new(70));
        from.view().copy_from(&(0..100).collect::<Vec<u8>>());
        to.copy_from(&from, 35, 65);
        let wanted: Vec<u8> = (35..100).chain([0; 5]).collect();
        assert_eq!(bytes(&to), wanted);
        to.spoil();
        assert!(bytes(&to).iter().zip(&wanted).all(|(spoilt, byte)| *spoilt == !byte));
    }
}
