//! Every method in one run: verified, or told to be absent; and nothing left in any storage.

use std::time::Duration;

use opfs_bench_cli::browser::Browser;
use opfs_bench_cli::page::State;
use opfs_bench_core::estimate::{Invalid, Verdict, Withheld};
use opfs_bench_core::result::{Outcome, Role, RunResult};

use crate::harness::{Opened, in_both_browsers, with_page};
use crate::jobs;
use crate::result::{assert_complete, contender};

in_both_browsers! {
    every_method_is_verified_or_told_to_be_absent;
    a_stopped_run_leaves_nothing_in_any_storage;
    what_a_killed_page_left_in_any_storage_is_swept;
}

/// The methods that a group's result says the browser lacks, each with what is missing.
fn absent(result: &RunResult, group: usize) -> Vec<(String, String)> {
    let group = &result.groups[group];
    let arms = group.record.arms.iter().zip(&group.estimates.arms);
    arms.filter_map(|(arm, estimate)| {
        let missing = arm.absent.clone()?;
        let reasons = vec![Withheld::NotInThisBrowser { missing: missing.clone() }];
        assert_eq!((arm.role, &estimate.verdict), (Role::Contender, &Verdict::Withheld { reasons }));
        Some((arm.method.to_string(), missing))
    })
    .collect()
}

fn every_method_is_verified_or_told_to_be_absent(browser: Browser) {
    with_page(browser, async |opened: &Opened<'_>| {
        // A method that no browser lacks yet, taken away on this thread.
        opened.run_script("delete Blob.prototype.bytes;").await;
        assert_eq!(opened.run_job(jobs::EVERY_METHOD, None).await, State::Finished);
        opened.assert_nothing_is_left().await;
        let result = opened.result().await;
        assert_complete(&result);
        let lacked = absent(&result, 0);
        let shown = opened.text("groups").await;
        for (method, missing) in &lacked {
            assert!(shown.contains("this browser does not have it") && shown.contains(&**missing), "{method}: {shown}");
        }
        let names: Vec<&str> = lacked.iter().map(|(method, _)| &**method).collect();
        // Firefox takes no note of the locks that are asked for.
        let expected: &[&str] = if browser == Browser::Chromium {
            &["main/bytes"]
        } else {
            &["main/bytes", "worker/sync-read-only", "worker/sync-readwrite-unsafe"]
        };
        assert_eq!(names, expected);
        assert!(result.groups.iter().all(|group| !group.estimates.invalid.contains(&Invalid::BaselineFailed)));
        let (_, estimate) = contender(&result, "blocks", "worker/bytes");
        assert!(estimate.ratio.is_some(), "the worker has it: {estimate:?}");
    });
}

fn a_stopped_run_leaves_nothing_in_any_storage(browser: Browser) {
    with_page(browser, async |opened: &Opened<'_>| {
        // While values are stored, and while they are read.
        for wait in [1_500, 6_000] {
            opened.page.set_job(&jobs::every_method_for_long(), None).await.unwrap_or_else(|error| panic!("{error:#}"));
            opened.page.start().await.unwrap_or_else(|error| panic!("{error:#}"));
            tokio::time::sleep(Duration::from_millis(wait)).await;
            opened.page.stop().await.unwrap_or_else(|error| panic!("{error:#}"));
            assert_eq!(opened.wait_for_end().await, State::Stopped);
            opened.assert_nothing_is_left().await;
            assert_eq!(opened.result().await.outcome, Outcome::Stopped);
        }
    });
}

fn what_a_killed_page_left_in_any_storage_is_swept(browser: Browser) {
    with_page(browser, async |opened: &Opened<'_>| {
        let script = "const done = arguments[arguments.length - 1];
            caches.open('opfs-bench-left').then(() => caches.open('of the site'))
              .then(() => new Promise((resolve) => { indexedDB.open('opfs-bench-left').onsuccess = resolve; }))
              .then(() => done('made'), (error) => done(String(error)));";
        let made: String = opened.session.script_async("leaving a database and a cache", script, vec![]).await.expect("the page answers");
        assert_eq!(made, "made");
        opened.session.go_to(&opened.url).await.expect("the page opens");
        opened.page.wait_until_ready().await.unwrap_or_else(|error| panic!("{error:#}"));
        assert_eq!(opened.page.left_behind().await.expect("the page answers"), ["Cache Storage: of the site"]);
    });
}
