//! The parts of the `opfs-bench` command, one concern a file. The program itself only chooses among [`commands`].
//!
//! A [`launch`] takes a run through them in this order: [`server`] serves the page on this machine, [`driver`] starts a browser's
//! `WebDriver` server, [`session`] speaks to it, [`page`] presses Start and asks how far it is, [`results`] writes what came
//! out, [`native`] reads the same outside the browser, and [`recompute`] checks that a file's estimates follow from its samples.

#![deny(missing_docs)]

pub mod android;
pub mod below;
pub mod browser;
pub mod commands;
pub mod driver;
pub mod exit;
pub mod fio;
pub mod fixture;
pub mod inbox;
pub mod interrupt;
pub mod lan;
pub mod launch;
pub mod native;
pub mod open;
pub mod page;
pub mod print;
pub mod progress;
pub mod recompute;
pub mod results;
pub mod server;
pub mod session;
pub mod share;
