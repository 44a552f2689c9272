//! Tukey's fences: samples far from the middle half. They are counted and shown, never removed.

use super::sorted;

/// How many values lie outside the fences, which stand 1.5 and 3 times the distance of the hinges outside of the hinges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outliers {
    /// More than 1.5 times that distance outside, at most 3.
    pub mild: usize,
    /// More than 3.
    pub severe: usize,
}

/// Counts the values outside Tukey's fences.
///
/// Tukey, J. W. (1977). Exploratory Data Analysis, section 2D. R: `boxplot.stats(values, coef)$out`.
#[must_use]
pub fn outliers(values: &[f64]) -> Outliers {
    let Some((lower, upper)) = hinges(values) else {
        return Outliers::default();
    };
    let range = upper - lower;
    let outside = |factor: f64| values.iter().filter(|value| **value < lower - factor * range || **value > upper + factor * range).count();
    let severe = outside(3.0);
    Outliers { mild: outside(1.5) - severe, severe }
}

/// The hinges: the medians of the lower and the upper half, both of which hold the middle value where there is one. Equally deep
/// from either end, so that mirrored values have mirrored fences. None without values.
fn hinges(values: &[f64]) -> Option<(f64, f64)> {
    if values.is_empty() {
        return None;
    }
    let values = sorted(values);
    let n = values.len();
    // How deep the hinges lie counts from 1 and may end in a half.
    let twice_the_depth = n.div_ceil(2) + 1;
    let (outer, inner) = (twice_the_depth / 2, twice_the_depth.div_ceil(2));
    Some((f64::midpoint(values[outer - 1], values[inner - 1]), f64::midpoint(values[n - inner], values[n - outer])))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Checked by hand; R: `fivenum(values)[c(2, 4)]`.
    #[test]
    fn hinges_are_the_medians_of_the_halves() {
        assert_eq!(hinges(&[]), None);
        assert_eq!(hinges(&[3.0]), Some((3.0, 3.0)));
        assert_eq!(hinges(&[1.0, 2.0]), Some((1.0, 2.0)));
        assert_eq!(hinges(&[1.0, 2.0, 3.0]), Some((1.5, 2.5)));
        assert_eq!(hinges(&[1.0, 2.0, 3.0, 4.0, 5.0]), Some((2.0, 4.0)));
        assert_eq!(hinges(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]), Some((2.5, 6.5)));
    }

    #[test]
    fn fences_stand_where_tukey_put_them() {
        let mut values: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!(outliers(&values), Outliers::default());
        values.extend([-60.0, 160.0, 1_000.0]);
        assert_eq!(outliers(&values), Outliers { mild: 2, severe: 1 });
        assert_eq!(outliers(&[]), Outliers::default());
    }

    proptest! {
        #[test]
        fn mirrored_values_have_as_many(values in prop::collection::vec(-5_i32..5, 0..60)) {
            // Cubes of small whole numbers: far tails, and exact.
            let values: Vec<f64> = values.into_iter().map(|value| f64::from(value * value * value)).collect();
            let mirrored: Vec<f64> = values.iter().map(|value| -value).collect();
            prop_assert_eq!(outliers(&values), outliers(&mirrored));
        }
    }
}
