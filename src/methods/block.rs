//! A buffer in Wasm memory that JavaScript writes into.

use std::cell::Cell;
use std::{ptr, slice};

use js_sys::Uint8Array;

use crate::opfs::View;

/// Where a buffer begins matters more than anything around the call: with a start that is no multiple of 64 bytes, copying a block out of
/// the system's page cache takes two to six times as long on some machines. Blocks begin where pages of memory do.
const PAGE: usize = 4096;
/// What allocators often give a large buffer: eight bytes of their books, then the buffer.
const UNALIGNED: usize = 8;

const ROOM: &str = "there is memory for a block";

#[repr(align(4096))]
#[expect(dead_code, reason = "its cells are reached by their address")]
struct Page([Cell<u8>; PAGE]);

/// One block's bytes in Wasm memory. Cells, because the browser changes them behind Rust's back.
pub struct Block {
    pages: Box<[Page]>,
    from: usize,
    length: usize,
}

impl Block {
    /// A block of zeros.
    pub fn new(length: usize) -> Self {
        Self::try_beginning_at(0, length).expect(ROOM)
    }

    /// The same, or None where there is no memory for it.
    pub fn try_new(length: usize) -> Option<Self> {
        Self::try_beginning_at(0, length)
    }

    /// One that lies as allocators place it.
    pub fn unaligned(length: usize) -> Self {
        Self::try_beginning_at(UNALIGNED, length).expect(ROOM)
    }

    fn try_beginning_at(from: usize, length: usize) -> Option<Self> {
        let count = (from + length).div_ceil(PAGE);
        let mut pages = Vec::new();
        pages.try_reserve_exact(count).ok()?;
        pages.resize_with(count, || Page([const { Cell::new(0) }; PAGE]));
        Some(Self { pages: pages.into_boxed_slice(), from, length })
    }

    fn cells(&self) -> &[Cell<u8>] {
        // SAFETY: pages are cells without gaps, and live as long as `self`.
        let all = unsafe { slice::from_raw_parts(self.pages.as_ptr().cast::<Cell<u8>>(), self.pages.len() * PAGE) };
        &all[self.from..][..self.length]
    }

    /// The block as JavaScript sees it. Valid until Wasm memory grows: take it anew after anything that may allocate.
    pub fn view(&self) -> View {
        let start = self.cells().as_ptr().cast_mut().cast::<u8>();
        // SAFETY: the cells are bytes, they live as long as `self`, and cells may be written through shared references.
        View::of(unsafe { Uint8Array::view_mut_raw(start, self.length) })
    }

    /// A part of it as JavaScript sees it, from offset `from` on. Valid as [`Self::view`] is.
    #[inline]
    pub fn view_of(&self, from: usize, length: usize) -> View {
        let start = self.cells()[from..from + length].as_ptr().cast_mut().cast::<u8>();
        // SAFETY: as in `view`.
        View::of(unsafe { Uint8Array::view_mut_raw(start, length) })
    }

    /// The block as a slice, for calls that take no other.
    #[inline]
    pub fn with_slice<T>(&self, call: impl FnOnce(&mut [u8]) -> T) -> T {
        let cells = self.cells();
        // SAFETY: cells of bytes may be written through shared references, and `call` knows of no other reference to them.
        call(unsafe { slice::from_raw_parts_mut(cells.as_ptr().cast_mut().cast::<u8>(), cells.len()) })
    }

    /// Copies so many bytes of another block, from offset `at` on, to offset `to` of this one: within Wasm memory.
    ///
    /// # Panics
    /// Where either block has less than that.
    #[inline(always)]
    pub fn copy_from(&self, to: usize, other: &Self, at: usize, length: usize) {
        let (from, to) = (&other.cells()[at..at + length], &self.cells()[to..to + length]);
        // SAFETY: both are as long as that, they may overlap, and cells may be written through shared references.
        unsafe { ptr::copy(from.as_ptr().cast::<u8>(), to.as_ptr().cast_mut().cast::<u8>(), length) }
    }

    /// Overwrites it, so that a read that brings nothing does not pass for one that brought what was there.
    pub fn spoil(&self) {
        self.cells().iter().for_each(|cell| cell.set(!cell.get()));
    }

    /// Its first bytes, piece by piece. Nothing is allocated: Wasm memory that grows would detach the views of it that loops keep.
    pub fn pieces(&self, length: u32, mut take: impl FnMut(&[u8])) {
        let mut piece = [0; PAGE];
        for cells in self.cells()[..length as usize].chunks(piece.len()) {
            for (byte, cell) in piece.iter_mut().zip(cells) {
                *byte = cell.get();
            }
            take(&piece[..cells.len()]);
        }
    }
}

/// A view for the ops of each file, from the beginning of a block: the whole of it, but where files of different lengths are read whole.
/// Valid as [`Block::view`] is.
pub struct Views {
    views: Vec<View>,
    /// Nothing where all files have the same one.
    mask: usize,
}

impl Views {
    /// For ops of these lengths, by file.
    pub fn of(block: &Block, lengths: &[u32]) -> Self {
        if lengths.iter().all(|length| *length as usize == block.length) {
            return Self { views: vec![block.view()], mask: 0 };
        }
        Self { views: lengths.iter().map(|length| block.view_of(0, *length as usize)).collect(), mask: usize::MAX }
    }

    /// That of a file's ops.
    #[inline]
    pub fn for_file(&self, file: u32) -> &View {
        &self.views[file as usize & self.mask]
    }
}

#[cfg(all(test, target_arch = "wasm32"))]
mod tests {
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::*;

    fn bytes(block: &Block) -> Vec<u8> {
        let mut bytes = Vec::new();
        block.pieces(u32::try_from(block.length).expect("small"), |piece| bytes.extend_from_slice(piece));
        bytes
    }

    #[wasm_bindgen_test]
    fn blocks_begin_like_a_page_of_memory_and_are_as_long_as_they_should_be() {
        // What an allocator gives is less than that now and then.
        let others: Vec<Vec<u8>> = (1..50).map(|length| vec![0; length * 8 + 1]).collect();
        for length in [1, 63, 64, 65, 512, 4097, 1 << 20] {
            let view = Block::new(length).view();
            assert_eq!((view.js().byte_offset() as usize % PAGE, view.js().length() as usize), (0, length));
        }
        drop(others);
    }

    #[wasm_bindgen_test]
    fn a_copy_is_the_other_block_s_bytes_and_no_more() {
        let (from, to) = (Block::new(100), Block::new(70));
        from.view().js().copy_from(&(0..100).collect::<Vec<u8>>());
        to.copy_from(0, &from, 35, 65);
        let wanted: Vec<u8> = (35..100).chain([0; 5]).collect();
        assert_eq!(bytes(&to), wanted);
        to.spoil();
        assert!(bytes(&to).iter().zip(&wanted).all(|(spoilt, byte)| *spoilt == !byte));
    }
}
