//! Run against run: Welch's interval for the difference of two means of logarithms.
//!
//! A launch is the unit. Reads of one launch share its luck (where the file landed, what else the device did), so however many
//! there are, they say little about the next launch; each launch gives one number, and five numbers a side are five values.
//! On the log scale a difference of means is a ratio of geometric means, and Welch's form lets the two sides be as noisy as
//! they are, with the degrees of freedom that Satterthwaite's formula gives:
//!
//! ```text
//! v = s² / n of each side        df = (v1 + v2)² / (v1² / (n1 - 1) + v2² / (n2 - 1))
//! ```
//!
//! Welch, B. L. (1947). The generalization of Student's problem when several different population variances are involved.
//! Biometrika 34, 28-35. Satterthwaite, F. E. (1946). An approximate distribution of estimates of variance components.
//! Biometrics Bulletin 2, 110-114.

use serde::{Deserialize, Serialize};

use super::student::two_sided_quantile;
use super::summary::{mean, variance};

/// How much longer one side takes than the other.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Welch {
    /// The difference of the means of the logs: the log of the ratio of geometric means.
    pub log: f64,
    /// Its interval.
    pub log_interval: (f64, f64),
    /// Satterthwaite's degrees of freedom, seldom a whole number.
    pub degrees_of_freedom: f64,
}

/// Compares the launches of one side with those of the baseline, one positive number each, with an interval of the given
/// confidence. None where a side has fewer than two launches or where neither side varies at all: such an interval would have
/// no width, and numbers that never vary were not measured finely enough for one.
///
/// R: `t.test(log(launches), log(baseline), conf.level = level)`.
#[must_use]
pub fn welch(launches: &[f64], baseline: &[f64], level: f64) -> Option<Welch> {
    let (side, base) = (Side::of(launches)?, Side::of(baseline)?);
    let log = side.mean - base.mean;
    let squared_error = side.squared_error + base.squared_error;
    let degrees_of_freedom = squared_error * squared_error / (side.per_degree() + base.per_degree());
    if !(degrees_of_freedom.is_finite() && log.is_finite()) {
        return None;
    }
    let reach = two_sided_quantile(level, degrees_of_freedom) * libm::sqrt(squared_error);
    Some(Welch { log, log_interval: (log - reach, log + reach), degrees_of_freedom })
}

impl Welch {
    /// The ratio of the geometric means.
    #[must_use]
    pub fn point(&self) -> f64 {
        libm::exp(self.log)
    }

    /// The ratio's interval.
    #[must_use]
    pub fn interval(&self) -> (f64, f64) {
        (libm::exp(self.log_interval.0), libm::exp(self.log_interval.1))
    }
}

/// The logs of one side's launches.
struct Side {
    launches: usize,
    mean: f64,
    /// The squared standard error of the mean: v above.
    squared_error: f64,
}

impl Side {
    fn of(launches: &[f64]) -> Option<Self> {
        let logs: Vec<f64> = launches.iter().map(|launch| libm::log(*launch)).collect();
        let mean = (logs.len() > 1).then(|| mean(&logs))?;
        Some(Self { launches: logs.len(), mean, squared_error: variance(&logs, mean) / logs.len() as f64 })
    }

    fn per_degree(&self) -> f64 {
        self.squared_error * self.squared_error / (self.launches - 1) as f64
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn one_launch_or_no_spread_gives_no_interval() {
        let five = [1.0, 1.1, 1.2, 0.9, 1.0];
        assert_eq!(welch(&[1.0], &five, 0.95), None);
        assert_eq!(welch(&five, &[1.0], 0.95), None);
        assert_eq!(welch(&[2.0, 2.0], &[1.0, 1.0], 0.95), None);
        assert!(welch(&[2.0, 2.0], &five, 0.95).is_some());
        assert_eq!(welch(&[0.0, 2.0], &five, 0.95), None, "no logarithm");
    }

    fn launches() -> impl Strategy<Value = Vec<f64>> {
        prop::collection::vec(0.5..50.0, 2..20)
    }

    proptest! {
        #[test]
        fn swapping_sides_gives_the_reciprocal(one in launches(), other in launches()) {
            let (there, back) = (welch(&one, &other, 0.95).unwrap(), welch(&other, &one, 0.95).unwrap());
            prop_assert_eq!((there.log, there.log_interval.0, there.log_interval.1), (-back.log, -back.log_interval.1, -back.log_interval.0));
            prop_assert_eq!(there.degrees_of_freedom, back.degrees_of_freedom);
        }

        #[test]
        fn degrees_lie_between_the_smaller_side_and_both_together(one in launches(), other in launches()) {
            let degrees = welch(&one, &other, 0.95).unwrap().degrees_of_freedom;
            let fewest = one.len().min(other.len()) as f64 - 1.0;
            let most = (one.len() + other.len()) as f64 - 2.0;
            prop_assert!(fewest * (1.0 - 1e-12) <= degrees && degrees <= most * (1.0 + 1e-12));
        }

        #[test]
        fn order_does_not_matter_and_a_unit_only_shifts(one in launches(), other in launches(), unit in 0.01..100.0) {
            let welch_of = |launches: &[f64]| welch(launches, &other, 0.95).unwrap();
            let here = welch_of(&one);
            let there = welch_of(&one.iter().rev().map(|launch| launch * unit).collect::<Vec<_>>());
            let shift = libm::log(unit);
            let ends = [(here.log, there.log), (here.log_interval.0, there.log_interval.0), (here.log_interval.1, there.log_interval.1)];
            for (end, shifted) in ends {
                prop_assert!((end + shift - shifted).abs() < 1e-9, "{} and {}", end + shift, shifted);
            }
        }
    }
}
