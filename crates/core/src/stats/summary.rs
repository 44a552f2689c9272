//! The plain description of a set of values: mean, standard deviation, and the two ends.
//!
//! It is shown so that a reader can see what the noise was like. Nothing is compared by it: a mean and a standard deviation
//! are carried away by one slow read, and a minimum is what a device does at its luckiest, which falls as rounds are added.

use serde::{Deserialize, Serialize};

use super::student::two_sided_quantile;

/// What a set of values looks like, in the unit of the values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The arithmetic mean.
    pub mean: f64,
    /// The sample's standard deviation, with n - 1 in the divisor. None for a single value.
    pub standard_deviation: Option<f64>,
    /// The smallest value. Shown, never compared.
    pub min: f64,
    /// The largest value.
    pub max: f64,
}

impl Summary {
    /// Of finite values. None without any.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        let smallest = values.iter().copied().reduce(f64::min)?;
        let largest = values.iter().copied().reduce(f64::max)?;
        let mean = mean(values);
        let standard_deviation = (values.len() > 1).then(|| libm::sqrt(variance(values, mean)));
        Some(Self { mean, standard_deviation, min: smallest, max: largest })
    }
}

/// The mean of at least one value, and how far Student's interval of the given confidence reaches to either side of it. None for a
/// single value.
///
/// R: `t.test(values, conf.level = level)`.
#[must_use]
pub fn mean_interval(values: &[f64], level: f64) -> (f64, Option<f64>) {
    let mean = mean(values);
    let half_width = (values.len() > 1).then(|| {
        let n = values.len() as f64;
        two_sided_quantile(level, n - 1.0) * libm::sqrt(variance(values, mean) / n)
    });
    (mean, half_width)
}

/// The same half-width, to rounding, where only the standard deviation of the `n` values is known.
#[must_use]
pub fn mean_half_width(standard_deviation: f64, n: usize, level: f64) -> Option<f64> {
    (n > 1).then(|| two_sided_quantile(level, n as f64 - 1.0) * standard_deviation / libm::sqrt(n as f64))
}

/// The mean of at least one value.
pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The sample variance of at least two values around their mean. In a second pass over the values: subtracting the square of
/// the mean from the mean of the squares would leave little but rounding where the spread is small.
pub(super) fn variance(values: &[f64], mean: f64) -> f64 {
    values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / (values.len() - 1) as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_half_width_from_the_deviation_is_the_interval_s() {
        let values = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
        let deviation = Summary::of(&values).and_then(|summary| summary.standard_deviation).expect("eight values");
        let (_, wanted) = mean_interval(&values, 0.999);
        let found = mean_half_width(deviation, values.len(), 0.999).expect("eight values");
        assert!((found / wanted.expect("eight values") - 1.0).abs() < 1e-12, "{found}");
        // R: qt(0.9995, 7) * sd(values) / sqrt(8)
        assert!((found - 4.087_975).abs() < 1e-5, "{found}");
        assert_eq!(mean_half_width(0.0, 1, 0.999), None);
    }

    /// By hand: the squares of the distances from 5 sum to 32.
    #[test]
    fn eight_values_by_hand() {
        let summary = Summary::of(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]);
        assert_eq!(summary, Some(Summary { mean: 5.0, standard_deviation: Some(libm::sqrt(32.0 / 7.0)), min: 2.0, max: 9.0 }));
    }

    #[test]
    fn one_value_has_no_spread_and_none_has_nothing() {
        assert_eq!(Summary::of(&[3.0]), Some(Summary { mean: 3.0, standard_deviation: None, min: 3.0, max: 3.0 }));
        assert_eq!(Summary::of(&[]), None);
    }

    #[test]
    fn a_small_spread_around_a_large_mean_survives() {
        let values = [1e9 + 4.0, 1e9 + 7.0, 1e9 + 13.0, 1e9 + 16.0];
        assert_eq!(Summary::of(&values).unwrap().standard_deviation, Some(libm::sqrt(30.0)));
    }

    proptest! {
        #[test]
        fn the_mean_lies_between_the_ends_and_scales(values in prop::collection::vec(1.0..1e9, 2..60)) {
            let summary = Summary::of(&values).unwrap();
            prop_assert!(summary.min <= summary.mean * (1.0 + 1e-12) && summary.mean <= summary.max * (1.0 + 1e-12));
            // A power of two scales every step without rounding.
            let scaled: Vec<f64> = values.iter().map(|value| value * 8.0).collect();
            let expected = Summary {
                mean: summary.mean * 8.0,
                standard_deviation: summary.standard_deviation.map(|deviation| deviation * 8.0),
                min: summary.min * 8.0,
                max: summary.max * 8.0,
            };
            prop_assert_eq!(Summary::of(&scaled), Some(expected));
        }
    }
}
