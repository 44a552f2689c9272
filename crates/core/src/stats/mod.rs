//! Statistics that assume no distribution: medians, ranks and their intervals.
//!
//! Times of reads have heavy tails, two modes and bursts. Everything here depends on order alone, so no single sample,
//! however wild, can carry a conclusion. Logarithms come from `libm`, so that a browser and a terminal agree to the last bit.

mod hodges_lehmann;
mod median;
mod rank;
mod signed_rank;
mod tukey;

pub use hodges_lehmann::{HodgesLehmann, hodges_lehmann};
pub use median::{median, median_interval, percentile};
pub use rank::lag_one_autocorrelation;
pub use signed_rank::SignedRank;
pub use tukey::{Outliers, outliers};

/// Sorts numbers without NaN.
pub(crate) fn sorted(values: &[f64]) -> Vec<f64> {
    let mut values = values.to_vec();
    values.sort_unstable_by(f64::total_cmp);
    values
}
