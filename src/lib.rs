//! opfs-bench in the browser: reads files from the Origin Private File System in every way there is, and takes the time.
//!
//! The same module runs on both threads. The page makes a [`Bench`] of a job and runs it; the run starts a worker, which the
//! page's compiled module is posted to. What is measured, in which order and for how long is `opfs_bench_core::plan`'s to say;
//! this crate only does it.

// `main` is the main thread's module, not a program's.
#![allow(special_module_name)]

mod allocation;
mod bench;
mod clock;
mod deadline;
mod env;
mod glue;
mod lines;
mod main;
mod methods;
mod opfs;
mod page;
mod sentinel;
mod shown;
mod single_ops;
mod stores;
mod worker;

pub use page::{Bench, changeable, preset, presets, sweep};
pub use shown::{conditions, csv, qr, render, render_comparison, render_link};
pub use worker::serve_worker;
