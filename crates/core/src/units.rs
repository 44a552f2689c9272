//! Units that a mistake could mix up: bytes and nanoseconds, read from text and written for people.

use std::fmt;
use std::str::FromStr;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A number of bytes. In a job it is a whole number or text with a unit: `"4KiB"`, `"32 MiB"`, `"1000 B"`, fio's `"4k"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub u64);

/// Every unit and its size in bytes. `k`, `m` and `g` are powers of 1024, as in fio; `KB` and its like are powers of 1000, as in SI.
const BYTE_UNITS: [(&str, u64); 11] = [
    ("", 1),
    ("b", 1),
    ("k", 1 << 10),
    ("kib", 1 << 10),
    ("m", 1 << 20),
    ("mib", 1 << 20),
    ("g", 1 << 30),
    ("gib", 1 << 30),
    ("kb", 1_000),
    ("mb", 1_000_000),
    ("gb", 1_000_000_000),
];

/// Text that is no number of bytes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{found}` is not a size: write a whole number of bytes, or one with B, KiB, MiB, GiB (powers of 1024) or KB, MB, GB (powers of 1000)"
)]
pub struct BadSize {
    found: String,
}

impl FromStr for Bytes {
    type Err = BadSize;

    fn from_str(text: &str) -> Result<Self, BadSize> {
        let bad = || BadSize { found: text.to_owned() };
        let trimmed = text.trim();
        let digits = trimmed.find(|c: char| !c.is_ascii_digit()).unwrap_or(trimmed.len());
        let (number, unit) = trimmed.split_at(digits);
        let unit = unit.trim().to_ascii_lowercase();
        let number: u64 = number.parse().map_err(|_| bad())?;
        let (_, factor) = BYTE_UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(bad)?;
        number.checked_mul(*factor).map(Self).ok_or_else(bad)
    }
}

impl fmt::Display for Bytes {
    /// The largest binary unit that divides the number without a rest, so that nothing is rounded away: `20 KiB`, `1000 B`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, factor) = [("GiB", 1_u64 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)]
            .into_iter()
            .find(|(_, factor)| self.0 >= *factor && self.0.is_multiple_of(*factor))
            .unwrap_or(("B", 1));
        write!(f, "{} {unit}", self.0 / factor)
    }
}

impl Bytes {
    /// For people, where three digits are enough: `1.21 KiB`, `4 MiB`.
    #[must_use]
    pub fn rounded(self) -> String {
        let units = [("GiB", 1_u64 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
        let Some((unit, factor)) = units.into_iter().find(|(_, factor)| self.0 >= *factor) else { return self.to_string() };
        let number = self.0 as f64 / factor as f64;
        let decimals = if number < 9.995 { 2 } else { usize::from(number < 99.95) };
        let text = format!("{number:.decimals$}");
        let text = if decimals > 0 { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
        format!("{text} {unit}")
    }
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.0)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Size)
    }
}

struct Size;

impl Visitor<'_> for Size {
    type Value = Bytes;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a size: a whole number of bytes, or text such as \"4KiB\"")
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Bytes, E> {
        Ok(Bytes(number))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Bytes, E> {
        text.parse().map_err(E::custom)
    }
}

/// A duration or a moment in whole nanoseconds. Clocks of browsers tick far more coarsely; whole numbers keep sums exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Nanos(pub u64);

impl Nanos {
    /// From milliseconds as `performance.now()` counts them. Negative and non-finite values become 0: whoever
    /// measures must look for a clock that steps back before it converts.
    #[must_use]
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // `as` saturates, and 2^64 ns are 584 years
    pub fn from_ms(ms: f64) -> Self {
        Self((ms * 1e6).round() as u64)
    }

    /// From whole seconds and parts of one; negative and non-finite values become 0.
    #[must_use]
    pub fn from_s(seconds: f64) -> Self {
        Self::from_ms(seconds * 1e3)
    }

    /// In milliseconds.
    #[must_use]
    pub fn as_ms(self) -> f64 {
        self.as_f64() / 1e6
    }

    /// In seconds.
    #[must_use]
    pub fn as_s(self) -> f64 {
        self.as_f64() / 1e9
    }

    /// As a float, in nanoseconds; exact up to 104 days.
    #[must_use]
    pub fn as_f64(self) -> f64 {
        self.0 as f64
    }

    /// The difference, or 0 where `earlier` is later.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self(self.0.saturating_sub(earlier.0))
    }
}

impl std::ops::Add for Nanos {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl std::iter::Sum for Nanos {
    fn sum<I: Iterator<Item = Self>>(durations: I) -> Self {
        durations.fold(Self(0), |sum, duration| sum + duration)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_read_as_fio_and_si_mean_them() {
        for (text, bytes) in
            [("4KiB", 4096), ("4k", 4096), ("4 kb", 4000), ("32 MiB", 32 << 20), ("1g", 1 << 30), ("1000", 1000), ("17 B", 17)]
        {
            assert_eq!(text.parse(), Ok(Bytes(bytes)), "{text}");
        }
    }

    #[test]
    fn sizes_of_any_files_have_three_digits() {
        for (bytes, text) in [
            (1, "1 B"),
            (1023, "1023 B"),
            (4096, "4 KiB"),
            (4097, "4 KiB"),
            (1240, "1.21 KiB"),
            (12_700, "12.4 KiB"),
            (204_800, "200 KiB"),
            ((1 << 20) + 3, "1 MiB"),
            (3 << 29, "1.5 GiB"),
        ] {
            assert_eq!(Bytes(bytes).rounded(), text, "{bytes}");
        }
    }

    #[test]
    fn what_is_no_size_is_named() {
        for text in ["", "KiB", "-4", "4.5MiB", "4 KiX", "99999999999999999999", "18446744073709551615k"] {
            let error = text.parse::<Bytes>().expect_err(text).to_string();
            assert!(error.contains(&format!("`{text}`")), "{error}");
        }
    }

    #[test]
    fn sizes_are_never_rounded() {
        for (bytes, text) in
            [(0, "0 B"), (1000, "1000 B"), (20_480, "20 KiB"), (32 << 20, "32 MiB"), (1025, "1025 B"), (3 << 29, "1536 MiB")]
        {
            assert_eq!(Bytes(bytes).to_string(), text);
        }
    }

    #[test]
    fn milliseconds_become_whole_nanoseconds() {
        // Two readings of Chromium's clock differ by 5 µs and some float noise.
        assert_eq!(Nanos::from_ms(1_234.569_999_999_944 - 1_234.565), Nanos(5_000));
        assert_eq!(Nanos::from_ms(-1.0), Nanos(0));
        assert_eq!(Nanos::from_ms(f64::NAN), Nanos(0));
    }
}
