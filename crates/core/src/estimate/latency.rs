//! What follows from the times of single ops.

use serde::{Deserialize, Serialize};

use super::Note;
use crate::job::{Group, Timing};
use crate::protocol;
use crate::result::{Arm, GroupRecord};
use crate::stats::{Latencies, Latency, LatencyPercentile};
use crate::units::Nanos;

/// What the single ops of an arm took.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LatencyEstimates {
    /// How many ops.
    pub ops: u64,
    /// The percentiles that so many ops can tell, from the median up.
    pub percentiles: Vec<(LatencyPercentile, Latency)>,
    /// What the longest op took.
    pub longest: Latency,
}

impl LatencyEstimates {
    /// None where no op was timed by itself.
    pub(super) fn of(arm: &Arm) -> Option<Self> {
        let mut latencies = Latencies::new(arm.tick_ns);
        for (time, ops) in &arm.latencies.as_ref()?.counts {
            latencies.record_many(*time, *ops);
        }
        Some(Self { ops: latencies.ops(), percentiles: latencies.percentiles(), longest: latencies.longest()? })
    }

    /// The percentile, where there are ops enough for it.
    #[must_use]
    pub fn percentile(&self, percentile: LatencyPercentile) -> Option<Latency> {
        self.percentiles.iter().find(|(other, _)| *other == percentile).map(|(_, latency)| *latency)
    }
}

/// By how many ticks a sample of so many ops, all of them shorter than the clock can time, may have taken longer than it reads.
pub(super) fn uncertain_ticks(group: &Group, n: u64) -> f64 {
    match (group.timing, group.rate_iops) {
        // A batch that reads as so many ticks took less than one more.
        (Timing::Batches | Timing::Passes, _) => 1.0,
        // In a closed loop ops begin anywhere within a tick, and errors that are as often too long as too short average out.
        (Timing::Ops, None) => libm::sqrt(n as f64),
        // A paced op begins when the clock has just ticked, so that every one of them may read as a tick too few.
        (Timing::Ops, Some(_)) => n as f64,
    }
}

/// What a reader must know of an arm whose ops were paced.
pub(super) fn notes(record: &GroupRecord, arm: &Arm) -> Vec<Note> {
    let mut notes = Vec::new();
    let Some((offered, times)) = record.group.rate_iops.zip(arm.latencies.as_ref()) else { return notes };
    let Some((ops, pacing)) = times.ops().zip(times.pacing) else { return notes };
    let achieved = ops as f64 / pacing.span_ns.as_s();
    if achieved < f64::from(offered) * (1.0 - protocol::MARGIN) {
        notes.push(Note::Overloaded { offered, achieved });
    }
    // What begins less than ten ticks late is late by less than any time that is told.
    if pacing.late_ns > Nanos(arm.tick_ns.0.saturating_mul(protocol::LATENCY_TICKS)) {
        notes.push(Note::LateStarts { latest_ns: pacing.late_ns });
    }
    notes
}
