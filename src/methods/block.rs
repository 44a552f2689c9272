//! A buffer in Wasm memory that JavaScript writes into.

use std::cell::Cell;

use js_sys::Uint8Array;

use crate::opfs::View;

/// Where a buffer begins matters more than anything around the call: with a start that is no multiple of 64 bytes, copying a block out of
/// the system's page cache takes two to six times as long on some machines. Blocks begin where pages of memory do.
const PAGE: usize = 4096;
/// What allocators often give a large buffer: eight bytes of their books, then the buffer.
const UNALIGNED: usize = 8;

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
        Self::beginning_at(0, length)
    }

    /// One that lies as allocators place it.
    pub fn unaligned(length: usize) -> Self {
        Self::beginning_at(UNALIGNED, length)
    }

    fn beginning_at(from: usize, length: usize) -> Self {
        let pages = (0..(from + length).div_ceil(PAGE)).map(|_| Page([const { Cell::new(0) }; PAGE])).collect();
        Self { pages, from, length }
    }

    fn cells(&self) -> &[Cell<u8>] {
        // SAFETY: pages are cells without gaps, and live as long as `self`.
        let all = unsafe { std::slice::from_raw_parts(self.pages.as_ptr().cast::<Cell<u8>>(), self.pages.len() * PAGE) };
        &all[self.from..][..self.length]
    }

    /// The block as JavaScript sees it. Valid until Wasm memory grows: take it anew after anything that may allocate.
    pub fn view(&self) -> View {
        let start = self.cells().as_ptr().cast_mut().cast::<u8>();
        // SAFETY: the cells are bytes, they live as long as `self`, and cells may be written through shared references.
        View::of(unsafe { Uint8Array::view_mut_raw(start, self.length) })
    }

    /// The block as a slice, for calls that take no other.
    #[inline]
    pub fn with_slice<T>(&self, call: impl FnOnce(&mut [u8]) -> T) -> T {
        let cells = self.cells();
        // SAFETY: cells of bytes may be written through shared references, and `call` knows of no other reference to them.
        call(unsafe { std::slice::from_raw_parts_mut(cells.as_ptr().cast_mut().cast::<u8>(), cells.len()) })
    }

    /// Overwrites it, so that a read that brings nothing does not pass for one that brought what was there.
    pub fn spoil(&self) {
        self.cells().iter().for_each(|cell| cell.set(!cell.get()));
    }

    /// Its bytes, piece by piece. Nothing is allocated: Wasm memory that grows would detach the views of it that loops keep.
    pub fn pieces(&self, mut take: impl FnMut(&[u8])) {
        let mut piece = [0; PAGE];
        for cells in self.cells().chunks(piece.len()) {
            for (byte, cell) in piece.iter_mut().zip(cells) {
                *byte = cell.get();
            }
            take(&piece[..cells.len()]);
        }
    }
}
