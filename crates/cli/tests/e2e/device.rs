//! What happens to a device while it is measured: it is throttled, its page is hidden, it sleeps.

use std::time::{Duration, Instant};

use opfs_bench_cli::browser::Browser;
use opfs_bench_cli::page::{Poll, State};
use opfs_bench_core::estimate::{Degree, Sentinel, run_drift};
use opfs_bench_core::result::{DropCause, Round, RunResult};
use serde_json::json;

use crate::harness::{Opened, RUN, in_both_browsers, with_page};
use crate::jobs;

in_both_browsers! {
    a_page_that_is_hidden_drops_those_rounds_and_says_so;
    a_device_that_slept_drops_that_round_and_says_so;
}

/// Starts a job and waits until it has come so far.
async fn start_and_reach(opened: &Opened<'_>, job: &str, what: &str, reached: impl Fn(&Poll) -> bool) {
    opened.page.set_job(job, None).await.unwrap_or_else(|error| panic!("{error:#}"));
    opened.page.start().await.unwrap_or_else(|error| panic!("{error:#}"));
    let deadline = Instant::now() + RUN;
    loop {
        let poll = opened.page.poll().await.unwrap_or_else(|error| panic!("{error:#}"));
        if reached(&poll) {
            return;
        }
        assert!(Instant::now() < deadline && !poll.state.is_end(), "waited for {what}: {poll:?}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

fn in_rounds(poll: &Poll) -> bool {
    poll.doing.as_deref().is_some_and(|doing| doing.contains(": round "))
}

async fn finish(opened: &Opened<'_>) -> RunResult {
    assert_eq!(opened.wait_for_end().await, State::Finished);
    opened.assert_nothing_is_left().await;
    opened.result().await
}

fn dropped(result: &RunResult) -> Vec<&DropCause> {
    let rounds = |result: &RunResult| -> usize { result.groups.iter().map(|group| group.record.rounds.len()).sum() };
    let causes: Vec<&DropCause> =
        result.groups.iter().flat_map(|group| &group.record.rounds).filter_map(|round: &Round| round.dropped.as_ref()).collect();
    assert!(causes.len() < rounds(result) / 2, "the others count: {causes:?}");
    causes
}

/// Chromium's developer tools make its main thread slower, as heat would.
#[test]
fn chromium_throttled_half_way_is_reported_as_drift() {
    with_page(Browser::Chromium, async |opened: &Opened<'_>| {
        start_and_reach(opened, jobs::TWO_GROUPS, "the middle of the run", |poll| poll.fraction >= Some(0.5)).await;
        opened.developer_tools("Emulation.setCPUThrottlingRate", json!({ "rate": 3 })).await;
        let result = finish(opened).await;
        let drift = run_drift(&result.groups);
        let main = drift.iter().find(|drift| drift.sentinel == Sentinel::MainCpu).unwrap_or_else(|| panic!("no drift: {drift:?}"));
        assert!(main.degree == Degree::Throttled && main.interval().0 > 1.0, "{main:?}");
        let doubts = opened.text("doubts").await;
        for told in ["The device was throttled", "a computation on the main thread took"] {
            assert!(doubts.contains(told), "{told}: {doubts}");
        }
        // It stays slow, so the pauses do not help, and they are bounded.
        let pauses = result.groups.iter().flat_map(|group| &group.record.cool_downs);
        let waited_ns: u64 = pauses.map(|pause| pause.took_ns.0).sum();
        assert!(waited_ns > 0 && waited_ns as f64 / 1e9 <= result.job.budget_s / 4.0 + 1.0, "{waited_ns} ns");
    });
}

fn a_page_that_is_hidden_drops_those_rounds_and_says_so(browser: Browser) {
    with_page(browser, async |opened: &Opened<'_>| {
        start_and_reach(opened, jobs::TWO_GROUPS, "rounds", in_rounds).await;
        // A new tab comes to the front, as when a person switches to it.
        opened.run_script("window.front = window.open('about:blank');").await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        let visibility: String = opened.session.script("looking", "return document.visibilityState", vec![]).await.expect("it answers");
        assert_eq!(visibility, "hidden");
        opened.run_script("window.front.close();").await;
        let result = finish(opened).await;
        let causes = dropped(&result);
        assert!(!causes.is_empty() && causes.iter().all(|cause| **cause == DropCause::PageHidden), "{causes:?}");
        let doubts = opened.text("doubts").await;
        assert!(doubts.contains("Rounds were dropped") && doubts.contains("the page was hidden"), "{doubts}");
    });
}

/// While a device sleeps, `Date.now()` goes on and `performance.now()` stands. No test can put the machine to sleep, so the page's
/// own `Date.now()` jumps.
fn a_device_that_slept_drops_that_round_and_says_so(browser: Browser) {
    with_page(browser, async |opened: &Opened<'_>| {
        start_and_reach(opened, jobs::TWO_GROUPS, "rounds", in_rounds).await;
        opened.run_script("const now = window.Date.now; window.Date.now = () => now() + 30_000;").await;
        let result = finish(opened).await;
        let causes = dropped(&result);
        let [DropCause::DeviceSlept { gap_ns }] = causes[..] else { panic!("{causes:?}") };
        assert!((29.0..31.0).contains(&gap_ns.as_s()), "{gap_ns:?}");
        let doubts = opened.text("doubts").await;
        assert!(doubts.contains("the device slept"), "{doubts}");
    });
}
