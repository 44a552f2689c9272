//! A run, from the lock to the clean-up.

use std::rc::Rc;

use futures_util::future::{Either, select};
use futures_util::pin_mut;
use js_sys::Function;
use opfs_bench_core::estimate::estimate;
use opfs_bench_core::fixture::first_file;
use opfs_bench_core::job::{Fileset, Group, Job};
use opfs_bench_core::plan::{self, Due, GroupPlan, RoundChecks, RunPlan, Step, Task};
use opfs_bench_core::protocol;
use opfs_bench_core::report;
use opfs_bench_core::result::{FORMAT, GroupResult, Outcome, RunResult, Skipped, Ticks};
use opfs_bench_core::seed::Seed;
use opfs_bench_core::units::{Bytes, Nanos};

use super::apart::Apart;
use super::control::{Control, GivenUp};
use super::event::{Event, Events};
use super::group::{OpenGroup, Opening, arms, doing};
use super::own::OwnFiles;
use super::remote::{Remote, unexpected};
use super::sentinels::Sentinels;
use super::sweep;
use super::watch::Watch;
use crate::opfs::{Directory, PREFIX, sleep};
use crate::sentinel::Cpu;
use crate::worker::messages::{Answer, Pass, Request};
use crate::{clock, env, methods};

/// Fixtures are written in parts of this many bytes, so that Stop need not wait for a whole file.
const PART: u64 = 8 << 20;
/// What a person is told of a run in which nothing ends any more.
const SILENCE: &str = "no answer for half a minute: a read never came back, or the worker died. \
                       Reload the page and start again; if it happens again, please report it";

/// Runs a job and returns its result, whatever became of it. When it returns, nothing of the run is left in OPFS, unless the
/// result says so.
pub async fn run(job: Job, seed: Seed, own: Option<OwnFiles>, worker_url: &str, control: Rc<Control>, on_event: Function) -> RunResult {
    let mut run = Run {
        plan: RunPlan::new(&job),
        began_ms: clock::now_ms(),
        group: None,
        events: Events::new(on_event),
        control: Rc::clone(&control),
        own,
        result: RunResult {
            format: FORMAT.into(),
            protocol: protocol::NUMBER,
            version: env!("CARGO_PKG_VERSION").into(),
            seed,
            started: String::from(js_sys::Date::new_0().to_iso_string()),
            elapsed_ns: Nanos(0),
            outcome: Outcome::Finished,
            job,
            environment: env::environment().await,
            ticks: None,
            fixtures: Vec::new(),
            groups: Vec::new(),
            superseded: Vec::new(),
            skipped: Vec::new(),
            polls: 0,
        },
    };
    run.result.outcome = match run.locked(worker_url).await {
        Ok(()) if control.stopped() => Outcome::Stopped,
        Ok(()) => Outcome::Finished,
        Err(error) => Outcome::Failed { error },
    };
    run.finish()
}

struct Run {
    plan: RunPlan,
    began_ms: f64,
    /// The group under way, kept here so that it outlives a run that is given up.
    group: Option<UnderWay>,
    events: Events,
    control: Rc<Control>,
    /// The files of a person's own that groups of the job read.
    own: Option<OwnFiles>,
    result: RunResult,
}

struct UnderWay {
    plan: GroupPlan,
    began_ms: f64,
}

impl Run {
    fn finish(mut self) -> RunResult {
        self.result.elapsed_ns = since(self.began_ms);
        self.result.polls = self.control.polls();
        let (state, error) = match &self.result.outcome {
            Outcome::Finished => ("finished", None),
            Outcome::Stopped => ("stopped", None),
            Outcome::Failed { error } => ("failed", Some(error.clone())),
        };
        self.events.send(&Event::End { state, error });
        self.result
    }

    async fn locked(&mut self, worker_url: &str) -> Result<(), String> {
        let Some(lock) = sweep::take_lock().await? else {
            return Err("another page of this site is measuring: let it finish, or close it, then start again".into());
        };
        let done = self.in_folder(worker_url).await;
        lock.release();
        done
    }

    /// Makes the run's folder, and removes it and those of its files whatever happens.
    async fn in_folder(&mut self, worker_url: &str) -> Result<(), String> {
        sweep::sweep_locked().await.map_err(|error| error.to_string())?;
        self.check_quota().await?;
        let root = Directory::root().await.map_err(|error| error.to_string())?;
        let name = self.folder();
        root.directory(&name).await.map_err(|error| error.to_string())?;
        let measured = self.until_given_up(worker_url, &name, &root).await;
        let mut ended = vec![measured];
        match root.names().await {
            Ok(names) => {
                for name in names.iter().filter(|other| other.starts_with(&name)) {
                    ended.push(sweep::remove_folder(&root, name).await);
                }
            }
            Err(error) => ended.push(Err(error.to_string())),
        }
        for fileset in self.result.job.groups.iter().filter(|group| methods::stores(group)).map(Group::fileset) {
            ended.push(sweep::remove_stores(&self.folder_of(fileset)).await);
        }
        let errors: Vec<String> = ended.into_iter().filter_map(Result::err).collect();
        if errors.is_empty() { Ok(()) } else { Err(errors.join(". Besides, ")) }
    }

    /// The name of the run's own folder. Those of its files begin with it.
    fn folder(&self) -> String {
        format!("{PREFIX}{}", self.result.seed)
    }

    /// The name of the folder of some of the run's files, and of the copies of them in other storages.
    fn folder_of(&self, fileset: Fileset) -> String {
        match fileset.own {
            Some(_) => format!("{}-own", self.folder()),
            None => format!("{}-{}x{}", self.folder(), fileset.nrfiles, fileset.file_size.0),
        }
    }

    /// Where not even one group's files fit, nothing is begun.
    async fn check_quota(&mut self) -> Result<(), String> {
        let needs = self.result.job.groups.iter().map(|group| Bytes(group.fileset().bytes().0 + methods::copied(group).0));
        let least = needs.min().unwrap_or(Bytes(0));
        match env::free().await.filter(|free| least > *free) {
            Some(free) => Err(format!(
                "each group of the job writes {} or more, but the browser grants this site only {} more: free storage on the device, \
                 or choose {}",
                least.rounded(),
                free.rounded(),
                if self.own.is_some() { "fewer or smaller files" } else { "a smaller job" }
            )),
            None => Ok(()),
        }
    }

    /// Whether the files of a group fit, and the copies that its methods read. What is there already counts no more.
    async fn shortage(&self, index: usize) -> Option<Skipped> {
        let group = &self.result.job.groups[index];
        let files = if self.is_written(group.fileset()) { 0 } else { group.fileset().bytes().0 };
        let needed = Bytes(files + methods::copied(group).0);
        let free = env::free().await.filter(|free| needed > *free)?;
        Some(Skipped { index: number(index), needed, free })
    }

    fn is_written(&self, fileset: Fileset) -> bool {
        self.result.fixtures.iter().any(|fixture| fixture.fileset == fileset)
    }

    /// Measures until done, or until Stop or silence ends what does not end by itself. What was measured is kept either way.
    async fn until_given_up(&mut self, worker_url: &str, name: &str, root: &Directory) -> Result<(), String> {
        let control = Rc::clone(&self.control);
        let ended = {
            let measuring = self.measure(worker_url, name, root);
            let overdue = control.stop_overdue();
            let silent = control.silent();
            pin_mut!(measuring, overdue, silent);
            match select(measuring, select(overdue, silent)).await {
                Either::Left((measured, _)) => measured,
                Either::Right((Either::Left((reason, _)) | Either::Right((reason, _)), _)) => match reason {
                    GivenUp::Stopped => Ok(()),
                    GivenUp::Silent => Err(SILENCE.into()),
                },
            }
        };
        if let Some(mut group) = self.group.take() {
            group.plan.stop(since(group.began_ms));
            let result = self.estimated(group.plan, Apart::default());
            self.show(&result);
            self.result.groups.push(result);
        }
        ended
    }

    async fn measure(&mut self, worker_url: &str, name: &str, root: &Directory) -> Result<(), String> {
        let remote = Remote::start(worker_url).await?;
        let main_ns = clock::measure_tick()?;
        let worker_ns = match remote.ask(Request::Tick { folder: name.into() }).await? {
            Answer::Tick(tick) => tick,
            other => return Err(unexpected(&other)),
        };
        let sentinels = Sentinels::new(&remote, Cpu::sized(main_ns));
        let ticks = Ticks { main_ns, worker_ns };
        self.result.ticks = Some(ticks);
        while let Some(task) = self.plan.task().filter(|_| !self.control.stopped()) {
            if let Some(skipped) = self.shortage(task.index).await {
                self.skip(skipped);
                continue;
            }
            let fileset = self.result.job.groups[task.index].fileset();
            let name = self.folder_of(fileset);
            if !self.is_written(fileset) {
                self.write(&remote, &name, fileset).await?;
            }
            if self.control.stopped() {
                return Ok(());
            }
            let folder = root.directory(&name).await.map_err(|error| error.to_string())?;
            self.group(&remote, &sentinels, (&name, &folder), task, ticks).await?;
            remote.failed()?;
            let next = self.plan.task().map_or(usize::MAX, |task| task.index);
            // With the last group goes everything anyway.
            if self.result.job.groups.get(next..).is_some_and(|later| later.iter().all(|group| group.fileset() != fileset)) {
                sweep::remove_folder(root, &name).await?;
            }
        }
        Ok(())
    }

    /// Leaves a group out, and says so.
    fn skip(&mut self, skipped: Skipped) {
        let index = skipped.index as usize;
        self.events.send(&Event::Group { index, html: report::skipped_fragment(&self.result.job.groups[index], &skipped) });
        self.result.skipped.push(skipped);
        self.plan.skip();
    }

    // Fixtures

    /// Where the bytes of a fileset come from, if a person's own files are it.
    fn own_of(&mut self, fileset: Fileset) -> Option<&mut OwnFiles> {
        self.own.as_mut().filter(|_| fileset.own.is_some())
    }

    async fn write(&mut self, remote: &Remote, folder: &str, fileset: Fileset) -> Result<(), String> {
        let first_file = first_file(&self.result.job.filesets(), &fileset);
        if let Some(own) = self.own.as_mut().filter(|_| fileset.own.is_some()) {
            own.begin(&self.result.job, self.result.seed);
        }
        for pass in [Pass::Write, Pass::Read] {
            let mut done = Bytes(0);
            for file in 0..fileset.nrfiles {
                let size = self.own_of(fileset).map_or(fileset.file_size.0, |own| own.size(file));
                for from in (0..size).step_by(usize::try_from(PART).expect("8 MiB")) {
                    if self.control.stopped() {
                        return Ok(());
                    }
                    let to = (from + PART).min(size);
                    let seed = self.result.seed;
                    let own = if pass == Pass::Write { self.own_of(fileset) } else { None };
                    let folder = folder.to_owned();
                    let request = Request::Fixture { folder, fileset, first_file, seed, file, from, to, pass };
                    match own {
                        None => remote.ask(request).await?,
                        Some(own) => remote.ask_with_bytes(request, &own.read(file, from, to).await?).await?,
                    };
                    self.control.alive();
                    done.0 += to - from;
                    let (fraction, left) = self.plan.progress(Nanos(0));
                    let doing = match (pass, fileset.own) {
                        (Pass::Write, None) => format!("writing {} of random bytes", fileset.bytes()),
                        (Pass::Write, Some(_)) => format!("copying {fileset}: {} of {}", done.rounded(), fileset.bytes().rounded()),
                        (Pass::Read, None) => format!("checking the {} that were written", fileset.bytes()),
                        (Pass::Read, Some(_)) => format!("checking the copy: {} of {}", done.rounded(), fileset.bytes().rounded()),
                    };
                    self.events.progress(|| Event::Progress { fraction, doing, seconds_left: left.as_s() }).await;
                }
            }
        }
        let fixture = match remote.ask(Request::FixtureDone(fileset)).await? {
            Answer::Fixture(fixture) => fixture,
            other => return Err(unexpected(&other)),
        };
        if let Some(own) = self.own_of(fileset) {
            own.end();
        }
        // One that reads back as other bytes is kept: the checks of the arms then tell which methods read what.
        self.result.fixtures.push(fixture);
        Ok(())
    }

    // Groups

    async fn group(
        &mut self,
        remote: &Remote,
        sentinels: &Sentinels<'_>,
        folder: (&str, &Directory),
        task: Task,
        ticks: Ticks,
    ) -> Result<(), String> {
        let group = self.result.job.groups[task.index].clone();
        let index = number(task.index);
        let mut arms = arms(&group, ticks);
        let reference = self.own.as_ref().and_then(|own| own.reference(index));
        let opening = Opening {
            folder,
            group: &group,
            index,
            seed: self.result.seed,
            first_file: first_file(&self.result.job.filesets(), &group.fileset()),
            reference: reference.as_ref(),
        };
        let mut open = OpenGroup::open(remote, &arms, opening).await?;
        open.note_absent(&mut arms);
        let plan = GroupPlan::new(&group, self.result.seed, arms.clone(), task);
        self.group = Some(UnderWay { plan, began_ms: clock::now_ms() });
        let mut watch = Watch::new();
        loop {
            if self.control.stopped() {
                return Ok(());
            }
            let UnderWay { plan, began_ms } = self.group.as_mut().expect("taken only when given up");
            let step = plan.step();
            let outcome = match &step {
                Step::Done => break,
                Step::RoundOver { take } => {
                    let (checks, waited_ms) = watch.checks(&self.control).await;
                    *began_ms += waited_ms;
                    match checks {
                        Some(checks) => plan::Outcome::RoundOver(RoundChecks { sentinels: sentinels.take(*take).await?, ..checks }),
                        None => plan::Outcome::ClockSteppedBack,
                    }
                }
                Step::CoolDown { rest } => {
                    sleep(rest.as_ms()).await;
                    plan::Outcome::Sentinels(sentinels.take(Due { cpu: true, storage: false }).await?)
                }
                Step::WashOut { after } => {
                    if let Some(arm) = after {
                        // What cannot be flushed the sentinel shows, or nothing does; it is no fault of the arm's.
                        let _ = open.flush(*arm).await;
                    }
                    plan::Outcome::Sentinels(sentinels.take(Due { cpu: false, storage: true }).await?)
                }
                step => open.perform(step).await,
            };
            self.control.alive();
            plan.record(outcome, since(*began_ms));
            if !matches!(plan.step(), Step::Sample { .. }) || matches!(step, Step::RoundOver { .. }) {
                let (fraction, left) = self.plan.progress(since(*began_ms));
                let doing = || doing(plan, &group, &arms);
                self.events.progress(|| Event::Progress { fraction, doing: doing(), seconds_left: left.as_s() }).await;
            }
        }
        let mut apart = Apart::default();
        if !self.control.stopped() {
            let doing = format!("{}: where the time goes", group.title);
            let (fraction, left) = self.plan.progress(since(self.group.as_ref().map_or(0.0, |group| group.began_ms)));
            self.events.progress(|| Event::Progress { fraction, doing, seconds_left: left.as_s() }).await;
            apart.allocations(&mut open, &arms, &self.control).await;
        }
        open.close().await?;
        if !self.control.stopped() {
            apart.stages(remote, opening, &arms, ticks, &self.control).await?;
        }
        if methods::stores(&group) {
            sweep::remove_stores(folder.0).await?;
        }
        self.control.alive();
        let UnderWay { plan, .. } = self.group.take().expect("taken only when given up");
        let result = self.estimated(plan, apart);
        if self.plan.finish(&result) {
            self.result.superseded.push(result);
        } else {
            self.show(&result);
            self.result.groups.push(result);
        }
        Ok(())
    }

    fn estimated(&self, plan: GroupPlan, apart: Apart) -> GroupResult {
        let mut record = plan.into_record();
        apart.note(&mut record);
        let estimates = estimate(&record, self.result.seed);
        GroupResult::new(record, estimates)
    }

    fn show(&self, result: &GroupResult) {
        self.events.send(&Event::Group { index: result.record.index as usize, html: report::group_fragment(result) });
    }
}

fn since(began_ms: f64) -> Nanos {
    Nanos::from_ms(clock::now_ms() - began_ms)
}

fn number(index: usize) -> u32 {
    u32::try_from(index).expect("a checked job has at most 64 groups")
}
