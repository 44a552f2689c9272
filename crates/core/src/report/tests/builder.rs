//! Builds synthetic groups and runs: arms by what is said of them, everything else filled in.

use crate::estimate::{ArmEstimate, GroupEstimates, LatencyEstimates, Note, PerOp, Ratio, StageEstimate, Verdict, Withheld};
use crate::job::{Fileset, Job, MethodName, Thread};
use crate::protocol;
use crate::result::{
    Allocated, Arm, Batch, DropCause, Ended, EndsUp, Environment, Fixture, GroupRecord, GroupResult, Native, NativePlace, NativeReads,
    Outcome, Role, Round, RunResult, Screen, Sentinels, Stage, Storage, Ticks, Verification, WarmUp, When,
};
use crate::seed::Seed;
use crate::stats::{Summary, Tail, TotalRatio};
use crate::units::{Bytes, Nanos};

/// An arm to be: what an op takes, its ratio to the baseline with the half-width of its interval, and what is said of it.
#[derive(Clone)]
pub(super) struct Sample {
    method: &'static str,
    role: Role,
    per_op_ns: Option<f64>,
    ratio: Option<(f64, Option<f64>)>,
    verdict: Verdict,
    notes: Vec<Note>,
    own_n: Option<u64>,
    iodepth: u32,
    total: Option<(f64, f64)>,
    latencies: Option<LatencyEstimates>,
    stages: Vec<StageEstimate>,
    allocated: Option<Allocated>,
}

impl Sample {
    pub(super) fn baseline(method: &'static str, ns: f64) -> Self {
        Self {
            method,
            role: Role::Baseline,
            per_op_ns: Some(ns),
            ratio: None,
            verdict: Verdict::Baseline,
            notes: Vec::new(),
            own_n: None,
            iodepth: 1,
            total: None,
            latencies: None,
            stages: Vec::new(),
            allocated: None,
        }
    }

    /// With stages of so many nanoseconds; those of none are too short for the clock.
    pub(super) fn apart(mut self, stages: &[(Stage, f64)]) -> Self {
        let estimate = |(stage, ns): &(Stage, f64)| StageEstimate {
            stage: *stage,
            mean_ns: if *ns > 0.0 { *ns } else { 40.0 },
            // The opening is the uncertain one.
            interval_ns: (*ns > 0.0).then(|| if *stage == Stage::Open { (ns * 0.8, ns * 1.2) } else { (ns * 0.97, ns * 1.03) }),
            at_most: *ns <= 0.0,
        };
        self.stages = stages.iter().map(estimate).collect();
        self
    }

    /// With so many bytes of buffers and of Wasm for each of a hundred ops.
    pub(super) fn allocating(mut self, buffers: u64, wasm: u64) -> Self {
        self.allocated = Some(Allocated { ops: 100, wasm_bytes: 100 * wasm, buffer_bytes: 100 * buffers });
        self
    }

    pub(super) fn null(method: &'static str, ns: f64, ratio: f64, half_width: f64) -> Self {
        Self { role: Role::Null, ..Self::contender(method, ns, ratio, half_width, Verdict::Same) }
    }

    pub(super) fn contender(method: &'static str, ns: f64, ratio: f64, half_width: f64, verdict: Verdict) -> Self {
        let ratio = Some((ratio, Some(half_width)));
        Self { role: Role::Contender, ratio, verdict, ..Self::baseline(method, ns) }
    }

    pub(super) fn empty(method: &'static str, ns: f64) -> Self {
        Self { role: Role::Empty, verdict: Verdict::NotCompared, ..Self::baseline(method, ns) }
    }

    pub(super) fn noted(mut self, note: Note) -> Self {
        self.notes.push(note);
        self
    }

    /// The same arm with a number of ops of its own.
    pub(super) fn own_n(mut self, n: u64) -> Self {
        self.own_n = Some(n);
        self
    }

    /// The same arm with so many reads in flight.
    pub(super) fn iodepth(mut self, iodepth: u32) -> Self {
        self.iodepth = iodepth;
        self
    }

    /// The same arm with slow samples: the ratio of all time, with the half-width of its interval, and whether that is sure.
    pub(super) fn with_tail(mut self, ratio: f64, half_width: f64, tail: Tail) -> Self {
        self.total = Some((ratio, half_width));
        self.noted(Note::TailDominated { tail })
    }

    /// The same arm with times of single ops.
    pub(super) fn latencies(mut self, latencies: LatencyEstimates) -> Self {
        self.latencies = Some(latencies);
        self
    }

    /// The same arm without a verdict.
    pub(super) fn withheld(mut self, reasons: Vec<Withheld>) -> Self {
        self.verdict = Verdict::Withheld { reasons };
        self
    }

    pub(super) fn unmeasured(mut self) -> Self {
        (self.per_op_ns, self.ratio) = (None, None);
        self
    }

    pub(super) fn without_interval(mut self) -> Self {
        self.ratio = self.ratio.map(|(ratio, _)| (ratio, None));
        self
    }

    fn record(&self) -> Arm {
        let method: MethodName = self.method.parse().expect("a method's name");
        let ends_up = match (self.role, method.thread(), method.api()) {
            (Role::Empty, ..) => EndsUp::Nowhere,
            (_, Thread::Worker | Thread::Pool, "sync") | (_, Thread::Limit, _) => EndsUp::WorkerWasm,
            (_, Thread::Worker | Thread::Pool, _) => EndsUp::WorkerBuffer,
            (_, Thread::Main | Thread::Rpc | Thread::Native, _) => EndsUp::MainBuffer,
        };
        let absent = |reason: &Withheld| if let Withheld::NotInThisBrowser { missing } = reason { Some(missing.clone()) } else { None };
        let reasons: &[Withheld] = if let Verdict::Withheld { reasons } = &self.verdict { reasons } else { &[] };
        let failure = reasons.iter().find_map(|reason| if let Withheld::Failed { error } = reason { Some(error.clone()) } else { None });
        let expected = "8f3c00ab11d2e4f5".to_owned();
        let found = if reasons.contains(&Withheld::WrongBytes) { "0000000000000000".to_owned() } else { expected.clone() };
        Arm {
            method,
            role: self.role,
            ends_up,
            writes: false,
            iodepth: self.iodepth,
            tick_ns: Nanos(5_000),
            first_touch_ns: None,
            pilot: Vec::new(),
            n: self.own_n.unwrap_or(4_860),
            batch: if self.own_n.is_some() { Batch::Own } else { Batch::Shared },
            bytes: 0,
            latencies: None,
            stages: Vec::new(),
            allocated: self.allocated,
            verifications: vec![Verification { when: When::Before, ops: 64, expected, found }],
            failure,
            absent: reasons.iter().find_map(absent),
        }
    }

    fn estimate(&self, bs: Bytes) -> ArmEstimate {
        let around = |ns: f64| (ns * 0.988, ns * 1.014);
        ArmEstimate {
            per_op: self.per_op_ns.map(|ns| PerOp {
                median_ns: ns,
                interval_ns: Some(around(ns)),
                at_most: false,
                summary: Some(Summary { mean: ns * 1.02, standard_deviation: Some(ns * 0.06), min: ns * 0.93, max: ns * 1.7 }),
                bytes_per_s: (self.role != Role::Empty).then(|| bs.0 as f64 / ns * 1e9),
            }),
            ratio: self.ratio.map(|(ratio, half)| {
                let log = libm::log(ratio);
                Ratio { log, log_interval: half.map(|half| (log - half, log + half)), autocorrelation: Some(0.04), widened: 1.0 }
            }),
            total: self.total.or(self.ratio.map(|(ratio, half)| (ratio * 1.004, half.unwrap_or(0.3) * 1.4))).map(|(ratio, half)| {
                let log = libm::log(ratio);
                TotalRatio { log, log_interval: (log - half, log + half) }
            }),
            latencies: self.latencies.clone(),
            stages: self.stages.clone(),
            verdict: self.verdict.clone(),
            notes: self.notes.clone(),
        }
    }
}

/// A group of the preset `quick` with these arms.
pub(super) fn group(index: usize, samples: &[Sample]) -> GroupResult {
    let group = quick().groups.remove(index);
    let estimates = GroupEstimates {
        rounds: 48,
        dropped: 0,
        level: protocol::LEVEL,
        half_width: Some(0.018),
        rounds_needed: None,
        drift: Vec::new(),
        invalid: Vec::new(),
        arms: samples.iter().map(|sample| sample.estimate(group.bs)).collect(),
    };
    let record = GroupRecord {
        group,
        index: u32::try_from(index).expect("three groups"),
        arms: samples.iter().map(Sample::record).collect(),
        warm_up: WarmUp { rounds: (0..4).map(|number| round(number, None)).collect(), steady: true },
        rounds: (4..52).map(|number| round(number, None)).collect(),
        ended: Ended::Width,
        incidents: Vec::new(),
        cool_downs: Vec::new(),
        wash_out: None,
        budget_ns: Nanos::from_s(10.0),
        elapsed_ns: Nanos::from_s(6.2),
    };
    GroupResult::new(record, estimates)
}

/// The group with reads of the operating system that take so long.
pub(super) fn with_native(mut group: GroupResult, ns: f64) -> GroupResult {
    let mut reads = self::group(0, &[Sample::baseline("native/read", ns), Sample::null("native/read", ns, 1.001, 0.006)]);
    (reads.record.group, reads.record.index) = (group.record.group.clone(), group.record.index);
    for arm in &mut reads.record.arms {
        arm.ends_up = EndsUp::Native;
    }
    let bs = group.record.group.bs.0 as f64;
    for per_op in reads.estimates.arms.iter_mut().filter_map(|arm| arm.per_op.as_mut()) {
        per_op.bytes_per_s = Some(bs / per_op.median_ns * 1e9);
    }
    let place = NativePlace { system: "Linux 6.12.1".into(), file_system: Some("ext4".into()), folder: "/var/tmp".into() };
    group.native = Some(Native::Measured(Box::new(NativeReads { record: reads.record, estimates: reads.estimates, place })));
    group
}

fn round(number: u32, dropped: Option<DropCause>) -> Round {
    Round { number, at_ns: Nanos(0), order: Vec::new(), elapsed_ns: Vec::new(), dropped, sentinels: Sentinels::default() }
}

fn quick() -> Job {
    Job::from_toml(Job::preset("quick").expect("shipped")).expect("valid")
}

pub(super) fn drop_rounds(group: &mut GroupResult, causes: &[DropCause]) {
    for cause in causes {
        let number = u32::try_from(group.record.rounds.len()).expect("few rounds") + 4;
        group.record.rounds.push(round(number, Some(cause.clone())));
    }
    group.estimates.dropped = causes.iter().filter(|cause| **cause != DropCause::Stopped).count();
}

/// A run without groups in something like Chromium.
pub(super) fn run(groups: Vec<GroupResult>) -> RunResult {
    let fixture = |nrfiles, file_size: u64, flush_ns| Fixture {
        fileset: Fileset { nrfiles, file_size: Bytes(file_size), own: None },
        checksum: "8f3c00ab11d2e4f5".into(),
        read_back: "8f3c00ab11d2e4f5".into(),
        write_ns: Nanos(flush_ns * 3),
        flush_ns: Nanos(flush_ns),
    };
    RunResult {
        format: crate::result::FORMAT.into(),
        protocol: protocol::NUMBER,
        version: "0.1.0".into(),
        seed: Seed(0x0123_4567_89ab_cdef),
        started: "2026-08-01T12:00:00.000Z".into(),
        elapsed_ns: Nanos::from_s(38.4),
        outcome: Outcome::Finished,
        job: quick(),
        environment: Environment {
            browser: "Chromium 156".into(),
            user_agent: "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36".into(),
            system: "Linux".into(),
            cores: Some(2),
            memory_gib: Some(8.0),
            screen: Some(Screen { width: 1280.0, height: 720.0, pixel_ratio: 1.5 }),
            isolated: true,
            automated: false,
            frame_ms: None,
            battery: None,
            storage: Some(Storage { quota: 10_737_418_240.0, usage: 0.0 }),
            address: "http://localhost:8080/".into(),
        },
        ticks: Some(Ticks { main_ns: Nanos(5_000), worker_ns: Nanos(5_000) }),
        fixtures: vec![fixture(50, 20 << 10, 48_000_000), fixture(1, 32 << 20, 18_000_000)],
        groups,
        superseded: Vec::new(),
        skipped: Vec::new(),
        polls: 0,
    }
}
