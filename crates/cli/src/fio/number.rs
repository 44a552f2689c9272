//! fio's numbers: sizes and times with units.

/// What a unit's letter stands for.
const LETTERS: [(char, u32); 5] = [('k', 1), ('m', 2), ('g', 3), ('t', 4), ('p', 5)];

/// A number of bytes. With fio's default `kb_base=1024`, `k`, `ki` and `kb` are 1024 and `kib` is 1000, for compatibility with the time before
/// SI; with `kb_base=1000` it is the other way round.
pub(super) fn bytes(text: &str, kb_base: u64) -> Result<u64, String> {
    let bad = || format!("no size that is read here: write a whole number, with k, m, g or t: \"4k\", \"1g\" (found {text:?})");
    let lower = text.to_ascii_lowercase();
    if let Some(digits) = lower.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16).map_err(|_| bad());
    }
    let (number, unit) = lower.split_at(lower.find(|c: char| !c.is_ascii_digit()).unwrap_or(lower.len()));
    let number: u64 = number.parse().map_err(|_| bad())?;
    let mut letters = unit.chars();
    let power = match letters.next() {
        None | Some('b') => 0,
        Some(letter) => LETTERS.iter().find(|(unit, _)| *unit == letter).ok_or_else(bad)?.1,
    };
    let base = match letters.as_str() {
        "" | "i" | "b" => kb_base,
        "ib" => 2024 - kb_base,
        _ => return Err(bad()),
    };
    base.checked_pow(power).and_then(|unit| number.checked_mul(unit)).ok_or_else(bad)
}

/// A time, in seconds unless it has a unit.
pub(super) fn seconds(text: &str) -> Result<f64, String> {
    let lower = text.to_ascii_lowercase();
    let (number, unit) = lower.split_at(lower.find(|c: char| !c.is_ascii_digit()).unwrap_or(lower.len()));
    let factor = match unit {
        "us" | "usec" => 1e-6,
        "ms" | "msec" => 1e-3,
        "" | "s" | "sec" => 1.0,
        "m" | "min" => 60.0,
        "h" | "hr" => 3_600.0,
        "d" | "day" => 86_400.0,
        _ => return Err(format!("no time: write a whole number of seconds, or one with us, ms, s, m, h or d (found {text:?})")),
    };
    let number: u32 = number.parse().map_err(|_| format!("no time: write a whole number first (found {text:?})"))?;
    Ok(f64::from(number) * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As fio 3.33 shows them in its first line of output.
    #[test]
    fn sizes_are_what_fio_takes_them_for() {
        for (text, by_default, by_si) in [
            ("8k", 8192, 8000),
            ("8ki", 8192, 8000),
            ("8kb", 8192, 8000),
            ("8KiB", 8000, 8192),
            ("8K", 8192, 8000),
            ("1m", 1 << 20, 1_000_000),
            ("1MiB", 1_000_000, 1 << 20),
            ("0x2000", 8192, 8192),
            ("8192b", 8192, 8192),
            ("4096", 4096, 4096),
        ] {
            assert_eq!((bytes(text, 1024), bytes(text, 1000)), (Ok(by_default), Ok(by_si)), "{text}");
        }
        for text in ["", "k", "4x", "4kk", "-1", "50%", "4k-8k", "(4*1024)", "$pagesize", "99999999p"] {
            assert!(bytes(text, 1024).is_err(), "{text}");
        }
    }

    #[test]
    fn times_have_units() {
        for (text, wanted) in [("60", 60.0), ("2m", 120.0), ("500ms", 0.5), ("1H", 3600.0), ("90000000us", 90.0), ("10sec", 10.0)] {
            assert!(seconds(text).is_ok_and(|found| (found - wanted).abs() < 1e-9), "{text}");
        }
        for text in ["", "s", "1:30", "1.5", "ten"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }
}
