//! Results in the layout of `fio --output-format=json+`, for tools that read it.
//!
//! One job of fio's is one method in one group; the null arm and the empty loop, which fio has no notion of, are left out, as is what was
//! not measured. Latencies are there where ops were timed one by one. Elsewhere they have `"N": 0` and no percentiles, which is how
//! fio itself writes what it did not measure (`gtod_reduce=1`).

use opfs_bench_core::estimate::ArmEstimate;
use opfs_bench_core::result::{Arm, GroupRecord, OpTimes, Role, RunResult};
use opfs_bench_core::stats::Latency;
use serde_json::{Map, Value, json};
use time::{Date, Month, PrimitiveDateTime, Time};

/// The result of some runs as one of fio's.
#[must_use]
pub fn json(runs: &[RunResult]) -> String {
    let mut jobs = Vec::new();
    for (number, group) in runs.iter().flat_map(|run| &run.groups).enumerate() {
        for (record, estimates) in group.records() {
            let arms = record.arms.iter().zip(&estimates.arms).enumerate();
            jobs.extend(arms.filter_map(|(place, (arm, estimate))| job(number, record, place, arm, estimate)));
        }
    }
    let (version, started) = runs.first().map_or(("", ""), |run| (&run.version, &run.started));
    let mut result = Map::new();
    result.insert("fio version".into(), format!("opfs-bench-{version}").into());
    if let Some(moment) = moment(started) {
        let ms = moment.assume_utc().unix_timestamp_nanos() / 1_000_000;
        result.insert("timestamp".into(), moment.assume_utc().unix_timestamp().into());
        result.insert("timestamp_ms".into(), i64::try_from(ms).unwrap_or_default().into());
    }
    result.insert("time".into(), started.into());
    result.insert("jobs".into(), jobs.into());
    result.insert("disk_util".into(), json!([]));
    serde_json::to_string_pretty(&result).expect("plain data")
}

/// `2026-08-31T12:34:56.789Z`.
fn moment(iso: &str) -> Option<PrimitiveDateTime> {
    let number = |from: usize, to: usize| iso.get(from..to)?.parse::<u16>().ok();
    let small = |from: usize| u8::try_from(number(from, from + 2)?).ok();
    let date = Date::from_calendar_date(number(0, 4)?.into(), Month::try_from(small(5)?).ok()?, small(8)?).ok()?;
    let time = Time::from_hms_milli(small(11)?, small(14)?, small(17)?, number(20, 23).unwrap_or_default()).ok()?;
    Some(PrimitiveDateTime::new(date, time))
}

/// What an op does, as fio has it. None for what fio's results have no place for.
fn direction(rw: &str) -> Option<&'static str> {
    match rw {
        "read" | "randread" | "read-backwards" => Some("read"),
        "write" | "randwrite" => Some("write"),
        _ => None,
    }
}

fn job(groupid: usize, record: &GroupRecord, place: usize, arm: &Arm, estimate: &ArmEstimate) -> Option<Value> {
    let group = &record.group;
    let rw = json!(group.rw);
    let direction = direction(rw.as_str()?)?;
    let samples = Samples::of(record, place);
    if !matches!(arm.role, Role::Baseline | Role::Contender) || samples.ops() == 0 || !arm.takes_part() {
        return None;
    }
    let mut options = Map::new();
    for (name, value) in [
        ("name", group.name.clone()),
        ("ioengine", format!("opfs:{}", arm.method)),
        ("rw", rw.as_str()?.to_owned()),
        match group.own.as_ref().filter(|own| own.whole) {
            Some(own) => ("bsrange", format!("{}-{}", own.smallest.0, own.largest.0)),
            None => ("bs", group.bs.0.to_string()),
        },
        ("size", group.size.0.to_string()),
        ("nrfiles", group.nrfiles.to_string()),
        ("iodepth", arm.iodepth.to_string()),
        ("numjobs", group.numjobs.to_string()),
    ] {
        options.insert(name.into(), value.into());
    }
    if let Some(rate) = group.rate_iops {
        options.insert("rate_iops".into(), rate.to_string().into());
    }
    let mut job = json!({
        "jobname": format!("{} {}", group.name, arm.method),
        "groupid": groupid,
        "error": 0,
        "eta": 0,
        "elapsed": samples.elapsed_ns().div_ceil(1_000_000_000),
        "job options": options,
        "job_runtime": samples.elapsed_ns() / 1_000_000,
    });
    for other in ["read", "write", "trim"] {
        job[other] = if other == direction { samples.totals(arm, estimate) } else { Samples::default().totals(arm, estimate) };
    }
    Some(job)
}

/// The samples of an arm that count.
#[derive(Default)]
struct Samples {
    n: u64,
    /// The bytes of an op, in the mean.
    bs: f64,
    bytes: u64,
    elapsed_ns: Vec<u64>,
}

impl Samples {
    fn of(record: &GroupRecord, place: usize) -> Self {
        let counted = record.rounds.iter().filter(|round| round.dropped.is_none());
        let elapsed_ns: Vec<u64> = counted.filter_map(|round| round.elapsed_ns.get(place).copied().flatten()).map(|time| time.0).collect();
        let n = record.arms[place].n;
        let bytes = record.group.moved(n);
        Self { n, bs: bytes as f64 / n.max(1) as f64, bytes: bytes.saturating_mul(elapsed_ns.len() as u64), elapsed_ns }
    }

    fn ops(&self) -> u64 {
        self.n.saturating_mul(self.elapsed_ns.len() as u64)
    }

    fn elapsed_ns(&self) -> u64 {
        self.elapsed_ns.iter().fold(0, |sum, time| sum.saturating_add(*time))
    }

    fn totals(&self, arm: &Arm, estimate: &ArmEstimate) -> Value {
        let (ops, bytes) = (self.ops(), self.bytes);
        let seconds = self.elapsed_ns() as f64 / 1e9;
        let a_second = |number: u64| if seconds > 0.0 { number as f64 / seconds } else { 0.0 };
        // A sample's own rate, of those that the clock saw take any time.
        let rates: Vec<f64> = self.elapsed_ns.iter().filter(|time| **time > 0).map(|time| self.n as f64 / (*time as f64 / 1e9)).collect();
        let iops = Spread::of(rates.iter().map(|rate| (*rate, 1)));
        let kib = self.bs / 1024.0;
        let latency = if ops == 0 { latencies(None, estimate) } else { latencies(arm.latencies.as_ref(), estimate) };
        json!({
            "io_bytes": bytes,
            "io_kbytes": bytes / 1024,
            "bw_bytes": whole(a_second(bytes)),
            "bw": whole(a_second(bytes) / 1024.0),
            "iops": a_second(ops),
            "runtime": self.elapsed_ns() / 1_000_000,
            "total_ios": ops,
            "short_ios": 0,
            "drop_ios": 0,
            "slat_ns": latencies(None, estimate),
            "clat_ns": latency,
            "lat_ns": latency,
            "bw_min": whole(iops.min * kib),
            "bw_max": whole(iops.max * kib),
            "bw_agg": if ops == 0 { 0.0 } else { 100.0 },
            "bw_mean": iops.mean * kib,
            "bw_dev": iops.stddev * kib,
            "bw_samples": rates.len(),
            "iops_min": whole(iops.min),
            "iops_max": whole(iops.max),
            "iops_mean": iops.mean,
            "iops_stddev": iops.stddev,
            "iops_samples": rates.len(),
        })
    }
}

/// What single ops took. `bins` is what `json+` adds: how many ops took each time.
fn latencies(times: Option<&OpTimes>, estimate: &ArmEstimate) -> Value {
    let Some(times) = times else { return json!({"min": 0, "max": 0, "mean": 0.0, "stddev": 0.0, "N": 0}) };
    let spread = Spread::of(times.counts.iter().map(|(time, ops)| (time.as_f64(), *ops)));
    let bins: Map<String, Value> = times.counts.iter().map(|(time, ops)| (time.0.to_string(), (*ops).into())).collect();
    let mut percentiles = Map::new();
    for (percentile, latency) in estimate.latencies.iter().flat_map(|latencies| &latencies.percentiles) {
        // Where the clock is too coarse for a number, there is none.
        if let Latency::Time(time) = latency {
            percentiles.insert(format!("{:.6}", percentile.share() * 100.0), time.0.into());
        }
    }
    json!({
        "min": whole(spread.min),
        "max": whole(spread.max),
        "mean": spread.mean,
        "stddev": spread.stddev,
        "N": times.ops().unwrap_or_default(),
        "percentile": percentiles,
        "bins": bins,
    })
}

/// Where fio writes whole numbers.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // `as` saturates
fn whole(number: f64) -> u64 {
    number.round() as u64
}

/// Values, each with how often it occurred.
#[derive(Default)]
struct Spread {
    min: f64,
    max: f64,
    mean: f64,
    stddev: f64,
}

impl Spread {
    fn of(values: impl Iterator<Item = (f64, u64)> + Clone) -> Self {
        let count = values.clone().fold(0.0, |sum, (_, count)| sum + count as f64);
        if count == 0.0 {
            return Self::default();
        }
        let mean = values.clone().map(|(value, count)| value * count as f64).sum::<f64>() / count;
        let squares: f64 = values.clone().map(|(value, count)| (value - mean).powi(2) * count as f64).sum();
        Self {
            min: values.clone().map(|(value, _)| value).fold(f64::INFINITY, f64::min),
            max: values.map(|(value, _)| value).fold(0.0, f64::max),
            mean,
            stddev: if count > 1.0 { (squares / (count - 1.0)).sqrt() } else { 0.0 },
        }
    }
}

#[cfg(test)]
mod tests {
    use opfs_bench_core::job::Job;
    use opfs_bench_core::seed::Seed;
    use opfs_bench_core::simulate::{Clock, Device, MethodModel, Noise, run};
    use opfs_bench_core::units::Nanos;

    use super::*;

    /// A run on a simulated device, whose ops are timed in batches or one by one.
    fn result(timing: &str) -> RunResult {
        let text = format!(
            "name = 'own'\ntitle = ''\nbudget_s = 12\nstorage = '1 MiB'\n[[group]]\nname = 'blocks'\ntitle = ''\nrw = 'randread'\nbs = '4 KiB'\n\
             size = '1 MiB'\nopen = 'kept'\ntiming = '{timing}'\nbaseline = 'main/slice'\nmethods = ['worker/sync']"
        );
        let methods = [("main/slice", 1e6), ("worker/sync", 2e5), ("main/empty", 2.0), ("worker/empty", 2.0)];
        let methods = methods.map(|(name, op_ns)| MethodModel::new(name, op_ns)).to_vec();
        let clocks = [0, 1].map(|_| Clock::regular(Nanos(5_000)));
        run(&Job::from_toml(&text).expect("valid"), Seed(5), &mut Device::new(methods, clocks, Noise::default(), Seed(9)))
    }

    fn exported(runs: &[RunResult]) -> Value {
        serde_json::from_str(&json(runs)).expect("JSON")
    }

    #[test]
    fn a_method_in_a_group_is_a_job_whose_totals_are_its_samples() {
        let run = result("batches");
        let value = exported(std::slice::from_ref(&run));
        assert_eq!(
            (value["timestamp"].as_i64(), value["fio version"].as_str()),
            (Some(0), Some(concat!("opfs-bench-", env!("CARGO_PKG_VERSION"))))
        );
        let jobs = value["jobs"].as_array().expect("a list");
        let names: Vec<_> = jobs.iter().map(|job| job["jobname"].as_str().expect("a name")).collect();
        assert_eq!(names, ["blocks main/slice", "blocks worker/sync"]);
        let record = &run.groups[0].record;
        for (job, place) in jobs.iter().zip([0, 2]) {
            let counted = record.rounds.iter().filter(|round| round.dropped.is_none());
            let times: Vec<u64> = counted.filter_map(|round| round.elapsed_ns[place]).map(|time| time.0).collect();
            let (elapsed, n) = (times.iter().sum::<u64>(), record.arms[place].n * times.len() as u64);
            let read = &job["read"];
            let ops = read["total_ios"].as_u64().expect("whole");
            assert!(n > 0 && ops == n && read["io_bytes"] == n * 4096 && read["runtime"] == elapsed / 1_000_000, "{read}");
            let iops = read["iops"].as_f64().expect("a number");
            assert!((iops * elapsed as f64 / 1e9 - ops as f64).abs() < 1e-3, "{read}");
            // Not measured: fio says so with a count of nothing.
            assert!(read["clat_ns"]["N"] == 0 && read["clat_ns"].get("percentile").is_none(), "{read}");
            assert!(job["write"]["total_ios"] == 0 && job["trim"]["io_bytes"] == 0, "{job}");
        }
    }

    #[test]
    fn ops_that_were_timed_one_by_one_have_percentiles() {
        let run = result("ops");
        let value = exported(std::slice::from_ref(&run));
        let latencies = &value["jobs"][1]["read"]["clat_ns"];
        let bins = latencies["bins"].as_object().expect("an object");
        let ops: u64 = bins.values().filter_map(Value::as_u64).sum();
        assert!(ops > 100 && latencies["N"] == ops && value["jobs"][1]["read"]["total_ios"] == ops, "{latencies}");
        let number = |name: &str| latencies[name].as_f64().expect("a number");
        let median = latencies["percentile"]["50.000000"].as_f64().expect("there are enough");
        assert!(number("min") <= median && median <= number("max") && (number("mean") / 2e5 - 1.0).abs() < 0.1, "{latencies}");
    }

    #[test]
    fn several_results_are_one_and_what_was_not_measured_is_left_out() {
        let mut run = result("batches");
        run.started = "in spring".into();
        for round in &mut run.groups[0].record.rounds {
            round.elapsed_ns[2] = None;
        }
        let value = exported(&[run.clone(), run.clone()]);
        let groups: Vec<_> = value["jobs"].as_array().expect("a list").iter().map(|job| (&job["jobname"], &job["groupid"])).collect();
        assert_eq!(groups, [(&json!("blocks main/slice"), &json!(0)), (&json!("blocks main/slice"), &json!(1))]);
        assert!(value.get("timestamp").is_none());
        run.groups[0].record.arms[0].failure = Some("the disk is full".into());
        assert_eq!(exported(&[run])["jobs"], json!([]));
        assert!(exported(&[])["jobs"].as_array().is_some_and(Vec::is_empty));
    }

    #[test]
    fn moments_are_read_as_they_are_written() {
        assert_eq!(moment("2026-12-01T04:15:37.315Z").map(|moment| moment.assume_utc().unix_timestamp()), Some(1_796_098_537));
        for text in ["", "2026-13-01T00:00:00Z", "9999999", "2026-12-01 é"] {
            assert_eq!(moment(text), None, "{text}");
        }
    }
}
