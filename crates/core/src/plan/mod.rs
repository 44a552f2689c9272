//! What to do next, given what was measured.
//!
//! [`RunPlan`] hands out groups and their budgets; [`GroupPlan`] takes one group through its stages: pilot, the first check of
//! the bytes, warm-up, rounds, the last check. Neither reads a clock nor touches a file: whoever drives them does what
//! [`GroupPlan::step`] says and reports what came of it, a browser with real reads, a test with played ones.

mod batch;
mod cool_down;
mod group;
mod order;
mod pilot;
mod run;
mod schedule;
mod sentinels;
mod stopping;
mod tick;
mod warm_up;

pub use cool_down::Allowance;
pub use group::{ArmSpec, GroupPlan, Outcome, RoundChecks, Step};
pub use run::{RunPlan, Task};
pub use schedule::Schedule;
pub use sentinels::Due;
pub use tick::TickEstimator;
