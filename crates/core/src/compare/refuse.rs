//! What makes two runs incomparable: then the values are shown and nothing is said of them.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Launches;
use crate::job::{Group, Timing};
use crate::report::one_line;
use crate::result::{Outcome, RunResult};
use crate::units::Nanos;

/// Why runs are not judged against each other: one property in which launches differ, with two of its values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The property.
    pub what: Property,
    /// Its value in the first launch.
    pub one: String,
    /// Its value in a launch that differs.
    pub another: String,
}

/// What must be alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Property {
    /// There is a launch on both sides.
    Launches,
    /// Every launch is there once.
    Once,
    /// The browser, within a side.
    Browser,
    /// How the run ended.
    Outcome,
    /// The protocol's number.
    Protocol,
    /// The groups: workloads, file sizes, baselines.
    Workload,
    /// Whether the page was cross-origin isolated.
    Isolation,
    /// The tick of the clocks, by class.
    Tick,
    /// Whether a program drove the browser.
    Automation,
}

impl Property {
    fn name(self) -> &'static str {
        match self {
            Self::Launches => "launches",
            Self::Once => "copies",
            Self::Browser => "browser, on one side",
            Self::Outcome => "outcome",
            Self::Protocol => "protocol",
            Self::Workload => "workload",
            Self::Isolation => "cross-origin isolation",
            Self::Tick => "clock's tick",
            Self::Automation => "automation",
        }
    }

    /// The property of a launch, as text: launches are alike in it when the texts are.
    fn of(self, run: &RunResult) -> String {
        match self {
            Self::Launches => String::new(),
            Self::Once => format!("seed {}, started {}", run.seed, run.started),
            Self::Browser => run.environment.browser.clone(),
            Self::Outcome => match &run.outcome {
                Outcome::Finished => "finished".into(),
                Outcome::Stopped => "stopped".into(),
                Outcome::Failed { .. } => "failed".into(),
            },
            Self::Protocol => run.protocol.to_string(),
            Self::Workload => run.job.groups.iter().map(|group| workload(run, &group.name)).collect::<Vec<_>>().join("; "),
            Self::Isolation => if run.environment.isolated { "isolated" } else { "not isolated" }.into(),
            Self::Tick => run.ticks.map_or("unknown", |ticks| class(ticks.main_ns.max(ticks.worker_ns))).into(),
            Self::Automation => if run.environment.automated { "driven by a program" } else { "not driven" }.into(),
        }
    }
}

fn workload(run: &RunResult, name: &str) -> String {
    let Some(group) = run.job.groups.iter().find(|group| group.name == name) else { return String::new() };
    let (rw, open) = (group.rw.name(), group.open.name());
    let timed = match (group.timing, group.rate_iops) {
        (_, Some(rate)) => format!(", {rate} ops/s offered"),
        (Timing::Ops, None) => ", op by op".into(),
        (Timing::Passes, None) => ", in passes".into(),
        (Timing::Batches, None) => String::new(),
    };
    let parallel = parallel(group);
    let files = match &group.own {
        None => format!("by {} of {} in {} files", group.bs, group.size, group.nrfiles),
        Some(own) => {
            // Other files are another workload, though they may be as many and as large.
            let checksum =
                run.fixtures.iter().find(|fixture| fixture.fileset == own.fileset).map_or("unknown", |fixture| &fixture.checksum);
            let by = if own.whole { "whole".into() } else { format!("by {}", group.bs) };
            format!("{by} of {} in {} (checksum of all that were chosen: {})", group.size, own.files(group.nrfiles), one_line(checksum))
        }
    };
    format!("{name}: {rw} {files}, {open}{parallel}{timed}, against {}", group.baseline)
}

fn parallel(group: &Group) -> String {
    let named = [("iodepth", group.iodepth), ("numjobs", group.numjobs)].into_iter().filter(|(_, number)| *number != 1);
    named.map(|(name, number)| format!(", {name} {number}")).collect::<Vec<_>>().concat()
}

/// The three kinds of clock that browsers have: isolated, not isolated, and not isolated outside Chromium. Within one, samples are
/// long enough for the tick not to matter.
fn class(tick: Nanos) -> &'static str {
    match tick.0 {
        0..=50_000 => "fine (up to 50 µs)",
        50_001..=500_000 => "coarse (about 100 µs)",
        _ => "very coarse (about 1 ms)",
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.what {
            Property::Once => write!(f, "one launch stands there twice: {}", self.one),
            what => write!(f, "launches differ in {}: {} and {}", what.name(), self.one, self.another),
        }
    }
}

/// Everything in which any launch differs from the first.
pub(super) fn refusals(base: Launches, other: Launches) -> Vec<Refusal> {
    let Some(first) = base.first().filter(|_| !other.is_empty()) else {
        let counted = |side: Launches| format!("{} launches", side.len());
        return vec![Refusal { what: Property::Launches, one: counted(base), another: counted(other) }];
    };
    let all: Vec<&RunResult> = base.iter().chain(other).collect();
    let copy = all
        .iter()
        .enumerate()
        .find(|(place, run)| all[..*place].iter().any(|earlier| Property::Once.of(earlier) == Property::Once.of(run)));
    let copies = copy.map(|(_, run)| Refusal { what: Property::Once, one: Property::Once.of(run), another: Property::Once.of(run) });
    let mixed = [base, other].into_iter().find_map(|side| differing(Property::Browser, side.first()?, side.iter()));
    let properties = [Property::Outcome, Property::Protocol, Property::Workload, Property::Isolation, Property::Tick, Property::Automation];
    let properties = properties.into_iter().filter_map(|what| differing(what, first, base.iter().chain(other)));
    copies.into_iter().chain(mixed).chain(properties).collect()
}

/// The first launch that differs from this one in a property.
fn differing<'a>(what: Property, first: &RunResult, mut launches: impl Iterator<Item = &'a RunResult>) -> Option<Refusal> {
    // Runs that ended early in the same way are no more comparable for that.
    let one = if what == Property::Outcome { "finished".into() } else { what.of(first) };
    let another = launches.find_map(|run| Some(what.of(run)).filter(|value| *value != one))?;
    Some(Refusal { what, one, another })
}
