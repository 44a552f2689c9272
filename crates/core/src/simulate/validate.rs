//! How often verdicts are wrong on devices whose truth is known, order, warm-up and stopping included.

use std::fmt::Write;

use super::clock::Clock;
use super::device::{Device, MethodModel, WarmUp};
use super::noise::NoiseKind;
use super::run::run;
use crate::estimate::{Note, Verdict, judge};
use crate::job::{Group, Job, MethodName, Open, Rw, Timing};
use crate::result::RunResult;
use crate::seed::Seed;
use crate::stats::{self, Tail};
use crate::units::{Bytes, Nanos};

/// What is tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Experiment {
    /// The noise.
    pub kind: NoiseKind,
    /// By which share of its time the last arm is slower: 0.05 is 5 %.
    pub slower: f64,
    /// The time that it gets, in seconds.
    pub budget_s: f64,
}

/// By how much an arm is slower in one or another of the table's experiments.
pub const SLOWDOWNS: [f64; 4] = [0.03, 0.05, 0.10, 0.25];
/// Time for as many rounds as the usual width takes.
const BUDGET_S: f64 = 20.0;
/// A clock that ticks once in a millisecond needs samples of 100 ms, and 80 rounds of five of them.
const BUDGET_OF_COARSE_S: f64 = 40.0;

/// The methods of an experiment. The null arm and the next two are equal to the baseline; the last one is slower.
const BASELINE: &str = "main/baseline";
const METHODS: [&str; 3] = ["main/equal", "main/equal-too", "main/slower"];
/// The place of the slower one among the arms.
const SLOWER: usize = 4;
/// An op of the baseline: a promise read of 4 KiB.
const OP_NS: f64 = 32_000.0;

/// What came of some trials of an experiment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// How many.
    pub trials: u64,
    /// Those in which an arm that is equal was called slower or faster.
    pub false_alarms: u64,
    /// Those in which an arm that is equal was called slower or faster in total, for its slow samples.
    pub false_tails: u64,
    /// Those in which the slower arm was called slower.
    pub found: u64,
    /// Those without any verdict: the null arm differed twice, say.
    pub invalid: u64,
    /// Those in which the group was measured twice.
    pub repeated: u64,
    /// Intervals that there were.
    pub intervals: u64,
    /// Those that held the truth.
    pub covering: u64,
    /// Rounds that counted, of each trial.
    pub rounds: Vec<f64>,
    /// How long each group took, first attempts included, in seconds.
    pub seconds: Vec<f64>,
}

impl Experiment {
    /// With the time that the kind needs.
    #[must_use]
    pub fn new(kind: NoiseKind, slower: f64) -> Self {
        Self { kind, slower, budget_s: if kind == NoiseKind::Tick1ms { BUDGET_OF_COARSE_S } else { BUDGET_S } }
    }

    /// Makes one trial for each seed.
    #[must_use]
    pub fn trials(&self, seeds: impl IntoIterator<Item = u64>) -> Tally {
        let mut tally = Tally::default();
        for seed in seeds {
            tally.add(&self.run(Seed(seed)), self.slower);
        }
        tally
    }

    /// The whole run of one trial.
    #[must_use]
    pub fn run(&self, seed: Seed) -> RunResult {
        run(&self.job(), seed, &mut self.device(seed))
    }

    fn device(&self, seed: Seed) -> Device {
        let method = |name: &str, op_ns: f64| MethodModel {
            first_touch: Nanos(3_000_000),
            warm_up: Some(WarmUp { slower: 0.5, over: Nanos(100_000_000) }),
            ..MethodModel::new(name, op_ns)
        };
        let [equal, equal_too, slower] = METHODS;
        let methods = vec![
            method(BASELINE, OP_NS),
            method(equal, OP_NS),
            method(equal_too, OP_NS),
            method(slower, OP_NS * (1.0 + self.slower)),
            MethodModel::new("main/empty", 1.0),
        ];
        let clock = || Clock::jittered(self.kind.tick(), seed.0);
        Device::new(methods, [clock(), clock()], self.kind.noise(), seed)
    }

    fn job(&self) -> Job {
        let name = |name: &str| -> MethodName { name.parse().expect("a method's name") };
        let group = Group {
            name: "validation".into(),
            title: "random 4 KiB reads in a 32 MiB file".into(),
            rw: Rw::RandRead,
            bs: Bytes(4096),
            size: Bytes(32 << 20),
            nrfiles: 1,
            open: Open::Kept,
            iodepth: 1,
            numjobs: 1,
            fsync: 0,
            end_fsync: false,
            timing: Timing::Batches,
            rate_iops: None,
            baseline: name(BASELINE),
            methods: METHODS.map(name).to_vec(),
            own: None,
        };
        Job {
            name: "validation".into(),
            title: "Three equal methods and a slower one".into(),
            budget_s: self.budget_s,
            storage: group.size,
            groups: vec![group],
            left_out: Vec::new(),
        }
    }
}

impl Tally {
    fn add(&mut self, result: &RunResult, slower: f64) {
        let group = &result.groups[0];
        self.trials += 1;
        self.repeated += u64::from(!result.superseded.is_empty());
        self.invalid += u64::from(!group.estimates.invalid.is_empty());
        self.rounds.push(group.estimates.rounds as f64);
        self.seconds.push(result.groups.iter().chain(&result.superseded).map(|group| group.record.elapsed_ns.as_s()).sum());
        let (mut false_alarm, mut false_tail) = (false, false);
        for (place, arm) in group.estimates.arms.iter().enumerate().take(SLOWER + 1).skip(1) {
            let truth = if place == SLOWER { libm::log1p(slower) } else { 0.0 };
            if let Some((low, high)) = arm.ratio.and_then(|ratio| ratio.log_interval) {
                let covers = low <= truth && truth <= high;
                self.intervals += 1;
                self.covering += u64::from(covers);
            }
            if place == SLOWER {
                self.found += u64::from(arm.verdict == Verdict::Slower);
            } else {
                let differs = |verdict: &Verdict| matches!(verdict, Verdict::Slower | Verdict::Faster);
                false_alarm |= differs(&arm.verdict);
                let dominates = arm.notes.contains(&Note::TailDominated { tail: Tail::Dominates });
                false_tail |= arm.total.is_some_and(|total| dominates && differs(&judge(total.log_interval)));
            }
        }
        self.false_tails += u64::from(false_tail);
        self.false_alarms += u64::from(false_alarm);
    }

    /// Of both.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.trials += other.trials;
        self.false_alarms += other.false_alarms;
        self.false_tails += other.false_tails;
        self.found += other.found;
        self.invalid += other.invalid;
        self.repeated += other.repeated;
        self.intervals += other.intervals;
        self.covering += other.covering;
        self.rounds.extend(other.rounds);
        self.seconds.extend(other.seconds);
        self
    }
}

/// A line of the table: what came of one kind of noise.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The noise.
    pub kind: NoiseKind,
    /// By how much the last arm was slower, and what came of it.
    pub tallies: Vec<(f64, Tally)>,
}

/// The table of all kinds.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// One line for each kind.
    pub lines: Vec<Line>,
}

/// The confidence of the table's intervals.
pub const LEVEL: f64 = 0.95;

/// The table of these kinds, with every one of [`SLOWDOWNS`]. Who calls it decides how `trials` of an experiment are made: how
/// many, and on how many threads.
pub fn table(kinds: &[NoiseKind], mut trials: impl FnMut(&Experiment) -> Tally) -> Table {
    let mut line = |kind: &NoiseKind| Line {
        kind: *kind,
        tallies: SLOWDOWNS.map(|slower| (slower, trials(&Experiment::new(*kind, slower)))).to_vec(),
    };
    Table { lines: kinds.iter().map(&mut line).collect() }
}

impl Table {
    /// The table in Markdown. Every share stands with its interval at 95 %.
    ///
    /// # Panics
    /// Never: text can always be written to.
    #[must_use]
    pub fn markdown(&self) -> String {
        let slower: Vec<f64> = self.lines.first().map_or_else(Vec::new, |line| line.tallies.iter().map(|(slower, _)| *slower).collect());
        let found: Vec<String> = slower.iter().map(|slower| format!("found +{:.0} %", slower * 100.0)).collect();
        let mut titles = vec!["noise".to_owned(), "trials".into(), "false alarms".into()];
        titles.extend(found);
        titles.extend(["intervals that hold the truth", "rounds, median", "time to a verdict, median"].map(str::to_owned));
        let mut text = format!("| {} |\n|{}\n", titles.join(" | "), " --- |".repeat(titles.len()));
        for line in &self.lines {
            writeln!(text, "| {} |", line.cells().join(" | ")).expect("text takes text");
        }
        text
    }
}

impl Line {
    fn cells(&self) -> Vec<String> {
        let all = self.tallies.iter().fold(Tally::default(), |all, (_, tally)| all.and(tally.clone()));
        let mut cells = vec![self.kind.name().to_owned(), all.trials.to_string(), share(all.false_alarms, all.trials)];
        cells.extend(self.tallies.iter().map(|(_, tally)| share(tally.found, tally.trials)));
        cells.push(share(all.covering, all.intervals));
        cells.push(stats::median(&all.rounds).map_or_else(|| "none".into(), |rounds| format!("{rounds:.0}")));
        cells.push(stats::median(&all.seconds).map_or_else(|| "none".into(), |seconds| format!("{seconds:.1} s")));
        cells
    }
}

/// A cell of such a table: `3 of 500: 0.60 % (0.12–1.74)`, with the interval at [`LEVEL`].
#[must_use]
pub fn share(count: u64, of: u64) -> String {
    let percent = |share: f64| format!("{:.2}", share * 100.0);
    stats::proportion_interval(count, of, LEVEL).map_or_else(
        || "none".into(),
        |(low, high)| format!("{count} of {of}: {} % ({}–{})", percent(count as f64 / of as f64), percent(low), percent(high)),
    )
}
