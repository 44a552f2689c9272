//! A robust fit of costs that are not negative: time = sum of steps times their costs.
//!
//! Times of one ladder span four powers of ten, so what is kept small is the relative error, predicted / measured - 1: each row is
//! divided by its time. Rows that are far out weigh less (Huber's weights, by iteratively reweighted least squares), and no cost is below
//! 0, which is reached by trying every set of costs that may be 0: there are 15 of them for four. Only sums, products, quotients and
//! roots: the same bits in a browser and in a terminal.
//!
//! Huber, P. J. (1964). Robust estimation of a location parameter. Ann. Math. Statist. 35, 73-101.
//! Lawson, C. L. and Hanson, R. J. (1974). Solving least squares problems, chapter 23 (non-negative least squares).

use super::steps::STEPS;
use crate::stats;

/// Costs of steps, by their place in [`super::steps::Step::ALL`].
pub(super) type Costs = [f64; STEPS];

/// A row to be explained.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Row {
    /// How often its op takes each step.
    pub(super) steps: [f64; STEPS],
    /// What the op took, above 0.
    pub(super) time: f64,
}

impl Row {
    /// What it takes at these costs.
    pub(super) fn predicted(&self, costs: &Costs) -> f64 {
        self.steps.iter().zip(costs).map(|(steps, cost)| steps * cost).sum()
    }

    /// The relative error at these costs: 0.1 where 10 % too much is predicted.
    pub(super) fn error(&self, costs: &Costs) -> f64 {
        self.predicted(costs) / self.time - 1.0
    }

    /// Its steps over its time: what the costs are to make 1 of.
    fn scaled(&self, step: usize) -> f64 {
        self.steps[step] / self.time
    }
}

/// Residuals beyond this many standard deviations weigh less; 95 % as precise as least squares where errors are normal.
const HUBER: f64 = 1.345;
/// The standard deviation of normal errors over the median of their absolute values.
const NORMAL: f64 = 1.4826;
/// No spread of relative errors is taken for smaller than this: no clock and no device repeats itself better.
const LEAST_SPREAD: f64 = 0.002;
/// Weights settle in a dozen turns.
const TURNS: usize = 40;
/// A step whose column, once the others' part is taken out, has less than this part of its squared length is none of its own.
const INDEPENDENT: f64 = 1e-6;

/// The steps, of those asked for and in their order, that these rows tell apart.
pub(super) fn independent(rows: &[Row], steps: impl IntoIterator<Item = usize>) -> Vec<usize> {
    let mut kept = Vec::new();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for step in steps {
        let column: Vec<f64> = rows.iter().map(|row| row.scaled(step)).collect();
        let length = dot(&column, &column);
        // Twice, since once leaves rounding errors of what is taken out.
        let mut rest = column;
        for _ in 0..2 {
            for base in &basis {
                let part = dot(&rest, base);
                rest.iter_mut().zip(base).for_each(|(value, base)| *value -= part * base);
            }
        }
        let left = dot(&rest, &rest);
        if length > 0.0 && left > length * INDEPENDENT {
            let norm = libm::sqrt(left);
            basis.push(rest.into_iter().map(|value| value / norm).collect());
            kept.push(step);
        }
    }
    kept
}

/// The costs of these steps that explain the rows best; 0 for all others. None where nothing does.
pub(super) fn fit(rows: &[Row], steps: &[usize]) -> Option<Costs> {
    let mut weights = vec![1.0; rows.len()];
    let mut costs = not_negative(rows, &weights, steps)?;
    for _ in 0..TURNS {
        let errors: Vec<f64> = rows.iter().map(|row| row.error(&costs).abs()).collect();
        let spread = (NORMAL * stats::median(&errors)?).max(LEAST_SPREAD);
        let next: Vec<f64> = errors.iter().map(|error| (HUBER * spread / error).min(1.0)).collect();
        let settled = next.iter().zip(&weights).all(|(next, weight)| (next - weight).abs() < 1e-9);
        weights = next;
        costs = not_negative(rows, &weights, steps)?;
        if settled {
            break;
        }
    }
    Some(costs)
}

/// Weighted least squares over all sets of the steps: the best whose costs are all above 0.
fn not_negative(rows: &[Row], weights: &[f64], steps: &[usize]) -> Option<Costs> {
    let mut best: Option<(f64, Costs)> = None;
    for set in 1_u32..1 << steps.len() {
        let chosen: Vec<usize> = (0..steps.len()).filter(|place| set >> place & 1 == 1).map(|place| steps[place]).collect();
        let Some(costs) = least_squares(rows, weights, &chosen) else { continue };
        if chosen.iter().any(|step| costs[*step] <= 0.0) {
            continue;
        }
        let loss: f64 = rows.iter().zip(weights).map(|(row, weight)| weight * row.error(&costs) * row.error(&costs)).sum();
        if loss.is_finite() && best.is_none_or(|(least, _)| loss < least) {
            best = Some((loss, costs));
        }
    }
    best.map(|(_, costs)| costs)
}

/// The normal equations by Gaussian elimination. Columns are scaled to a length of 1, so that costs of a byte and of an open meet on equal
/// terms. None where two columns are the same.
fn least_squares(rows: &[Row], weights: &[f64], steps: &[usize]) -> Option<Costs> {
    let column =
        |step: usize| -> Vec<f64> { rows.iter().zip(weights).map(|(row, weight)| row.scaled(step) * libm::sqrt(*weight)).collect() };
    let columns: Vec<Vec<f64>> = steps.iter().map(|step| column(*step)).collect();
    let lengths: Vec<f64> = columns.iter().map(|column| libm::sqrt(dot(column, column))).collect();
    let one: Vec<f64> = weights.iter().map(|weight| libm::sqrt(*weight)).collect();
    let size = steps.len();
    let mut matrix: Vec<Vec<f64>> = (0..size)
        .map(|i| {
            let entry = |j: usize| dot(&columns[i], &columns[j]) / (lengths[i] * lengths[j]);
            (0..size).map(entry).chain([dot(&columns[i], &one) / lengths[i]]).collect()
        })
        .collect();
    // Pivots of such a matrix need no search: it is positive definite, or has no solution.
    for pivot in 0..size {
        if matrix[pivot][pivot] <= INDEPENDENT * 1e-3 || matrix[pivot][pivot].is_nan() {
            return None;
        }
        let above = matrix[pivot].clone();
        for (_, row) in matrix.iter_mut().enumerate().filter(|(row, _)| *row != pivot) {
            let factor = row[pivot] / above[pivot];
            row.iter_mut().zip(&above).skip(pivot).for_each(|(value, above)| *value -= factor * above);
        }
    }
    let mut costs = [0.0; STEPS];
    for (place, step) in steps.iter().enumerate() {
        costs[*step] = matrix[place][size] / matrix[place][place] / lengths[place];
    }
    Some(costs)
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Awaits, opens and bytes over four powers of ten, at costs of 200, 500 and 0.002.
    fn rows() -> Vec<Row> {
        let of = |open: f64, bytes: f64| Row { steps: [1.0, 0.0, 0.0, open, bytes], time: 200.0 + 500.0 * open + 0.002 * bytes };
        [512.0, 4e3, 2e4, 1e5, 1e6, 1e7].into_iter().flat_map(|bytes| [of(0.0, bytes), of(1.0, bytes)]).collect()
    }

    fn assert_near(costs: Costs, expected: Costs, within: f64) {
        assert!(costs.iter().zip(expected).all(|(cost, expected)| (cost - expected).abs() <= within * expected), "{costs:?}");
    }

    #[test]
    fn exact_rows_give_their_costs() {
        assert_near(fit(&rows(), &[0, 3, 4]).unwrap(), [200.0, 0.0, 0.0, 500.0, 0.002], 1e-9);
    }

    #[test]
    fn two_wild_rows_of_twelve_move_little() {
        let mut rows = rows();
        rows[3].time *= 3.0;
        rows[8].time *= 0.4;
        assert_near(fit(&rows, &[0, 3, 4]).unwrap(), [200.0, 0.0, 0.0, 500.0, 0.002], 0.02);
    }

    #[test]
    fn no_cost_is_below_zero() {
        // An open that saves time.
        let rows: Vec<Row> = rows().into_iter().map(|row| Row { time: row.time - 600.0 * row.steps[3], ..row }).collect();
        let costs = fit(&rows, &[0, 3, 4]).unwrap();
        assert!(costs[3] == 0.0 && costs[0] > 0.0 && costs[4] > 0.0, "{costs:?}");
    }

    #[test]
    fn steps_that_always_go_together_are_one() {
        let with_calls = |row: Row| Row { steps: [1.0, 0.0, 2.0, row.steps[3], row.steps[4]], ..row };
        let rows: Vec<Row> = rows().into_iter().map(with_calls).collect();
        assert_eq!(independent(&rows, 0..STEPS), [0, 3, 4]);
        assert!(least_squares(&rows, &vec![1.0; rows.len()], &[0, 2]).is_none());
    }

    #[test]
    fn nothing_gives_nothing() {
        assert_eq!((fit(&[], &[0]), fit(&rows(), &[]), fit(&rows(), &[1])), (None, None, None));
    }
}
