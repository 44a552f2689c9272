//! The part of opfs-bench that knows no browser, no clock and no disk.
//!
//! Data flows one way: [`job`] says what to measure, [`plan`] says what to do next given what was measured,
//! [`result`] keeps every raw sample, [`estimate`] draws ratios and verdicts from them, [`report`] shows both to people.
//! The browser (the root package) and the simulated device ([`simulate`]) both drive the same plan.

#![deny(missing_docs)]

pub mod answers;
pub mod compare;
pub mod estimate;
pub mod fixture;
pub mod job;
mod json;
pub mod link;
pub mod ops;
pub mod plan;
pub mod protocol;
pub mod reference;
pub mod report;
pub mod result;
pub mod seed;
pub mod share;
pub mod simulate;
pub mod sort;
pub mod stats;
pub mod units;
pub mod written;
