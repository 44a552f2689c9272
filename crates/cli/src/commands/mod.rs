//! The subcommands, one file or folder each: its options with their help, and what it does.

pub mod compare;
pub mod job;
pub mod report;
pub mod run;
pub mod serve;
pub mod validate;
