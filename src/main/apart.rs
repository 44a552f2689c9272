//! After a group's rounds: what each method allocates, and what the stages of its work take.

use std::collections::HashSet;

use opfs_bench_core::job::{Group, MethodName, Open, Thread, Work};
use opfs_bench_core::plan::ArmSpec;
use opfs_bench_core::result::{Allocated, GroupRecord, Role, Stage, StageTimes, Ticks};
use opfs_bench_core::sort;

use super::control::Control;
use super::group::{OpenGroup, Opening};
use super::remote::Remote;

/// Methods that ask a worker have it read by this one; so what the worker does for them is this one's stages.
const ASKED: &str = "worker/sync";

/// What was found out beside the rounds, arm by arm. What could not be found out is missing: an arm is no worse for it.
#[derive(Default)]
pub struct Apart {
    allocated: Vec<Option<Allocated>>,
    stages: Vec<Vec<StageTimes>>,
}

impl Apart {
    /// Reads a few ops more by each method that took part, and counts what they allocate.
    pub async fn allocations(&mut self, open: &mut OpenGroup<'_>, arms: &[ArmSpec], control: &Control) {
        for (place, arm) in arms.iter().enumerate() {
            let wanted = is_shown(arm) && !control.stopped();
            self.allocated.push(if wanted { open.allocated(place).await.ok() } else { None });
            control.alive();
        }
    }

    /// Opens the group once more, its files for each op, and has each method's work on a file taken apart.
    ///
    /// # Errors
    /// When the worker cannot be reached.
    pub async fn stages(
        &mut self,
        remote: &Remote,
        opening: Opening<'_>,
        arms: &[ArmSpec],
        ticks: Ticks,
        control: &Control,
    ) -> Result<(), String> {
        if opening.group.rw.work() != Work::Read {
            // Only reads are taken apart.
            return Ok(());
        }
        let group = Group { open: Open::Each, iodepth: 1, ..opening.group.clone() };
        let mut wanted: Vec<usize> = (0..arms.len()).filter(|arm| is_taken_apart(&arms[*arm])).collect();
        // What a method's work consists of does not depend on the options of its arms: the first one stands for all.
        let mut seen = HashSet::new();
        wanted.retain(|arm| seen.insert(arms[*arm].method.plain()));
        let mut specs: Vec<ArmSpec> =
            wanted.iter().map(|arm| ArmSpec { method: arms[*arm].method.plain(), ..arms[*arm].clone() }).collect();
        let asks = |arm: &ArmSpec| arm.method.thread() == Thread::Rpc;
        if let Some(asking) = specs.iter().find(|arm| asks(arm)) {
            let method: MethodName = ASKED.parse().expect("a method's name");
            specs.push(ArmSpec { method, tick: ticks.worker_ns, ..asking.clone() });
        }
        let mut open = OpenGroup::open(remote, &specs, Opening { group: &group, ..opening }).await?;
        let mut stages = Vec::with_capacity(specs.len());
        for (place, arm) in specs.iter().enumerate() {
            let stopped = control.stopped();
            stages.push(if stopped { Vec::new() } else { open.stages(place, arm.tick).await.unwrap_or_default() });
            control.alive();
        }
        open.close().await?;
        let workers = if stages.len() > wanted.len() { stages.pop().unwrap_or_default() } else { Vec::new() };
        self.stages.resize(arms.len(), Vec::new());
        for (arm, mut stages) in wanted.into_iter().zip(stages) {
            if asks(&arms[arm]) {
                with_the_workers(&mut stages, &workers);
            }
            self.stages[arm] = stages;
        }
        Ok(())
    }

    /// Puts everything where it belongs.
    pub fn note(self, record: &mut GroupRecord) {
        for (arm, allocated) in record.arms.iter_mut().zip(self.allocated) {
            arm.allocated = allocated;
        }
        for (arm, stages) in record.arms.iter_mut().zip(self.stages) {
            arm.stages = stages;
        }
    }
}

/// The null arm is the baseline again, and empty loops do nothing.
fn is_shown(arm: &ArmSpec) -> bool {
    matches!(arm.role, Role::Baseline | Role::Contender) && arm.absent.is_none()
}

/// Several workers do several things at a time.
fn is_taken_apart(arm: &ArmSpec) -> bool {
    is_shown(arm) && arm.method.thread() != Thread::Pool
}

/// Adds what the worker does to what the main thread sees of a method that asks it.
fn with_the_workers(stages: &mut Vec<StageTimes>, worker: &[StageTimes]) {
    if stages.iter().any(|times| times.stage == Stage::Delivery) {
        stages.extend(worker.iter().cloned());
        sort::by_key(stages, |times| times.stage);
    }
}
