//! A device that does what the plan says in no time, and moves its clock by what that would take.

mod single_ops;

use super::clock::{Clock, Monotonic};
use super::noise::{Chance, Noise};
use crate::job::{Group, MethodName, Open, Timing};
use crate::plan::{ArmSpec, Due, Outcome, RoundChecks, Step};
use crate::protocol;
use crate::result::{EndsUp, Role, Verification, When};
use crate::seed::Seed;
use crate::units::Nanos;

/// The checksum of every simulated file: there are no bytes in it.
pub const RIGHT: &str = "0000000000000000";
/// The checksum of bytes that are not the fixture's.
pub const WRONG: &str = "ffffffffffffffff";
/// A simulated check pretends to read this many ops.
const VERIFIED_OPS: u64 = 64;
/// How much sooner than it could tell a tick the device reads its clock again when it looks for one.
const READINGS_PER_TICK: f64 = 16.0;

/// What a method takes on a quiet device.
#[derive(Clone, Debug, PartialEq)]
pub struct MethodModel {
    /// Its name. Those with the API `empty` are the empty loops.
    pub name: MethodName,
    /// Where its bytes end up.
    pub ends_up: EndsUp,
    /// What an op takes in a group that keeps its files open, nanoseconds.
    pub kept_ns: f64,
    /// The same in a group that opens a file for each op.
    pub each_ns: f64,
    /// What each byte takes on top, nanoseconds.
    pub byte_ns: f64,
    /// What the first batch of a group takes on top.
    pub first_touch: Nanos,
    /// Compilers and caches need a while.
    pub warm_up: Option<WarmUp>,
    /// Whether its ops write.
    pub writes: bool,
}

/// A method that is slow at first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WarmUp {
    /// By which share of its time it is slower at the very beginning: 0.5 is 50 %.
    pub slower: f64,
    /// After it has run for this long, 1/e of that is left.
    pub over: Nanos,
}

impl MethodModel {
    /// A method of which an op takes the same time always.
    ///
    /// # Panics
    /// Where `name` is no method's name.
    #[must_use]
    pub fn new(name: &str, op_ns: f64) -> Self {
        let name: MethodName = name.parse().expect("a method's name");
        let ends_up = match (name.api(), name.thread().timed_in_worker()) {
            ("empty", _) => EndsUp::Nowhere,
            (_, true) => EndsUp::WorkerWasm,
            (_, false) => EndsUp::MainBuffer,
        };
        Self { name, ends_up, kept_ns: op_ns, each_ns: op_ns, byte_ns: 0.0, first_touch: Nanos(0), warm_up: None, writes: false }
    }
}

/// What goes wrong with an arm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Every read fails.
    Fails,
    /// Reads fail from this round on, the rounds of the warm-up included.
    FailsFromRound(u32),
    /// A check finds other bytes.
    WrongBytes(When),
    /// A batch reads one byte less than it should.
    Short,
    /// The clock steps back by a second during the first batch.
    ClockStepsBack,
}

/// An arm that leaves something behind for whichever runs after it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CarryOver {
    /// The arm's place.
    pub arm: usize,
    /// By which share of its time the next sample is slower: 0.02 is 2 %.
    pub slower: f64,
    /// A sample that begins later than this finds nothing left. Until then the storage sentinel is slower too.
    pub lasts: Nanos,
}

/// When something happens. It happens once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// At the beginning of the round of this number, those of the warm-up counted.
    Round(u32),
    /// Before the first sample that begins after this much of the device's time.
    After(Nanos),
}

/// What happens around the samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Happening {
    /// The page is hidden for a moment.
    Hidden,
    /// The device sleeps, in the middle of a sample.
    Sleeps(Nanos, Monotonic),
    /// From now on all work takes so many times as long as on a cool device.
    Slows(f64),
    /// The first op of a sample takes so much longer.
    Stalls(Nanos),
    /// A person stops the run.
    Stopped,
}

/// The device. What a group's arms have in common is set by the methods, what tells equal arms apart by the arm's place.
#[derive(Clone, Debug)]
pub struct Device {
    /// What it can do. A method that is not listed fails.
    pub methods: Vec<MethodModel>,
    /// Arms, by their place, that take so many times what their method takes.
    pub skews: Vec<(usize, f64)>,
    /// Arms that slow down the next sample.
    pub carry_over: Vec<CarryOver>,
    /// What goes wrong, by the arm's place.
    pub faults: Vec<(usize, Fault)>,
    /// What happens.
    pub happenings: Vec<(Moment, Happening)>,
    main: Clock,
    worker: Clock,
    pub(super) chance: Chance,
    /// Its own time since it began, in which it is awake.
    pub(super) now_ns: f64,
    pub(super) arms: Vec<OpenArm>,
    block: u64,
    /// By which share the next sample is slower, and until when that lasts.
    slower_next: f64,
    tidying_until_ns: f64,
    /// All work takes so many times as long.
    pub(super) slower: f64,
    timing: Timing,
    rate_iops: Option<u32>,
    stall_ns: f64,
    hidden: bool,
    stopped: bool,
    /// Both clocks at the end of the last round.
    last_ms: (f64, f64),
}

/// An arm of the group that is open.
#[derive(Clone, Debug)]
pub(super) struct OpenArm {
    method: Option<usize>,
    role: Role,
    in_worker: bool,
    op_ns: f64,
    first_touch: Nanos,
    warm_up: Option<WarmUp>,
    ran_ns: f64,
}

impl Device {
    /// A device with these clocks on its main thread and in its worker.
    #[must_use]
    pub fn new(methods: Vec<MethodModel>, clocks: [Clock; 2], noise: Noise, seed: Seed) -> Self {
        let [main, worker] = clocks;
        let last_ms = (main.now_ms(0.0), main.wall_ms(0.0));
        Self {
            methods,
            skews: Vec::new(),
            carry_over: Vec::new(),
            faults: Vec::new(),
            happenings: Vec::new(),
            main,
            worker,
            chance: Chance::new(noise, seed),
            now_ns: 0.0,
            arms: Vec::new(),
            block: 0,
            timing: Timing::Batches,
            rate_iops: None,
            slower_next: 0.0,
            tidying_until_ns: 0.0,
            slower: 1.0,
            stall_ns: 0.0,
            hidden: false,
            stopped: false,
            last_ms,
        }
    }

    /// The method of this name.
    #[must_use]
    pub fn method(&self, name: &MethodName) -> Option<&MethodModel> {
        self.methods.iter().find(|method| method.name == *name)
    }

    /// `performance.now()` on the main thread.
    #[must_use]
    pub fn now_ms(&self) -> f64 {
        self.main.now_ms(self.now_ns)
    }

    /// Whether a person stopped the run.
    #[must_use]
    pub fn stopped(&self) -> bool {
        self.stopped
    }

    /// Time goes by.
    pub fn wait(&mut self, duration: Nanos) {
        self.now_ns += duration.as_f64();
    }

    /// Reads the clock of the worker or of the main thread over and over, for whoever looks for its tick, until `enough`.
    pub fn read_clock(&mut self, in_worker: bool, mut enough: impl FnMut(f64) -> bool) {
        let clock = self.clock(in_worker);
        let step = clock.tick().as_f64() / READINGS_PER_TICK;
        while enough(self.clock(in_worker).now_ms(self.now_ns)) {
            self.now_ns += step;
        }
    }

    /// Opens a group's files for its arms.
    pub fn open(&mut self, group: &Group, arms: &[ArmSpec]) {
        self.block = group.op_bytes().0;
        (self.timing, self.rate_iops) = (group.timing, group.rate_iops);
        self.slower_next = 0.0;
        self.last_ms = self.clocks_ms();
        self.arms = arms.iter().enumerate().map(|(place, arm)| self.open_arm(group, place, arm)).collect();
    }

    fn open_arm(&self, group: &Group, place: usize, arm: &ArmSpec) -> OpenArm {
        let method = self.methods.iter().position(|method| method.name == arm.method);
        let skew: f64 = self.skews.iter().filter(|(skewed, _)| *skewed == place).map(|(_, factor)| factor).product();
        let model = method.map(|method| &self.methods[method]);
        let op_ns = model.map_or(0.0, |model| {
            let bytes = if arm.role == Role::Empty { 0.0 } else { group.bs.0 as f64 };
            model.byte_ns * bytes + if group.open == Open::Each { model.each_ns } else { model.kept_ns }
        });
        OpenArm {
            method,
            role: arm.role,
            in_worker: arm.method.thread().timed_in_worker(),
            op_ns: op_ns * skew,
            first_touch: model.map_or(Nanos(0), |model| model.first_touch),
            warm_up: model.and_then(|model| model.warm_up),
            ran_ns: 0.0,
        }
    }

    /// Does a step of the open group's plan. None where a person stopped the run instead.
    pub fn perform(&mut self, step: &Step) -> Option<Outcome> {
        let outcome = match *step {
            Step::Done => return None,
            Step::Sample { arm, round, n, dither, .. } => {
                let sleeps = self.happen(Some(round));
                self.now_ns += dither.as_f64();
                self.timed(arm, n, Some(round), sleeps)
            }
            Step::Pilot { arm, n } => {
                let sleeps = self.happen(None);
                self.timed(arm, n, None, sleeps)
            }
            Step::Verify { arm, when } => self.verify(arm, when),
            Step::RoundOver { take } => Outcome::RoundOver(RoundChecks { sentinels: self.sentinels(take), ..self.checks() }),
            Step::CoolDown { rest } => {
                self.now_ns += rest.as_f64();
                self.happen(None);
                Outcome::Sentinels(self.sentinels(Due { cpu: true, storage: false }))
            }
            Step::WashOut { .. } => Outcome::Sentinels(self.sentinels(Due { cpu: false, storage: true })),
        };
        (!self.stopped).then_some(outcome)
    }

    /// What is due happens, but for sleep, which is returned for the sample to be interrupted by.
    fn happen(&mut self, round: Option<u32>) -> Option<(Nanos, Monotonic)> {
        let mut sleeps = None;
        let now = self.now_ns;
        let due = |moment: Moment| match moment {
            Moment::Round(number) => round == Some(number),
            Moment::After(time) => now >= time.as_f64(),
        };
        while let Some(place) = self.happenings.iter().position(|(moment, _)| due(*moment)) {
            match self.happenings.swap_remove(place).1 {
                Happening::Hidden => self.hidden = true,
                Happening::Sleeps(duration, monotonic) => sleeps = Some((duration, monotonic)),
                Happening::Slows(factor) => self.slower = factor,
                Happening::Stalls(duration) => self.stall_ns += duration.as_f64(),
                Happening::Stopped => self.stopped = true,
            }
        }
        sleeps
    }

    fn timed(&mut self, arm: usize, n: u64, round: Option<u32>, sleeps: Option<(Nanos, Monotonic)>) -> Outcome {
        if self.arms[arm].method.is_none() {
            return Outcome::Failed { error: "this device has no such method".into() };
        }
        let fails = |fault: &Fault| match fault {
            Fault::Fails => true,
            Fault::FailsFromRound(from) => round.is_some_and(|round| round >= *from),
            _ => false,
        };
        if self.faults_of(arm).any(|fault| fails(&fault)) {
            return Outcome::Failed { error: "read() failed".into() };
        }
        if self.timing == Timing::Ops {
            return self.timed_one_by_one(arm, n, self.rate_iops.filter(|_| round.is_some()), sleeps);
        }
        let in_worker = self.arms[arm].in_worker;
        let start_ms = self.clock(in_worker).now_ms(self.now_ns);
        self.run(arm, n, sleeps);
        let elapsed_ms = self.clock(in_worker).now_ms(self.now_ns) - start_ms;
        if elapsed_ms < 0.0 {
            return Outcome::ClockSteppedBack;
        }
        Outcome::Timed { elapsed: Nanos::from_ms(elapsed_ms), bytes: self.read(arm, n), ops: Vec::new(), pacing: None }
    }

    /// Time goes by as it does while ops of an arm run.
    fn run(&mut self, arm: usize, n: u64, sleeps: Option<(Nanos, Monotonic)>) {
        self.now_ns += self.take(arm, n);
        if let Some((duration, monotonic)) = sleeps {
            self.main.sleep(duration, monotonic);
            self.worker.sleep(duration, monotonic);
        }
        if self.has(arm, Fault::ClockStepsBack) {
            let clock = if self.arms[arm].in_worker { &mut self.worker } else { &mut self.main };
            clock.step_back(protocol::SLEEP);
        }
    }

    /// The bytes that so many ops of an arm read.
    fn read(&self, arm: usize, n: u64) -> u64 {
        if self.arms[arm].role == Role::Empty { 0 } else { n * self.block - u64::from(self.has(arm, Fault::Short)) }
    }

    /// What a batch takes, in nanoseconds.
    fn take(&mut self, arm: usize, n: u64) -> f64 {
        let open = &mut self.arms[arm];
        let mut work = n as f64 * open.op_ns * self.slower;
        if let Some(WarmUp { slower, over }) = open.warm_up {
            work *= 1.0 + slower * libm::exp(-open.ran_ns / over.as_f64());
        }
        let left_behind = std::mem::replace(&mut self.slower_next, 0.0);
        if self.now_ns < self.tidying_until_ns {
            work *= 1.0 + left_behind;
        }
        work += std::mem::take(&mut open.first_touch).as_f64() + std::mem::take(&mut self.stall_ns);
        let elapsed = self.chance.elapsed_ns(arm, self.now_ns, work);
        open.ran_ns += elapsed;
        if let Some(left) = self.carry_over.iter().find(|left| left.arm == arm) {
            self.slower_next = left.slower;
            self.tidying_until_ns = self.now_ns + elapsed + left.lasts.as_f64();
        }
        elapsed
    }

    /// Whether the storage still does what a sample left behind.
    pub(super) fn tidying(&self) -> bool {
        self.now_ns < self.tidying_until_ns
    }

    fn verify(&self, arm: usize, when: When) -> Outcome {
        if self.has(arm, Fault::Fails) || self.arms[arm].method.is_none() {
            return Outcome::Failed { error: "read() failed".into() };
        }
        let found = if self.has(arm, Fault::WrongBytes(when)) { WRONG } else { RIGHT };
        Outcome::Verified(Verification { when, ops: VERIFIED_OPS, expected: RIGHT.into(), found: found.into() })
    }

    fn checks(&mut self) -> RoundChecks {
        let now = self.clocks_ms();
        let gap = ((now.1 - self.last_ms.1) - (now.0 - self.last_ms.0)).abs();
        self.last_ms = now;
        RoundChecks { hidden: std::mem::replace(&mut self.hidden, false), clock_gap: Nanos::from_ms(gap), ..RoundChecks::default() }
    }

    fn clocks_ms(&self) -> (f64, f64) {
        (self.main.now_ms(self.now_ns), self.main.wall_ms(self.now_ns))
    }

    pub(super) fn clock(&self, in_worker: bool) -> &Clock {
        if in_worker { &self.worker } else { &self.main }
    }

    fn faults_of(&self, arm: usize) -> impl Iterator<Item = Fault> {
        self.faults.iter().filter(move |(faulty, _)| *faulty == arm).map(|(_, fault)| *fault)
    }

    fn has(&self, arm: usize, fault: Fault) -> bool {
        self.faults_of(arm).any(|other| other == fault)
    }
}
