//! Tukey's fences: samples far from the middle half. They are counted and shown, never removed.

use super::percentile;

/// How many values lie outside the fences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outliers {
    /// More than 1.5 interquartile ranges outside the quartiles, at most 3.
    pub mild: usize,
    /// More than 3.
    pub severe: usize,
}

/// Counts the values outside Tukey's fences.
///
/// Tukey, J. W. (1977). Exploratory Data Analysis, section 2D.
#[must_use]
pub fn outliers(values: &[f64]) -> Outliers {
    let (Some(lower), Some(upper)) = (percentile(values, 0.25), percentile(values, 0.75)) else {
        return Outliers::default();
    };
    let range = upper - lower;
    let outside = |factor: f64| values.iter().filter(|value| **value < lower - factor * range || **value > upper + factor * range).count();
    let severe = outside(3.0);
    Outliers { mild: outside(1.5) - severe, severe }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_stand_where_tukey_put_them() {
        let mut values: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!(outliers(&values), Outliers::default());
        values.extend([-60.0, 160.0, 1_000.0]);
        assert_eq!(outliers(&values), Outliers { mild: 2, severe: 1 });
        assert_eq!(outliers(&[]), Outliers::default());
    }
}
