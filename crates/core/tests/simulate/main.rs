//! Whole runs on simulated devices: golden result files, what happens to a device, and how often verdicts are wrong.

mod answers;
mod compare;
mod coverage;
mod golden;
mod latency;
mod runs;
mod samples;
