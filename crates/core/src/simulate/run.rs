//! A whole run, as the browser's runner makes it, but on a simulated device.

use super::device::{Device, MethodModel, RIGHT};
use crate::estimate::estimate;
use crate::job::{Group, Job, MethodName};
use crate::plan::{ArmSpec, GroupPlan, RunPlan, Step, TickEstimator};
use crate::protocol;
use crate::result::{Environment, FORMAT, Fixture, GroupRecord, GroupResult, Outcome, Role, RunResult, Ticks};
use crate::seed::Seed;
use crate::units::Nanos;

/// Simulated files are written at this many bytes in a nanosecond: 1 GB/s.
const BYTES_PER_NS: u64 = 1;

/// Runs a job on a device. The result says in every place where a browser would stand that there was none.
///
/// # Panics
/// Where the device's clock stands.
#[must_use]
pub fn run(job: &Job, seed: Seed, device: &mut Device) -> RunResult {
    let began_ms = device.now_ms();
    let ticks = Ticks { main_ns: tick(device, false), worker_ns: tick(device, true) };
    let fixtures = job.filesets().into_iter().map(|fileset| write(device, fileset)).collect();
    let mut result = RunResult {
        format: FORMAT.into(),
        protocol: protocol::NUMBER,
        version: env!("CARGO_PKG_VERSION").into(),
        seed,
        started: "1970-01-01T00:00:00.000Z".into(),
        elapsed_ns: Nanos(0),
        outcome: Outcome::Finished,
        job: job.clone(),
        environment: Environment {
            browser: "a simulated device".into(),
            user_agent: "none: simulated".into(),
            system: "none: simulated".into(),
            automated: true,
            ..Environment::default()
        },
        ticks: Some(ticks),
        fixtures,
        groups: Vec::new(),
        superseded: Vec::new(),
        skipped: Vec::new(),
        polls: 0,
    };
    let mut plan = RunPlan::new(job);
    while let Some(task) = plan.task().filter(|_| !device.stopped()) {
        let group = &job.groups[task.index];
        let arms = arms(group, ticks, device);
        device.open(group, &arms);
        let record = play(device, GroupPlan::new(group, seed, arms, task), |_| {});
        let estimates = estimate(&record, seed);
        let group = GroupResult::new(record, estimates);
        if plan.finish(&group) && !device.stopped() {
            result.superseded.push(group);
        } else {
            result.groups.push(group);
        }
    }
    if device.stopped() {
        result.outcome = Outcome::Stopped;
    }
    result.elapsed_ns = since(device, began_ms);
    result
}

/// Takes a group that is open through its plan; `watch` sees every step before it is done.
pub fn play(device: &mut Device, mut plan: GroupPlan, mut watch: impl FnMut(&Step)) -> GroupRecord {
    let began_ms = device.now_ms();
    loop {
        let step = plan.step();
        watch(&step);
        if step == Step::Done {
            return plan.into_record();
        }
        match device.perform(&step) {
            Some(outcome) => plan.record(outcome, since(device, began_ms)),
            None => plan.stop(since(device, began_ms)),
        }
    }
}

/// The arms of a group, in the order in which tables list them: the baseline, the null arm, the others, the empty loops of
/// the clocks that are used.
#[must_use]
pub fn arms(group: &Group, ticks: Ticks, device: &Device) -> Vec<ArmSpec> {
    let contenders = group.methods.iter().map(|method| (method.clone(), Role::Contender));
    let mut arms: Vec<(MethodName, Role)> = vec![(group.baseline.clone(), Role::Baseline), (group.baseline.clone(), Role::Null)];
    arms.extend(contenders);
    let empty = device.methods.iter().map(|method| &method.name).filter(|name| name.api() == "empty");
    let used = |name: &&MethodName| arms.iter().any(|(method, _)| method.thread().of_empty_loop() == name.thread());
    let empty: Vec<_> = empty.filter(used).map(|name| (name.clone(), Role::Empty)).collect();
    arms.extend(empty);
    arms.into_iter()
        .map(|(method, role)| ArmSpec {
            role,
            ends_up: device.method(&method).map_or(crate::result::EndsUp::Nowhere, |MethodModel { ends_up, .. }| *ends_up),
            writes: device.method(&method).is_some_and(|model| model.writes),
            absent: None,
            iodepth: 1,
            tick: if method.thread().timed_in_worker() { ticks.worker_ns } else { ticks.main_ns },
            method,
        })
        .collect()
}

fn tick(device: &mut Device, in_worker: bool) -> Nanos {
    let mut estimator = TickEstimator::new();
    device.read_clock(in_worker, |now_ms| estimator.read(now_ms));
    estimator.tick().expect("a simulated clock moves")
}

fn write(device: &mut Device, fileset: crate::job::Fileset) -> Fixture {
    let write_ns = Nanos(fileset.bytes().0 / BYTES_PER_NS);
    device.wait(write_ns);
    Fixture { fileset, checksum: RIGHT.into(), read_back: RIGHT.into(), write_ns, flush_ns: Nanos(0) }
}

fn since(device: &Device, began_ms: f64) -> Nanos {
    Nanos::from_ms(device.now_ms() - began_ms)
}
