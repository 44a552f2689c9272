//! What opfs-bench promises of its verdicts, and whether the counts hold it.

use opfs_bench_core::simulate::validate::share;

use super::tally::Tally;

/// The slowdown that must be found, in per cent.
const FOUND: u32 = 10;
/// The share of verdicts on equal arms that may call them different, in per cent.
const FALSE_ALARMS_AT_MOST: u64 = 3;
/// The share of [`FOUND`] that must be found, in per cent.
const FOUND_AT_LEAST: u64 = 95;
/// The share of the 99 % intervals that must hold the truth, in per cent.
const COVERING_AT_LEAST: u64 = 95;

/// A promise and what was counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Promise {
    words: String,
    count: u64,
    of: u64,
    /// Whether the counts hold it. Where nothing was counted, nothing is held.
    pub held: bool,
}

impl Promise {
    fn new(words: String, count: u64, of: u64, holds: impl FnOnce(u64, u64) -> bool) -> Self {
        Self { words, count, of, held: of > 0 && holds(count * 100, of) }
    }

    /// The promise, whether it is held, and the counts.
    pub fn sentence(&self) -> String {
        let word = if self.held { "held" } else { "not held" };
        let counts = if self.of == 0 { "nothing was compared".to_owned() } else { share(self.count, self.of) };
        format!("{}: **{word}**, {counts}.", self.words)
    }
}

/// The three promises, of both groups together.
pub fn promises(tally: &Tally) -> [Promise; 3] {
    let both = tally.both();
    let (equal, slowed, all) = (both.slowed(0), both.slowed(FOUND), both.all_slowdowns());
    [
        Promise::new(format!("At most {FALSE_ALARMS_AT_MOST} % false alarms"), equal.different(), equal.all(), |hundredfold, of| {
            hundredfold <= FALSE_ALARMS_AT_MOST * of
        }),
        Promise::new(
            format!("A slowdown of {FOUND} % found in at least {FOUND_AT_LEAST} %"),
            slowed.slower,
            slowed.all(),
            |hundredfold, of| hundredfold >= FOUND_AT_LEAST * of,
        ),
        Promise::new(
            format!("The truth inside at least {COVERING_AT_LEAST} % of the 99 % intervals"),
            all.covering,
            all.intervals,
            |hundredfold, of| hundredfold >= COVERING_AT_LEAST * of,
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(words: [u64; 6]) -> [bool; 3] {
        let [alarms, equal, found, slowed, covering, intervals] = words;
        let mut tally = Tally::default();
        let slowdowns = &mut tally.groups[1].slowdowns;
        (slowdowns[0].faster, slowdowns[0].same) = (alarms, equal - alarms);
        (slowdowns[3].slower, slowdowns[3].withheld) = (found, slowed - found);
        (slowdowns[1].covering, slowdowns[1].intervals) = (covering, intervals);
        promises(&tally).map(|promise| promise.held)
    }

    #[test]
    fn each_is_held_up_to_its_limit_and_no_further() {
        assert_eq!(held([3, 100, 95, 100, 95, 100]), [true; 3]);
        assert_eq!(held([4, 100, 95, 100, 95, 100]), [false, true, true]);
        assert_eq!(held([3, 100, 94, 100, 95, 100]), [true, false, true]);
        assert_eq!(held([3, 100, 95, 100, 94, 100]), [true, true, false]);
    }

    #[test]
    fn nothing_compared_is_nothing_held() {
        assert_eq!(held([0; 6]), [false; 3]);
        let sentences = promises(&Tally::default()).map(|promise| promise.sentence());
        assert_eq!(sentences[0], "At most 3 % false alarms: **not held**, nothing was compared.");
    }
}
