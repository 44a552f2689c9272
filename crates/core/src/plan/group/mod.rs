//! One group through its stages.

mod pilots;
mod rounds;
mod single_ops;
mod wash_out;

use super::cool_down::Thermometer;
use super::pilot::Pilot;
use super::run::Task;
use super::sentinels::{Due, Spacing};
use super::stopping::Looks;
use super::warm_up::Progress;
use crate::estimate;
use crate::job::{Group, MethodName};
use crate::ops;
use crate::protocol;
use crate::result::{
    Arm, Batch, DropCause, Ended, EndsUp, GroupRecord, Incident, Pacing, Role, Round, Sentinels, Verification, WarmUp, WashOut, When,
};
use crate::seed::{Purpose, Seed};
use crate::units::Nanos;
use single_ops::SingleOps;

/// An arm, before anything is measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArmSpec {
    /// The method.
    pub method: MethodName,
    /// What the arm is for.
    pub role: Role,
    /// Where its bytes end up.
    pub ends_up: EndsUp,
    /// Whether its ops write.
    pub writes: bool,
    /// How many reads it has in flight, in each worker where there are several.
    pub iodepth: u32,
    /// The tick of the clock that times it.
    pub tick: Nanos,
    /// What the browser lacks for it. None where it has all.
    pub absent: Option<String>,
}

/// What to do next. Arms are named by their place.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Time `n` ops of the arm. The first pilot of an arm is the first time that it reads.
    Pilot {
        /// The arm.
        arm: usize,
        /// Ops.
        n: u64,
    },
    /// Check the arm's bytes.
    Verify {
        /// The arm.
        arm: usize,
        /// Before the first round or after the last.
        when: When,
    },
    /// Take a sample.
    Sample {
        /// The arm.
        arm: usize,
        /// The round's number.
        round: u32,
        /// Ops.
        n: u64,
        /// By how many ops this round begins after the one before, for reads in order.
        stride: u64,
        /// How long to busy-wait first: less than a tick.
        dither: Nanos,
    },
    /// A round is over: say what happened around it, and take these sentinels. The time between rounds is free for everything
    /// that must not disturb a sample.
    RoundOver {
        /// The sentinels.
        take: Due,
    },
    /// Let the device rest for so long, then take the sentinels of the CPU.
    CoolDown {
        /// How long.
        rest: Nanos,
    },
    /// Flush what the arm wrote, then take the storage sentinel.
    WashOut {
        /// The arm. None before anything was written.
        after: Option<usize>,
    },
    /// The group is measured.
    Done,
}

/// What came of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Of [`Step::Pilot`] and [`Step::Sample`].
    Timed {
        /// What the ops took.
        elapsed: Nanos,
        /// The bytes that they read.
        bytes: u64,
        /// What each of them took, where the group's ops are timed one by one; `elapsed` is their sum then. Empty otherwise.
        ops: Vec<Nanos>,
        /// How the ops of a sample kept to their schedule, where the group has a rate.
        pacing: Option<Pacing>,
    },
    /// The clock stepped back during [`Step::Pilot`] or [`Step::Sample`], or since the round before at [`Step::RoundOver`].
    ClockSteppedBack,
    /// Of [`Step::Verify`].
    Verified(Verification),
    /// Of [`Step::RoundOver`].
    RoundOver(RoundChecks),
    /// Of [`Step::CoolDown`] and [`Step::WashOut`].
    Sentinels(Sentinels),
    /// The method failed.
    Failed {
        /// The error in full.
        error: String,
    },
}

/// What happened around a round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RoundChecks {
    /// The page was hidden for a part of it.
    pub hidden: bool,
    /// How far the two clocks drifted apart.
    pub clock_gap: Nanos,
    /// Those that were to be taken.
    pub sentinels: Sentinels,
}

#[derive(Clone, Debug)]
enum Stage {
    /// The storage sentinel's first readings, in a group that writes.
    AtRest {
        readings: Vec<Nanos>,
    },
    Pilot {
        arm: usize,
        pilot: Pilot,
    },
    Verify {
        arm: usize,
        when: When,
    },
    /// Since when the sample before `position` is waited out, if it is.
    Round {
        kind: RoundKind,
        current: Round,
        position: usize,
        washing_since: Option<Nanos>,
    },
    CoolDown,
    Done,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RoundKind {
    WarmUp,
    Measured,
}

/// Takes one group through its stages and keeps what was measured.
#[derive(Clone, Debug)]
pub struct GroupPlan {
    seed: Seed,
    record: GroupRecord,
    stage: Stage,
    paces: Vec<Option<f64>>,
    warm_up: Vec<Progress>,
    failures_on_end: Vec<u32>,
    looks: Looks,
    next_round: u32,
    longest_round: Nanos,
    half_width: Option<f64>,
    /// The group's time when its rounds began.
    rounds_began: Option<Nanos>,
    spacing: Spacing,
    thermometer: Thermometer,
    /// Time that the group is not charged for, and the time of the last outcome with it.
    paused: Nanos,
    last: Nanos,
    single_ops: SingleOps,
}

impl GroupPlan {
    /// For a group of a checked job. `arms` hold one baseline, one null arm and any others, or none.
    #[must_use]
    pub fn new(group: &Group, seed: Seed, arms: Vec<ArmSpec>, task: Task) -> Self {
        let arms: Vec<Arm> = arms.into_iter().map(arm).collect();
        let wash_out = arms.iter().any(|arm| arm.writes).then_some(WashOut {
            at_rest_ns: task.at_rest,
            limit_ns: task.wash_out,
            waits: 0,
            reached: 0,
        });
        let single_ops = SingleOps::new(group.timing, &arms);
        let record = GroupRecord {
            group: group.clone(),
            index: u32::try_from(task.index).unwrap_or(u32::MAX),
            warm_up: WarmUp::default(),
            rounds: Vec::new(),
            ended: Ended::Failed,
            incidents: Vec::new(),
            cool_downs: Vec::new(),
            wash_out,
            budget_ns: task.budget,
            elapsed_ns: Nanos(0),
            arms,
        };
        let count = record.arms.len();
        let mut plan = Self {
            seed,
            record,
            stage: Stage::Done,
            paces: vec![None; count],
            warm_up: vec![Progress::Continue; count],
            failures_on_end: vec![0; count],
            looks: Looks::default(),
            next_round: 0,
            longest_round: Nanos(0),
            half_width: None,
            rounds_began: None,
            spacing: Spacing::default(),
            thermometer: Thermometer::new(task.allowance),
            paused: Nanos(0),
            last: Nanos(0),
            single_ops,
        };
        if wash_out.is_some_and(|wash_out| wash_out.at_rest_ns.is_none()) {
            plan.stage = Stage::AtRest { readings: Vec::new() };
        } else {
            plan.pilot_from(0);
        }
        plan
    }

    /// What to do next. Asking changes nothing.
    #[must_use]
    pub fn step(&self) -> Step {
        match &self.stage {
            Stage::AtRest { .. } => Step::WashOut { after: None },
            Stage::CoolDown => Step::CoolDown { rest: protocol::REST },
            Stage::Pilot { arm, pilot } => Step::Pilot { arm: *arm, n: pilot.next().expect("a pilot that is over is left at once") },
            Stage::Verify { arm, when } => Step::Verify { arm: *arm, when: *when },
            Stage::Round { current, position, washing_since: Some(_), .. } => {
                Step::WashOut { after: position.checked_sub(1).map(|before| current.order[before]) }
            }
            Stage::Round { kind, current, position, washing_since: None } => match current.order.get(*position) {
                Some(arm) => Step::Sample {
                    arm: *arm,
                    round: current.number,
                    n: self.record.arms[*arm].n,
                    stride: self.stride(),
                    dither: self.dither(*arm, current.number),
                },
                None => Step::RoundOver { take: self.due(*kind) },
            },
            Stage::Done => Step::Done,
        }
    }

    /// Takes what came of the step; `now` is the time since the group began.
    ///
    /// # Panics
    /// When the outcome is not one that the step can have.
    pub fn record(&mut self, outcome: Outcome, now: Nanos) {
        let since_last = now.since(std::mem::replace(&mut self.last, now));
        if matches!(self.stage, Stage::CoolDown) {
            self.paused = self.paused + since_last;
        }
        let now = now.since(self.paused);
        self.record.elapsed_ns = now;
        match (self.step(), outcome) {
            (Step::Pilot { arm, n }, Outcome::Timed { elapsed, bytes, .. }) => self.piloted(arm, n, elapsed, bytes),
            (Step::Sample { arm, round, n, stride, .. }, Outcome::Timed { elapsed, bytes, ops, pacing }) => {
                let checked = self.check_bytes(arm, round, stride, n, bytes);
                self.sampled(arm, checked, elapsed, bytes, now);
                self.single_ops.put_aside(arm, ops, pacing);
            }
            (Step::Verify { arm, .. }, Outcome::Verified(verification)) => {
                self.failures_on_end[arm] = 0;
                self.record.arms[arm].verifications.push(verification);
                self.verified(arm, now);
            }
            (Step::RoundOver { .. }, Outcome::RoundOver(checks)) => self.round_over(checks, now),
            (Step::CoolDown { .. }, Outcome::Sentinels(read)) => self.rested(read, since_last, now),
            (Step::WashOut { .. }, Outcome::Sentinels(read)) => self.washed(read.storage_ns, now),
            (Step::Pilot { .. } | Step::Sample { .. } | Step::RoundOver { .. }, Outcome::ClockSteppedBack) => self.clock_stepped_back(),
            (Step::Pilot { arm, .. }, Outcome::Failed { error }) => {
                if self.fails_for_good(arm, error) {
                    self.pilot_from(arm + 1);
                }
            }
            (Step::Verify { arm, .. }, Outcome::Failed { error }) => {
                if self.fails_for_good(arm, error) {
                    self.verified(arm, now);
                }
            }
            (Step::Sample { arm, .. }, Outcome::Failed { error }) => self.failed(arm, error),
            (step, outcome) => panic!("{outcome:?} is no outcome of {step:?}"),
        }
    }

    /// Ends the group where it is. A round that was under way is kept as dropped.
    pub fn stop(&mut self, now: Nanos) {
        let now = now.since(self.paused);
        if let Stage::Round { kind, mut current, .. } = std::mem::replace(&mut self.stage, Stage::Done) {
            current.dropped = Some(DropCause::Stopped);
            self.keep(current, kind);
        }
        self.record.ended = Ended::Stopped;
        self.record.elapsed_ns = now;
    }

    /// What was measured.
    #[must_use]
    pub fn into_record(mut self) -> GroupRecord {
        self.single_ops.write(&mut self.record.arms);
        self.record
    }

    /// How many rounds have run after the warm-up.
    #[must_use]
    pub fn rounds(&self) -> usize {
        self.record.rounds.len()
    }

    /// The widest interval's half-width at the last look, on the log scale.
    #[must_use]
    pub fn half_width(&self) -> Option<f64> {
        self.half_width
    }

    fn due(&self, kind: RoundKind) -> Due {
        match kind {
            RoundKind::WarmUp => Due::default(),
            RoundKind::Measured => self.spacing.due(self.record.elapsed_ns.since(self.rounds_began.unwrap_or_default())),
        }
    }

    /// Counts a failure. True once there were so many on end that the arm is out; until then the step is tried again.
    fn fails_for_good(&mut self, arm: usize, error: String) -> bool {
        self.failures_on_end[arm] += 1;
        let for_good = self.failures_on_end[arm] >= protocol::FAILURES_ON_END;
        if for_good {
            self.record.arms[arm].failure = Some(error);
        }
        for_good
    }

    fn end(&mut self, ended: Ended) {
        self.record.ended = ended;
        self.stage = Stage::Done;
    }

    fn clock_stepped_back(&mut self) {
        self.record.incidents.push(Incident::ClockSteppedBack);
        if let Stage::Round { kind, mut current, .. } = std::mem::replace(&mut self.stage, Stage::Done) {
            current.dropped = Some(DropCause::ClockSteppedBack);
            self.keep(current, kind);
        }
        self.end(Ended::Failed);
    }

    fn verify_from(&mut self, from: usize, when: When, now: Nanos) {
        let next =
            (from..self.record.arms.len()).find(|arm| self.record.arms[*arm].role != Role::Empty && self.record.arms[*arm].takes_part());
        match (next, when) {
            (Some(arm), _) => self.stage = Stage::Verify { arm, when },
            (None, When::Before) => self.begin_round(RoundKind::WarmUp, now),
            (None, When::After) => self.stage = Stage::Done,
        }
    }

    fn verified(&mut self, arm: usize, now: Nanos) {
        let Stage::Verify { when, .. } = self.stage else { unreachable!("only its stage verifies") };
        self.verify_from(arm + 1, when, now);
    }

    fn check_bytes(&self, arm: usize, round: u32, stride: u64, n: u64, bytes: u64) -> Result<(), String> {
        let Arm { method, role, .. } = &self.record.arms[arm];
        let GroupRecord { group, index, .. } = &self.record;
        let wanted = if *role == Role::Empty { 0 } else { ops::bytes(group, self.seed, *index, round, stride, n) };
        let moved = if group.writes() { "wrote" } else { "read" };
        if bytes == wanted { Ok(()) } else { Err(format!("{method} {moved} {bytes} B where {n} ops hold {wanted} B")) }
    }

    /// The fewest ops of any arm that reads: an arm of that number reads on where it stopped.
    fn stride(&self) -> u64 {
        self.record.arms.iter().filter(|arm| arm.role != Role::Empty && arm.takes_part()).map(|arm| arm.n).min().unwrap_or(1)
    }

    fn dither(&self, arm: usize, round: u32) -> Nanos {
        let mut rng = self.seed.stream(Purpose::Dither { group: self.record.index, round });
        let fraction = (0..=arm).map(|_| estimate::unit(&mut rng)).last().expect("at least one draw");
        Nanos::from_ms(self.record.arms[arm].tick_ns.as_ms() * fraction)
    }
}

fn arm(spec: ArmSpec) -> Arm {
    Arm {
        method: spec.method,
        role: spec.role,
        ends_up: spec.ends_up,
        writes: spec.writes,
        iodepth: spec.iodepth,
        tick_ns: spec.tick,
        first_touch_ns: None,
        pilot: Vec::new(),
        n: 0,
        batch: Batch::Shared,
        bytes: 0,
        latencies: None,
        verifications: Vec::new(),
        stages: Vec::new(),
        allocated: None,
        failure: None,
        absent: spec.absent,
    }
}
