//! Medians and percentiles of values, and the interval of a median that needs no assumption but independence.

use statrs::distribution::{Binomial, DiscreteCDF};

use super::sorted;

/// The median; the mean of the middle two where their number is even. None without values.
#[must_use]
pub fn median(values: &[f64]) -> Option<f64> {
    let values = sorted(values);
    let upper = *values.get(values.len() / 2)?;
    let lower = values[(values.len() - 1) / 2];
    Some(f64::midpoint(lower, upper))
}

/// The smallest value that at least the share `p` (above 0, at most 1) of the values does not exceed. None without values.
#[must_use]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a share of a length
pub fn percentile(values: &[f64], p: f64) -> Option<f64> {
    let values = sorted(values);
    let rank = (p * values.len() as f64).ceil() as usize;
    values.get(rank.max(1) - 1).copied()
}

/// The order-statistic interval of the median: from the k-th smallest to the k-th largest value, for the largest k for which
/// a binomial variable (n, 1/2) is below k with a probability of at most half of 1 - `level`. None with too few values.
///
/// David, H. A. and Nagaraja, H. N. (2003). Order Statistics, 3rd ed., section 7.1.
#[must_use]
pub fn median_interval(values: &[f64], level: f64) -> Option<(f64, f64)> {
    let heads = Binomial::new(0.5, values.len() as u64).expect("1/2 is a probability");
    // The smallest x with P(X <= x) >= tail is the largest k with P(X < k) < tail.
    let k = usize::try_from(heads.inverse_cdf((1.0 - level) / 2.0)).ok().filter(|k| *k >= 1)?;
    let values = sorted(values);
    Some((values[k - 1], values[values.len() - k]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn up_to(n: u32) -> Vec<f64> {
        (1..=n).map(f64::from).collect()
    }

    #[test]
    fn medians() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0]), Some(3.0));
        assert_eq!(median(&[9.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 9.0]), Some(3.0));
    }

    #[test]
    fn percentiles_are_values() {
        assert_eq!(percentile(&[], 0.9), None);
        assert_eq!(percentile(&up_to(10), 0.9), Some(9.0));
        assert_eq!(percentile(&up_to(10), 1.0), Some(10.0));
        assert_eq!(percentile(&[5.0], 0.1), Some(5.0));
    }

    /// The tables of the sign test: n and the ranks of the 95 % interval (Conover 1999, table A3: 6 gives 1, 20 gives 6, 100 gives 40).
    #[test]
    fn intervals_are_those_of_the_sign_test() {
        assert_eq!(median_interval(&up_to(5), 0.95), None);
        assert_eq!(median_interval(&[], 0.95), None);
        for (n, k) in [(6, 1), (9, 2), (20, 6), (100, 40)] {
            assert_eq!(median_interval(&up_to(n), 0.95), Some((f64::from(k), f64::from(n + 1 - k))), "n = {n}");
        }
    }
}
