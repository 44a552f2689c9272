//! Estimates and their intervals.
//!
//! Times of reads have heavy tails, two modes and bursts. What is said of a typical read depends on order alone (medians, ranks,
//! [`hodges_lehmann()`], [`median_interval`], [`Latencies`]), so no single sample, however wild, can carry it. What depends on
//! every value at its full size stands beside it and says so: the ratio of totals ([`total_ratio()`]), whose point is to count the
//! stalls; [`welch()`], whose values are whole launches; and the [`Summary`], which is shown and never compared.
//!
//! Whatever goes into a result has the same bits in a browser and in a terminal: it is made of sums, products, quotients and
//! roots, which IEEE 754 fixes, and of functions from `libm`. Distribution functions come from `statrs`, which asks the
//! system for its exponentials; they only ever choose a rank, or are rounded before use.

mod autocorrelation;
mod hodges_lehmann;
mod latency;
mod median;
mod proportion;
mod rank_sum;
mod signed_rank;
mod steps;
mod student;
mod summary;
mod total_ratio;
mod tukey;
mod welch;

pub use autocorrelation::{autocorrelation_time, lag_one_autocorrelation};
pub use hodges_lehmann::{HodgesLehmann, hodges_lehmann};
pub use latency::{Latencies, Latency, LatencyPercentile};
pub use median::{median, median_interval, percentile};
pub use proportion::proportion_interval;
pub use rank_sum::{RankSum, rank_sum};
pub use signed_rank::SignedRank;
pub use steps::{MEDIAN_OF_THREE_NOISE, step_deviation};
pub(crate) use student::two_sided_quantile;
pub use summary::{Summary, mean_half_width, mean_interval};
pub use total_ratio::{Tail, TotalRatio, total_ratio};
pub use tukey::{Outliers, outliers};
pub use welch::{Welch, welch};

/// Sorts numbers without NaN.
pub(crate) fn sorted(values: &[f64]) -> Vec<f64> {
    let mut values = values.to_vec();
    values.sort_unstable_by(f64::total_cmp);
    values
}
