//! `opfs-bench validate`: proof, in a real browser, that verdicts are right.
//!
//! [`job`] makes runs whose truth is known, [`tally`] counts what came of them, [`promises`] judges the counts, [`table`] shows them.
//! [`simulated`] does the same with no browser at all.

mod job;
mod promises;
mod simulated;
mod table;
mod tally;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::Result;
use opfs_bench_core::estimate::Verdict;
use opfs_bench_core::job::Job;
use opfs_bench_core::result::{GroupResult, RunResult};
use opfs_bench_core::seed::Seed;

use crate::exit::{Exit, Failure, OrUsage};
use crate::fixture::Fixture;
use crate::interrupt::Interrupt;
use crate::launch::{BrowserOptions, Launcher, Work};
use crate::print::print;
use crate::progress::Progress;
use crate::results;
use table::Validation;

/// A browser that fails so often in a row will not recover.
const FAILURES_ON_END: u32 = 3;

/// For `--help`.
const HELP: &str = "\
opfs-bench promises at most 3 % false alarms on arms that are the baseline itself, to find a slowdown of 10 % in at least 95 %, and \
to have the truth inside at least 95 % of its 99 % intervals.

Exit codes: 0 all three are held; 1 one is not, or three runs in a row failed; 2 usage or file error; 3 stopped (what was measured \
is kept). With --simulated: 0 finished";

/// Check the tool itself: are its verdicts right about methods with a known slowdown?
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub struct Validate {
    /// How many runs, each in a fresh browser
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Seconds of measuring for each of a run's two groups
    #[arg(long, value_name = "S", default_value_t = 10.0, value_parser = budget, allow_negative_numbers = true)]
    budget_s: f64,
    /// The first run's seed, in hexadecimal; each run's is one more than the one before. Taken from the time unless given
    #[arg(long, value_name = "HEX")]
    seed: Option<Seed>,
    /// The folder for every run's result, and for the tables: validation-BROWSER.md and validation-simulated.md
    #[arg(long, value_name = "DIR", default_value = "results/validation")]
    out: PathBuf,
    #[command(flatten)]
    browser: BrowserOptions,
    /// Simulate devices with all kinds of noise, without a browser
    #[arg(long, conflicts_with_all = ["runs", "budget_s", "browser", "headed", "driver"])]
    simulated: bool,
    /// How many simulated runs for each kind of noise and each slowdown; their seeds begin with 0 unless given
    #[arg(long, value_name = "N", default_value_t = 500, requires = "simulated", value_parser = clap::value_parser!(u64).range(1..))]
    trials: u64,
}

/// Below a second nothing is measured, and above an hour nobody waits.
fn budget(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|seconds| (1.0..=3_600.0).contains(seconds)).ok_or_else(|| "allowed are 1 to 3600 seconds".to_owned())
}

impl Validate {
    /// Measures, and prints and writes the table.
    ///
    /// # Errors
    /// Those of the arguments with [`Exit::Usage`], all others with [`Exit::Failed`]. A run that fails is counted, and no error.
    pub async fn run(self) -> Result<Exit, Failure> {
        results::check_folder(&self.out).or_usage()?;
        if self.simulated {
            simulated::run(self.trials, self.seed.map_or(0, |seed| seed.0), &self.out)?;
            return Ok(Exit::Finished);
        }
        let seed = self.seed.unwrap_or_else(seed_from_time);
        let first = self.work(1, seed).or_usage()?;
        let driver = self.browser.driver().or_usage()?;
        let interrupt = Interrupt::listen()?;
        let launcher = Launcher::start(&self.browser, driver, self.browser.capabilities(), Fixture::default()).await?;
        crate::tell!(
            "{} runs of at most about {:.0} s, first seed {seed}; Ctrl-C ends it with a table of the runs until then",
            self.runs,
            first.job.budget_s
        );
        let ended = self.launches(seed, &launcher, &interrupt).await;
        launcher.stop().await;
        Ok(ended?)
    }

    fn work(&self, run: u32, first_seed: Seed) -> Result<Work> {
        let text = job::job(run, self.budget_s);
        let seed = Seed(first_seed.0.wrapping_add(u64::from(run - 1)));
        Ok(Work { job: Job::from_toml(&text)?, own: Some(text), seed: Some(seed), fixture: Fixture::default() })
    }

    async fn launches(&self, seed: Seed, launcher: &Launcher, interrupt: &Interrupt) -> Result<Exit> {
        let browser = self.browser.browser.name();
        let mut validation = Validation::new(browser, !self.browser.headed, self.runs, self.budget_s, seed);
        let path = self.out.join(format!("validation-{browser}.md"));
        let began = Instant::now();
        let mut failures_on_end = 0;
        let mut exit = None;
        for run in 1..=self.runs {
            let name = format!("run {run} of {}", self.runs);
            let run_began = Instant::now();
            let mut measured = None;
            let keep = |json: &str| {
                let result = results::understand(&self.out, json)?;
                results::write_result(&self.out, &result.started, browser, json)?;
                measured = Some(result);
                Ok(())
            };
            let ended = launcher.measure(&self.work(run, seed)?, Progress::among(name.clone()), interrupt, keep).await;
            let came = match (ended, measured) {
                (Ok(Exit::Finished), Some(result)) => {
                    failures_on_end = 0;
                    validation.add(&result);
                    verdicts(&result)
                }
                (Ok(_), _) => {
                    exit = Some(Exit::Stopped);
                    break;
                }
                (Err(error), _) => {
                    failures_on_end += 1;
                    validation.fail(run, &format!("{error:#}"));
                    format!("FAILED\n{error:#}")
                }
            };
            results::replace(&path, &validation.markdown())?;
            let left = began.elapsed() / run * (self.runs - run);
            crate::tell!("{name}, {:.0} s, {}: {came}", run_began.elapsed().as_secs_f64(), time_left(left));
            if failures_on_end == FAILURES_ON_END {
                crate::tell!("{FAILURES_ON_END} runs in a row failed: no more are tried");
                exit = Some(Exit::Failed);
            } else if interrupt.is_raised() {
                exit = Some(Exit::Stopped);
            }
            if exit.is_some() {
                break;
            }
        }
        let text = validation.markdown();
        results::replace(&path, &text)?;
        print(&format!("\n{text}\n{}", path.display()))?;
        Ok(exit.unwrap_or(if validation.held() { Exit::Finished } else { Exit::Failed }))
    }
}

/// Seeds of validations that are made at different times have nothing in common.
#[expect(clippy::cast_possible_truncation, reason = "nanoseconds fill 64 bits in some five hundred years")]
fn seed_from_time() -> Seed {
    Seed(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as u64)
}

/// What was said of each slowed arm: `sync-reads +0 % same, +5 % slower …; promise-reads …`.
fn verdicts(result: &RunResult) -> String {
    let group = |group: &GroupResult| {
        let arms = group.record.arms.iter().zip(&group.estimates.arms);
        let arms = arms.filter_map(|(arm, estimate)| Some(format!("+{} % {}", job::slowed_by(&arm.method)?, word(&estimate.verdict))));
        format!("{} {}", group.record.group.name, arms.collect::<Vec<_>>().join(", "))
    };
    result.groups.iter().map(group).collect::<Vec<_>>().join("; ")
}

fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Slower => "slower",
        Verdict::Faster => "faster",
        Verdict::Same => "same",
        Verdict::Inconclusive => "inconclusive",
        Verdict::Withheld { .. } | Verdict::Baseline | Verdict::NotCompared => "no verdict",
    }
}

fn time_left(left: Duration) -> String {
    match left.as_secs() {
        seconds @ 0..100 => format!("{seconds} s left"),
        seconds => format!("{} min left", seconds.div_ceil(60)),
    }
}
