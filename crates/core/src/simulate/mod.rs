//! A device that exists in numbers only: whole jobs run on it, from a seed, through the same plan that browsers follow.
//!
//! [`Clock`] shows its time as browsers do, [`Noise`] disturbs it, [`Device`] answers the plan's steps, [`run()`] makes a whole
//! result of that, and [`validate`](mod@validate) counts how often verdicts are wrong where the truth is known. Everything that
//! chance decides follows from a seed, and every function is from `libm`: the same run has the same bits everywhere.

mod clock;
mod device;
mod noise;
mod run;
mod sentinels;
pub mod validate;

pub use clock::{Clock, Monotonic};
pub use device::{CarryOver, Device, Fault, Happening, MethodModel, Moment, RIGHT, WRONG, WarmUp};
pub use noise::{Bursts, Chance, Drift, Heat, Noise, NoiseKind, Spikes, Wander};
pub use run::{arms, play, run};
