//! What the steps of a long command came to.

use std::fmt;
use std::time::{Duration, Instant};

/// How a step ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It has no tests to count.
    Done,
    /// Its tests ran.
    Tests(Counts),
    /// It failed without tests to count: why, with the command line.
    Failed(String),
    /// Its tests ran and some failed, or none ran: with the command line.
    TestsFailed(Counts, String),
}

/// Tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// That passed.
    pub passed: u64,
    /// That failed.
    pub failed: u64,
    /// That were ignored.
    pub ignored: u64,
}

/// Steps in the order in which they ended.
#[derive(Debug, Default)]
pub struct Summary {
    steps: Vec<(String, Outcome, Duration)>,
}

impl Counts {
    /// Sums the closing lines of test programs: `test result: ok. 3 passed; 0 failed; 0 ignored; …`.
    pub fn in_output(output: &str) -> Self {
        let mut counts = Self::default();
        for line in output.lines() {
            let Some((_, result)) = line.split_once("test result: ") else { continue };
            let number = |what: &str| {
                let words: Vec<&str> = result.split([' ', ';']).filter(|word| !word.is_empty()).collect();
                words.windows(2).find(|pair| pair[1] == what).and_then(|pair| pair[0].parse().ok()).unwrap_or(0)
            };
            counts.passed += number("passed");
            counts.failed += number("failed");
            counts.ignored += number("ignored");
        }
        counts
    }
}

impl Summary {
    /// Adds a step.
    pub fn add(&mut self, name: &str, outcome: Outcome, time: Duration) {
        self.steps.push((name.to_owned(), outcome, time));
    }

    /// Runs a step and adds it. True where it did not fail.
    pub fn time(&mut self, name: &str, step: impl FnOnce() -> Outcome) -> bool {
        eprintln!("\n== {name}");
        let start = Instant::now();
        let outcome = step();
        let ok = matches!(outcome, Outcome::Done | Outcome::Tests(_));
        self.add(name, outcome, start.elapsed());
        ok
    }

    /// Whether a step failed.
    pub fn failed(&self) -> bool {
        self.steps.iter().any(|(_, outcome, _)| matches!(outcome, Outcome::Failed(_) | Outcome::TestsFailed(..)))
    }

    /// All steps' tests. A step that failed without a failing test counts as one.
    pub fn counts(&self) -> Counts {
        let mut all = Counts::default();
        for (_, outcome, _) in &self.steps {
            let counts = match outcome {
                Outcome::Done => Counts::default(),
                Outcome::Tests(counts) => *counts,
                Outcome::Failed(_) => Counts { failed: 1, ..Counts::default() },
                Outcome::TestsFailed(counts, _) => Counts { failed: counts.failed.max(1), ..*counts },
            };
            all.passed += counts.passed;
            all.failed += counts.failed;
            all.ignored += counts.ignored;
        }
        all
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.steps.iter().map(|(name, ..)| name.chars().count()).max().unwrap_or(0);
        for (name, outcome, time) in &self.steps {
            let (word, reason) = match outcome {
                Outcome::Done => ("ok".to_owned(), None),
                Outcome::Tests(counts) => (format!("ok, {counts}"), None),
                Outcome::Failed(reason) => ("FAILED".to_owned(), Some(reason)),
                Outcome::TestsFailed(counts, reason) => (format!("FAILED, {counts}"), Some(reason)),
            };
            writeln!(f, "{name:width$}  {:>6.1} s  {word}", time.as_secs_f64())?;
            for line in reason.iter().flat_map(|reason| reason.lines()) {
                writeln!(f, "{:width$}    {line}", "")?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)?;
        if self.ignored > 0 {
            write!(f, ", {} skipped", self.ignored)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines_are_summed() {
        let output = "running 3 tests\ntest a ... ok\ntest result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 2 filtered out; \
            finished in 0.01s\n\ntest result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out\n   test result: ok. 4 passed; 0 failed; 0 ignored; 0 filtered out";
        assert_eq!(Counts::in_output(output), Counts { passed: 8, failed: 2, ignored: 1 });
        assert_eq!(Counts::in_output("no tests here: 5 passed"), Counts::default());
    }

    #[test]
    fn a_failed_step_counts_as_a_failed_test() {
        let mut summary = Summary::default();
        summary.add("unit", Outcome::Tests(Counts { passed: 5, failed: 0, ignored: 0 }), Duration::from_secs(1));
        assert!(!summary.failed());
        summary.add("build", Outcome::Failed("exit status: 1: cargo build".to_owned()), Duration::from_secs(1));
        let none_ran = Outcome::TestsFailed(Counts::default(), "no test ran".to_owned());
        summary.add("browser", none_ran, Duration::from_secs(1));
        assert!(summary.failed());
        assert_eq!(summary.counts().to_string(), "5 passed, 2 failed");
        let text = summary.to_string();
        assert!(text.contains("unit        1.0 s  ok, 5 passed, 0 failed\n"), "{text}");
        assert!(text.contains("build       1.0 s  FAILED\n           exit status: 1: cargo build\n"), "{text}");
    }
}
