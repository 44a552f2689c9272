//! The ratio of totals: how much longer all reads of one arm took than all reads of the other.
//!
//! The typical ratio ([`hodges_lehmann`](super::hodges_lehmann())) says what a read is like; this one says what a user waits
//! in the end, with every stall counted at its full length. Where the two disagree, the tail of the times decides, and a
//! reader must be told so: see [`TotalRatio::tail`].
//!
//! The estimate is θ = ln(ΣT / ΣB) over the pairs (T, B) of n rounds. Sums have no ready-made interval on the log scale, so
//! the jackknife makes one: leave out one round at a time, θ(i) being θ without round i, and form the **pseudo-values**
//!
//! ```text
//! p(i) = n θ - (n - 1) θ(i)
//! ```
//!
//! They behave like n independent estimates. Their mean is θ with its bias of order 1/n removed, and the interval is Student's
//! around that mean: mean ± t(n - 1) · sd(p) / √n.
//!
//! Tukey, J. W. (1958). Bias and confidence in not quite large samples. Ann. Math. Statist. 29, 614.
//! Miller, R. G. (1974). The jackknife: a review. Biometrika 61, 1-15.
//! Efron, B. and Tibshirani, R. J. (1993). An Introduction to the Bootstrap, chapter 11.

use serde::{Deserialize, Serialize};

use super::student::two_sided_quantile;
use super::summary::{mean, variance};

/// The typical and the total ratio may differ by this factor, less 1, before the tail is said to decide.
const APART: f64 = 0.10;

/// The ratio of the sums of paired times.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TotalRatio {
    /// ln(ΣT / ΣB), the plain one: its exponential times the baseline's total is the arm's total.
    pub log: f64,
    /// The jackknife-t interval on the log scale, around the estimate without its bias. It always holds `log`.
    pub log_interval: (f64, f64),
}

/// The total ratio of `pairs`, each the time per op of the arm and of the baseline in one round, in any unit, with an interval
/// of the given confidence (0.99, say). None below two pairs, and where a total, or what one round leaves of it, is not above
/// zero.
#[must_use]
pub fn total_ratio(pairs: &[(f64, f64)], level: f64) -> Option<TotalRatio> {
    if pairs.len() < 2 {
        return None;
    }
    let n = pairs.len() as f64;
    let total: f64 = pairs.iter().map(|(time, _)| time).sum();
    let base_total: f64 = pairs.iter().map(|(_, base)| base).sum();
    let log = libm::log(total) - libm::log(base_total);
    // θ - θ(i) = ln(1 - B/ΣB) - ln(1 - T/ΣT): written so, no digit is lost to the difference of two nearly equal logarithms.
    let without = |(time, base): &(f64, f64)| libm::log1p(-base / base_total) - libm::log1p(-time / total);
    let pseudo_values: Vec<f64> = pairs.iter().map(|pair| log + (n - 1.0) * without(pair)).collect();
    let centre = mean(&pseudo_values);
    let reach = two_sided_quantile(level, n - 1.0) * libm::sqrt(variance(&pseudo_values, centre) / n);
    // Where all rounds agree the interval is but a point, and rounding may put it a bit beside the estimate.
    let log_interval = ((centre - reach).min(log), (centre + reach).max(log));
    reach.is_finite().then_some(TotalRatio { log, log_interval })
}

impl TotalRatio {
    /// The ratio itself: 2 means twice the baseline's time in all.
    #[must_use]
    pub fn point(&self) -> f64 {
        libm::exp(self.log)
    }

    /// The ratio's interval.
    #[must_use]
    pub fn interval(&self) -> (f64, f64) {
        (libm::exp(self.log_interval.0), libm::exp(self.log_interval.1))
    }

    /// Whether a few slow reads make the totals tell another story than the typical read does. The typical ratio is given on the log
    /// scale, its interval at the same level as this one's, if it has one.
    #[must_use]
    pub fn tail(&self, typical_log: f64, typical_log_interval: Option<(f64, f64)>) -> Option<Tail> {
        let (low, high) = self.log_interval;
        let disjoint = typical_log_interval.is_some_and(|(typical_low, typical_high)| typical_high < low || high < typical_low);
        let apart = (self.log - typical_log).abs() > libm::log1p(APART);
        let excluded = typical_log < low || high < typical_log;
        match (disjoint, apart) {
            (true, _) => Some(Tail::Dominates),
            (false, true) if excluded => Some(Tail::Dominates),
            (false, true) => Some(Tail::MayDominate),
            (false, false) => None,
        }
    }
}

/// How surely the tail of the times decides.
///
/// Points that are apart are not enough: where one sample in twenty is a stall, two identical arms are over 10 % apart in half of all
/// runs of 12 rounds and in one of seven of 120.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tail {
    /// The two intervals have nothing in common; or the greater of the two ratios is over 1.1 times the smaller, and the total's
    /// interval leaves the typical ratio out.
    Dominates,
    /// The greater of the two ratios is over 1.1 times the smaller, but a few stalls that came by chance could do that.
    MayDominate,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::stats::hodges_lehmann;

    /// The definition, word for word.
    fn by_leaving_out(pairs: &[(f64, f64)], level: f64) -> (f64, f64, f64) {
        let n = pairs.len() as f64;
        let theta = |pairs: &[(f64, f64)]| {
            let (time, base) = pairs.iter().fold((0.0, 0.0), |(time, base), pair| (time + pair.0, base + pair.1));
            libm::log(time / base)
        };
        let all = theta(pairs);
        let pseudo_values: Vec<f64> = (0..pairs.len())
            .map(|i| {
                n * all - (n - 1.0) * theta(&pairs.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, pair)| *pair).collect::<Vec<_>>())
            })
            .collect();
        let centre = pseudo_values.iter().sum::<f64>() / n;
        let squares: f64 = pseudo_values.iter().map(|value| (value - centre) * (value - centre)).sum();
        let reach = two_sided_quantile(level, n - 1.0) * libm::sqrt(squares / (n - 1.0) / n);
        (all, centre - reach, centre + reach)
    }

    #[test]
    fn too_little_gives_nothing() {
        assert_eq!(total_ratio(&[], 0.99), None);
        assert_eq!(total_ratio(&[(1.0, 2.0)], 0.99), None);
        assert_eq!(total_ratio(&[(0.0, 2.0), (0.0, 1.0)], 0.99), None);
        assert_eq!(total_ratio(&[(1.0, 2.0), (1.0, 0.0)], 0.99), None, "without the first round no time is left");
    }

    #[test]
    fn rounds_that_agree_leave_no_width() {
        let ratio = total_ratio(&[(2.0, 1.0), (6.0, 3.0), (1.0, 0.5)], 0.99).unwrap();
        let (low, high) = ratio.log_interval;
        assert!((ratio.point() - 2.0).abs() < 1e-12 && low <= ratio.log && ratio.log <= high && high - low < 1e-12);
    }

    fn tail_of(pairs: &[(f64, f64)]) -> Option<Tail> {
        let differences: Vec<f64> = pairs.iter().map(|(time, base)| libm::log(time / base)).collect();
        let typical = hodges_lehmann(&differences, 0.99).unwrap();
        total_ratio(pairs, 0.99).unwrap().tail(typical.estimate, typical.interval)
    }

    /// One stall of forty reads' length: no typical read is slower, the total is twice as long, and it may have been chance. Eight
    /// stalls of five reads' length are more than that.
    #[test]
    fn stalls_make_the_tail_decide() {
        let quiet: Vec<(f64, f64)> = (0..40).map(|i| (1.0 + f64::from(i % 7) / 1e3, 1.0 + f64::from(i % 5) / 1e3)).collect();
        assert_eq!(tail_of(&quiet), None);
        let mut one_stall = quiet.clone();
        one_stall[17].0 += 40.0;
        assert_eq!(tail_of(&one_stall), Some(Tail::MayDominate));
        let mut stalls = quiet;
        stalls.iter_mut().step_by(5).for_each(|pair| pair.0 += 5.0);
        assert_eq!(tail_of(&stalls), Some(Tail::Dominates));
    }

    #[test]
    fn the_tail_decides_from_disjoint_intervals_or_distant_points() {
        let ratio = TotalRatio { log: 0.0, log_interval: (-0.02, 0.02) };
        for side in [1.0, -1.0] {
            let interval = |near: f64, far: f64| Some(if side > 0.0 { (near, far) } else { (-far, -near) });
            assert_eq!(ratio.tail(side * 0.05, None), None);
            assert_eq!(ratio.tail(side * 0.05, interval(0.02, 0.08)), None, "they touch");
            assert_eq!(ratio.tail(side * 0.05, interval(0.021, 0.08)), Some(Tail::Dominates));
            // 1.0999 and 1.1001 on the ratio scale, and their reciprocals.
            assert_eq!(ratio.tail(side * libm::log(1.0999), None), None);
            assert_eq!(ratio.tail(side * libm::log(1.1001), None), Some(Tail::Dominates));
        }
        let wide = TotalRatio { log: 0.0, log_interval: (-0.3, 0.3) };
        assert_eq!(wide.tail(0.2, Some((0.19, 0.21))), Some(Tail::MayDominate));
    }

    fn any_pairs() -> impl Strategy<Value = Vec<(f64, f64)>> {
        // Over six powers of ten, so that single rounds outweigh all others.
        prop::collection::vec((-6.0..6.0, -6.0..6.0), 2..60)
            .prop_map(|logs| logs.into_iter().map(|(time, base)| (libm::exp10(time), libm::exp10(base))).collect())
    }

    fn near(one: f64, other: f64) -> bool {
        (one - other).abs() <= 1e-9 * one.abs().max(1.0)
    }

    proptest! {
        #[test]
        fn it_is_the_definition(pairs in prop::collection::vec((0.5..50.0, 0.5..50.0), 2..60)) {
            let ratio = total_ratio(&pairs, 0.99).unwrap();
            let (log, low, high) = by_leaving_out(&pairs, 0.99);
            prop_assert!(near(ratio.log, log) && near(ratio.log_interval.0, low) && near(ratio.log_interval.1, high));
        }

        #[test]
        fn swapping_arms_gives_the_reciprocal(pairs in any_pairs()) {
            let swapped: Vec<(f64, f64)> = pairs.iter().map(|(time, base)| (*base, *time)).collect();
            let (ratio, other) = (total_ratio(&pairs, 0.99).unwrap(), total_ratio(&swapped, 0.99).unwrap());
            prop_assert_eq!((ratio.log, ratio.log_interval.0, ratio.log_interval.1), (-other.log, -other.log_interval.1, -other.log_interval.0));
        }

        #[test]
        fn the_interval_holds_the_estimate_and_grows_with_the_level(pairs in any_pairs()) {
            let (wide, narrow) = (total_ratio(&pairs, 0.99).unwrap(), total_ratio(&pairs, 0.95).unwrap());
            prop_assert!(wide.log_interval.0 <= narrow.log_interval.0 && narrow.log_interval.1 <= wide.log_interval.1);
            prop_assert!(narrow.log_interval.0 <= narrow.log && narrow.log <= narrow.log_interval.1);
        }

        #[test]
        fn order_does_not_matter_and_a_unit_only_shifts(pairs in prop::collection::vec((0.5..50.0, 0.5..50.0), 2..60), unit in 0.01..100.0) {
            let ratio = total_ratio(&pairs, 0.99).unwrap();
            let turned: Vec<(f64, f64)> = pairs.iter().rev().map(|(time, base)| (time * unit, *base)).collect();
            let other = total_ratio(&turned, 0.99).unwrap();
            let shift = libm::log(unit);
            prop_assert!(near(ratio.log + shift, other.log));
            prop_assert!(near(ratio.log_interval.0 + shift, other.log_interval.0) && near(ratio.log_interval.1 + shift, other.log_interval.1));
        }
    }
}
