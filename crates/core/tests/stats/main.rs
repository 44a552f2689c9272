//! Every estimator against R or Python's `scipy`. The vectors are frozen, so that the tests need neither; each file names what made it
//! (`generate.R` or `generate.py` beside this file) and the call whose answers it holds.

use opfs_bench_core::stats::{
    HodgesLehmann, Latencies, Latency, LatencyPercentile, Outliers, SignedRank, Summary, autocorrelation_time, hodges_lehmann,
    lag_one_autocorrelation, median, median_interval, outliers, percentile, proportion_interval, rank_sum, total_ratio, welch,
};
use opfs_bench_core::units::Nanos;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Up to here the signed-rank distribution is exact.
const EXACT_UP_TO: usize = 200;

#[derive(Deserialize)]
struct File<T> {
    cases: Vec<T>,
}

fn cases<T: DeserializeOwned>(json: &str) -> Vec<T> {
    let file: File<T> = serde_json::from_str(json).expect("the vectors are as the generator writes them");
    assert!(!file.cases.is_empty());
    file.cases
}

/// To 1e-9 of the larger of the number and one.
#[track_caller]
fn assert_near(ours: f64, theirs: f64, what: &str) {
    assert!((ours - theirs).abs() <= 1e-9 * theirs.abs().max(1.0), "{what}: {ours}, but {theirs} in the reference");
}

#[track_caller]
fn assert_both_near(ours: (f64, f64), low: f64, high: f64, what: &str) {
    assert_near(ours.0, low, &format!("lower end, {what}"));
    assert_near(ours.1, high, &format!("upper end, {what}"));
}

#[test]
fn hodges_lehmann_is_that_of_wilcox_test() {
    #[derive(Deserialize)]
    struct Case {
        level: f64,
        values: Vec<f64>,
        estimate: f64,
        low: f64,
        high: f64,
    }
    for Case { level, values, estimate, low, high } in cases(include_str!("vectors/hodges_lehmann.json")) {
        let what = format!("{} values at {level}", values.len());
        let HodgesLehmann { estimate: ours, interval } = hodges_lehmann(&values, level).expect("values");
        let (our_low, our_high) = interval.expect("enough values");
        assert_near(ours, estimate, &what);
        if values.len() <= EXACT_UP_TO {
            assert_both_near((our_low, our_high), low, high, &what);
        } else {
            // The normal form reaches a little farther than the exact distribution, never less far.
            let tolerance = 0.005 * (high - low);
            assert!((0.0..tolerance).contains(&(low - our_low)), "{what}: {our_low} for {low}");
            assert!((0.0..tolerance).contains(&(our_high - high)), "{what}: {our_high} for {high}");
        }
    }
}

#[test]
fn critical_ranks_are_those_of_qsignrank() {
    #[derive(Deserialize)]
    struct Case {
        tail: f64,
        sizes: Vec<usize>,
        critical: Vec<usize>,
    }
    for Case { tail, sizes, critical } in cases(include_str!("vectors/signed_rank.json")) {
        for (n, exact) in sizes.into_iter().zip(critical) {
            let ours = SignedRank::new(n).critical(tail).unwrap_or(0);
            if n <= EXACT_UP_TO {
                assert_eq!(ours, exact, "n = {n}, tail {tail}");
            } else {
                // In ranks from the middle: wider, by less than 0.3 % at 99 % and than 0.6 % at 99.9 %.
                let half_width = (SignedRank::new(n).pairs() / 2 - exact) as f64;
                let tolerance = if tail < 0.005 { 0.006 } else { 0.003 } * half_width;
                assert!(ours <= exact && (exact - ours) as f64 <= tolerance, "n = {n}, tail {tail}: {ours} for {exact}");
            }
        }
    }
}

#[test]
fn total_ratio_is_the_jackknife_of_numpy() {
    #[derive(Deserialize)]
    struct Case {
        level: f64,
        pairs: Vec<(f64, f64)>,
        log: f64,
        low: f64,
        high: f64,
    }
    for Case { level, pairs, log, low, high } in cases(include_str!("vectors/total_ratio.json")) {
        let what = format!("{} pairs at {level}", pairs.len());
        let ratio = total_ratio(&pairs, level).expect("enough pairs");
        assert_near(ratio.log, log, &what);
        assert_both_near(ratio.log_interval, low, high, &what);
    }
}

#[test]
fn welch_is_that_of_r_and_scipy() {
    #[derive(Deserialize)]
    struct Case {
        level: f64,
        launches: Vec<f64>,
        baseline: Vec<f64>,
        log: f64,
        low: f64,
        high: f64,
        degrees_of_freedom: f64,
    }
    for json in [include_str!("vectors/welch.json"), include_str!("vectors/welch_scipy.json")] {
        for Case { level, launches, baseline, log, low, high, degrees_of_freedom } in cases(json) {
            let what = format!("{} and {} launches at {level}", launches.len(), baseline.len());
            let ours = welch(&launches, &baseline, level).expect("enough launches");
            assert_near(ours.log, log, &what);
            assert_near(ours.degrees_of_freedom, degrees_of_freedom, &what);
            assert_both_near(ours.log_interval, low, high, &what);
        }
    }
}

#[test]
fn summaries_are_those_of_r() {
    #[derive(Deserialize)]
    struct Case {
        values: Vec<f64>,
        mean: f64,
        sd: f64,
        min: f64,
        max: f64,
    }
    for case in cases::<Case>(include_str!("vectors/summary.json")) {
        let what = format!("{} values", case.values.len());
        let Summary { mean, standard_deviation, min, max } = Summary::of(&case.values).expect("values");
        assert_near(mean, case.mean, &what);
        assert_near(standard_deviation.expect("more than one value"), case.sd, &what);
        assert_eq!((min, max), (case.min, case.max), "{what}");
    }
}

#[test]
fn order_statistics_are_those_of_r() {
    #[derive(Deserialize)]
    struct Case {
        values: Vec<f64>,
        median: f64,
        shares: Vec<f64>,
        quantiles: Vec<f64>,
        low: f64,
        high: f64,
    }
    for case in cases::<Case>(include_str!("vectors/order.json")) {
        let n = case.values.len();
        assert_near(median(&case.values).expect("values"), case.median, &format!("{n} values"));
        assert_eq!(median_interval(&case.values, 0.95), Some((case.low, case.high)), "{n} values");
        for (share, quantile) in case.shares.into_iter().zip(case.quantiles) {
            assert_eq!(percentile(&case.values, share), Some(quantile), "{share} of {n} values");
        }
    }
}

#[test]
fn rank_autocorrelation_is_that_of_acf() {
    #[derive(Deserialize)]
    struct Case {
        values: Vec<f64>,
        coefficient: f64,
        time: f64,
    }
    for Case { values, coefficient, time } in cases(include_str!("vectors/rank.json")) {
        let what = format!("{} values", values.len());
        assert_near(lag_one_autocorrelation(&values).expect("defined"), coefficient, &what);
        assert_near(autocorrelation_time(&values).expect("defined"), time, &what);
    }
}

#[test]
fn rank_sum_is_that_of_wilcox_test() {
    #[derive(Deserialize)]
    struct Case {
        first: Vec<f64>,
        second: Vec<f64>,
        p: f64,
        shift: f64,
        low: f64,
        high: f64,
    }
    for Case { first, second, p, shift, low, high } in cases(include_str!("vectors/rank_sum.json")) {
        let what = format!("{} and {} values", first.len(), second.len());
        let ours = rank_sum(&first, &second, 0.99).expect("values");
        assert_near(ours.p, p, &what);
        assert_near(ours.shift, shift, &what);
        // The normal form may choose the neighbouring rank of the exact one.
        let (our_low, our_high) = ours.interval.expect("enough values");
        let tolerance = 0.05 * (high - low);
        assert!(
            (our_low - low).abs() < tolerance && (our_high - high).abs() < tolerance,
            "{what}: {our_low} to {our_high} for {low} to {high}"
        );
    }
}

#[test]
fn rank_sum_corrects_for_ties() {
    #[derive(Deserialize)]
    struct Case {
        first: Vec<f64>,
        second: Vec<f64>,
        p: f64,
    }
    for Case { first, second, p } in cases(include_str!("vectors/rank_sum_ties.json")) {
        assert_near(rank_sum(&first, &second, 0.99).expect("values").p, p, &format!("{} and {} values", first.len(), second.len()));
    }
}

#[test]
fn outliers_are_those_of_boxplot_stats() {
    #[derive(Deserialize)]
    struct Case {
        values: Vec<f64>,
        mild: usize,
        severe: usize,
    }
    for Case { values, mild, severe } in cases(include_str!("vectors/tukey.json")) {
        assert_eq!(outliers(&values), Outliers { mild, severe }, "{} values", values.len());
    }
}

#[test]
fn proportions_are_those_of_binomtest() {
    #[derive(Deserialize)]
    struct Case {
        level: f64,
        successes: u64,
        trials: u64,
        low: f64,
        high: f64,
    }
    for Case { level, successes, trials, low, high } in cases(include_str!("vectors/proportion.json")) {
        let ours = proportion_interval(successes, trials, level).expect("trials");
        assert_both_near(ours, low, high, &format!("{successes} of {trials} at {level}"));
    }
}

#[test]
fn latency_percentiles_are_those_of_numpy_within_a_bucket() {
    #[derive(Deserialize)]
    struct Case {
        ops_ns: Vec<u64>,
        shares: Vec<f64>,
        percentiles_ns: Vec<u64>,
    }
    for (i, case) in cases::<Case>(include_str!("vectors/latency.json")).into_iter().enumerate() {
        let mut latencies = Latencies::new(Nanos(0));
        case.ops_ns.iter().for_each(|op| latencies.record(Nanos(*op)));
        let told = latencies.percentiles();
        assert_eq!(told.len(), i + 1, "the i-th case has just enough ops for the i-th percentile");
        for ((percentile, latency), (share, theirs)) in told.into_iter().zip(case.shares.into_iter().zip(case.percentiles_ns)) {
            assert_eq!(percentile.share(), share);
            let Latency::Time(Nanos(ours)) = latency else { panic!("there is no tick") };
            assert!((theirs..=theirs + theirs / 1_024).contains(&ours), "{percentile:?}: {ours} for {theirs}");
        }
    }
    assert_eq!(LatencyPercentile::ALL.len(), 5);
}
