//! How much values that stand in the order of time vary from one to the next, whatever way they drift.

use super::median;

/// The standard deviation of the difference of two medians of three, for values of standard deviation 1: twice the variance
/// 0.449 of such a median of normal values, and the root of it.
pub const MEDIAN_OF_THREE_NOISE: f64 = 0.95;

/// The standard deviation of a value, from the steps between neighbours, which a slow drift hardly moves: the median
/// absolute step is 0.6745 standard deviations of a step, and a step has two values' variance. 0 with fewer than two values.
#[must_use]
pub fn step_deviation(values: &[f64]) -> f64 {
    let steps: Vec<f64> = values.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
    median(&steps).map_or(0.0, |step| step / 0.6745 / std::f64::consts::SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::unit;
    use crate::seed::{Purpose, Seed};
    use crate::stats::sorted;

    /// Sums of twelve uniform numbers are nearly normal, with a standard deviation of 1.
    fn normal(count: usize) -> Vec<f64> {
        let mut rng = Seed(9).stream(Purpose::Simulation);
        (0..count).map(|_| (0..12).map(|_| unit(&mut rng)).sum::<f64>() - 6.0).collect()
    }

    #[test]
    fn a_drift_does_not_hide_the_noise() {
        let values: Vec<f64> = normal(10_000).iter().zip(0..).map(|(value, step)| value + f64::from(step) * 0.01).collect();
        assert!((step_deviation(&values) - 1.0).abs() < 0.03, "{}", step_deviation(&values));
        assert_eq!((step_deviation(&[]), step_deviation(&[4.0])), (0.0, 0.0));
    }

    #[test]
    fn medians_of_three_differ_by_as_much_as_it_says() {
        let medians: Vec<f64> = normal(60_000).chunks(3).map(|three| sorted(three)[1]).collect();
        let differences: Vec<f64> = medians.chunks(2).map(|pair| pair[1] - pair[0]).collect();
        let deviation = libm::sqrt(differences.iter().map(|difference| difference * difference).sum::<f64>() / differences.len() as f64);
        assert!((deviation - MEDIAN_OF_THREE_NOISE).abs() < 0.02, "{deviation}");
    }
}
