//! One group: opens its files on both threads and does what its plan says, step by step.

use std::rc::Rc;

use js_sys::Array;
use opfs_bench_core::job::{Group, MethodName, Thread};
use opfs_bench_core::ops::PILOT_ROUND;
use opfs_bench_core::plan::{ArmSpec, GroupPlan, Outcome, Step};
use opfs_bench_core::result::{Role, Ticks, Verification, When};
use opfs_bench_core::seed::Seed;
use opfs_bench_core::units::Nanos;
use web_sys::MessageChannel;

use super::remote::{Remote, unexpected};
use crate::bench::Bench;
use crate::methods::{self, Context, Reader, Unopened};
use crate::opfs::{Directory, told};
use crate::worker::messages::{Answer, Batch, Request, Sampled};

/// The arms of a group, in the order in which tables list them: the baseline, the null arm, the others, the empty loops of
/// the clocks that are used.
pub fn arms(group: &Group, ticks: Ticks) -> Vec<ArmSpec> {
    let contenders = group.methods.iter().map(|method| (method.clone(), Role::Contender));
    let mut arms: Vec<(MethodName, Role)> = vec![(group.baseline.clone(), Role::Baseline), (group.baseline.clone(), Role::Null)];
    arms.extend(contenders);
    for (empty, in_worker) in [(methods::EMPTY_MAIN, false), (methods::EMPTY_WORKER, true)] {
        if arms.iter().any(|(method, _)| method.thread().timed_in_worker() == in_worker) {
            arms.push((empty.parse().expect("a method's name"), Role::Empty));
        }
    }
    arms.into_iter()
        .map(|(method, role)| ArmSpec {
            role,
            ends_up: methods::find(&method).expect("the job was checked").method.ends_up,
            writes: false,
            tick: if method.thread().timed_in_worker() { ticks.worker_ns } else { ticks.main_ns },
            absent: None,
            method,
        })
        .collect()
}

/// Where an arm's method runs.
enum Place {
    Here(Rc<dyn Reader>),
    /// In the worker, at this place in its list.
    Worker(usize),
    /// It could not be opened.
    Nowhere(Unopened),
}

/// A group, opened on both threads.
pub struct OpenGroup<'a> {
    remote: &'a Remote,
    bench: Bench,
    rate_iops: Option<u32>,
    arms: Vec<Place>,
}

/// What a group is opened from.
pub struct Opening<'a> {
    /// The run's folder: its name and itself.
    pub folder: (&'a str, &'a Directory),
    /// The workload.
    pub group: &'a Group,
    /// Its number in the job.
    pub index: u32,
    /// The run's seed.
    pub seed: Seed,
    /// The number of the group's first file among all of the job.
    pub first_file: u32,
}

impl<'a> OpenGroup<'a> {
    /// Opens the files of every arm's method, each method once. One that cannot be opened fails as an arm, not as a group.
    pub async fn open(remote: &'a Remote, arms: &[ArmSpec], opening: Opening<'_>) -> Result<Self, String> {
        let Opening { folder, group, index, seed, first_file } = opening;
        let mut names: Vec<&MethodName> = arms.iter().map(|arm| &arm.method).collect();
        names.sort_unstable();
        names.dedup();
        let of = |takes: fn(Thread) -> bool| -> Vec<MethodName> {
            names.iter().filter(|name| takes(name.thread())).map(|name| (*name).clone()).collect()
        };
        let (in_worker, asking) = (of(Thread::timed_in_worker), of(|thread| thread == Thread::Rpc));

        let (ports, channels) = (Array::new(), Array::new());
        for _ in &asking {
            let channel = MessageChannel::new().map_err(|error| format!("no message channel: {}", told(&error)))?;
            ports.push(&channel.port1());
            channels.push(&channel.port2());
        }
        let request = Request::OpenGroup {
            folder: folder.0.to_owned(),
            group: group.clone(),
            index,
            seed,
            first_file,
            methods: in_worker.clone(),
            served: asking.clone(),
        };
        let mut outcomes = match remote.ask_with(request, &channels).await? {
            Answer::Opened(outcomes) => outcomes.into_iter(),
            other => return Err(unexpected(&other)),
        };
        let mut outcome = || outcomes.next().unwrap_or_else(|| Err(Unopened::from("the worker did not open it".to_owned())));

        let context = Context::new(folder.1.clone(), group.clone(), None);
        let mut opened: Vec<(MethodName, Place)> = Vec::new();
        for (place, name) in in_worker.iter().enumerate() {
            opened.push((name.clone(), outcome().map_or_else(Place::Nowhere, |()| Place::Worker(place))));
        }
        for (place, name) in asking.iter().enumerate() {
            let context = context.with_port(ports.get(u32::try_from(place).expect("few")).into());
            let place = match outcome() {
                Ok(()) => open_here(name, &context).await,
                Err(unopened) => Place::Nowhere(unopened),
            };
            opened.push((name.clone(), place));
        }
        for name in of(|thread| thread == Thread::Main) {
            let place = open_here(&name, &context).await;
            opened.push((name, place));
        }
        let place = |arm: &ArmSpec| -> Place {
            match opened.iter().find(|(name, _)| *name == arm.method) {
                Some((_, Place::Here(reader))) => Place::Here(Rc::clone(reader)),
                Some((_, Place::Worker(place))) => Place::Worker(*place),
                Some((_, Place::Nowhere(unopened))) => Place::Nowhere(unopened.clone()),
                None => Place::Nowhere(format!("there is no method {}", arm.method).into()),
            }
        };
        let bench = Bench::new(group.clone(), index, seed, first_file);
        Ok(Self { remote, bench, rate_iops: group.rate_iops, arms: arms.iter().map(place).collect() })
    }

    /// Notes on the arms what the browser lacks for them.
    pub fn note_absent(&self, arms: &mut [ArmSpec]) {
        for (arm, place) in arms.iter_mut().zip(&self.arms) {
            if let Place::Nowhere(Unopened::Absent { missing }) = place {
                arm.absent = Some(missing.clone());
            }
        }
    }

    /// Does a step that times or checks something.
    pub async fn perform(&mut self, step: &Step) -> Outcome {
        let outcome = match *step {
            // How long an op takes is found out in a closed loop, also where samples are paced.
            Step::Pilot { arm, n } => self.sample(arm, Batch { round: PILOT_ROUND, stride: 1, n, dither: Nanos(0), rate_iops: None }).await,
            Step::Sample { arm, round, n, stride, dither } => {
                self.sample(arm, Batch { round, stride, n, dither, rate_iops: self.rate_iops }).await
            }
            Step::Verify { arm, when } => self.verify(arm, when).await.map(Outcome::Verified),
            Step::RoundOver { .. } | Step::CoolDown { .. } | Step::WashOut { .. } | Step::Done => {
                unreachable!("nothing of an arm in {step:?}")
            }
        };
        outcome.unwrap_or_else(|error| Outcome::Failed { error })
    }

    async fn sample(&mut self, arm: usize, batch: Batch) -> Result<Outcome, String> {
        let sampled = match &self.arms[arm] {
            Place::Here(reader) => self.bench.sample(&**reader, batch).await.map_err(|error| error.to_string())?,
            Place::Worker(method) => match self.remote.ask(Request::Batch { method: *method, batch }).await? {
                Answer::Timed(sampled) => sampled,
                other => return Err(unexpected(&other)),
            },
            Place::Nowhere(unopened) => return Err(unopened.to_string()),
        };
        let Sampled { elapsed, bytes, ops, pacing } = sampled;
        Ok(elapsed.map_or(Outcome::ClockSteppedBack, |elapsed| Outcome::Timed { elapsed, bytes, ops, pacing }))
    }

    async fn verify(&mut self, arm: usize, when: When) -> Result<Verification, String> {
        match &self.arms[arm] {
            Place::Here(reader) => self.bench.verify(&**reader, when).await.map_err(|error| error.to_string()),
            Place::Worker(method) => match self.remote.ask(Request::Verify { method: *method, when }).await? {
                Answer::Verified { ops, expected, found } => Ok(Verification { when, ops, expected, found }),
                other => Err(unexpected(&other)),
            },
            Place::Nowhere(unopened) => Err(unopened.to_string()),
        }
    }

    /// Closes the group's files in the worker; those of the main thread take no locks.
    pub async fn close(self) -> Result<(), String> {
        match self.remote.ask(Request::CloseGroup).await? {
            Answer::Done => Ok(()),
            other => Err(unexpected(&other)),
        }
    }
}

async fn open_here(name: &MethodName, context: &Context) -> Place {
    match methods::find(name) {
        Some(found) => match found.open(context).await {
            Ok(reader) => Place::Here(reader),
            Err(unopened) => Place::Nowhere(unopened),
        },
        None => Place::Nowhere(format!("there is no method {name}").into()),
    }
}

/// What runs now, for people.
pub fn doing(plan: &GroupPlan, group: &Group, arms: &[ArmSpec]) -> String {
    let title = &group.title;
    match plan.step() {
        Step::Pilot { arm, .. } => format!("{title}: how long {} takes", arms[arm].method),
        Step::Verify { arm, .. } => format!("{title}: checking the bytes of {}", arms[arm].method),
        Step::CoolDown { .. } => format!("{title}: letting the device cool down"),
        Step::Sample { .. } | Step::RoundOver { .. } | Step::WashOut { .. } | Step::Done => {
            let rounds = plan.rounds();
            match plan.half_width() {
                _ if rounds == 0 => format!("{title}: warming up"),
                None => format!("{title}: round {rounds}"),
                Some(width) => format!("{title}: round {rounds}, intervals to ±{:.1} %", percent(width)),
            }
        }
    }
}

fn percent(log_half_width: f64) -> f64 {
    (log_half_width.exp() - 1.0) * 100.0
}
