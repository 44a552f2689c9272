//! A short job and the devices that run it.

use opfs_bench_core::job::Job;
use opfs_bench_core::seed::Seed;
use opfs_bench_core::simulate::{Clock, Device, MethodModel, Noise, NoiseKind, WarmUp};
use opfs_bench_core::units::Nanos;

const JOB: &str = r#"
name = "simulated"
title = "Two groups on a simulated device"
budget_s = 2
storage = "2 MiB"

[[group]]
name = "random-4k"
title = "random 4 KiB reads in a 1 MiB file"
rw = "randread"
bs = "4 KiB"
size = "1 MiB"
open = "kept"
baseline = "main/slice"
methods = ["worker/sync"]

[[group]]
name = "small-files"
title = "10 whole files of 20 KiB, opened each time"
rw = "read"
bs = "20 KiB"
size = "200 KiB"
nrfiles = 10
open = "each"
baseline = "main/slice"
methods = ["worker/sync"]
"#;

/// Two groups of one contender each.
pub fn job() -> Job {
    Job::from_toml(JOB).expect("valid")
}

/// A laptop's methods: opening costs more than reading.
pub fn laptop() -> Vec<MethodModel> {
    let slice = MethodModel {
        each_ns: 900_000.0,
        byte_ns: 0.5,
        first_touch: Nanos(4_000_000),
        warm_up: Some(WarmUp { slower: 0.8, over: Nanos(50_000_000) }),
        ..MethodModel::new("main/slice", 300_000.0)
    };
    let sync =
        MethodModel { each_ns: 1_400_000.0, byte_ns: 0.2, first_touch: Nanos(1_000_000), ..MethodModel::new("worker/sync", 1_000.0) };
    vec![slice, sync, MethodModel::new("main/empty", 2.0), MethodModel::new("worker/empty", 2.0)]
}

/// A device with a kind's noise and clocks.
pub fn device(kind: NoiseKind, seed: Seed) -> Device {
    Device::new(laptop(), [0, 1].map(|thread| Clock::jittered(kind.tick(), seed.0 + thread)), kind.noise(), seed)
}

/// A device without noise on regular clocks.
pub fn quiet() -> Device {
    noisy(0.0)
}

/// The same with independent noise of this spread.
pub fn noisy(independent: f64) -> Device {
    let noise = Noise { independent, ..Noise::default() };
    Device::new(laptop(), [Clock::regular(Nanos(5_000)), Clock::regular(Nanos(20_000))], noise, Seed(1))
}
