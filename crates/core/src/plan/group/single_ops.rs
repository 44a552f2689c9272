//! Groups whose ops are timed one by one: how many make a sample, and what becomes of their times.

use super::GroupPlan;
use crate::job::Timing;
use crate::plan::schedule::paced_ops;
use crate::protocol;
use crate::result::{Arm, OpTimes, Pacing, When, schedule};
use crate::stats::Latencies;
use crate::units::Nanos;

/// The times of single ops. Those of a round are kept aside until the round is over: one that is dropped does not count.
#[derive(Clone, Debug, Default)]
pub(super) struct SingleOps {
    arms: Vec<Counted>,
    aside: Vec<(usize, Vec<Nanos>, Option<Pacing>)>,
}

/// What counts of an arm.
#[derive(Clone, Debug)]
struct Counted {
    latencies: Latencies,
    pacing: Option<Pacing>,
}

impl SingleOps {
    /// For arms whose ops are timed so. Batches have none, and take no memory for them.
    pub(super) fn new(timing: Timing, arms: &[Arm]) -> Self {
        let counted = |arm: &Arm| Counted { latencies: Latencies::new(arm.tick_ns), pacing: None };
        Self { arms: if timing == Timing::Ops { arms.iter().map(counted).collect() } else { Vec::new() }, aside: Vec::new() }
    }

    /// Takes a sample of a round that counts or will be dropped.
    pub(super) fn put_aside(&mut self, arm: usize, ops: Vec<Nanos>, pacing: Option<Pacing>) {
        if !self.arms.is_empty() {
            self.aside.push((arm, ops, pacing));
        }
    }

    /// The round is over.
    pub(super) fn round_over(&mut self, counts: bool) {
        for (arm, ops, pacing) in self.aside.drain(..).filter(|_| counts) {
            let arm = &mut self.arms[arm];
            for op in ops {
                arm.latencies.record(op);
            }
            if let Some(pacing) = pacing {
                arm.pacing.get_or_insert_default().add(pacing);
            }
        }
    }

    /// Hands over what counts.
    pub(super) fn write(self, arms: &mut [Arm]) {
        for (arm, Counted { latencies, pacing }) in arms.iter_mut().zip(self.arms) {
            arm.latencies = (latencies.ops() > 0).then(|| OpTimes { counts: latencies.counts(), pacing });
        }
    }
}

impl GroupPlan {
    /// The most ops that a sample may hold.
    pub(super) fn most_ops(&self) -> u64 {
        if self.record.group.timing == Timing::Ops { protocol::MOST_TIMED_OPS } else { u64::MAX }
    }

    /// What a sample of the arm lasts whatever its ops take: its schedule, where they are paced.
    pub(super) fn scheduled(&self, arm: usize) -> Nanos {
        self.record.group.rate_iops.map_or(Nanos(0), |rate| schedule(self.record.arms[arm].n, rate))
    }

    /// Where ops are paced, the rate and not the clock says how many make a sample.
    pub(super) fn choose_paced(&mut self, rate_iops: u32) {
        let left = self.record.budget_ns.since(self.record.elapsed_ns);
        let slowest = self.paces.iter().flatten().fold(0.0_f64, |slowest, pace| slowest.max(*pace));
        let n = paced_ops(rate_iops, slowest, self.record.arms.len(), left);
        for arm in self.record.arms.iter_mut().filter(|arm| arm.takes_part()) {
            arm.n = n;
        }
        self.verify_from(0, When::Before, Nanos(0));
    }
}
