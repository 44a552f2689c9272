//! The distribution of Wilcoxon's signed-rank statistic: the sum of the ranks of the positive ones among n differences that
//! are as likely above as below zero. Exact up to n = 200, its normal form beyond.
//!
//! Wilcoxon, F. (1945). Individual comparisons by ranking methods. Biometrics Bulletin 1, 80-83.

use std::cell::RefCell;
use std::collections::HashMap;

use statrs::distribution::{ContinuousCDF, Normal};

/// Up to this many differences the distribution is counted out.
const EXACT_UP_TO: usize = 200;

/// The signed-rank statistic of `n` differences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignedRank {
    n: usize,
}

impl SignedRank {
    /// Of `n` differences.
    #[must_use]
    pub fn new(n: usize) -> Self {
        Self { n }
    }

    /// The number of pairs i <= j, which is the number of Walsh averages and the largest value of the statistic.
    #[must_use]
    pub fn pairs(self) -> usize {
        self.n * (self.n + 1) / 2
    }

    /// The largest k for which P(W < k) <= `tail`: the interval from the k-th smallest to the k-th largest Walsh average
    /// misses the centre of symmetry with a probability of at most twice the tail. None where even the whole range misses
    /// it more often: there are too few differences for that confidence.
    ///
    /// R: `qsignrank(tail, n)`, but for a tail that the distribution meets exactly, where R's is one less.
    #[must_use]
    pub fn critical(self, tail: f64) -> Option<usize> {
        let k = if self.n <= EXACT_UP_TO { self.critical_counted(tail) } else { self.critical_normal(tail) };
        (k >= 1).then_some(k)
    }

    /// [`Self::critical_exact`], counted out once: every arm of a group asks for the same number, and counting takes n^3/2 steps.
    fn critical_counted(self, tail: f64) -> usize {
        thread_local! {
            static COUNTED: RefCell<HashMap<(usize, u64), usize>> = RefCell::default();
        }
        COUNTED.with_borrow_mut(|counted| *counted.entry((self.n, tail.to_bits())).or_insert_with(|| self.critical_exact(tail)))
    }

    fn critical_exact(self, tail: f64) -> usize {
        let mut cumulated = 0.0;
        for (w, probability) in self.probabilities().into_iter().enumerate() {
            cumulated += probability;
            if cumulated > tail {
                return w;
            }
        }
        self.pairs()
    }

    /// The probability of each value from 0 to [`Self::pairs`]. Rank r is positive with probability 1/2, independently
    /// of the others: `p_r(w) = (p_{r-1}(w) + p_{r-1}(w - r)) / 2`.
    fn probabilities(self) -> Vec<f64> {
        let mut probabilities = vec![0.0; self.pairs() + 1];
        probabilities[0] = 1.0;
        let mut largest = 0;
        for rank in 1..=self.n {
            largest += rank;
            for w in (0..=largest).rev() {
                let with_rank = if w >= rank { probabilities[w - rank] } else { 0.0 };
                probabilities[w] = f64::midpoint(probabilities[w], with_rank);
            }
        }
        probabilities
    }

    /// With mean n(n+1)/4, variance n(n+1)(2n+1)/24 and the continuity correction of one half. The exact distribution has lighter
    /// tails, so this k is never above the exact one: the interval is a little too wide, at 99 % by 0.24 % of its half-width
    /// (in ranks) for n = 201, less beyond.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // between 0 and the number of pairs
    fn critical_normal(self, tail: f64) -> usize {
        let n = self.n as f64;
        let mean = n * (n + 1.0) / 4.0;
        let deviation = libm::sqrt(n * (n + 1.0) * (2.0 * n + 1.0) / 24.0);
        (mean - normal_quantile(1.0 - tail) * deviation + 0.5).floor().max(0.0) as usize
    }
}

/// The quantile of the standard normal distribution.
fn normal_quantile(p: f64) -> f64 {
    Normal::standard().inverse_cdf(p)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From R: `qsignrank(p, n)`.
    #[test]
    fn critical_values_are_those_of_r() {
        for (n, tail, k) in [(8, 0.005, 1), (10, 0.025, 9), (12, 0.005, 8), (20, 0.025, 53), (20, 0.005, 38), (50, 0.025, 435)] {
            assert_eq!(SignedRank::new(n).critical(tail), Some(k), "n = {n}, tail {tail}");
        }
    }

    #[test]
    fn too_few_differences_give_no_interval() {
        assert_eq!(SignedRank::new(0).critical(0.005), None);
        assert_eq!(SignedRank::new(7).critical(0.005), None);
        assert!(SignedRank::new(8).critical(0.005).is_some());
    }

    #[test]
    fn the_normal_form_takes_over_where_it_agrees() {
        for n in [150, 200] {
            for tail in [0.005, 0.025] {
                let exact = SignedRank::new(n).critical_exact(tail);
                let normal = SignedRank::new(n).critical_normal(tail);
                assert!(exact.abs_diff(normal) <= exact / 200, "n = {n}, tail {tail}: {exact} and {normal}");
            }
        }
    }

    #[test]
    fn probabilities_sum_to_one() {
        for n in [0, 1, 5, 200] {
            let sum: f64 = SignedRank::new(n).probabilities().iter().sum();
            assert!((sum - 1.0).abs() < 1e-12, "n = {n}: {sum}");
        }
    }
}
