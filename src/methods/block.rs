//! A buffer in Wasm memory that JavaScript writes into.

use std::cell::Cell;

use js_sys::Uint8Array;

/// One block's bytes in Wasm memory. Cells, because the browser changes them behind Rust's back.
pub struct Block(Box<[Cell<u8>]>);

impl Block {
    /// A block of zeros.
    pub fn new(length: usize) -> Self {
        Self(vec![Cell::new(0); length].into_boxed_slice())
    }

    /// The block as JavaScript sees it. Valid until Wasm memory grows: take it anew after anything that may allocate.
    pub fn view(&self) -> Uint8Array {
        let start = self.0.as_ptr().cast_mut().cast::<u8>();
        // SAFETY: the cells are bytes, they live as long as `self`, and cells may be written through shared references.
        unsafe { Uint8Array::view_mut_raw(start, self.0.len()) }
    }

    /// Overwrites it, so that a read that brings nothing does not pass for one that brought what was there.
    pub fn spoil(&self) {
        self.0.iter().for_each(|cell| cell.set(!cell.get()));
    }

    /// Its bytes, piece by piece. Nothing is allocated: Wasm memory that grows would detach the views of it that loops keep.
    pub fn pieces(&self, mut take: impl FnMut(&[u8])) {
        let mut piece = [0; 4096];
        for cells in self.0.chunks(piece.len()) {
            for (byte, cell) in piece.iter_mut().zip(cells) {
                *byte = cell.get();
            }
            take(&piece[..cells.len()]);
        }
    }
}
