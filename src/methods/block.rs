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

    /// A copy of its bytes.
    pub fn to_vec(&self) -> Vec<u8> {
        self.0.iter().map(Cell::get).collect()
    }
}
