//! What follows from a group's raw samples: absolute times, ratios with intervals, verdicts and the reasons to withhold them.

mod carry_over;
mod compute;
mod drift;
mod latency;
mod lead;
mod reasons;
mod samples;
mod stages;

use serde::{Deserialize, Serialize};

pub use compute::estimate;
pub(crate) use compute::{half_width, judge};
pub use drift::{Degree, Drift, Sentinel, run_drift};
pub use latency::LatencyEstimates;
pub use lead::Lead;
pub(crate) use samples::unit;
pub use stages::StageEstimate;

use crate::stats::{Summary, Tail, TotalRatio};
use crate::units::Nanos;

/// What follows from one group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupEstimates {
    /// Rounds that count.
    pub rounds: usize,
    /// Rounds that were dropped for a cause from outside; those cut short by Stop are not among them.
    pub dropped: usize,
    /// The confidence of the ratios' intervals, corrected for many comparisons where there are many: 0.99 or more.
    pub level: f64,
    /// The widest half-width among the comparisons, on the log scale. None while there is no interval.
    pub half_width: Option<f64>,
    /// How many rounds it would take to reach the protocol's half-width, from the width reached. None once it is reached.
    pub rounds_needed: Option<usize>,
    /// Sentinels whose last readings differ from their first: times drifted with the device, ratios did not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drift: Vec<Drift>,
    /// Why no arm of the group gets a verdict. Empty in a valid group.
    pub invalid: Vec<Invalid>,
    /// One entry per arm, in the order of the arms.
    pub arms: Vec<ArmEstimate>,
}

/// What follows for one arm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArmEstimate {
    /// What an op takes. None where no round counts.
    pub per_op: Option<PerOp>,
    /// How many times the baseline's time the arm takes. None for the baseline itself, for empty arms and where nothing can be said.
    pub ratio: Option<Ratio>,
    /// How many times the baseline's time it takes in all, stalls at their full length. None where `ratio` is, and with fewer than
    /// two rounds.
    pub total: Option<TotalRatio>,
    /// What its single ops took. None where they were not timed one by one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latencies: Option<LatencyEstimates>,
    /// What the parts of its work take, in their order. Empty where it was not taken apart.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<StageEstimate>,
    /// The verdict, on the typical ratio.
    pub verdict: Verdict,
    /// What a reader must know of this row.
    pub notes: Vec<Note>,
}

/// What an op takes: the median of the batch means.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PerOp {
    /// The median of the batch means, nanoseconds. Where `at_most` is set, an upper bound instead.
    pub median_ns: f64,
    /// The order-statistic interval of the median at 95 %. None with too few rounds for one.
    pub interval_ns: Option<(f64, f64)>,
    /// The batches are shorter than the clock can time: `median_ns` is the longest time that the readings allow.
    pub at_most: bool,
    /// Mean, standard deviation and ends of the batch means, nanoseconds. None where `at_most` is set.
    pub summary: Option<Summary>,
    /// All bytes over all time. None for empty arms and where `at_most` is set.
    /// All bytes over all time. None for empty arms, for paced ops, and where `at_most` is set.
    pub bytes_per_s: Option<f64>,
}

/// The typical ratio: the Hodges-Lehmann estimate of ln(arm) - ln(baseline) over the rounds, with its signed-rank interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ratio {
    /// On the log scale.
    pub log: f64,
    /// The interval on the log scale, at the group's level. None with too few rounds for one.
    pub log_interval: Option<(f64, f64)>,
    /// The rank autocorrelation at lag 1 of the rounds' differences. None where it is not defined.
    pub autocorrelation: Option<f64>,
    /// By which factor the interval was widened for that autocorrelation; 1 where it was not.
    pub widened: f64,
}

/// What may be said of an arm against the baseline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "verdict")]
pub enum Verdict {
    /// It is the baseline.
    Baseline,
    /// It reads nothing, so it is not compared.
    NotCompared,
    /// The whole interval is inside the margin.
    Same,
    /// The whole interval is below 1.
    Faster,
    /// The whole interval is above 1.
    Slower,
    /// The interval holds 1 and more than the margin.
    Inconclusive,
    /// No verdict, for these reasons; the group's own reasons are not repeated here.
    Withheld {
        /// At least one, unless the group is invalid.
        reasons: Vec<Withheld>,
    },
}

/// Why a whole group gets no verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "reason")]
pub enum Invalid {
    /// The null arm differs from the baseline, though it is the same method.
    NullArmDiffers {
        /// By which factor.
        ratio: f64,
    },
    /// An arm that writes makes the baseline's next sample slower or faster, however long it is waited out.
    CarryOver {
        /// The arm's place.
        after: usize,
        /// By which factor.
        ratio: f64,
    },
    /// Too many rounds were dropped.
    TooManyDropped {
        /// Dropped rounds.
        dropped: usize,
        /// All complete rounds.
        of: usize,
    },
    /// A clock stepped back.
    ClockSteppedBack,
    /// The baseline failed, read wrong bytes, or is not in this browser.
    BaselineFailed,
}

/// Why an arm gets no verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "reason")]
pub enum Withheld {
    /// The browser does not have it.
    NotInThisBrowser {
        /// What is missing: `Blob.prototype.bytes`.
        missing: String,
    },
    /// The method failed.
    Failed {
        /// The error in full.
        error: String,
    },
    /// It read other bytes than the fixture holds.
    WrongBytes,
    /// Its bytes, or the baseline's, were never checked after the last round.
    Unverified,
    /// Too few rounds for an interval at the group's level.
    TooFewRounds {
        /// Rounds that count.
        rounds: usize,
    },
    /// Its samples, or the baseline's, are shorter than the clock can time.
    BelowClock {
        /// Ticks in the median sample.
        ticks: f64,
    },
    /// The rounds are not independent enough.
    Autocorrelated {
        /// The rank autocorrelation at lag 1.
        coefficient: f64,
    },
}

/// What a reader must know of a row.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "note")]
pub enum Note {
    /// Its number of ops per sample is not the baseline's.
    UnequalBatch {
        /// The arm's.
        n: u64,
        /// The baseline's.
        baseline: u64,
    },
    /// It read one op at a time, though the group has more reads in flight: its calls are synchronous.
    OneAtATime,
    /// Its time cannot be told from the same loop without the read.
    IndistinguishableFromEmpty,
    /// Its samples hold fewer ticks than the protocol wants: half a tick of chance was added to each reading.
    CoarseTimer {
        /// Ticks in the median sample.
        ticks: f64,
    },
    /// A few slow samples make the ratio of all time another one than that of a typical sample.
    TailDominated {
        /// Whether that is sure.
        tail: Tail,
    },
    /// The interval was widened for autocorrelation.
    Widened {
        /// By this factor.
        factor: f64,
    },
    /// Paced ops took longer than their schedule, so that they queued up.
    Overloaded {
        /// Ops a second that were offered.
        offered: u32,
        /// Ops a second that it achieved.
        achieved: f64,
    },
    /// Paced ops began late though none before them was under way: the harness was late, and it counts in their response time.
    LateStarts {
        /// The latest of them, by so much.
        latest_ns: Nanos,
    },
    /// Samples outside Tukey's fences; none was removed.
    Outliers {
        /// More than 1.5 interquartile ranges away, less than 3.
        mild: usize,
        /// More than 3.
        severe: usize,
    },
}

impl Ratio {
    /// The ratio itself: 2 means twice the baseline's time.
    #[must_use]
    pub fn point(&self) -> f64 {
        libm::exp(self.log)
    }

    /// The ratio's interval.
    #[must_use]
    pub fn interval(&self) -> Option<(f64, f64)> {
        self.log_interval.map(|(low, high)| (libm::exp(low), libm::exp(high)))
    }
}

impl PerOp {
    /// The median as a duration, rounded to a nanosecond, for code that needs no more.
    #[must_use]
    pub fn median(&self) -> Nanos {
        Nanos::from_ms(self.median_ns / 1e6)
    }
}
