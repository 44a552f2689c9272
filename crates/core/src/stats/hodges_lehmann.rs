//! The Hodges-Lehmann estimate: the median of the Walsh averages `(x_i + x_j) / 2` over all i <= j. It is nearly as precise
//! as the mean where noise is normal, and unmoved by the spikes of a shared machine where it is not.
//!
//! Hodges, J. L. and Lehmann, E. L. (1963). Estimates of location based on rank tests. Ann. Math. Statist. 34, 598-611.

use super::{SignedRank, sorted};

/// An estimate of the centre of symmetry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HodgesLehmann {
    /// The median of the Walsh averages.
    pub estimate: f64,
    /// The signed-rank interval at the wanted confidence. None with too few values for it.
    pub interval: Option<(f64, f64)>,
}

/// Estimates the centre of `values`, which must be finite, with an interval of the given confidence (0.99, say).
/// None without values.
///
/// R: `wilcox.test(values, conf.int = TRUE, exact = TRUE, conf.level = level)`.
#[must_use]
pub fn hodges_lehmann(values: &[f64], level: f64) -> Option<HodgesLehmann> {
    if values.is_empty() {
        return None;
    }
    let walsh = WalshAverages { sorted: sorted(values) };
    let signed_rank = SignedRank::new(values.len());
    let pairs = signed_rank.pairs();
    let (lower, upper) = (walsh.smallest(pairs.div_ceil(2)), walsh.smallest(pairs / 2 + 1));
    let interval = signed_rank.critical((1.0 - level) / 2.0).map(|k| (walsh.smallest(k), walsh.smallest(pairs + 1 - k)));
    Some(HodgesLehmann { estimate: f64::midpoint(lower, upper), interval })
}

/// All averages of two values, never written out: a thousand values have half a million.
struct WalshAverages {
    sorted: Vec<f64>,
}

impl WalshAverages {
    /// The k-th smallest average, from 1. Narrows the range that it is in until few averages are left, and writes those out.
    fn smallest(&self, k: usize) -> f64 {
        let values = &self.sorted;
        let (mut low, mut high) = (values[0], values[values.len() - 1]);
        // So many averages are at most `low`, fewer than k; so many are at most `high`, k or more.
        let (mut below, mut fitting) = (self.count_at_most(low), self.count_at_most(high));
        if below >= k {
            return low + 0.0;
        }
        let mut step = 0_usize;
        while fitting - below > 2 * values.len() {
            // The quartiles come first: spikes make the whole range wide, and the averages that are asked for are in the middle.
            // Then turns are taken: a little below where k should be, a little above it, and the middle in case both were wrong.
            let near = |rank: usize| {
                let rank = rank.clamp(below + 1, fitting - 1);
                low + (high - low) * ((rank - below) as f64 / (fitting - below) as f64)
            };
            let guess = match (step, step % 3) {
                (0, _) => values[values.len() / 4],
                (1, _) => values[values.len() - 1 - values.len() / 4],
                (_, 2) => near(k.saturating_sub(values.len() / 2)),
                (_, 0) => near(k + values.len() / 2),
                _ => f64::midpoint(low, high),
            };
            step += 1;
            let middle = if guess > low && guess < high { guess } else { f64::midpoint(low, high) };
            if middle <= low || middle >= high {
                // No float is between the two: whatever is above the one equals the other.
                return high + 0.0;
            }
            let count = self.count_at_most(middle);
            if count >= k { (high, fitting) = (middle, count) } else { (low, below) = (middle, count) }
        }
        let mut left = self.within(low, high);
        // An average of 0 may be -0, which a person would see as "-0 %"; the sum is +0.
        *left.select_nth_unstable_by(k - below - 1, f64::total_cmp).1 + 0.0
    }

    /// The averages above `low` and at most `high`: as i rises, the range of j that fits falls.
    fn within(&self, low: f64, high: f64) -> Vec<f64> {
        let values = &self.sorted;
        let (mut from, mut to) = (values.len(), values.len());
        let mut averages = Vec::with_capacity(2 * values.len());
        for (i, value) in values.iter().enumerate() {
            let average = |j: usize| f64::midpoint(*value, values[j]);
            while to > i && average(to - 1) > high {
                to -= 1;
            }
            while from > i && average(from - 1) > low {
                from -= 1;
            }
            if to <= i {
                break;
            }
            averages.extend((from.max(i)..to).map(average));
        }
        averages
    }

    /// How many averages are at most `x`: as i rises, the largest j that fits falls, so one walk counts all.
    fn count_at_most(&self, x: f64) -> usize {
        let values = &self.sorted;
        let mut fitting = values.len();
        let mut count = 0;
        let mut i = 0;
        // Which way each step goes is a coin toss, so it is computed rather than branched on.
        while i < fitting {
            let fits = f64::midpoint(values[i], values[fitting - 1]) <= x;
            count += if fits { fitting - i } else { 0 };
            i += usize::from(fits);
            fitting -= usize::from(!fits);
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn by_writing_out(values: &[f64]) -> Vec<f64> {
        let values = sorted(values);
        let mut averages: Vec<f64> = (0..values.len())
            .flat_map(|i| (i..values.len()).map(move |j| (i, j)))
            .map(|(i, j)| f64::midpoint(values[i], values[j]))
            .collect();
        averages.sort_unstable_by(f64::total_cmp);
        averages
    }

    /// Checked by hand: the averages of 1, 2, 4 are 1, 1.5, 2, 2.5, 3, 4.
    #[test]
    fn the_estimate_is_the_median_of_the_averages() {
        let estimate = hodges_lehmann(&[4.0, 1.0, 2.0], 0.99).expect("three values");
        assert_eq!(estimate, HodgesLehmann { estimate: 2.25, interval: None });
    }

    #[test]
    fn ends_of_the_interval_are_the_critical_averages() {
        let values: Vec<f64> = (0..12_u32).map(|i| f64::from(i * i)).collect();
        let averages = by_writing_out(&values);
        let interval = hodges_lehmann(&values, 0.99).expect("values").interval;
        assert_eq!(interval, Some((averages[7], averages[averages.len() - 8])));
    }

    #[test]
    fn zero_has_no_sign() {
        let estimate = hodges_lehmann(&[-2.0, -1.0, 0.0, 1.0, 2.0], 0.5).expect("values");
        assert_eq!(estimate.estimate.to_bits(), 0.0_f64.to_bits());
    }

    #[test]
    fn nothing_gives_nothing() {
        assert_eq!(hodges_lehmann(&[], 0.99), None);
    }

    proptest! {
        #[test]
        fn selection_agrees_with_writing_out(values in prop::collection::vec(-1e6..1e6, 1..40)) {
            let averages = by_writing_out(&values);
            let walsh = WalshAverages { sorted: sorted(&values) };
            for (i, average) in averages.iter().enumerate() {
                prop_assert_eq!(walsh.smallest(i + 1), *average);
            }
        }

        #[test]
        fn equal_values_and_spikes_are_selected_too(
            values in prop::collection::vec(prop_oneof![4 => (-9_i32..9).prop_map(f64::from), 4 => -0.5..0.5, 1 => -1e6..1e6], 40..120),
        ) {
            let averages = by_writing_out(&values);
            let walsh = WalshAverages { sorted: sorted(&values) };
            for (i, average) in averages.iter().enumerate().step_by(17) {
                prop_assert_eq!(walsh.smallest(i + 1), *average);
            }
        }

        #[test]
        fn swapping_sides_mirrors(values in prop::collection::vec(-5.0..5.0, 8..60)) {
            let mirrored: Vec<f64> = values.iter().map(|value| -value).collect();
            let (one, other) = (hodges_lehmann(&values, 0.99).unwrap(), hodges_lehmann(&mirrored, 0.99).unwrap());
            let ((low, high), (other_low, other_high)) = (one.interval.unwrap(), other.interval.unwrap());
            prop_assert_eq!((one.estimate, low, high), (-other.estimate, -other_high, -other_low));
        }

        #[test]
        fn the_interval_holds_the_estimate_and_order_does_not_matter(mut values in prop::collection::vec(-5.0..5.0, 8..60)) {
            let estimate = hodges_lehmann(&values, 0.99).unwrap();
            let (low, high) = estimate.interval.unwrap();
            prop_assert!(low <= estimate.estimate && estimate.estimate <= high);
            values.reverse();
            prop_assert_eq!(hodges_lehmann(&values, 0.99).unwrap(), estimate);
        }
    }
}
