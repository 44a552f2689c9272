//! Student's t distribution: how many standard errors an interval reaches to either side of a mean.
//!
//! Student (1908). The probable error of a mean. Biometrika 6, 1-25.

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::json;

/// The t beyond which, on both sides together, 1 - `level` of the distribution with so many degrees of freedom (above 0, not
/// always whole) lies. R: `qt((1 + level) / 2, degrees_of_freedom)`.
///
/// Unlike a rank, this number goes into a result by multiplication, and the exponentials behind it come from the system's
/// mathematics library natively and from another one in Wasm: over 8 000 quantiles the two differed by up to 2e-13, and still
/// did so here and there after rounding to 12 digits. Rounded to 10 digits, all were the same bits; that moves an end of an
/// interval by at most 5e-10 of its width. Rounding goes through decimal text, which is exact everywhere.
pub(crate) fn two_sided_quantile(level: f64, degrees_of_freedom: f64) -> f64 {
    let student = StudentsT::new(0.0, 1.0, degrees_of_freedom).expect("degrees of freedom are above zero");
    let quantile = student.inverse_cdf(f64::midpoint(1.0, level));
    json::number(&format!("{quantile:.9e}")).expect("what was written as a number reads as one")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From R: `signif(qt((1 + level) / 2, degrees), 10)`.
    #[test]
    fn quantiles_are_those_of_r_to_ten_digits() {
        for (level, degrees, quantile) in [
            (0.99, 1.0, 63.656_741_16),
            (0.99, 11.0, 3.105_806_516),
            (0.99, 199.0, 2.600_760_216),
            (0.95, 4.7, 2.620_726_075),
            (0.95, 8.0, 2.306_004_135),
        ] {
            assert_eq!(two_sided_quantile(level, degrees), quantile, "level {level}, {degrees} degrees of freedom");
        }
    }
}
