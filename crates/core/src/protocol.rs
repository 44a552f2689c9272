//! The constants of the measuring protocol, each with its reason. A change here is a new protocol number.

use crate::units::Nanos;

/// The protocol's number. Runs of different numbers are never judged against each other.
pub const NUMBER: u32 = 3;

/// A sample lasts at least this many ticks of its clock, so that a tick is at most 1 % of it.
pub const TICKS: u64 = 100;
/// Where the budget forbids [`TICKS`], this many are the least without further measures.
pub const FEWEST_TICKS: u64 = 50;
/// Where the budget forbids even [`FEWEST_TICKS`]: with dequantisation and the note "coarse timer". Below it: no verdict.
pub const COARSE_TICKS: u64 = 20;
/// A sample lasts at least this long.
pub const SAMPLE: Nanos = Nanos(2_000_000);
/// An arm that would need more than this many times the wanted sample for the group's number of ops gets a number of its own ...
pub const LONGEST_SAMPLE_TIMES: f64 = 2.0;
/// ... and so does one that would need more than this.
pub const LONGEST_SAMPLE: Nanos = Nanos(250_000_000);
/// Where several reads are in flight, a sample holds at least so many ops for each of them: at its beginning the queue fills, at its end
/// it empties, and that is then an eighth of it at most. More would make samples of slow reads long, and rounds few.
pub const OPS_IN_FLIGHT: u64 = 8;
/// The pilot wants to know what an op takes when the queue is full, and a little more than a full one is enough for that.
pub const PILOT_OPS_IN_FLIGHT: u64 = 2;
/// The pilot doubles its ops until the batch takes this many ticks ...
pub const PILOT_TICKS: u64 = 10;
/// ... and this long.
pub const PILOT: Nanos = Nanos(2_000_000);

/// A time of fewer ticks than this is not told of a single op: a tick would be more than a tenth of it.
pub const LATENCY_TICKS: u64 = 10;
/// Where ops are timed one by one, a sample holds at most so many: their times are kept until the round is over.
pub const MOST_TIMED_OPS: u64 = 10_000;
/// A sample whose ops are paced lasts this long by its schedule, so that a round of a few arms takes less than a second.
pub const PACED_SAMPLE: Nanos = Nanos(100_000_000);

/// Warm-up discards at least this many rounds ...
pub const WARM_UP_ROUNDS: u32 = 3;
/// ... and this much time of every arm that reads.
pub const WARM_UP: Nanos = Nanos(500_000_000);
/// It then goes on while a three-round median moves by more than this ...
pub const STEADY: f64 = 0.05;
/// ... but not beyond this many rounds or [`WARM_UP_SHARE`] of the budget, whichever comes first.
pub const WARM_UP_ROUNDS_AT_MOST: u32 = 12;
/// The share of a group's budget after which an unsteady warm-up ends.
pub const WARM_UP_SHARE: f64 = 0.15;

/// The first look at the intervals comes after this many rounds.
pub const FEWEST_ROUNDS: u32 = 12;
/// Looking stops once every comparison's interval is at most this wide to either side, on the log scale.
pub const HALF_WIDTH: f64 = 0.02;
/// The confidence of a verdict's interval.
pub const LEVEL: f64 = 0.99;
/// With more comparisons than this in a group, the level is corrected (Bonferroni).
pub const UNCORRECTED_COMPARISONS: usize = 5;
/// The confidence of absolute values' intervals.
pub const ABSOLUTE_LEVEL: f64 = 0.95;

/// Two arms within this of each other are the same for a reader's purposes.
pub const MARGIN: f64 = 0.03;
/// A null arm that differs from the baseline by more than this, with an interval that excludes 1, makes the group invalid.
pub const NULL_MARGIN: f64 = 0.01;
/// More dropped rounds than this share make the group invalid.
pub const DROPPED_AT_MOST: f64 = 0.10;
/// A lag-1 rank autocorrelation of the pairs above this makes a comparison invalid.
pub const AUTOCORRELATION_AT_MOST: f64 = 0.5;
/// One above `AUTOCORRELATION_NOTICED / sqrt(n)` widens the interval: the one-sided 10 % point of the coefficient under independence.
pub const AUTOCORRELATION_NOTICED: f64 = 1.28;

/// A sentinel's share of a group's rounds: it is taken as often as that allows, the storage sentinel apart from those of the CPU.
pub const SENTINEL_SHARE: f64 = 0.04;
/// A CPU sentinel's pass lasts at least this many ticks of its clock ...
pub const SENTINEL_TICKS: u64 = 20;
/// ... and this long.
pub const SENTINEL: Nanos = Nanos(250_000);
/// Of so many passes the shortest is the reading: whatever comes between only lengthens them.
pub const SENTINEL_PASSES: u32 = 3;
/// So many readings make a sentinel's first level, and so many of the latest its level now.
pub const SENTINEL_LEVEL: usize = 3;
/// The last third of a sentinel's readings differs from the first third by more than this: the device drifted ...
pub const DRIFT: f64 = 0.08;
/// ... and where it is slower by more than this, it was throttled.
pub const THROTTLED: f64 = 0.15;
/// Fewer readings in a third than this have no interval at 99 %.
pub const DRIFT_READINGS: usize = 6;
/// A CPU sentinel that is slower than its first level by more than this calls for a pause ...
pub const HOT: f64 = 0.05;
/// ... until it is within this ...
pub const COOL: f64 = 0.03;
/// ... or for this long, ...
pub const COOL_DOWN: Nanos = Nanos(30_000_000_000);
/// ... so many times in a run, ...
pub const COOL_DOWNS: u32 = 4;
/// ... and no longer altogether than this share of the run's budget.
pub const COOL_DOWN_SHARE: f64 = 0.25;
/// The device rests this long between two looks at the sentinel.
pub const REST: Nanos = Nanos(500_000_000);
/// After a sample that writes, the next one waits until the storage sentinel is within this of its first level ...
pub const WASHED_OUT: f64 = 0.05;
/// ... or for this long ...
pub const WASH_OUT: Nanos = Nanos(500_000_000);
/// ... which becomes so many times as long where a group is measured again for carry-over.
pub const LONGER_WASH_OUT: u64 = 4;
/// What an arm leaves behind for the baseline is carry-over where chance would do it less often than this.
pub const CARRY_OVER_TAIL: f64 = 0.01;

/// A gap between the two clocks of more than this means that the device slept.
pub const SLEEP: Nanos = Nanos(1_000_000_000);
/// A clock's tick is found from this many distinct readings ...
pub const TICK_READINGS: usize = 200;
/// ... or from what this much time gives.
pub const TICK_TIME: Nanos = Nanos(300_000_000);
/// A method that fails in this many rounds on end is taken out of its group.
pub const FAILURES_ON_END: u32 = 3;

/// Run against run: fewer launches than this on a side give no verdict.
pub const LAUNCHES: usize = 5;
/// The confidence of the interval between two runs.
pub const LAUNCH_LEVEL: f64 = 0.95;
