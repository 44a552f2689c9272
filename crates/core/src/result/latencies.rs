//! What the single ops of an arm took. They are too many to be kept one by one, so they are counted.

use serde::{Deserialize, Serialize};

use super::group::{Arm, GroupRecord};
use crate::job::Timing;
use crate::units::Nanos;

/// The times of an arm's single ops over all rounds that count.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpTimes {
    /// Times, from the shortest up, and how many ops took each: the buckets of a histogram that hold any
    /// ([`crate::stats::Latencies`]). A time is the top of its bucket: exact below 2048 ns, otherwise at most 0.1 % too long and
    /// never too short. Order is not kept.
    pub counts: Vec<(Nanos, u64)>,
    /// How paced ops kept to their schedule. None in a closed loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pacing: Option<Pacing>,
}

/// How samples kept to their schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pacing {
    /// From the moment that a sample's first op was scheduled for until its last had ended, all samples together; no less than
    /// the schedules, so that ops over this is the rate offered where it was kept.
    pub span_ns: Nanos,
    /// The latest that an op began after its schedule, or after the op before it where that ended later: what the harness, not the
    /// method, was late.
    pub late_ns: Nanos,
}

impl Pacing {
    /// Takes another sample in.
    pub fn add(&mut self, sample: Self) {
        self.span_ns = self.span_ns + sample.span_ns;
        self.late_ns = self.late_ns.max(sample.late_ns);
    }
}

impl OpTimes {
    /// How many ops were counted. None where the counts overflow, which those of a run cannot.
    #[must_use]
    pub fn ops(&self) -> Option<u64> {
        self.counts.iter().try_fold(0_u64, |sum, (_, ops)| sum.checked_add(*ops))
    }
}

/// How long so many ops take by their schedule.
#[must_use]
pub fn schedule(ops: u64, rate_iops: u32) -> Nanos {
    Nanos(u64::try_from(u128::from(ops) * 1_000_000_000 / u128::from(rate_iops.max(1))).unwrap_or(u64::MAX))
}

/// Whether the counts are those of the rounds that count. The rounds fit the arms.
pub(super) fn check(record: &GroupRecord, arm: usize) -> Result<(), String> {
    let Arm { method, n, latencies, .. } = &record.arms[arm];
    let rounds = record.rounds.iter().filter(|round| round.dropped.is_none() && round.elapsed_ns[arm].is_some()).count() as u64;
    let timed = if record.group.timing == Timing::Ops { rounds } else { 0 };
    let wanted = timed.checked_mul(*n).ok_or_else(|| format!("{method} has {timed} samples of {n} ops"))?;
    let Some(OpTimes { counts, pacing }) = latencies else {
        return if wanted == 0 { Ok(()) } else { Err(format!("{method} has no times of its {wanted} ops")) };
    };
    let found = latencies.as_ref().and_then(OpTimes::ops);
    if found != Some(wanted) {
        let found = found.map_or("more than can be counted".into(), |ops| ops.to_string());
        return Err(format!("{method} has times of {found} ops, but {wanted} in rounds that count"));
    }
    if counts.iter().any(|(_, ops)| *ops == 0) || !counts.is_sorted_by(|(time, _), (next, _)| time < next) {
        return Err(format!("the times of {method} are not in order, each once"));
    }
    match (record.group.rate_iops, pacing) {
        (None, None) => Ok(()),
        (Some(rate), Some(pacing)) if rate > 0 && pacing.span_ns.0 >= timed.saturating_mul(schedule(*n, rate).0) => Ok(()),
        (Some(_), Some(_)) => Err(format!("the ops of {method} took less time than their schedule")),
        (None, Some(_)) | (Some(_), None) => Err(format!("{method} has a schedule and no rate, or a rate and no schedule")),
    }
}
