//! Whether the device became slower or faster while it was measured: the last third of a sentinel's readings against the first.
//!
//! Both thirds vary, so a difference of more than [`protocol::DRIFT`] counts only where its interval at 99 % holds none at all. The
//! difference is the rank-sum test's, on logarithms: bursts that happen to fall into one of the thirds move a mean by that much.

use serde::{Deserialize, Serialize};

use crate::protocol;
use crate::result::{GroupResult, Round, Sentinels};
use crate::stats;
use crate::units::Nanos;

/// A third of many readings is told by the medians of so many blocks at most.
const BLOCKS: usize = 48;

/// A sentinel whose last readings differ from its first.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Drift {
    /// Which.
    pub sentinel: Sentinel,
    /// How much.
    pub degree: Degree,
    /// The logarithm of the ratio of what it took in the last third to what it took in the first: above 0 is slower.
    pub log: f64,
    /// Its interval at 99 %.
    pub log_interval: (f64, f64),
}

/// Work that never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sentinel {
    /// The computation on the main thread.
    MainCpu,
    /// The computation in the worker.
    WorkerCpu,
    /// The overwrite and flush.
    Storage,
}

/// How much a device changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Degree {
    /// Slower or faster by more than [`protocol::DRIFT`].
    Drift,
    /// Slower by more than [`protocol::THROTTLED`]: times of this run say nothing of other runs.
    Throttled,
}

impl Sentinel {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::MainCpu, Self::WorkerCpu, Self::Storage];
    /// Those whose work is the same whatever a group reads.
    const CPU: [Self; 2] = [Self::MainCpu, Self::WorkerCpu];

    fn reading(self, read: &Sentinels) -> Option<Nanos> {
        let reading = match self {
            Self::MainCpu => read.main_ns,
            Self::WorkerCpu => read.worker_ns,
            Self::Storage => read.storage_ns,
        };
        // Sentinels are sized for many ticks, so a reading of nothing is none.
        reading.filter(|reading| *reading > Nanos(0))
    }
}

impl Drift {
    /// Whether it moves the times of a group's arms. Reads of files that the operating system holds in memory do not wait for the
    /// storage; writes do.
    #[must_use]
    pub fn moves_times(&self, writes: bool) -> bool {
        writes || self.sentinel != Sentinel::Storage
    }

    /// The ratio itself: 1.2 is 20 % slower in the end.
    #[must_use]
    pub fn point(&self) -> f64 {
        libm::exp(self.log)
    }

    /// The ratio's interval.
    #[must_use]
    pub fn interval(&self) -> (f64, f64) {
        (libm::exp(self.log_interval.0), libm::exp(self.log_interval.1))
    }
}

/// The drift over a run's groups, one after another: of the CPU alone, since what a flush takes depends on what the group reads.
#[must_use]
pub fn run_drift(groups: &[GroupResult]) -> Vec<Drift> {
    of_rounds(groups.iter().flat_map(|group| &group.record.rounds), &Sentinel::CPU)
}

/// The drift of these sentinels over rounds in the order of time. Rounds that do not count for the arms are as good as others here.
pub(super) fn of_rounds<'a>(rounds: impl IntoIterator<Item = &'a Round>, sentinels: &[Sentinel]) -> Vec<Drift> {
    let read: Vec<Sentinels> = rounds.into_iter().map(|round| round.sentinels).collect();
    sentinels.iter().filter_map(|sentinel| of_sentinel(*sentinel, &read)).collect()
}

fn of_sentinel(sentinel: Sentinel, read: &[Sentinels]) -> Option<Drift> {
    let readings: Vec<f64> = read.iter().filter_map(|read| sentinel.reading(read)).map(Nanos::as_f64).collect();
    let third = readings.len() / 3;
    if third < protocol::DRIFT_READINGS {
        return None;
    }
    let [first, last] = [&readings[..third], &readings[readings.len() - third..]].map(logs);
    let stats::RankSum { shift: log, interval, .. } = stats::rank_sum(&last, &first, protocol::LEVEL)?;
    let log_interval = interval?;
    let sure = log_interval.0 > 0.0 || log_interval.1 < 0.0;
    let degree = match log {
        log if log > libm::log1p(protocol::THROTTLED) => Degree::Throttled,
        log if log.abs() > libm::log1p(protocol::DRIFT) => Degree::Drift,
        _ => return None,
    };
    sure.then_some(Drift { sentinel, degree, log, log_interval })
}

/// A third's logarithms, as medians of neighbours where there are many: a burst then counts once.
fn logs(third: &[f64]) -> Vec<f64> {
    let blocks = third.chunks(third.len().div_ceil(BLOCKS));
    blocks.filter_map(stats::median).map(libm::log).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(main_us: &[u64]) -> Option<(Degree, f64)> {
        let read: Vec<Sentinels> =
            main_us.iter().map(|us| Sentinels { main_ns: Some(Nanos(us * 1_000)), ..Sentinels::default() }).collect();
        of_sentinel(Sentinel::MainCpu, &read).map(|drift| (drift.degree, drift.point()))
    }

    fn steps(thirds: [u64; 3]) -> Vec<u64> {
        thirds.into_iter().flat_map(|us| [us, us + 2, us - 2, us + 1, us - 1, us]).collect()
    }

    #[test]
    fn thirds_are_compared_by_degrees() {
        assert_eq!(found(&steps([300, 310, 320])), None, "6.7 %");
        let (degree, ratio) = found(&steps([300, 310, 330])).expect("10 %");
        assert!(degree == Degree::Drift && (ratio - 1.1).abs() < 0.001);
        assert_eq!(found(&steps([300, 310, 350])).map(|(degree, _)| degree), Some(Degree::Throttled));
        assert_eq!(found(&steps([350, 310, 250])).map(|(degree, _)| degree), Some(Degree::Drift), "faster is never throttled");
        assert_eq!(found(&[300; 18]), None);
    }

    #[test]
    fn seventeen_readings_say_nothing() {
        let mut readings = steps([300, 310, 400]);
        assert!(found(&readings).is_some());
        readings.pop();
        assert_eq!(found(&readings), None);
    }

    #[test]
    fn one_stall_is_no_drift() {
        let mut readings = steps([300, 300, 300]);
        readings[17] = 3_000;
        assert_eq!(found(&readings), None);
    }

    #[test]
    fn readings_that_never_vary_may_still_step() {
        let (degree, ratio) = found(&[[300; 12], [600; 12]].concat()).expect("twice");
        assert!(degree == Degree::Throttled && (ratio - 2.0).abs() < 1e-12);
    }
}
