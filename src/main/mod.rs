//! The main thread: drives a run from its job to its result, and owns the worker.
//!
//! [`run`] takes a run from the lock to the clean-up, [`sweep`] has that lock and removes what a run leaves; [`group`] does what
//! the plan of one group says; [`remote`] talks to the worker, [`pool`] to several; [`own`] reads a person's own files; [`watch`]
//! and [`sentinels`] look at what happens around the rounds; [`control`] carries Stop, and notices when nothing answers any more.

mod apart;
pub mod control;
mod event;
mod group;
pub mod own;
mod pool;
mod remote;
pub mod run;
mod sentinels;
pub mod sweep;
mod watch;
