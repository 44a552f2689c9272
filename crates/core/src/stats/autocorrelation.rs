//! Whether one round tells something of the next, and how much less dependent rounds tell than their number says.
//!
//! All of it is worked out on ranks, so that a single wild sample neither makes nor hides a dependence.
//!
//! The variance of a mean of n dependent values is that of n / τ independent ones, where τ = 1 + 2 (ρ(1) + ρ(2) + ...) is the
//! **integrated autocorrelation time**. Coefficients beyond the memory of the process are noise, and their sum never ends; Geyer's
//! initial monotone sequence says where to stop: for a reversible process the sums of neighbouring pairs ρ(2m) + ρ(2m + 1) are
//! positive and fall, so the estimate takes them in as long as they are positive, and none for more than the one before it.
//!
//! Geyer, C. J. (1992). Practical Markov chain Monte Carlo. Statistical Science 7, 473-483, section 3.3.

use crate::sort;

/// The lag-1 autocorrelation of the ranks of `values`, which stand in the order of time: around 0 where rounds are
/// independent, towards 1 where slow ones follow slow ones. Equal values share the mean of their ranks. None with fewer
/// than four values, or where all are equal.
#[must_use]
pub fn lag_one_autocorrelation(values: &[f64]) -> Option<f64> {
    Some(Ranks::of(values)?.autocorrelation(1))
}

/// The integrated autocorrelation time of the ranks of `values`, which stand in the order of time: 1 where they are independent, 4
/// where they tell as little as a quarter as many; below 1 where slow ones take turns with fast ones. None as above.
#[must_use]
pub fn autocorrelation_time(values: &[f64]) -> Option<f64> {
    let ranks = Ranks::of(values)?;
    let mut time = 1.0 + 2.0 * ranks.autocorrelation(1);
    let mut least = f64::INFINITY;
    for lag in (2..ranks.centred.len() - 1).step_by(2) {
        least = least.min(ranks.autocorrelation(lag) + ranks.autocorrelation(lag + 1));
        if least <= 0.0 {
            break;
        }
        time += 2.0 * least;
    }
    Some(time)
}

/// The ranks of values around their mean.
struct Ranks {
    centred: Vec<f64>,
    squares: f64,
}

impl Ranks {
    fn of(values: &[f64]) -> Option<Self> {
        if values.len() < 4 {
            return None;
        }
        let mean = f64::midpoint(values.len() as f64, 1.0);
        let centred: Vec<f64> = midranks(values).into_iter().map(|rank| rank - mean).collect();
        let squares = centred.iter().map(|rank| rank * rank).sum();
        (squares > 0.0).then_some(Self { centred, squares })
    }

    fn autocorrelation(&self, lag: usize) -> f64 {
        self.centred.iter().zip(&self.centred[lag..]).map(|(earlier, later)| earlier * later).sum::<f64>() / self.squares
    }
}

/// The ranks from 1; equal values share the mean of theirs.
pub(super) fn midranks(values: &[f64]) -> Vec<f64> {
    let by_value = sort::places(values.len(), &|one, other| values[one].total_cmp(&values[other]));
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
    use proptest::prelude::*;

    use super::*;
    use crate::estimate::unit;
    use crate::seed::{Purpose, Seed};

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

    /// A process of order one: what comes is what was, times `kept`, and something new.
    fn process(kept: f64, noise: f64, seed: u64) -> Vec<f64> {
        let mut rng = Seed(seed).stream(Purpose::Simulation);
        let mut normal = || (0..12).map(|_| unit(&mut rng)).sum::<f64>() - 6.0;
        let mut value = 0.0;
        let step = |_| {
            value = kept * value + libm::sqrt(1.0 - kept * kept) * normal();
            value + noise * normal()
        };
        (0..20_000).map(step).collect()
    }

    fn time(values: &[f64]) -> f64 {
        autocorrelation_time(values).expect("defined")
    }

    #[test]
    fn independent_values_have_a_time_of_one() {
        let time = time(&process(0.0, 0.0, 1));
        assert!((time - 1.0).abs() < 0.06, "{time}");
    }

    /// (1 + p) / (1 - p) = 9. On ranks p is arcsin(p / 2) 6 / pi: 0.786 for 0.8, and a little less at each lag.
    #[test]
    fn a_process_of_order_one_has_the_time_that_theory_says() {
        let time = time(&process(0.8, 0.0, 2));
        assert!((8.0..9.5).contains(&time), "{time}");
    }

    /// Under independent noise of the same variance each coefficient is halved: 1 + 0.8 / 0.2 = 5. The lag-1 coefficient alone, 0.4,
    /// would say 2.3.
    #[test]
    fn memory_under_noise_is_longer_than_its_first_coefficient_tells() {
        let values = process(0.8, 1.0, 3);
        let time = time(&values);
        assert!((4.2..5.6).contains(&time), "{time}");
        let lag_one = lag_one_autocorrelation(&values).expect("defined");
        assert!((1.0 + lag_one) / (1.0 - lag_one) < 2.5, "{lag_one}");
    }

    /// By hand. The ranks around their mean are -1.5, 0.5, -0.5, 1.5: squares 5; lag 1: -0.75 - 0.25 - 0.75 = -1.75; lags 2 and 3:
    /// 0.75 + 0.75 - 2.25 < 0.
    #[test]
    fn four_values_by_hand() {
        assert!((time(&[1.0, 3.0, 2.0, 4.0]) - (1.0 - 2.0 * 1.75 / 5.0)).abs() < 1e-12);
    }

    #[test]
    fn undefined_where_nothing_varies() {
        for values in [&[1.0; 20][..], &[1.0, 2.0, 3.0]] {
            assert_eq!((lag_one_autocorrelation(values), autocorrelation_time(values)), (None, None));
        }
    }

    proptest! {
        #[test]
        fn only_ranks_and_their_order_matter(values in prop::collection::vec(-50_i32..50, 0..80)) {
            let values: Vec<f64> = values.into_iter().map(f64::from).collect();
            let cubes: Vec<f64> = values.iter().map(|value| value * value * value + 7.0).collect();
            prop_assert_eq!(autocorrelation_time(&values), autocorrelation_time(&cubes));
        }
    }
}
