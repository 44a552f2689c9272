//! What came of runs whose truth is known: results in, counts out.

use opfs_bench_core::estimate::{ArmEstimate, Verdict};
use opfs_bench_core::result::{Ended, GroupResult, RunResult};

use super::job::{SLOWDOWNS, SUBJECTS, slowed_by};

/// The slowdown whose decision is timed, in per cent.
pub const DECIDED: u32 = 5;

/// What was said of arms with one slowdown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparisons {
    /// Called slower than the baseline.
    pub slower: u64,
    /// Called faster.
    pub faster: u64,
    /// Called the same.
    pub same: u64,
    /// Neither.
    pub inconclusive: u64,
    /// No verdict, of the arm or of the whole group.
    pub withheld: u64,
    /// Intervals that there were.
    pub intervals: u64,
    /// Those that held the truth.
    pub covering: u64,
    /// The estimated ratios.
    pub ratios: Vec<f64>,
}

/// What came of one group, or of both.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GroupTally {
    /// By slowdown, in the order of [`SLOWDOWNS`].
    pub slowdowns: [Comparisons; SLOWDOWNS.len()],
    /// How often it was measured, a repeat not counted.
    pub groups: u64,
    /// How often it was measured twice, since its null arm differed.
    pub repeated: u64,
    /// How often it got no verdicts at all.
    pub invalid: u64,
    /// How often it ended because every interval was narrow enough.
    pub by_width: u64,
    /// How often it ended because the time was up.
    pub by_budget: u64,
    /// The most arms that it had, empty loops included.
    pub arms: usize,
    /// The whole time of groups in which [`DECIDED`] was found, repeats included, in seconds.
    pub decision_seconds: Vec<f64>,
    /// The rounds that those verdicts rest on.
    pub decision_rounds: Vec<f64>,
}

/// What came of both groups.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// In the order of [`SUBJECTS`].
    pub groups: [GroupTally; SUBJECTS.len()],
}

impl Comparisons {
    fn add(&mut self, estimate: &ArmEstimate, percent: u32) {
        match estimate.verdict {
            Verdict::Slower => self.slower += 1,
            Verdict::Faster => self.faster += 1,
            Verdict::Same => self.same += 1,
            Verdict::Inconclusive => self.inconclusive += 1,
            Verdict::Withheld { .. } | Verdict::Baseline | Verdict::NotCompared => self.withheld += 1,
        }
        let Some(ratio) = estimate.ratio else { return };
        self.ratios.push(ratio.point());
        if let Some((low, high)) = ratio.log_interval {
            let truth = (f64::from(percent) / 100.0).ln_1p();
            self.intervals += 1;
            self.covering += u64::from(low <= truth && truth <= high);
        }
    }

    fn and(mut self, other: &Self) -> Self {
        self.slower += other.slower;
        self.faster += other.faster;
        self.same += other.same;
        self.inconclusive += other.inconclusive;
        self.withheld += other.withheld;
        self.intervals += other.intervals;
        self.covering += other.covering;
        self.ratios.extend_from_slice(&other.ratios);
        self
    }

    /// All of them.
    pub fn all(&self) -> u64 {
        self.slower + self.faster + self.same + self.inconclusive + self.withheld
    }

    /// Those that found a difference: false alarms, where there is none.
    pub fn different(&self) -> u64 {
        self.slower + self.faster
    }
}

impl GroupTally {
    fn add(&mut self, group: &GroupResult, first_attempts: &[&GroupResult]) {
        self.groups += 1;
        self.repeated += u64::from(!first_attempts.is_empty());
        self.invalid += u64::from(!group.estimates.invalid.is_empty());
        self.by_width += u64::from(group.record.ended == Ended::Width);
        self.by_budget += u64::from(group.record.ended == Ended::Budget);
        self.arms = self.arms.max(group.record.arms.len());
        for (arm, estimate) in group.record.arms.iter().zip(&group.estimates.arms) {
            let Some(percent) = slowed_by(&arm.method) else { continue };
            let Some(place) = SLOWDOWNS.iter().position(|slowdown| *slowdown == percent) else { continue };
            self.slowdowns[place].add(estimate, percent);
            if percent == DECIDED && estimate.verdict == Verdict::Slower {
                let attempts = first_attempts.iter().copied().chain([group]);
                self.decision_seconds.push(attempts.map(|attempt| attempt.record.elapsed_ns.as_s()).sum());
                self.decision_rounds.push(group.estimates.rounds as f64);
            }
        }
    }

    fn and(mut self, other: &Self) -> Self {
        for (one, another) in self.slowdowns.iter_mut().zip(&other.slowdowns) {
            *one = std::mem::take(one).and(another);
        }
        self.groups += other.groups;
        self.repeated += other.repeated;
        self.invalid += other.invalid;
        self.by_width += other.by_width;
        self.by_budget += other.by_budget;
        self.arms = self.arms.max(other.arms);
        self.decision_seconds.extend_from_slice(&other.decision_seconds);
        self.decision_rounds.extend_from_slice(&other.decision_rounds);
        self
    }

    /// The arms that are slower by so many per cent, one of [`SLOWDOWNS`].
    pub fn slowed(&self, percent: u32) -> &Comparisons {
        let place = SLOWDOWNS.iter().position(|slowdown| *slowdown == percent).expect("one of the job's slowdowns");
        &self.slowdowns[place]
    }

    /// All arms, whatever their slowdown.
    pub fn all_slowdowns(&self) -> Comparisons {
        self.slowdowns.iter().fold(Comparisons::default(), Comparisons::and)
    }
}

impl Tally {
    /// Takes a finished run of the validation's job.
    pub fn add(&mut self, result: &RunResult) {
        for (tally, subject) in self.groups.iter_mut().zip(SUBJECTS) {
            let is_its = |group: &&GroupResult| group.record.group.name == subject.name;
            let first_attempts: Vec<&GroupResult> = result.superseded.iter().filter(is_its).collect();
            for group in result.groups.iter().filter(is_its) {
                tally.add(group, &first_attempts);
            }
        }
    }

    /// Both groups together.
    pub fn both(&self) -> GroupTally {
        self.groups.iter().fold(GroupTally::default(), GroupTally::and)
    }
}
