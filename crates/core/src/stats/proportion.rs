//! How far a counted share can be trusted: 3 false alarms of 540 are 0.6 %, and somewhere between 0.1 % and 1.6 %.
//!
//! The interval is Clopper and Pearson's: every probability under which a count at least, and one at most, as large as the one
//! seen is no rarer than half of 1 - level. It never covers the truth less often than it says, at any count, even 0 of n,
//! which matters where a count is to show that false alarms are rare. Wilson's interval is narrower, and below its level in
//! just those corners.
//!
//! Clopper, C. J. and Pearson, E. S. (1934). The use of confidence or fiducial limits illustrated in the case of the binomial.
//! Biometrika 26, 404-413. Its limits are quantiles of beta distributions: Johnson, N. L., Kemp, A. W. and Kotz, S. (2005).
//! Univariate Discrete Distributions, 3rd ed., chapter 3.

use statrs::distribution::{Beta, ContinuousCDF};

/// The interval of a probability of which `successes` of `trials` independent trials came true. None without trials, or with
/// more successes than trials.
///
/// The last digits may differ from one platform to the next: this is for tables that people read, not for result files.
///
/// R: `binom.test(successes, trials, conf.level = level)`.
#[must_use]
pub fn proportion_interval(successes: u64, trials: u64, level: f64) -> Option<(f64, f64)> {
    let failures = trials.checked_sub(successes).filter(|_| trials > 0)?;
    let tail = (1.0 - level) / 2.0;
    // Below no success and above no failure there is nothing to exclude.
    let low = if successes == 0 { 0.0 } else { beta_quantile(tail, successes, failures + 1) };
    let high = if failures == 0 { 1.0 } else { 1.0 - beta_quantile(tail, failures, successes + 1) };
    Some((low, high))
}

fn beta_quantile(p: f64, a: u64, b: u64) -> f64 {
    Beta::new(a as f64, b as f64).expect("both shapes are above zero").inverse_cdf(p)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use statrs::distribution::{Binomial, DiscreteCDF};

    use super::*;

    #[test]
    fn none_and_all_reach_the_ends() {
        assert_eq!(proportion_interval(0, 0, 0.95), None);
        assert_eq!(proportion_interval(2, 1, 0.95), None);
        let (low, high) = proportion_interval(0, 100, 0.95).unwrap();
        // (1 - p)^100 = 0.025.
        assert!(low == 0.0 && (high - (1.0 - libm::pow(0.025, 0.01))).abs() < 1e-12);
        let (low, high) = proportion_interval(100, 100, 0.95).unwrap();
        assert!(high == 1.0 && (low - libm::pow(0.025, 0.01)).abs() < 1e-12);
    }

    proptest! {
        /// The definition: at the lower end, so many successes or more are as rare as the tail; at the upper, so many or fewer.
        #[test]
        fn ends_are_where_the_count_becomes_rare((trials, successes) in (1_u64..2_000).prop_flat_map(|trials| (Just(trials), 0..=trials))) {
            let (low, high) = proportion_interval(successes, trials, 0.95).unwrap();
            prop_assert!(low <= successes as f64 / trials as f64 && successes as f64 / trials as f64 <= high);
            if successes > 0 {
                let at_least = 1.0 - Binomial::new(low, trials).unwrap().cdf(successes - 1);
                prop_assert!((at_least - 0.025).abs() < 1e-9, "{at_least}");
            }
            if successes < trials {
                let at_most = Binomial::new(high, trials).unwrap().cdf(successes);
                prop_assert!((at_most - 0.025).abs() < 1e-9, "{at_most}");
            }
        }

        #[test]
        fn failures_mirror_successes((trials, successes) in (1_u64..2_000).prop_flat_map(|trials| (Just(trials), 0..=trials))) {
            let (low, high) = proportion_interval(successes, trials, 0.99).unwrap();
            let (other_low, other_high) = proportion_interval(trials - successes, trials, 0.99).unwrap();
            prop_assert!((low + other_high - 1.0).abs() < 1e-15 && (high + other_low - 1.0).abs() < 1e-15);
        }
    }
}
