//! What the groups of a run say together, on devices whose costs are known.

use opfs_bench_core::answers::costs::{self, CostModel};
use opfs_bench_core::answers::crossover::{self, Course, Side};
use opfs_bench_core::answers::ladder::{self, Axis};
use opfs_bench_core::answers::scaling::{self, Growth};
use opfs_bench_core::answers::steps::{Step, Way};
use opfs_bench_core::job::{Group, Job, Open, Rw, Thread};
use opfs_bench_core::result::RunResult;
use opfs_bench_core::seed::Seed;
use opfs_bench_core::simulate::{Clock, Device, MethodModel, Noise, Wander, run};
use opfs_bench_core::stats::proportion_interval;
use opfs_bench_core::units::{Bytes, Nanos};

/// What the steps cost on the device, in nanoseconds.
const AWAIT: f64 = 300_000.0;
const SLICE: f64 = 150_000.0;
const OPEN_FILE: f64 = 500_000.0;
const BYTE_BY_PROMISE: f64 = 2.0;
const CALL: f64 = 1_200.0;
const OPEN_HANDLE: f64 = 1_500_000.0;
const BYTE_BY_HANDLE: f64 = 0.06;
/// Where files are opened, promises and sync handles take the same time at this size: 700 µs less to open and to read, and 1.94 ns more a byte.
const CROSSING: f64 = (OPEN_HANDLE + CALL - OPEN_FILE - AWAIT) / (BYTE_BY_PROMISE - BYTE_BY_HANDLE);

fn methods(byte_by_handle: f64) -> Vec<MethodModel> {
    let model = |name, read: f64, open: f64, byte_ns| MethodModel { each_ns: read + open, byte_ns, ..MethodModel::new(name, read) };
    vec![
        model("main/array-buffer", AWAIT, OPEN_FILE, BYTE_BY_PROMISE),
        model("main/slice", AWAIT + SLICE, OPEN_FILE, BYTE_BY_PROMISE),
        model("worker/sync", CALL, OPEN_HANDLE, byte_by_handle),
        MethodModel::new("main/empty", 2.0),
        MethodModel::new("worker/empty", 2.0),
    ]
}

/// Samples spread by 5 %, and the machine wanders by 4 % within a tenth of a second, so that groups differ too, by 2 or 3 %. What changes more
/// slowly than a run lasts is in all of its rows alike, and no run can know of it.
fn device(byte_by_handle: f64, seed: u64) -> Device {
    let noise = Noise { independent: 0.05, wander: Some(Wander { deviation: 0.04, memory: Nanos::from_s(0.1) }), ..Noise::default() };
    Device::new(methods(byte_by_handle), [Clock::regular(Nanos(5_000)), Clock::regular(Nanos(5_000))], noise, Seed(seed))
}

fn group(open: Open, bs: u64, nrfiles: u32) -> Group {
    let whole = nrfiles > 1;
    Group {
        name: format!("{open:?}-{bs}-{nrfiles}").to_lowercase(),
        title: format!("{nrfiles} by {bs}"),
        rw: if whole { Rw::Read } else { Rw::RandRead },
        bs: Bytes(bs),
        size: Bytes(if whole { bs * u64::from(nrfiles) } else { 32 << 20 }),
        nrfiles,
        open,
        baseline: if whole { "main/array-buffer" } else { "main/slice" }.parse().expect("a name"),
        methods: vec!["worker/sync".parse().expect("a name")],
        ..Job::from_toml(Job::preset("quick").expect("shipped")).expect("valid").groups.remove(0)
    }
}

const SIZES: [u64; 6] = [1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20];

/// Blocks of all sizes, files of all sizes opened and kept, and three numbers of files.
fn job() -> Job {
    let mut groups: Vec<Group> = SIZES.iter().map(|bs| group(Open::Kept, *bs, 1)).collect();
    groups.extend([Open::Each, Open::Kept].into_iter().flat_map(|open| SIZES.map(|bs| group(open, bs, 50))));
    groups.extend([100, 200].map(|files| group(Open::Each, 1 << 10, files)));
    let budget_s = 0.4 * groups.len() as f64;
    Job { groups, budget_s, ..Job::from_toml(Job::preset("quick").expect("shipped")).expect("valid") }
}

fn simulated(seed: u64) -> RunResult {
    run(&job(), Seed(seed), &mut device(BYTE_BY_HANDLE, seed))
}

fn of(models: &[CostModel], way: Way) -> &CostModel {
    models.iter().find(|model| model.way == way).expect("enough rows")
}

/// Every cost that the device has, by way and step.
const TRUTH: [(Way, Step, f64); 7] = [
    (Way::Promises(Thread::Main), Step::Await, AWAIT),
    (Way::Promises(Thread::Main), Step::Call, SLICE),
    (Way::Promises(Thread::Main), Step::Open, OPEN_FILE),
    (Way::Promises(Thread::Main), Step::Byte, BYTE_BY_PROMISE),
    (Way::SyncHandles, Step::Call, CALL),
    (Way::SyncHandles, Step::Open, OPEN_HANDLE),
    (Way::SyncHandles, Step::Byte, BYTE_BY_HANDLE),
];

#[test]
fn intervals_hold_the_costs_of_the_device_as_often_as_they_say() {
    const RUNS: u64 = 200;
    let (mut holding, mut all, mut fitting) = (0, 0, 0);
    let mut widths = Vec::new();
    let mut by_cost = [0; TRUTH.len()];
    for seed in 0..RUNS {
        let models = costs::of(&simulated(seed));
        fitting += u64::from(models.iter().all(CostModel::fits));
        for (place, (way, step, truth)) in TRUTH.into_iter().enumerate() {
            let cost = of(&models, way).cost(step).expect("told apart");
            let (low, high) = cost.interval_ns;
            holding += u64::from((low..=high).contains(&truth));
            by_cost[place] += u64::from((low..=high).contains(&truth));
            all += 1;
            widths.push((high - low) / 2.0 / truth);
        }
    }
    widths.sort_unstable_by(f64::total_cmp);
    let (at_least, at_most) = proportion_interval(holding, all, 0.95).expect("trials");
    println!("{by_cost:?} of {RUNS} each");
    println!(
        "{holding} of {all} intervals hold the cost; half of them reach {:.1} % to either side; all fit in {fitting} runs",
        widths[widths.len() / 2] * 100.0
    );
    // A little less than they say, since rows that are measured one after the other are disturbed alike.
    assert!(at_least >= 0.91 && at_most >= 0.94, "{holding} of {all}");
    assert!(widths[widths.len() / 2] < 0.1, "an interval that holds everything says nothing: {}", widths[widths.len() / 2]);
    assert!(fitting * 100 >= RUNS * 99, "{fitting} of {RUNS}");
}

#[test]
fn a_device_whose_bytes_have_no_one_price_is_refused() {
    let mut refused = 0;
    for seed in 0..20 {
        let mut result = simulated(seed);
        let dear = run(&job(), Seed(seed), &mut device(BYTE_BY_HANDLE * 4.0, seed));
        for (group, other) in result.groups.iter_mut().zip(dear.groups) {
            if group.record.group.bs.0 >= 64 << 10 {
                *group = other;
            }
        }
        let models = costs::of(&result);
        let (promises, handles) = (of(&models, Way::Promises(Thread::Main)), of(&models, Way::SyncHandles));
        assert!(promises.fits(), "nothing changed for them");
        refused += u32::from(!handles.fits());
        let worst = handles.rows.iter().max_by(|one, other| one.error().abs().total_cmp(&other.error().abs())).expect("rows");
        let worst = &result.groups[worst.group].record.group;
        assert!(worst.open == Open::Kept && worst.bs.0 >= 1 << 14, "{worst:?}");
    }
    assert_eq!(refused, 20);
}

#[test]
fn too_few_groups_have_no_costs() {
    let mut result = simulated(1);
    result.groups.retain(|group| group.record.group.open == Open::Each);
    let models = costs::of(&result);
    let handles = of(&models, Way::SyncHandles);
    assert_eq!(handles.merged, [Step::Open], "where every op opens, that is not told from the call: {:?}", handles.costs);
    result.groups.truncate(4);
    assert_eq!(costs::of(&result), []);
}

#[test]
fn a_cost_that_rests_on_one_row_is_not_told() {
    let mut result = simulated(1);
    let mut each = 0;
    result.groups.retain(|group| {
        each += u32::from(group.record.group.open == Open::Each);
        group.record.group.open == Open::Kept || each == 1
    });
    assert!(each > 1 && costs::of(&result).iter().all(|model| model.cost(Step::Open).is_none()), "{:?}", costs::of(&result));
}

#[test]
fn the_size_is_found_from_which_on_sync_handles_win() {
    let (mut holding, mut worst) = (0, 0.0_f64);
    for seed in 0..50 {
        let result = simulated(seed);
        let ladders = ladder::of(&result, Axis::File);
        assert_eq!(ladders.iter().map(|ladder| ladder.rungs.len()).collect::<Vec<_>>(), [6, 6]);
        let courses = crossover::of(&result, &ladders[0]);
        let [(_, Course::Crosses { below: Side::Slower, at, between: (low, high) })] = courses.as_slice() else { panic!("{courses:?}") };
        assert!(low <= at && at <= high);
        worst = worst.max((at / CROSSING).ln().abs());
        holding += u32::from((*low..=*high).contains(&CROSSING));
        let kept = crossover::of(&result, &ladders[1]);
        assert_eq!(kept.iter().map(|(_, course)| *course).collect::<Vec<_>>(), [Course::Always(Side::Faster)]);
    }
    println!("{holding} of 50 intervals hold {CROSSING:.0} B; the farthest size is off by {:.1} %", worst * 100.0);
    assert!(worst < 0.15 && holding >= 45, "{holding} of 50, {worst}");
}

#[test]
fn time_in_proportion_to_the_number_of_files_is_told_from_time_that_is_not() {
    let (mut in_proportion, mut wrong, mut faster) = (0, 0, 0);
    for seed in 0..50 {
        let mut result = simulated(seed);
        let growth = |result: &RunResult| {
            let [(ladder, methods)] = &scaling::of(result)[..] else { panic!("one ladder of numbers") };
            assert_eq!((ladder.rungs.len(), methods.len()), (3, 2));
            methods.iter().map(|scaling| scaling.growth).collect::<Vec<_>>()
        };
        let found = growth(&result);
        wrong += found.iter().filter(|growth| matches!(growth, Growth::Faster | Growth::Slower)).count();
        in_proportion += found.iter().filter(|growth| **growth == Growth::InProportion).count();
        // Each file takes as many times longer as the number is larger, to the power of 0.3.
        for group in &mut result.groups {
            let times = (f64::from(group.record.group.nrfiles) / 50.0).powf(0.3);
            for per_op in group.estimates.arms.iter_mut().filter_map(|arm| arm.per_op.as_mut()) {
                per_op.median_ns *= times;
                per_op.interval_ns = per_op.interval_ns.map(|(low, high)| (low * times, high * times));
            }
        }
        faster += growth(&result).iter().filter(|growth| **growth == Growth::Faster).count();
    }
    println!("in proportion {in_proportion}, not so {wrong} of 100; with the power of 0.3 more than in proportion {faster}");
    assert!(in_proportion >= 60 && wrong <= 10 && faster >= 80, "{in_proportion}, {wrong}, {faster}");
}
