//! Whether two sets of values come from different places: Wilcoxon's rank-sum test, also known as Mann and Whitney's.
//!
//! Wilcoxon, F. (1945). Individual comparisons by ranking methods. Biometrics Bulletin 1, 80-83.
//! Hodges, J. L. and Lehmann, E. L. (1963). Estimates of location based on rank tests. Ann. Math. Statist. 34, 598-611.

use statrs::distribution::{ContinuousCDF, Normal};

use super::autocorrelation::midranks;
use super::sorted;

/// How far apart two sets are, and how often chance would set them as far apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankSum {
    /// The median of all differences of a value of the first and a value of the second.
    pub shift: f64,
    /// Its interval: the differences that are equally far from either end of all of them. None with too few values for one.
    pub interval: Option<(f64, f64)>,
    /// The two-sided probability under the hypothesis that both come from the same place, in the normal form with corrections for
    /// continuity and for ties. Only ever compared: its last bits are the system's.
    pub p: f64,
}

/// Compares two sets, with an interval of the given confidence. None where one is empty or all values are equal.
///
/// R: `wilcox.test(first, second, exact = FALSE, correct = TRUE)$p.value`; the interval is that of `wilcox.test(first, second,
/// conf.int = TRUE, exact = TRUE)` but for the normal form of the critical rank.
#[must_use]
pub fn rank_sum(first: &[f64], second: &[f64], level: f64) -> Option<RankSum> {
    let (m, n) = (first.len() as f64, second.len() as f64);
    let differences: Vec<f64> = first.iter().flat_map(|one| second.iter().map(move |other| one - other)).collect();
    let differences = sorted(&differences);
    let shift = f64::midpoint(*differences.get(differences.len() / 2)?, differences[(differences.len() - 1) / 2]);
    let all = [first, second].concat();
    let ranks = midranks(&all);
    let sum: f64 = ranks[..first.len()].iter().sum();
    let statistic = sum - m * (m + 1.0) / 2.0 - m * n / 2.0;
    let (total, tied) = (m + n, ties(&ranks));
    let variance = m * n / 12.0 * (total + 1.0 - tied / (total * (total - 1.0)));
    if variance <= 0.0 {
        return None;
    }
    let continuity = if statistic == 0.0 { 0.0 } else { 0.5_f64.copysign(statistic) };
    let z = (statistic - continuity) / libm::sqrt(variance);
    let normal = Normal::new(0.0, 1.0).expect("a standard deviation of one");
    let reach = normal.inverse_cdf(f64::midpoint(1.0, level)) * libm::sqrt(m * n * (total + 1.0) / 12.0);
    let interval = critical(m * n / 2.0 - reach).map(|k| (differences[k - 1], differences[differences.len() - k]));
    Some(RankSum { shift, interval, p: 2.0 * normal.cdf(z).min(normal.sf(z)) })
}

/// The rank of the interval's lower end, counted from 1: half a rank is the correction for continuity. None below 1.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // positive, and at most the number of differences
fn critical(rank: f64) -> Option<usize> {
    (rank + 0.5 >= 1.0).then_some((rank + 0.5) as usize)
}

/// The sum of t³ - t over the groups of t equal ranks.
fn ties(ranks: &[f64]) -> f64 {
    let ranks = sorted(ranks);
    let sizes = ranks.chunk_by(|one, other| one == other).map(|equal| equal.len() as f64);
    sizes.map(|t| t * t * t - t).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn nothing_to_compare_gives_nothing() {
        assert_eq!(rank_sum(&[], &[1.0], 0.99), None);
        assert_eq!(rank_sum(&[1.0], &[], 0.99), None);
        assert_eq!(rank_sum(&[1.0, 1.0], &[1.0, 1.0, 1.0], 0.99), None);
    }

    #[test]
    fn sets_apart_are_told_from_sets_that_overlap() {
        let low: Vec<f64> = (0..20).map(f64::from).collect();
        let high: Vec<f64> = (0..20).map(|value| f64::from(value) + 15.0).collect();
        let apart = rank_sum(&high, &low, 0.99).expect("values");
        assert!(apart.p < 0.001 && apart.shift == 15.0, "{apart:?}");
        assert_eq!(rank_sum(&low, &low, 0.99).expect("values").shift, 0.0);
        assert!(rank_sum(&low, &low, 0.99).expect("values").p > 0.99);
    }

    proptest! {
        #[test]
        fn swapping_turns_the_shift_and_keeps_the_probability(
            first in prop::collection::vec(-20_i32..20, 1..40),
            second in prop::collection::vec(-20_i32..20, 1..40),
        ) {
            let [first, second] = [first, second].map(|values| values.into_iter().map(f64::from).collect::<Vec<_>>());
            match (rank_sum(&first, &second, 0.99), rank_sum(&second, &first, 0.99)) {
                (Some(one), Some(other)) => {
                    prop_assert_eq!(one.shift, -other.shift);
                    prop_assert!((one.p - other.p).abs() < 1e-12 && one.p > 0.0);
                    prop_assert_eq!(one.interval, other.interval.map(|(low, high)| (-high, -low)));
                    prop_assert!(one.interval.is_none_or(|(low, high)| low <= one.shift && one.shift <= high));
                }
                (one, other) => prop_assert_eq!(one, other),
            }
        }
    }
}
