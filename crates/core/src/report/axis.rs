//! A logarithmic axis of ratios: which part of it is drawn, where its ticks stand and how they are labelled.
//!
//! The same code serves ratios from a thousandth to a hundred and ratios within 3 % of 1: of several kinds of ticks it takes
//! the one with the most labels that still keep their distance.

/// At least this much to each side of 1 is drawn, so that the margin's band never fills the chart.
const LEAST: f64 = 1.06;
/// Empty space beyond the outermost values, as a part of the axis.
const PADDING: f64 = 0.06;
/// An end this close to the next power of ten reaches out for it, in powers of ten.
const REACH: f64 = 0.35;
/// The axis goes no further than this from 1: a result from elsewhere may hold anything.
const FARTHEST: f64 = 1e12;
/// Neighbouring labels keep this distance, as a part of the axis: on a phone 40 px, the width of "1/1000".
const DISTANCE: f64 = 0.15;

/// The part of the axis that is drawn, in natural logarithms, and its ticks.
pub(super) struct Axis {
    low: f64,
    high: f64,
    pub(super) ticks: Vec<Tick>,
}

/// A labelled place.
pub(super) struct Tick {
    /// From 0 at the left end to 1 at the right.
    pub(super) at: f64,
    pub(super) label: String,
}

impl Axis {
    /// An axis that holds 1 and all the values, given as natural logarithms.
    pub(super) fn over(logs: impl IntoIterator<Item = f64>) -> Self {
        let (least, farthest) = (libm::log(LEAST), libm::log(FARTHEST));
        let (low, high) = logs
            .into_iter()
            .filter(|log| !log.is_nan())
            .map(|log| log.clamp(-farthest, farthest))
            .fold((-least, least), |(low, high): (f64, f64), log| (low.min(log), high.max(log)));
        let padding = (high - low) * PADDING;
        let (mut low, mut high) = (low - padding, high + padding);
        let decade = std::f64::consts::LN_10;
        if high - low > decade {
            low = reach(low / decade, f64::floor) * decade;
            high = reach(high / decade, f64::ceil) * decade;
        }
        let mut axis = Self { low, high, ticks: Vec::new() };
        axis.ticks = axis.finest_ticks();
        axis
    }

    /// Where a natural logarithm stands, from 0 to 1.
    pub(super) fn position(&self, log: f64) -> f64 {
        ((log - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    fn finest_ticks(&self) -> Vec<Tick> {
        let (low, high) = (libm::exp(self.low), libm::exp(self.high));
        let even = [0.01, 0.02, 0.05, 0.1, 0.2].into_iter().map(|step| evenly(step, low, high));
        let leads = [&[1.0, 1.25, 2.0, 5.0, 8.0] as &[f64], &[1.0, 1.5, 2.0, 3.0, 5.0], &[1.0, 2.0, 5.0]];
        let multiples = leads.into_iter().map(|leads| multiples(leads, low, high));
        let decades = (1..=12).map(|step| decades(step, low, high));
        let mut finest = Vec::new();
        for ticks in even.chain(multiples).chain(decades).map(|values| self.ticks(&values)) {
            let apart = ticks.windows(2).all(|pair| pair[1].at - pair[0].at >= DISTANCE);
            if apart && ticks.len() > finest.len() {
                finest = ticks;
            }
        }
        finest
    }

    fn ticks(&self, values: &[f64]) -> Vec<Tick> {
        let fractions = values.first().is_some_and(|least| *least < 0.099);
        values.iter().map(|value| Tick { at: self.position(libm::log(*value)), label: label(*value, fractions) }).collect()
    }
}

/// Out to the next whole power of ten where it is near.
fn reach(end: f64, outwards: fn(f64) -> f64) -> f64 {
    let whole = outwards(end);
    if (whole - end).abs() <= REACH { whole + (whole - end).signum() * 0.04 } else { end }
}

/// 1 and what lies whole steps from it.
fn evenly(step: f64, low: f64, high: f64) -> Vec<f64> {
    // Beyond three times 1, even steps crowd on a logarithmic axis, and the caller would turn them down anyway.
    (-100..=200)
        .map(|steps| 1.0 + f64::from(steps) * step)
        .filter(|value| *value >= low.max(step / 2.0) && *value <= high.min(3.0))
        .collect()
}

/// These numbers times all powers of ten.
fn multiples(leads: &[f64], low: f64, high: f64) -> Vec<f64> {
    let powers = (-12..=12).map(|power| libm::pow(10.0, f64::from(power)));
    powers.flat_map(|power| leads.iter().map(move |lead| lead * power)).filter(|value| *value >= low && *value <= high).collect()
}

/// Every so many powers of ten, 1 among them.
fn decades(step: i32, low: f64, high: f64) -> Vec<f64> {
    let exponents = (-12..=12).filter(|exponent| exponent % step == 0);
    exponents.map(|exponent| libm::pow(10.0, f64::from(exponent))).filter(|value| *value >= low && *value <= high).collect()
}

/// `0.8`, `1.25`, `1/50`, `1000`; far out `10⁶` and `1/10⁶`.
fn label(value: f64, fractions: bool) -> String {
    if fractions && value < 0.999 {
        return format!("1/{}", whole(1.0 / value));
    }
    if value >= 9.99 {
        return whole(value);
    }
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn whole(value: f64) -> String {
    if value < 9_999.5 {
        return format!("{value:.0}");
    }
    let power = format!("{value:.0e}").rsplit_once('e').map(|(_, power)| power.to_owned()).unwrap_or_default();
    let raised = power.chars().filter_map(|digit| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(usize::try_from(digit.to_digit(10)?).ok()?));
    format!("10{}", raised.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(low: f64, high: f64) -> String {
        let ticks = Axis::over([libm::log(low), libm::log(high)]).ticks;
        ticks.into_iter().map(|tick| tick.label).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn ticks_suit_the_range() {
        for (low, high, expected) in [
            (0.97, 1.03, "0.95 1 1.05"),
            (0.9, 1.1, "0.9 0.95 1 1.05 1.1"),
            (0.8, 1.2, "0.8 0.9 1 1.1 1.2"),
            (0.52, 1.93, "0.5 0.8 1 1.25 2"),
            (0.2, 1.1, "0.2 0.3 0.5 1"),
            (1.0, 4.0, "1 1.5 2 3"),
            (0.001_6, 1.05, "1/1000 1/100 1/10 1"),
            (0.001, 100.0, "1/1000 1/100 1/10 1 10 100"),
            (0.9, 35.0, "1 2 5 10 20"),
            (1e-6, 1e6, "1/10⁶ 1/1000 1 1000 10⁶"),
            (0.0, f64::INFINITY, "1/10¹⁰ 1/10⁵ 1 10⁵ 10¹⁰"),
        ] {
            assert_eq!(labels(low, high), expected, "{low} to {high}");
        }
    }

    #[test]
    fn any_range_has_one_and_at_least_two_ticks_that_keep_their_distance() {
        for low in 0..60 {
            for high in 0..60 {
                let [low, high] = [f64::from(low) * -0.2, f64::from(high) * 0.2];
                let axis = Axis::over([low, high]);
                let labels: Vec<&str> = axis.ticks.iter().map(|tick| tick.label.as_str()).collect();
                assert!(labels.contains(&"1"), "{low} to {high}: {labels:?}");
                assert!((2..=7).contains(&labels.len()), "{low} to {high}: {labels:?}");
                assert!(axis.ticks.windows(2).all(|pair| pair[1].at - pair[0].at >= DISTANCE));
                assert!(axis.position(low) < axis.position(0.0) + 1e-9 && axis.position(high) > axis.position(0.0) - 1e-9);
            }
        }
    }

    #[test]
    fn no_values_and_values_that_are_none_still_make_an_axis() {
        assert_eq!(Axis::over([]).ticks.len(), Axis::over([f64::NAN]).ticks.len());
        assert!(Axis::over([]).position(f64::NAN).is_nan());
    }
}
