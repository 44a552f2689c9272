//! Ops timed one by one, in a closed loop and by a schedule.

use opfs_bench_cli::browser::Browser;
use opfs_bench_cli::page::State;
use opfs_bench_core::estimate::{LatencyEstimates, Note};
use opfs_bench_core::result::{GroupResult, OpTimes};
use opfs_bench_core::stats::Latency;

use crate::harness::{Opened, in_both_browsers, with_page};
use crate::jobs;
use crate::result::assert_complete;

in_both_browsers! {
    single_ops_are_timed_in_a_loop_and_at_a_rate;
}

fn single_ops_are_timed_in_a_loop_and_at_a_rate(browser: Browser) {
    with_page(browser, async |opened: &Opened<'_>| {
        assert_eq!(opened.run_job(jobs::LATENCY, None).await, State::Finished);
        opened.assert_nothing_is_left().await;
        let result = opened.result().await;
        assert_complete(&result);
        for group in &result.groups {
            assert_latencies(group);
        }
        assert_paced(&result.groups[1]);

        let groups = opened.text("groups").await;
        for shown in ["service time (closed loop)", "response time at 100 ops/s (paced)", "p99.9", "100 ops/s offered"] {
            assert!(groups.contains(shown), "{shown}: {groups}");
        }
        let script = "return document.querySelectorAll('#groups table').length";
        let tables: u32 = opened.session.script("counting tables", script, vec![]).await.expect("the page answers");
        assert_eq!(tables, 8, "four tables for each group");
    });
}

/// Every op of the rounds that count is counted, and percentiles rise.
fn assert_latencies(group: &GroupResult) {
    let (record, estimates) = (&group.record, &group.estimates);
    for (arm, estimate) in record.arms.iter().zip(&estimates.arms) {
        let latencies = estimate.latencies.as_ref().unwrap_or_else(|| panic!("{}: no latencies", arm.method));
        assert_eq!(latencies.ops, estimates.rounds as u64 * arm.n, "{}: {}", record.group.name, arm.method);
        assert_eq!(arm.latencies.as_ref().and_then(OpTimes::ops), Some(latencies.ops));
        assert!(latencies.ops < 6 || !latencies.percentiles.is_empty(), "{latencies:?}");
        let told = told(latencies);
        assert!(told.is_sorted(), "{}: {told:?}", arm.method);
    }
}

/// In nanoseconds; what is below ten ticks comes before all that is not.
fn told(latencies: &LatencyEstimates) -> Vec<u64> {
    let all = latencies.percentiles.iter().map(|(_, latency)| *latency).chain([latencies.longest]);
    all.map(|latency| if let Latency::Time(time) = latency { time.0 } else { 0 }).collect()
}

/// Every arm has the same ops and keeps its rate, unless it is told that it does not.
fn assert_paced(group: &GroupResult) {
    let offered = f64::from(group.record.group.rate_iops.expect("a rate"));
    let mut kept = 0;
    for (arm, estimate) in group.record.arms.iter().zip(&group.estimates.arms) {
        assert_eq!(arm.n, group.record.arms[0].n);
        let times = arm.latencies.as_ref().expect("timed one by one");
        let achieved = times.ops().expect("few") as f64 / times.pacing.expect("paced").span_ns.as_s() / offered;
        if !estimate.notes.iter().any(|note| matches!(note, Note::Overloaded { .. })) {
            assert!((0.9..=1.0).contains(&achieved), "{}: {achieved} of the rate", arm.method);
            kept += 1;
        }
    }
    assert!(kept > 0, "{:?}", group.estimates);
}
