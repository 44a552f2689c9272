//! Numbers for people: a unit on each, as many digits as mean something, and no 0.00.

use crate::json;

/// A quantity is shown with this many significant digits, unless its interval asks for more.
const DIGITS: usize = 3;
/// However narrow the interval, more digits than this are not read.
const MOST_DIGITS: usize = 5;
/// Beyond these powers of ten a number is written as `1.23e12`.
const PLAIN: std::ops::RangeInclusive<i32> = -6..=8;

/// Units of time and their nanoseconds.
const DURATIONS: [(&str, f64); 4] = [("s", 1e9), ("ms", 1e6), ("µs", 1e3), ("ns", 1.0)];
/// Units of throughput and their bytes a second.
const THROUGHPUTS: [(&str, f64); 4] = [("GiB/s", 1_073_741_824.0), ("MiB/s", 1_048_576.0), ("KiB/s", 1_024.0), ("B/s", 1.0)];

/// Units of sizes and their bytes.
const SIZES: [(&str, f64); 4] = [("GiB", 1_073_741_824.0), ("MiB", 1_048_576.0), ("KiB", 1_024.0), ("B", 1.0)];

/// A value and the ends of its interval, all three to the same decimal place so that they can be compared at a glance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// The value.
    pub point: String,
    /// The interval's ends. None where there is no interval.
    pub ends: Option<(String, String)>,
    /// The unit that the three have in common; empty for a ratio.
    pub unit: &'static str,
}

impl Estimate {
    /// The value with its unit: `640 µs`.
    #[must_use]
    pub fn value(&self) -> String {
        with_unit(&self.point, self.unit)
    }

    /// The interval without its unit: `632–651`.
    #[must_use]
    pub fn interval(&self) -> Option<String> {
        self.ends.as_ref().map(|(low, high)| format!("{low}–{high}"))
    }
}

fn with_unit(number: &str, unit: &str) -> String {
    if unit.is_empty() { number.to_owned() } else { format!("{number} {unit}") }
}

/// The power of ten of the first digit, after rounding to so many digits: 999.6 with three counts as 1000.
fn magnitude(value: f64, digits: usize) -> i32 {
    let text = format!("{value:.*e}", digits.saturating_sub(1));
    text.rsplit_once('e').and_then(|(_, power)| power.parse().ok()).unwrap_or(0)
}

/// How many decimals show so many significant digits.
fn decimals(value: f64, digits: usize) -> usize {
    let first = i32::try_from(digits).unwrap_or(0) - 1;
    usize::try_from(first - magnitude(value, digits)).unwrap_or(0)
}

fn with_decimals(value: f64, decimals: usize) -> String {
    if !value.is_finite() || value == 0.0 || !PLAIN.contains(&magnitude(value, DIGITS)) {
        return significant(value, DIGITS);
    }
    format!("{value:.decimals$}")
}

/// A number with so many significant digits; digits before the point are never replaced by zeros.
#[must_use]
pub fn significant(value: f64, digits: usize) -> String {
    if value.is_nan() {
        "unknown".into()
    } else if value.is_infinite() {
        if value > 0.0 { "∞".into() } else { "−∞".into() }
    } else if value == 0.0 {
        "0".into()
    } else if PLAIN.contains(&magnitude(value, digits)) {
        format!("{value:.*}", decimals(value, digits))
    } else {
        format!("{value:.*e}", digits.saturating_sub(1))
    }
}

/// The value in the largest unit of which it is, as it will be printed, at least one.
fn scaled(value: f64, units: &'static [(&'static str, f64); 4]) -> (f64, &'static str, f64) {
    let at_least_one = |size: f64| value > 0.0 && magnitude(value / size, DIGITS) >= 0;
    let (unit, size) = units.iter().copied().find(|(_, size)| value.is_normal() && at_least_one(*size)).unwrap_or(units[3]);
    (value / size, unit, size)
}

/// A duration from nanoseconds: `1.03 µs`, `640 µs`, `2.50 ms`.
#[must_use]
pub fn duration(nanoseconds: f64) -> String {
    let (value, unit, _) = scaled(nanoseconds, &DURATIONS);
    with_unit(&significant(value, DIGITS), unit)
}

/// A duration and its interval, in the duration's unit.
#[must_use]
pub fn duration_estimate(nanoseconds: f64, interval: Option<(f64, f64)>) -> Estimate {
    let (value, unit, size) = scaled(nanoseconds, &DURATIONS);
    Estimate { unit, ..estimate(value, interval.map(|(low, high)| (low / size, high / size))) }
}

/// A size that was worked out, and its interval, in the size's unit: `43.8 KiB`.
#[must_use]
pub fn size_estimate(bytes: f64, interval: Option<(f64, f64)>) -> Estimate {
    let (value, unit, size) = scaled(bytes, &SIZES);
    Estimate { unit, ..estimate(value, interval.map(|(low, high)| (low / size, high / size))) }
}

/// A throughput from bytes per second: `6.10 MiB/s`.
#[must_use]
pub fn throughput(bytes_per_second: f64) -> String {
    let (value, unit, _) = scaled(bytes_per_second, &THROUGHPUTS);
    with_unit(&significant(value, DIGITS), unit)
}

/// A ratio alone: `0.0024`, `0.974`, `1.93`, `412`.
#[must_use]
pub fn ratio(value: f64) -> String {
    significant(value, if value.abs() < 0.1 { 2 } else { DIGITS })
}

/// A ratio and its interval. An end that is not 1 does not print as 1, since that is the value that it is read against.
#[must_use]
#[allow(clippy::float_cmp)] // an end that is exactly 1 may print as 1, and no other may
pub fn ratio_estimate(point: f64, interval: Option<(f64, f64)>) -> Estimate {
    let mut estimate = estimate(point, interval);
    if let Some((low, high)) = interval {
        let most = decimals(point, MOST_DIGITS);
        let mut places = shared_decimals(point, low, high);
        let hides = |end: f64, places: usize| end != 1.0 && json::number(&format!("{end:.places$}")) == Some(1.0);
        while places < most && (hides(low, places) || hides(high, places)) {
            places += 1;
        }
        estimate = with_places(point, interval, places);
    }
    estimate
}

fn estimate(point: f64, interval: Option<(f64, f64)>) -> Estimate {
    let places = interval.map_or_else(|| decimals(point, DIGITS), |(low, high)| shared_decimals(point, low, high));
    with_places(point, interval, places)
}

fn with_places(point: f64, interval: Option<(f64, f64)>, places: usize) -> Estimate {
    Estimate {
        point: with_decimals(point, places),
        ends: interval.map(|(low, high)| (with_decimals(low, places), with_decimals(high, places))),
        unit: "",
    }
}

/// The place of the interval's first digit, and no coarser than three digits of the value.
fn shared_decimals(point: f64, low: f64, high: f64) -> usize {
    let half = (high - low) / 2.0;
    let needed = if half.is_finite() && half > 0.0 { decimals(half, 1) } else { 0 };
    needed.min(decimals(point, MOST_DIGITS)).max(decimals(point, DIGITS))
}

/// How a ratio of times is said: which way, and how many times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Times {
    /// Whether it takes less time than what it is compared with.
    pub faster: bool,
    /// How many times, with the interval turned the same way.
    pub estimate: Estimate,
}

impl Times {
    /// `612 times faster`.
    #[must_use]
    pub fn phrase(&self) -> String {
        format!("{} times {}", self.estimate.point, self.direction())
    }

    /// `612× faster`.
    #[must_use]
    pub fn short(&self) -> String {
        format!("{}× {}", self.estimate.point, self.direction())
    }

    fn direction(&self) -> &'static str {
        if self.faster { "faster" } else { "slower" }
    }
}

/// A ratio of times in words; below 1 it is turned over, so that 0.5 is "2.00 times faster".
#[must_use]
pub fn times(ratio: f64, interval: Option<(f64, f64)>) -> Times {
    if ratio < 1.0 {
        Times { faster: true, estimate: ratio_estimate(1.0 / ratio, interval.map(|(low, high)| (1.0 / high, 1.0 / low))) }
    } else {
        Times { faster: false, estimate: ratio_estimate(ratio, interval) }
    }
}

/// A half-width on the log scale as a part of the value: `±1.8 %`.
#[must_use]
pub fn half_width(log: f64) -> String {
    format!("±{} %", significant(libm::expm1(log.abs()) * 100.0, 2))
}

/// A share as a percentage, two decimals at most: `99 %`, `99.83 %`.
#[must_use]
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent != 0.0 && percent.abs() < 0.01 {
        return format!("{} %", significant(percent, 1));
    }
    let text = format!("{percent:.2}");
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_three_digits_and_the_unit_that_suits_them() {
        for (nanoseconds, text) in [
            (0.0, "0 ns"),
            (0.000_4, "0.000400 ns"),
            (0.42, "0.420 ns"),
            (0.999_4, "0.999 ns"),
            (0.999_6, "1.00 ns"),
            (1.0, "1.00 ns"),
            (9.994, "9.99 ns"),
            (9.996, "10.0 ns"),
            (99.94, "99.9 ns"),
            (99.96, "100 ns"),
            (999.4, "999 ns"),
            (999.6, "1.00 µs"),
            (1_000.0, "1.00 µs"),
            (1_030.0, "1.03 µs"),
            (640_123.0, "640 µs"),
            (999_499.0, "999 µs"),
            (999_600.0, "1.00 ms"),
            (2_500_000.0, "2.50 ms"),
            (999_600_000.0, "1.00 s"),
            (41_250_000_000.0, "41.2 s"),
            (999_600_000_000.0, "1000 s"),
            (3_600_000_000_000.0, "3600 s"),
        ] {
            assert_eq!(duration(nanoseconds), text, "{nanoseconds}");
        }
    }

    #[test]
    fn every_duration_prints_a_digit_that_is_not_zero() {
        for power in -4..13 {
            for step in 1..2_000 {
                let nanoseconds = f64::from(step) / 200.0 * 10_f64.powi(power);
                let text = duration(nanoseconds);
                let (number, _) = text.split_once(' ').expect("a number and a unit");
                assert!(number.chars().any(|c| ('1'..='9').contains(&c)), "{nanoseconds} prints as {text}");
                assert!(number.chars().count() <= 10, "{nanoseconds} prints as {text}");
            }
        }
    }

    #[test]
    fn throughput_has_binary_units() {
        for (bytes, text) in [
            (0.0, "0 B/s"),
            (0.5, "0.500 B/s"),
            (1_023.0, "1023 B/s"),
            (1_024.0, "1.00 KiB/s"),
            (6_396_313.6, "6.10 MiB/s"),
            (1_048_576.0 * 1013.0, "1013 MiB/s"),
            (1_073_741_824.0, "1.00 GiB/s"),
            (1_073_741_824.0 * 33.33, "33.3 GiB/s"),
        ] {
            assert_eq!(throughput(bytes), text, "{bytes}");
        }
    }

    #[test]
    fn ratios_alone_have_two_or_three_digits() {
        for (value, text) in [
            (0.002_4, "0.0024"),
            (0.099_9, "0.10"),
            (0.1, "0.100"),
            (0.974, "0.974"),
            (0.999_6, "1.00"),
            (1.93, "1.93"),
            (9.996, "10.0"),
            (412.3, "412"),
            (4_123.0, "4123"),
            (1e12, "1.00e12"),
            (1e-12, "1.0e-12"),
        ] {
            assert_eq!(ratio(value), text, "{value}");
        }
    }

    #[test]
    fn a_value_and_its_interval_share_their_last_place() {
        let ratios = |point, low, high| {
            let estimate = ratio_estimate(point, Some((low, high)));
            format!("{} ({})", estimate.value(), estimate.interval().expect("has one"))
        };
        assert_eq!(ratios(0.001_6, 0.001_568, 0.001_633), "0.00160 (0.00157–0.00163)");
        assert_eq!(ratios(1.93, 1.895, 1.966), "1.93 (1.90–1.97)");
        assert_eq!(ratios(612.4, 598.0, 627.0), "612 (598–627)");
        assert_eq!(ratios(1.001, 0.998, 1.004), "1.001 (0.998–1.004)");
        assert_eq!(ratios(0.998, 0.96, 1.04), "0.998 (0.960–1.040)");
        assert_eq!(ratios(1.02, 1.0004, 1.04), "1.0200 (1.0004–1.0400)");
        assert_eq!(ratios(1.0, 0.999_999_999, 1.000_000_001), "1.0000 (1.0000–1.0000)");

        let durations = |point, low, high| {
            let estimate = duration_estimate(point, Some((low, high)));
            format!("{} ({})", estimate.value(), estimate.interval().expect("has one"))
        };
        assert_eq!(durations(1_030.0, 1_018.0, 1_041.0), "1.03 µs (1.02–1.04)");
        assert_eq!(durations(999_600.0, 990_000.0, 1_010_000.0), "1.00 ms (0.99–1.01)");
        assert_eq!(durations(640_000.0, 632_000.0, 651_000.0), "640 µs (632–651)");
        assert_eq!(durations(999.6, 990.0, 1_010.0), "1.00 µs (0.99–1.01)");
    }

    #[test]
    fn times_are_turned_over_below_one() {
        let said = |ratio, interval| {
            let times = times(ratio, interval);
            (times.phrase(), times.estimate.interval().unwrap_or_default())
        };
        assert_eq!(said(0.5, None), ("2.00 times faster".into(), String::new()));
        assert_eq!(said(2.0, None), ("2.00 times slower".into(), String::new()));
        assert_eq!(said(1.0 / 612.0, Some((1.0 / 627.0, 1.0 / 598.0))), ("612 times faster".into(), "598–627".into()));
        assert_eq!(said(1.25, Some((1.2, 1.3))), ("1.25 times slower".into(), "1.20–1.30".into()));
    }

    #[test]
    fn half_widths_and_shares_are_percentages() {
        assert_eq!(half_width(0.018), "±1.8 %");
        assert_eq!(half_width(0.02), "±2.0 %");
        assert_eq!(half_width(0.000_04), "±0.0040 %");
        assert_eq!(half_width(0.12), "±13 %");
        assert_eq!(half_width(0.0), "±0 %");
        assert_eq!(percent(0.99), "99 %");
        assert_eq!(percent(1.0 - 0.01 / 6.0), "99.83 %");
        assert_eq!(percent(0.03), "3 %");
        assert_eq!(percent(0.00001), "0.001 %");
        assert_eq!(percent(0.0), "0 %");
    }

    #[test]
    fn numbers_that_are_none_never_panic() {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, -0.0, f64::MAX, f64::MIN_POSITIVE, 5e-324] {
            let interval = Some((value, value));
            let texts = [
                duration(value),
                throughput(value),
                ratio(value),
                half_width(value),
                percent(value),
                significant(value, 0),
                significant(value, 17),
                duration_estimate(value, interval).value(),
                ratio_estimate(1.0, interval).value(),
                ratio_estimate(value, Some((0.0, f64::INFINITY))).value(),
                times(value, interval).phrase(),
            ];
            assert!(texts.iter().all(|text| !text.is_empty() && text.len() < 400), "{value}: {texts:?}");
        }
        assert_eq!(duration(f64::NAN), "unknown ns");
        assert_eq!(duration(f64::INFINITY), "∞ ns");
        assert_eq!(times(0.0, None).phrase(), "∞ times faster");
    }
}
