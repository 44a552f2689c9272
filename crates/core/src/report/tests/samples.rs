//! SYNTHETIC results for the report's tests. No number in here was measured; their sizes are like those of real browsers so that
//! tables and charts look as they will.

use super::builder::{Sample, drop_rounds, group, run, with_native};
use crate::estimate::{GroupEstimates, Invalid, LatencyEstimates, Note, PerOp, Verdict, Withheld, judge};
use crate::job::{Group, Open, Timing};
use crate::result::{DropCause, Ended, Environment, Incident, Native, NativePlace, Outcome, RunResult, Stage, Ticks};
use crate::stats::{Latency, LatencyPercentile};
use crate::units::{Bytes, Nanos};

const OUTLIERS: Note = Note::Outliers { mild: 3, severe: 1 };

const SLICE: [(Stage, f64); 7] = [
    (Stage::Directory, 210_000.0),
    (Stage::FileHandle, 190_000.0),
    (Stage::Open, 95_000.0),
    (Stage::FirstRead, 720_000.0),
    (Stage::Slice, 1_900.0),
    (Stage::Read, 633_000.0),
    (Stage::Copy, 410.0),
];
const SYNC: [(Stage, f64); 6] = [
    (Stage::Directory, 220_000.0),
    (Stage::FileHandle, 185_000.0),
    (Stage::Open, 640_000.0),
    (Stage::FirstRead, 14_300.0),
    (Stage::Read, 1_010.0),
    (Stage::Close, 0.0),
];
const SYNC_ASKED: [(Stage, f64); 3] = [(Stage::Read, 1_010.0), (Stage::Delivery, 31_900.0), (Stage::Copy, 405.0)];

/// Like Chromium: sync reads from a worker hundreds of times faster, driven by a program.
pub(in crate::report) fn chromium() -> RunResult {
    let small = [
        // Not last here, and last in every table.
        Sample::empty("main/empty", 16.4),
        Sample::empty("worker/empty", 3.1),
        Sample::baseline("main/array-buffer", 812_000.0).noted(OUTLIERS),
        Sample::null("main/array-buffer", 811_000.0, 0.999, 0.011),
        Sample::contender("worker/array-buffer", 790_000.0, 0.973, 0.018, Verdict::Inconclusive),
        Sample::contender("worker/sync", 702_000.0, 0.8645, 0.012, Verdict::Faster).noted(Note::Outliers { mild: 2, severe: 0 }),
        Sample::contender("rpc/transfer", 742_000.0, 0.914, 0.014, Verdict::Faster),
    ];
    let unequal = |n| Note::UnequalBatch { n, baseline: 390 };
    let random = [
        Sample::baseline("main/slice", 640_000.0).own_n(390).apart(&SLICE).allocating(4096, 0),
        Sample::null("main/slice", 641_000.0, 1.0012, 0.004).own_n(390),
        Sample::contender("worker/slice", 455_000.0, 0.7108, 0.016, Verdict::Faster)
            .own_n(549)
            .noted(unequal(549))
            .noted(Note::Widened { factor: 1.213 }),
        Sample::contender("worker/sync", 1_030.0, 0.001_6, 0.018, Verdict::Faster)
            .noted(unequal(4_860))
            .noted(OUTLIERS)
            .apart(&SYNC)
            .allocating(0, 0),
        Sample::contender("rpc/transfer", 33_100.0, 0.0517, 0.017, Verdict::Faster)
            .noted(unequal(4_860))
            .apart(&[&SYNC[..4], &SYNC_ASKED[..]].concat())
            .allocating(4096, 120),
        Sample::empty("main/empty", 16.4),
        Sample::empty("worker/empty", 3.1),
    ];
    let in_order = [
        Sample::baseline("main/slice", 2_503_000.0),
        Sample::null("main/slice", 2_496_000.0, 0.9975, 0.009),
        Sample::contender("worker/slice", 2_481_000.0, 0.9915, 0.011, Verdict::Same),
        Sample::contender("worker/sync", 30_200.0, 0.012_06, 0.013, Verdict::Faster),
        Sample::contender("rpc/transfer", 96_000.0, 0.0384, 0.018, Verdict::Faster),
    ];
    let mut run = run(vec![group(0, &small), group(1, &random), group(2, &in_order)]);
    run.environment.automated = true;
    run.polls = 12;
    run
}

/// Like Firefox without isolation: a few times faster, wide intervals, coarse clocks, rounds dropped.
pub(super) fn firefox() -> RunResult {
    let coarse = Note::CoarseTimer { ticks: 31.0 };
    let small = [
        Sample::baseline("main/array-buffer", 642_000.0),
        Sample::null("main/array-buffer", 645_000.0, 1.004, 0.02),
        Sample::contender("worker/array-buffer", 655_000.0, 1.02, 0.024, Verdict::Inconclusive),
        Sample::contender("worker/sync", 1_912_000.0, 2.978, 0.031, Verdict::Slower),
        Sample::contender("rpc/transfer", 2_120_000.0, 3.302, 0.034, Verdict::Slower),
    ];
    let random = [
        Sample::baseline("main/slice", 160_000.0).noted(coarse),
        Sample::null("main/slice", 160_400.0, 1.002, 0.013).noted(coarse),
        Sample::contender("worker/slice", 158_000.0, 0.985, 0.02, Verdict::Inconclusive).noted(coarse),
        Sample::contender("worker/sync", 46_000.0, 0.2875, 0.026, Verdict::Faster).noted(coarse),
        Sample::contender("rpc/transfer", 206_000.0, 1.287, 0.031, Verdict::Slower).noted(coarse),
    ];
    let mut groups = vec![group(0, &small), group(1, &random)];
    for group in &mut groups {
        group.record.ended = Ended::Budget;
        group.estimates.half_width = Some(0.034);
        group.estimates.rounds_needed = Some(139);
    }
    groups[1].record.warm_up.steady = false;
    groups[1].record.incidents.push(Incident::CoarseTimer { ticks: 31 });
    let slept = DropCause::DeviceSlept { gap_ns: Nanos::from_s(12.0) };
    drop_rounds(&mut groups[1], &[DropCause::PageHidden, slept, DropCause::PageHidden]);
    let mut run = run(groups);
    run.job.groups.pop();
    run.environment = Environment {
        browser: "Firefox 153".into(),
        user_agent: "Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0".into(),
        system: "Linux".into(),
        cores: Some(2),
        ..Environment::default()
    };
    run.ticks = Some(Ticks { main_ns: Nanos(1_000_000), worker_ns: Nanos(1_000_000) });
    run
}

/// Groups without verdicts: a null arm that differs, wrong bytes, rounds that hang together; and all within 3 %.
pub(super) fn invalid() -> RunResult {
    let none = |sample: Sample| sample.withheld(Vec::new());
    let small = [
        Sample::baseline("main/array-buffer", 812_000.0),
        none(Sample::null("main/array-buffer", 861_000.0, 1.06, 0.021)),
        none(Sample::contender("worker/array-buffer", 790_000.0, 0.973, 0.02, Verdict::Same)),
        none(Sample::contender("worker/sync", 702_000.0, 0.865, 0.02, Verdict::Same)),
        Sample::contender("rpc/transfer", 742_000.0, 0.914, 0.02, Verdict::Same).withheld(vec![Withheld::WrongBytes]),
    ];
    let random = [
        Sample::baseline("main/slice", 640_000.0),
        Sample::null("main/slice", 641_000.0, 1.001, 0.006),
        Sample::contender("worker/slice", 655_000.0, 1.012, 0.006, Verdict::Same),
        Sample::contender("worker/sync", 644_000.0, 1.006, 0.007, Verdict::Same),
        Sample::contender("rpc/transfer", 650_000.0, 1.0155, 0.009, Verdict::Same)
            .withheld(vec![Withheld::Autocorrelated { coefficient: 0.62 }]),
    ];
    let in_order = [
        Sample::baseline("main/slice", 640_000.0).unmeasured(),
        Sample::null("main/slice", 641_000.0, 1.001, 0.006).unmeasured().withheld(vec![Withheld::TooFewRounds { rounds: 0 }]),
        Sample::contender("worker/sync", 644_000.0, 1.006, 0.007, Verdict::Same)
            .unmeasured()
            .withheld(vec![Withheld::TooFewRounds { rounds: 0 }]),
    ];
    let mut groups = vec![group(0, &small), group(1, &random), group(2, &in_order)];
    groups[0].estimates.invalid = vec![Invalid::NullArmDiffers { ratio: 1.06 }, Invalid::TooManyDropped { dropped: 7, of: 55 }];
    drop_rounds(&mut groups[0], &vec![DropCause::PageHidden; 7]);
    let first = groups[0].clone();
    groups[2].estimates =
        GroupEstimates { rounds: 0, half_width: None, invalid: vec![Invalid::BaselineFailed], ..groups[2].estimates.clone() };
    groups[2].record.arms[0].failure =
        Some("getFile() on fixture-1/0: NotReadableError: the file was changed after the page took hold of it.".into());
    groups[2].record.ended = Ended::Failed;
    let mut run = run(groups);
    run.superseded = vec![first];
    run
}

/// Stopped by a person inside the second group.
pub(super) fn stopped() -> RunResult {
    let few = || vec![Withheld::Unverified, Withheld::TooFewRounds { rounds: 5 }];
    let random = [
        Sample::baseline("main/slice", 640_000.0),
        Sample::null("main/slice", 641_000.0, 1.001, 0.0).without_interval().withheld(few()),
        Sample::contender("worker/slice", 455_000.0, 0.71, 0.0, Verdict::Faster).without_interval().withheld(few()),
        Sample::contender("worker/sync", 1_030.0, 0.0016, 0.0, Verdict::Faster).without_interval().withheld(few()),
        Sample::contender("rpc/transfer", 33_100.0, 0.0517, 0.0, Verdict::Faster).unmeasured().withheld(few()),
    ];
    let mut run = chromium();
    let mut partial = group(1, &random);
    partial.record.ended = Ended::Stopped;
    drop_rounds(&mut partial, &[DropCause::Stopped]);
    partial.estimates = GroupEstimates { rounds: 5, half_width: None, ..partial.estimates };
    run.groups.truncate(1);
    run.groups.push(partial);
    run.outcome = Outcome::Stopped;
    (run.environment.automated, run.polls) = (false, 0);
    run
}

/// Failed before anything was measured.
pub(super) fn failed() -> RunResult {
    let mut run = run(Vec::new());
    run.environment = Environment { browser: "Safari 26".into(), system: "iOS 26".into(), isolated: true, ..Environment::default() };
    run.outcome = Outcome::Failed {
        error: "navigator.storage.getDirectory(): UnknownError. A private window has no such storage: open the page in an ordinary one."
            .into(),
    };
    (run.ticks, run.fixtures) = (None, Vec::new());
    run
}

/// Every text that comes from outside tries to be something else.
pub(super) fn hostile() -> RunResult {
    let script = "<script>alert('1')</script> | **bold** & \"quoted\"\n# heading \u{1b}[31mred\u{202e}";
    let failed = vec![Withheld::Failed { error: script.into() }];
    let random = [
        Sample::baseline("main/slice", 640_000.0),
        Sample::null("main/slice", 641_000.0, 1.001, 0.006),
        Sample::contender("worker/sync", 1_030.0, 0.0016, 0.018, Verdict::Faster).unmeasured().withheld(failed),
    ];
    let mut group = group(1, &random);
    group.record.group.title = script.into();
    drop_rounds(&mut group, &[DropCause::IoError { arm: 2, error: script.into() }, DropCause::IoError { arm: 99, error: script.into() }]);
    let mut group = with_native(group, 812.0);
    if let Some(Native::Measured(reads)) = &mut group.native {
        let (system, folder) = (script.into(), script.into());
        reads.place = NativePlace { system, file_system: Some(script.into()), folder };
    }
    let mut unmeasured = group.clone();
    unmeasured.native = Some(Native::Failed { error: script.into() });
    let mut run = run(vec![group, unmeasured]);
    run.job.title = script.into();
    run.job.name = script.into();
    run.environment.browser = script.into();
    run.environment.system = script.into();
    run.environment.user_agent = script.into();
    run.environment.address = script.into();
    (run.version, run.started) = (script.into(), script.into());
    run.outcome = Outcome::Failed { error: script.into() };
    run
}

/// Like a private window in Chromium: the sync read is slow, and flushing costs nothing. And samples too short for the clock.
pub(super) fn private_window() -> RunResult {
    let short = Note::IndistinguishableFromEmpty;
    let random = [
        Sample::baseline("main/slice", 620_000.0),
        Sample::null("main/slice", 621_000.0, 1.003, 0.012),
        Sample::contender("worker/slice", 540_000.0, 0.87, 0.017, Verdict::Faster),
        Sample::contender("worker/sync", 191_000.0, 0.307, 0.016, Verdict::Faster),
        Sample::contender("rpc/transfer", 40.0, 0.5, 0.01, Verdict::Faster)
            .noted(short)
            .withheld(vec![Withheld::BelowClock { ticks: 12.4 }]),
    ];
    let mut group = group(1, &random);
    group.estimates.arms[4].ratio = None;
    group.estimates.arms[4].per_op = Some(PerOp { median_ns: 40.0, interval_ns: None, at_most: true, summary: None, bytes_per_s: None });
    let mut run = run(vec![group]);
    run.fixtures[1].flush_ns = Nanos(25_000);
    run.job.groups = vec![run.job.groups[1].clone()];
    run
}

/// Ratios from a thousandth to a hundred in one chart, ratios within 3 % of 1 in another, and long names.
pub(super) fn extremes() -> RunResult {
    let wide = [
        Sample::baseline("main/array-buffer", 1_000_000.0),
        Sample::null("main/array-buffer", 1_000_000.0, 1.0, 0.03),
        Sample::contender("worker/sync", 1_000.0, 0.001, 0.02, Verdict::Faster),
        Sample::contender("worker/file-reader-sync", 100_000_000.0, 100.0, 0.2, Verdict::Slower),
        Sample::contender("rpc/shared-array-buffer", 8_000_000.0, 8.0, 0.5, Verdict::Slower),
    ];
    let narrow = [
        Sample::baseline("main/slice", 640_000.0),
        Sample::null("main/slice", 640_000.0, 1.0005, 0.0011),
        Sample::contender("worker/sync", 621_000.0, 0.9704, 0.002, Verdict::Faster),
        Sample::contender("rpc/transfer", 659_000.0, 1.0297, 0.004, Verdict::Slower),
    ];
    run(vec![group(0, &wide), group(1, &narrow)])
}

/// Percentiles as they exist of so many ops on a clock of 5 µs, the last time being the longest op's.
fn latencies(ops: u64, microseconds: [u64; 6]) -> LatencyEstimates {
    let told = |us: u64| if us < 50 { Latency::BelowTenTicks(Nanos(50_000)) } else { Latency::Time(Nanos(us * 1_000)) };
    let percentiles = LatencyPercentile::ALL.into_iter().zip(microseconds).filter(|(percentile, _)| ops >= percentile.fewest_ops());
    LatencyEstimates {
        ops,
        percentiles: percentiles.map(|(percentile, us)| (percentile, told(us))).collect(),
        longest: told(microseconds[5]),
    }
}

/// Ops timed one by one: one after another, then at a rate that one of the methods cannot keep.
pub(super) fn latency() -> RunResult {
    let closed = [
        Sample::baseline("main/slice", 812_000.0).latencies(latencies(1_140, [795, 871, 1_012, 2_331, 0, 9_871])),
        Sample::null("main/slice", 811_000.0, 0.999, 0.011).latencies(latencies(1_140, [796, 870, 1_009, 2_406, 0, 8_207])),
        Sample::contender("worker/slice", 790_000.0, 0.973, 0.012, Verdict::Faster)
            .latencies(latencies(1_140, [774, 841, 990, 2_108, 0, 7_112])),
        Sample::contender("worker/sync", 1_530.0, 0.001_88, 0.013, Verdict::Faster).latencies(latencies(63_840, [1, 2, 3, 5, 61, 1_204])),
        Sample::empty("main/empty", 310.0).latencies(latencies(63_840, [0, 0, 0, 0, 0, 35])),
        Sample::empty("worker/empty", 40.0).latencies(latencies(63_840, [0, 0, 0, 0, 0, 15])),
    ];
    let late = |us: u64| Note::LateStarts { latest_ns: Nanos(us * 1_000) };
    let paced = [
        Sample::baseline("main/slice", 861_000.0).noted(late(420)).latencies(latencies(340, [812, 934, 1_208, 0, 0, 9_040])),
        Sample::null("main/slice", 866_000.0, 1.004, 0.02).noted(late(1_210)).latencies(latencies(340, [815, 941, 1_190, 0, 0, 11_300])),
        Sample::contender("rpc/transfer", 52_310_000.0, 60.4, 0.03, Verdict::Slower)
            .noted(Note::Overloaded { offered: 200, achieved: 96.4 })
            .latencies(latencies(340, [52_310, 92_114, 97_300, 0, 0, 104_800])),
        Sample::contender("worker/sync", 9_300.0, 0.0, 0.0, Verdict::Same)
            .withheld(vec![Withheld::BelowClock { ticks: 12.0 }])
            .noted(Note::IndistinguishableFromEmpty)
            .latencies(latencies(30, [7, 0, 0, 0, 0, 24])),
    ];
    let mut groups = vec![group(1, &closed), group(1, &paced)];
    for group in &mut groups {
        group.record.group.timing = Timing::Ops;
    }
    groups[1].record.index = 2;
    groups[1].record.group.rate_iops = Some(200);
    groups[1].estimates.arms[3].ratio = None;
    groups[1].estimates.arms[3].per_op =
        Some(PerOp { median_ns: 9_300.0, interval_ns: None, at_most: true, summary: None, bytes_per_s: None });
    for estimate in &mut groups[1].estimates.arms {
        if let Some(per_op) = &mut estimate.per_op {
            per_op.bytes_per_s = None;
        }
    }
    run(groups)
}

/// Like a browser that lacks some methods: one group is compared without them, another has nothing left to compare.
pub(super) fn absent() -> RunResult {
    let missing = |method, missing: &str| {
        let reasons = vec![Withheld::NotInThisBrowser { missing: missing.into() }];
        Sample::contender(method, 0.0, 1.0, 0.0, Verdict::Same).unmeasured().withheld(reasons)
    };
    let random = [
        Sample::baseline("main/slice", 640_000.0),
        Sample::null("main/slice", 641_000.0, 1.001, 0.006),
        Sample::contender("worker/sync", 1_030.0, 0.0016, 0.018, Verdict::Faster),
        missing("main/stream-byob", "ReadableStreamBYOBReader for Blob.stream()"),
        missing("main/bytes", "Blob.prototype.bytes"),
        missing("worker/bytes", "Blob.prototype.bytes"),
    ];
    let in_order = [
        Sample::baseline("main/slice", 2_503_000.0).unmeasured(),
        Sample::null("main/slice", 2_496_000.0, 1.0, 0.0).unmeasured().withheld(vec![Withheld::Unverified]),
        missing("main/bytes", "Blob.prototype.bytes"),
    ];
    let mut groups = vec![group(1, &random), group(2, &in_order)];
    groups[1].record.ended = Ended::Failed;
    groups[1].record.rounds.clear();
    groups[1].estimates = GroupEstimates { rounds: 0, half_width: None, ..groups[1].estimates.clone() };
    let mut run = run(groups);
    run.job.groups.remove(0);
    run
}

/// Several reads in flight, which synchronous calls do not have, and several workers.
pub(super) fn parallel() -> RunResult {
    let deep = [
        Sample::baseline("main/slice", 97_000.0).iodepth(16),
        Sample::null("main/slice", 97_200.0, 1.002, 0.011).iodepth(16),
        Sample::contender("worker/sync", 1_530.0, 0.015_8, 0.013, Verdict::Faster).noted(Note::OneAtATime),
        Sample::contender("rpc/transfer", 21_300.0, 0.2196, 0.014, Verdict::Faster).iodepth(16),
    ];
    let pool = [
        Sample::baseline("worker/sync", 1_560.0),
        Sample::null("worker/sync", 1_561.0, 1.0007, 0.009),
        Sample::contender("pool/sync", 520.0, 0.3333, 0.017, Verdict::Faster),
        Sample::contender("pool/slice", 203_000.0, 130.0, 0.02, Verdict::Slower),
        Sample::empty("worker/empty", 3.1),
        Sample::empty("pool/empty", 61.0),
    ];
    let mut groups = vec![group(1, &deep), group(1, &pool)];
    groups[0].record.group.iodepth = 16;
    groups[1].record.index = 2;
    groups[1].record.group.numjobs = 4;
    run(groups)
}

/// As the command gives it: with limits, and with what the operating system took for the same. In one group it could not write.
pub(super) fn limits() -> RunResult {
    let small = [
        Sample::baseline("main/array-buffer", 1_480_000.0),
        Sample::null("main/array-buffer", 1_481_000.0, 1.001, 0.012),
        Sample::contender("worker/sync", 1_590_000.0, 1.06, 0.013, Verdict::Slower),
    ];
    let random = [
        Sample::baseline("main/slice", 788_000.0),
        Sample::null("main/slice", 785_000.0, 0.998, 0.012),
        Sample::contender("worker/sync", 1_490.0, 0.001_91, 0.014, Verdict::Faster),
        Sample::contender("limit/memcpy", 455.0, 0.000_58, 0.015, Verdict::Faster).noted(OUTLIERS),
        Sample::empty("main/empty", 16.4),
    ];
    let in_order = [
        Sample::baseline("main/slice", 3_290_000.0),
        Sample::null("main/slice", 3_291_000.0, 1.0003, 0.011),
        Sample::contender("worker/sync", 45_500.0, 0.0138, 0.016, Verdict::Faster),
    ];
    let mut doubtful = with_native(group(1, &random), 812.0);
    if let Some(Native::Measured(reads)) = &mut doubtful.native {
        reads.estimates.invalid = vec![Invalid::NullArmDiffers { ratio: 1.07 }];
        reads.estimates.arms[0].notes.push(OUTLIERS);
    }
    let mut unwritten = group(2, &in_order);
    let error = "cannot write 32 MiB to /var/tmp/opfs-bench-1/native: No space left on device (os error 28)";
    unwritten.native = Some(Native::Failed { error: error.into() });
    run(vec![with_native(group(0, &small), 7_180.0), doubtful, unwritten])
}

/// Every case with the name of its golden files.
/// A device whose times follow from the prices of their steps: files of four sizes opened each time and kept open, and three numbers of
/// files. Bytes of sync handles are dearer where blocks are large, so that no prices hold for them.
pub(super) fn ladders() -> RunResult {
    let file = |open: Open, bs: u64, nrfiles: u32| {
        let (opened, bytes) = (f64::from(u8::from(open == Open::Each)), bs as f64);
        // Those that are kept open are 1.5 % off, this way and that.
        let off = if open == Open::Each { 1.0 } else { 1.0 + 0.015 * f64::from(i8::from(bs < 1 << 16) * 2 - 1) };
        let main = (300_000.0 + 500_000.0 * opened + 2.0 * bytes) * off;
        let sync = 1_200.0 + 1_500_000.0 * opened + if bs < 1 << 16 { 0.06 } else { 0.3 } * bytes;
        let against = |method, ns: f64| {
            let log = libm::log(ns / main);
            Sample::contender(method, ns, ns / main, 0.02, judge((log - 0.02, log + 0.02)))
        };
        let arms = [
            Sample::baseline("main/array-buffer", main),
            Sample::null("main/array-buffer", main, 1.001, 0.01),
            against("worker/array-buffer", main * 1.002),
            against("worker/sync", sync),
        ];
        let mut group = group(0, &arms);
        let size = Bytes(bs * u64::from(nrfiles));
        let title = format!("{nrfiles} files of {}, {}", Bytes(bs), if open == Open::Each { "opened each time" } else { "kept open" });
        group.record.group = Group { name: format!("{bs}-{nrfiles}"), title, bs: Bytes(bs), size, nrfiles, open, ..group.record.group };
        group
    };
    let sizes = [1 << 10, 20 << 10, 100 << 10, 1 << 20];
    let mut groups: Vec<_> = [Open::Each, Open::Kept].into_iter().flat_map(|open| sizes.map(|bs| file(open, bs, 50))).collect();
    groups.extend([100, 200].map(|files| file(Open::Each, 1 << 10, files)));
    for (index, group) in (0..).zip(&mut groups) {
        group.record.index = index;
    }
    let mut run = run(groups);
    run.job.groups = run.groups.iter().map(|group| group.record.group.clone()).collect();
    run
}

pub(super) fn all() -> Vec<(&'static str, RunResult)> {
    vec![
        ("chromium", chromium()),
        ("firefox", firefox()),
        ("invalid", invalid()),
        ("stopped", stopped()),
        ("failed", failed()),
        ("hostile", hostile()),
        ("private-window", private_window()),
        ("extremes", extremes()),
        ("latency", latency()),
        ("absent", absent()),
        ("parallel", parallel()),
        ("limits", limits()),
        ("ladders", ladders()),
    ]
}
