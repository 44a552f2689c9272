//! Whether one round tells something of the next.

/// The lag-1 autocorrelation of the ranks of `values`, which stand in the order of time: around 0 where rounds are
/// independent, towards 1 where slow ones follow slow ones. Equal values share the mean of their ranks. None with fewer
/// than four values, or where all are equal.
#[must_use]
pub fn lag_one_autocorrelation(values: &[f64]) -> Option<f64> {
    if values.len() < 4 {
        return None;
    }
    let ranks = midranks(values);
    let mean = f64::midpoint(values.len() as f64, 1.0);
    let variance: f64 = ranks.iter().map(|rank| (rank - mean) * (rank - mean)).sum();
    let covariance: f64 = ranks.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
    (variance > 0.0).then(|| covariance / variance)
}

/// The ranks from 1; equal values share the mean of theirs.
fn midranks(values: &[f64]) -> Vec<f64> {
    let mut by_value: Vec<usize> = (0..values.len()).collect();
    by_value.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0.0; values.len()];
    let mut first = 0;
    while first < by_value.len() {
        let equal = by_value[first..].iter().take_while(|place| values[**place] == values[by_value[first]]).count();
        let shared = (first + 1) as f64 + (equal - 1) as f64 / 2.0;
        by_value[first..first + equal].iter().for_each(|place| ranks[*place] = shared);
        first += equal;
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_their_ranks() {
        assert_eq!(midranks(&[3.0, 1.0, 3.0, 2.0]), [3.5, 1.0, 3.5, 2.0]);
    }

    #[test]
    fn a_trend_is_near_one_and_a_zigzag_near_minus_one() {
        let trend: Vec<f64> = (0..100).map(f64::from).collect();
        let zigzag: Vec<f64> = (0..100).map(|i| f64::from(i % 2)).collect();
        assert!(lag_one_autocorrelation(&trend).expect("defined") > 0.9);
        assert!(lag_one_autocorrelation(&zigzag).expect("defined") < -0.9);
    }

    #[test]
    fn undefined_where_nothing_varies() {
        assert_eq!(lag_one_autocorrelation(&[1.0; 20]), None);
        assert_eq!(lag_one_autocorrelation(&[1.0, 2.0, 3.0]), None);
    }
}
