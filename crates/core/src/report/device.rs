//! What the sentinels tell of the device: that it became slower or faster, and the pauses that it was given.

use super::doubts::Doubt;
use super::format::{duration, ratio_estimate};
use super::prose::count;
use super::words;
use crate::estimate::{Degree, Drift, Sentinel, run_drift};
use crate::result::{CoolDown, GroupResult, RunResult};
use crate::units::Nanos;

const WHOLE_RUN: &str = "the whole run";

/// Drift over the whole run, and within groups: that which moves the times of reads, and that which need not.
pub(super) fn drifted(run: &RunResult) -> Vec<Doubt> {
    // A single group is the whole run.
    let several = run.groups.len() > 1;
    let whole = if several { run_drift(&run.groups) } else { Vec::new() };
    let mut device: Vec<(String, Drift)> = whole.into_iter().map(|drift| (WHOLE_RUN.to_owned(), drift)).collect();
    let mut storage = Vec::new();
    for GroupResult { record, estimates, .. } in &run.groups {
        let writes = record.arms.iter().any(|arm| arm.writes);
        for drift in &estimates.drift {
            let list = if drift.moves_times(writes) { &mut device } else { &mut storage };
            list.push((if several { words::title(&record.group) } else { WHOLE_RUN.to_owned() }, *drift));
        }
    }
    let worst = device.iter().map(|(_, drift)| drift.degree).max();
    let drifted = worst.map(|worst| Doubt::Drifted { worst, found: device });
    drifted.into_iter().chain((!storage.is_empty()).then_some(Doubt::StorageDrifted(storage))).collect()
}

/// The pauses of every group that had some.
pub(super) fn cooled_down(group: &GroupResult) -> Option<(String, String)> {
    let pauses = &group.record.cool_downs;
    (!pauses.is_empty()).then(|| (words::title(&group.record.group), of(pauses)))
}

fn of(pauses: &[CoolDown]) -> String {
    let time: Nanos = pauses.iter().map(|pause| pause.took_ns).sum();
    let reached = match (pauses.iter().filter(|pause| pause.reached).count(), pauses.len()) {
        (0, _) => "the device stayed slower".into(),
        (reached, all) if reached == all => "then it was as fast as before".into(),
        (reached, all) => format!("after {reached} of {all} it was as fast as before"),
    };
    let in_all = if pauses.len() == 1 { "" } else { " in all" };
    format!("{} of {}{in_all}; {reached}", count(pauses.len(), "pause"), duration(time.as_f64()))
}

/// `a computation on the main thread took 1.50 (1.48–1.52) times as long in the last third as in the first`.
pub(super) fn clause(drift: &Drift) -> String {
    let what = match drift.sentinel {
        Sentinel::MainCpu => "a computation on the main thread",
        Sentinel::WorkerCpu => "a computation in the worker",
        Sentinel::Storage => "overwriting and flushing 4 KiB",
    };
    let estimate = ratio_estimate(drift.point(), Some(drift.interval()));
    let interval = estimate.interval().map(|interval| format!(" ({interval})")).unwrap_or_default();
    format!("{what} took {}{interval} times as long in the last third as in the first", estimate.value())
}

pub(super) fn heading(worst: Degree) -> &'static str {
    match worst {
        Degree::Drift => "The device drifted",
        Degree::Throttled => "The device was throttled",
    }
}

pub(super) fn sentence(worst: Degree) -> &'static str {
    match worst {
        Degree::Drift => {
            "Work that never changes took another time in the end than at first. Ratios hold, since they are taken inside a round; \
             times per op are a mixture."
        }
        Degree::Throttled => {
            "Work that never changes took over 15 % longer in the end than at first. Ratios hold, since they are taken inside a round; \
             times per op say little, and are left out when runs are compared."
        }
    }
}
