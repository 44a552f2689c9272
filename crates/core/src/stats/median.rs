//! Medians and percentiles of values, and the interval of a median that needs no assumption but independence.

use statrs::distribution::{Binomial, DiscreteCDF};

use super::sorted;

/// The median; the mean of the middle two where their number is even. None without values.
#[must_use]
pub fn median(values: &[f64]) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    // The middle alone is put in its place: plans ask for many medians.
    let mut values = values.to_vec();
    let count = values.len();
    let (smaller, upper, _) = values.select_nth_unstable_by(count / 2, f64::total_cmp);
    let upper = *upper;
    let lower = smaller.iter().copied().max_by(f64::total_cmp).filter(|_| count.is_multiple_of(2)).unwrap_or(upper);
    Some(f64::midpoint(lower, upper))
}

/// The smallest value that at least the share `p` (above 0, at most 1) of the values does not exceed. None without values.
///
/// R: `quantile(values, p, type = 1)`.
#[must_use]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a share of a length
pub fn percentile(values: &[f64], p: f64) -> Option<f64> {
    let values = sorted(values);
    let rank = p * values.len() as f64;
    // 0.07 of 100 is 7.000000000000001 in floats, and meant as the seventh value.
    let rank = (rank - rank * 4.0 * f64::EPSILON).ceil() as usize;
    values.get(rank.max(1) - 1).copied()
}

/// The order-statistic interval of the median: from the k-th smallest to the k-th largest value, for the largest k for which
/// a binomial variable (n, 1/2) is below k with a probability of less than half of 1 - `level`. None with too few values.
///
/// David, H. A. and Nagaraja, H. N. (2003). Order Statistics, 3rd ed., section 7.1. R: k is `qbinom((1 - level) / 2, n, 1/2)`.
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
    use proptest::prelude::*;

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

    #[test]
    fn a_share_that_floats_cannot_hold_still_finds_its_value() {
        for hundredths in 1..=100_u32 {
            for n in [100, 200, 1_000] {
                let expected = f64::from(hundredths * n / 100);
                assert_eq!(percentile(&up_to(n), f64::from(hundredths) / 100.0), Some(expected), "{hundredths} % of {n}");
            }
        }
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

    proptest! {
        #[test]
        fn the_interval_holds_the_median_in_any_order_and_unit(mut values in prop::collection::vec(-5.0..5.0, 6..60)) {
            let (low, high) = median_interval(&values, 0.95).unwrap();
            let middle = median(&values).unwrap();
            prop_assert!(low <= middle && middle <= high);
            values.reverse();
            let values: Vec<f64> = values.iter().map(|value| value * -4.0).collect();
            prop_assert_eq!(median_interval(&values, 0.95), Some((high * -4.0, low * -4.0)));
            prop_assert_eq!(median(&values), Some(middle * -4.0));
        }
    }
}
