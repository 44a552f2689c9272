//! One group: opens its files on both threads and does what its plan says, step by step.

use std::rc::Rc;

use opfs_bench_core::job::{Group, MethodName, Options, Thread};
use opfs_bench_core::ops::PILOT_ROUND;
use opfs_bench_core::plan::{ArmSpec, GroupPlan, Outcome, Step};
use opfs_bench_core::reference::Reference;
use opfs_bench_core::result::{Allocated, Role, StageTimes, Ticks, Verification, When};
use opfs_bench_core::seed::Seed;
use opfs_bench_core::sort;
use opfs_bench_core::units::Nanos;

use super::pool::Pool;
use super::remote::{Remote, unexpected};
use crate::bench::Bench;
use crate::clock;
use crate::lines::Port;
use crate::methods::{self, Context, Reader, Unopened};
use crate::opfs::Directory;
use crate::worker::messages::{Answer, Batch, Request, Sampled, Seat};

/// The arms of a group, in the order in which tables list them: the baseline, the null arm, the others, the empty loops of
/// the threads that are used.
pub fn arms(group: &Group, ticks: Ticks) -> Vec<ArmSpec> {
    let contenders = group.methods.iter().map(|method| (method.clone(), Role::Contender));
    let mut arms: Vec<(MethodName, Role)> = vec![(group.baseline.clone(), Role::Baseline), (group.baseline.clone(), Role::Null)];
    arms.extend(contenders);
    for empty in [methods::EMPTY_MAIN, methods::EMPTY_WORKER, methods::EMPTY_POOL] {
        let empty: MethodName = empty.parse().expect("a method's name");
        let of = arms.iter().filter(|(method, _)| method.thread().of_empty_loop() == empty.thread());
        // An empty pool is as large as the largest one: what its messages take, others take no more of.
        if let Some(workers) = of.map(|(method, _)| group.workers(method)).max() {
            let numjobs = (empty.thread() == Thread::Pool && workers != group.numjobs).then_some(workers);
            arms.push((empty.with(Options { numjobs, ..Options::default() }), Role::Empty));
        }
    }
    let spec = |(name, role): (MethodName, Role)| {
        let method = methods::find(&name).expect("the job was checked").method;
        ArmSpec {
            role,
            ends_up: method.destination(&group.of_arm(&name)),
            writes: group.writes() && method.does_work(),
            iodepth: method.depth(&group.of_arm(&name)),
            tick: if name.thread().timed_in_worker() { ticks.worker_ns } else { ticks.main_ns },
            absent: None,
            method: name,
        }
    };
    arms.into_iter().map(spec).collect()
}

/// The clocks of two threads may run apart by this much, and each be as coarse as half of that: some browsers tick in 100 ms.
const CLOCKS_APART: f64 = 1.1;
const CLOCK_SLACK_MS: f64 = 250.0;

/// Where an arm's method runs.
#[derive(Clone)]
enum Place {
    Here(Rc<dyn Reader>),
    /// In the worker, at this place in its list.
    Worker(usize),
    /// In this pool's workers, at this place in their lists.
    Pool(usize, usize),
    /// It could not be opened.
    Nowhere(Unopened),
}

/// This end of a line, which is closed when this is dropped: an answer that comes later is nobody's.
struct Line(Port);

impl Drop for Line {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// A group, opened on both threads.
pub struct OpenGroup<'a> {
    remote: &'a Remote,
    folder: String,
    bench: Bench,
    /// One for each number of workers that a method of the group wants.
    pools: Vec<Pool>,
    /// Held, not used: what its methods ask the worker by.
    _lines: Vec<Line>,
    rate_iops: Option<u32>,
    arms: Vec<Place>,
}

/// What a group is opened from.
#[derive(Clone, Copy)]
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
    /// What must be read of a person's own files, where the group reads such.
    pub reference: Option<&'a Reference>,
}

impl<'a> OpenGroup<'a> {
    /// Opens the files of every arm's method, each method once. One that cannot be opened fails as an arm, not as a group.
    pub async fn open(remote: &'a Remote, arms: &[ArmSpec], opening: Opening<'_>) -> Result<Self, String> {
        let Opening { folder, group, index, seed, first_file, reference } = opening;
        let mut names: Vec<&MethodName> = arms.iter().map(|arm| &arm.method).collect();
        sort::distinct(&mut names);
        let of = |takes: fn(Thread) -> bool| -> Vec<MethodName> {
            names.iter().filter(|name| takes(name.thread())).map(|name| (*name).clone()).collect()
        };
        let (in_worker, asking, in_pool) =
            (of(Thread::timed_in_worker), of(|thread| thread == Thread::Rpc), of(|thread| thread == Thread::Pool));

        let lines: Vec<(u32, Line)> = asking.iter().map(|_| remote.line()).map(|(number, port)| (number, Line(port))).collect();
        let served: Vec<_> = asking.iter().cloned().zip(lines.iter().map(|(number, _)| *number)).collect();
        let request = |methods: &[MethodName], served: &[(MethodName, u32)], seat: Option<Seat>| Request::OpenGroup {
            folder: folder.0.to_owned(),
            group: Box::new(group.clone()),
            own: group.own.as_ref().map_or_else(Vec::new, |own| own.files.to_vec()),
            reference: reference.cloned(),
            index,
            seed,
            first_file,
            methods: methods.to_vec(),
            served: served.to_vec(),
            seat,
        };
        let mut outcomes = match remote.ask(request(&in_worker, &served, None)).await? {
            Answer::Opened(outcomes) => outcomes.into_iter(),
            other => return Err(unexpected(&other)),
        };
        let mut outcome = || outcomes.next().unwrap_or_else(|| Err(Unopened::from("the worker did not open it".to_owned())));

        let context = Context::new(folder.1.clone(), group.clone(), None);
        let mut opened: Vec<(MethodName, Place)> = Vec::new();
        for (place, name) in in_worker.iter().enumerate() {
            opened.push((name.clone(), outcome().map_or_else(Place::Nowhere, |()| Place::Worker(place))));
        }
        for (name, (_, Line(port))) in asking.iter().zip(&lines) {
            let context = context.with_port(port.clone());
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
        let mut pools = Vec::new();
        let mut sizes: Vec<u32> = in_pool.iter().map(|name| group.workers(name)).collect();
        sort::distinct(&mut sizes);
        for workers in sizes {
            let names: Vec<MethodName> = in_pool.iter().filter(|name| group.workers(name) == workers).cloned().collect();
            match Pool::open(remote, workers, |seat| request(&names, &[], Some(seat))).await {
                Ok((pool, outcomes)) => {
                    let place = |(place, outcome): (usize, Result<(), Unopened>)| {
                        outcome.map_or_else(Place::Nowhere, |()| Place::Pool(pools.len(), place))
                    };
                    opened.extend(names.into_iter().zip(outcomes.into_iter().enumerate().map(place)));
                    pools.push(pool);
                }
                // A pool that cannot be started fails as its arms, not as the group.
                Err(error) => opened.extend(names.into_iter().map(|name| (name, Place::Nowhere(error.clone().into())))),
            }
        }
        let place = |arm: &ArmSpec| -> Place {
            let found = opened.iter().find(|(name, _)| *name == arm.method).map(|(_, place)| place.clone());
            found.unwrap_or_else(|| Place::Nowhere(format!("there is no method {}", arm.method).into()))
        };
        let bench = Bench::new(group.clone(), index, seed, first_file).with_reference(reference.cloned());
        let (folder, arms) = (folder.0.to_owned(), arms.iter().map(place).collect());
        let lines = lines.into_iter().map(|(_, line)| line).collect();
        Ok(Self { remote, folder, bench, pools, _lines: lines, rate_iops: group.rate_iops, arms })
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
        let asked_ms = clock::now_ms();
        let mut sampled = match &self.arms[arm] {
            Place::Here(reader) => self.bench.sample(&**reader, batch).await.map_err(|error| error.to_string())?,
            Place::Worker(method) => match self.remote.ask(Request::Batch { method: *method, batch }).await? {
                Answer::Timed(sampled) => sampled,
                other => return Err(unexpected(&other)),
            },
            Place::Pool(pool, method) => self.pools[*pool].sample(*method, batch).await?,
            Place::Nowhere(unopened) => return Err(unopened.to_string()),
        };
        // The worker's time lies within this thread's: one that does not is of a clock that jumped.
        let waited_ms = clock::now_ms() - asked_ms;
        sampled.elapsed = sampled.elapsed.filter(|elapsed| elapsed.as_ms() <= waited_ms * CLOCKS_APART + CLOCK_SLACK_MS);
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
            Place::Pool(pool, method) => self.pools[*pool].verify(*method, when).await,
            Place::Nowhere(unopened) => Err(unopened.to_string()),
        }
    }

    /// Flushes what an arm's last samples wrote. One that has failed meanwhile may have nothing to flush.
    pub async fn flush(&mut self, arm: usize) -> Result<(), String> {
        let request = match &self.arms[arm] {
            Place::Here(reader) => match methods::flush(&**reader).await {
                Ok(Some((directory, names))) => Request::FlushFiles { folder: self.folder.clone(), directory: directory.name(), names },
                Ok(None) => return Ok(()),
                Err(error) => return Err(error.to_string()),
            },
            Place::Worker(method) => Request::Flush { method: *method },
            Place::Pool(..) | Place::Nowhere(_) => return Ok(()),
        };
        match self.remote.ask(request).await? {
            Answer::Done => Ok(()),
            other => Err(unexpected(&other)),
        }
    }

    /// What an arm's ops allocate.
    pub async fn allocated(&mut self, arm: usize) -> Result<Allocated, String> {
        match &self.arms[arm] {
            Place::Here(reader) => self.bench.allocated(&**reader).await.map_err(|error| error.to_string()),
            Place::Worker(method) => match self.remote.ask(Request::Allocated { method: *method }).await? {
                Answer::Allocated(allocated) => Ok(allocated),
                other => Err(unexpected(&other)),
            },
            Place::Pool(..) => Err("what several workers allocate is not counted".into()),
            Place::Nowhere(unopened) => Err(unopened.to_string()),
        }
    }

    /// What the stages of an arm's work take, by a clock of this tick.
    pub async fn stages(&mut self, arm: usize, tick: Nanos) -> Result<Vec<StageTimes>, String> {
        match &self.arms[arm] {
            Place::Here(reader) => self.bench.stages(&**reader, tick).await.map_err(|error| error.to_string()),
            Place::Worker(method) => match self.remote.ask(Request::Stages { method: *method, tick }).await? {
                Answer::Stages(times) => Ok(times),
                other => Err(unexpected(&other)),
            },
            Place::Pool(..) => Err("what several workers do is not taken apart".into()),
            Place::Nowhere(unopened) => Err(unopened.to_string()),
        }
    }

    /// Closes the group's files in the workers; those of the main thread take no locks.
    pub async fn close(self) -> Result<(), String> {
        for pool in self.pools {
            pool.close().await;
        }
        match self.remote.ask(Request::CloseGroup).await? {
            Answer::Done => Ok(()),
            other => Err(unexpected(&other)),
        }
    }
}

async fn open_here(name: &MethodName, context: &Context) -> Place {
    match methods::find(name) {
        Some(found) => match found.open(&context.of_arm(name)).await {
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
