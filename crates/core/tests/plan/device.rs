//! A device whose times are known: what the plan says is done in no time, and the clock is moved by what it would take.

use opfs_bench_core::plan::{ArmSpec, GroupPlan, Outcome, RoundChecks, Step};
use opfs_bench_core::result::{EndsUp, GroupRecord, Role, Verification, When};
use opfs_bench_core::seed::{Purpose, Seed};
use opfs_bench_core::units::Nanos;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// The checksum of bytes that are not the fixture's.
pub const WRONG: &str = "ffffffffffffffff";
const RIGHT: &str = "0000000000000000";
const BLOCK: u64 = 4096;

/// What goes wrong with an arm.
#[derive(Clone, Copy, PartialEq)]
pub enum Fault {
    Fails,
    FailsFromRound(u32),
    WrongBytes(When),
    Short,
    ClockStepsBack,
}

pub struct Device {
    /// By arm: baseline, null, sync, rpc, empty.
    pub per_op_ns: [f64; 5],
    pub tick: Nanos,
    pub hidden_rounds: Vec<u32>,
    pub slept_rounds: Vec<u32>,
    pub stop_in_round: Option<u32>,
    /// Every step that was performed.
    pub steps: Vec<Step>,
    faults: Vec<(usize, Fault)>,
    noise: f64,
    rng: ChaCha8Rng,
    now: f64,
}

impl Device {
    /// A laptop's times without any noise.
    pub fn quiet() -> Self {
        Self::noisy(0.0)
    }

    /// The same with log-normal noise of this standard deviation on every sample.
    pub fn noisy(noise: f64) -> Self {
        Self {
            per_op_ns: [640_000.0, 640_000.0, 1_000.0, 32_000.0, 1.0],
            tick: Nanos(5_000),
            hidden_rounds: Vec::new(),
            slept_rounds: Vec::new(),
            stop_in_round: None,
            steps: Vec::new(),
            faults: Vec::new(),
            noise,
            rng: Seed(7).stream(Purpose::Fixture(0)),
            now: 0.0,
        }
    }

    pub fn fault(&mut self, arm: usize, fault: Fault) {
        self.faults.push((arm, fault));
    }

    pub fn arms(&self) -> Vec<ArmSpec> {
        let arm = |method: &str, role, ends_up| ArmSpec { method: method.parse().expect("a name"), role, ends_up, tick: self.tick };
        vec![
            arm("main/slice", Role::Baseline, EndsUp::MainBuffer),
            arm("main/slice", Role::Null, EndsUp::MainBuffer),
            arm("worker/sync", Role::Contender, EndsUp::WorkerWasm),
            arm("rpc/transfer", Role::Contender, EndsUp::MainBuffer),
            arm("worker/empty", Role::Empty, EndsUp::Nowhere),
        ]
    }

    pub fn play(&mut self, mut plan: GroupPlan) -> GroupRecord {
        let mut round = 0;
        loop {
            let step = plan.step();
            self.steps.push(step.clone());
            let outcome = match step {
                Step::Done => return plan.into_record(),
                Step::Sample { round: number, .. } if self.stop_in_round == Some(number) => {
                    plan.stop(self.now());
                    continue;
                }
                Step::Sample { arm, round: number, n, dither, .. } => {
                    round = number;
                    self.now += dither.as_f64();
                    self.timed(arm, n, Some(number))
                }
                Step::Pilot { arm, n } => self.timed(arm, n, None),
                Step::Verify { arm, when } => {
                    let found = if self.has(arm, Fault::WrongBytes(when)) { WRONG } else { RIGHT };
                    Outcome::Verified(Verification { when, ops: 64, expected: RIGHT.into(), found: found.into() })
                }
                Step::RoundOver => Outcome::RoundOver(RoundChecks {
                    hidden: self.hidden_rounds.contains(&round),
                    clock_gap: if self.slept_rounds.contains(&round) { Nanos::from_s(5.0) } else { Nanos(0) },
                }),
            };
            plan.record(outcome, self.now());
        }
    }

    fn timed(&mut self, arm: usize, n: u64, round: Option<u32>) -> Outcome {
        let fails_now = |fault: &Fault| matches!((fault, round), (Fault::FailsFromRound(from), Some(round)) if round >= *from);
        if self.has(arm, Fault::Fails) || self.faults.iter().any(|(faulty, fault)| *faulty == arm && fails_now(fault)) {
            return Outcome::Failed { error: "read() failed".into() };
        }
        if self.has(arm, Fault::ClockStepsBack) {
            return Outcome::ClockSteppedBack;
        }
        let start = self.read_clock();
        self.now += self.per_op_ns[arm] * n as f64 * (self.noise * self.normal()).exp();
        let elapsed = self.read_clock().since(start);
        let empty = arm == self.per_op_ns.len() - 1;
        let short = u64::from(self.has(arm, Fault::Short));
        Outcome::Timed { elapsed, bytes: if empty { 0 } else { n * BLOCK - short } }
    }

    fn has(&self, arm: usize, fault: Fault) -> bool {
        self.faults.contains(&(arm, fault))
    }

    fn now(&self) -> Nanos {
        Nanos::from_ms(self.now / 1e6)
    }

    /// The last whole tick.
    fn read_clock(&self) -> Nanos {
        Nanos(self.now().0 / self.tick.0 * self.tick.0)
    }

    /// Near enough to normal: twelve uniform numbers have variance 1.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| f64::from(self.rng.next_u32()) / f64::from(u32::MAX)).sum::<f64>() - 6.0
    }
}
