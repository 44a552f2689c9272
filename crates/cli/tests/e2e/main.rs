//! Real headless browsers press Start in the built page, and what comes out is checked.
//!
//! `cargo test` alone leaves these out, since they need the built page, two browsers and their drivers; `cargo xtask test`
//! provides all of that. Nothing here skips: where something is missing, the tests fail and say what to install. They
//! measure, so only one runs at a time.

mod command;
mod damage;
mod device;
mod download;
mod harness;
mod jobs;
mod kept;
mod keyboard;
mod latency;
mod looks;
#[cfg(target_os = "linux")]
mod memory;
mod methods;
mod network;
mod open;
mod own;
mod page;
mod parallel;
mod program;
mod reads;
mod result;
mod states;
mod validate;
mod writing;
