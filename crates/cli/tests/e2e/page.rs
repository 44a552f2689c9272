//! The page, driven as a person drives it.

use opfs_bench_cli::browser::Browser;
use opfs_bench_cli::page::{Page, State};
use opfs_bench_core::estimate::{Verdict, Withheld};
use opfs_bench_core::result::{Outcome, RunResult};
use serde_json::{Map, Value, json};

use crate::harness::{Opened, in_both_browsers, with_browser, with_page};
use crate::jobs;
use crate::result::{assert_complete, contender};

in_both_browsers! {
    start_measures_and_the_download_holds_everything;
    stop_takes_under_a_second_and_start_works_again;
    wrong_bytes_make_their_row_invalid;
    a_method_that_throws_is_taken_out;
    a_run_that_fails_says_why_and_leaves_nothing;
    a_page_without_opfs_says_why;
    what_programs_are_told_is_so;
}

fn start_measures_and_the_download_holds_everything(browser: Browser) {
    with_page(browser, async |opened: &Opened<'_>| {
        assert_eq!(opened.run_job(jobs::SHORT, Some("0123456789abcdef")).await, State::Finished);
        opened.assert_nothing_is_left().await;

        let held = opened.page.result().await.expect("the page answers").expect("a result");
        opened.session.click("download-json").await.expect("there is a download");
        opened.wait_for_download(".json", &held).await;
        let result = RunResult::from_json(&held).expect("a result");
        assert_complete(&result);
        assert_eq!(result.seed.to_string(), "0123456789abcdef");
        assert_eq!(result.job.title, "A short job 🚀");
        assert_eq!(result.polls, 0, "nobody asked during the run");

        assert!(opened.text("answer").await.len() > 20);
        // Headings begin with a capital.
        let groups = opened.text("groups").await.to_lowercase();
        for shown in ["10 whole files of 4 KiB", "random 4 KiB reads in a file of 1 MiB", "main/slice", "worker/sync", "rpc/transfer"] {
            assert!(groups.contains(&shown.to_lowercase()), "{shown}: {groups}");
        }
        let charts: u32 = opened
            .session
            .script(
                "counting charts and tables",
                "return document.querySelectorAll('#groups svg').length * 10 + document.querySelectorAll('#groups table').length",
                vec![],
            )
            .await
            .expect("the page answers");
        assert_eq!(charts, 46, "for each group two charts, and the tables of the methods, of their stages, and of the spread");
    });
}

/// Presses Stop in the page, and tells the milliseconds until the page says that it has stopped.
const STOP: &str = "
    const done = arguments[arguments.length - 1];
    const root = document.documentElement;
    const watch = new MutationObserver(() => {
      if (['stopped', 'finished', 'failed'].includes(root.dataset.state)) {
        watch.disconnect();
        done(performance.now() - start);
      }
    });
    watch.observe(root, {attributes: true, attributeFilter: ['data-state']});
    const start = performance.now();
    document.getElementById('stop').click();";

fn stop_takes_under_a_second_and_start_works_again(browser: Browser) {
    with_page(browser, async |opened: &Opened<'_>| {
        // While files are written, while methods are warmed up, while rounds run.
        for wait in [0, 1_000, 5_000] {
            opened.page.set_job(&jobs::long(), None).await.expect("a valid job");
            opened.page.start().await.unwrap_or_else(|error| panic!("{error:#}"));
            tokio::time::sleep(std::time::Duration::from_millis(wait)).await;
            let milliseconds: f64 = opened.session.script_async("pressing Stop", STOP, vec![]).await.expect("it stops");
            assert_eq!(opened.page.state().await.expect("a state"), State::Stopped);
            assert!(milliseconds < 1_000.0, "Stop after {wait} ms took {milliseconds} ms");
            opened.assert_nothing_is_left().await;
            let result = opened.result().await;
            assert_eq!(result.outcome, Outcome::Stopped);
            assert!(wait < 5_000 || !result.groups.is_empty(), "what was measured is kept");
        }
        assert_eq!(opened.run_job(jobs::SHORT, None).await, State::Finished);
        assert_complete(&opened.result().await);
        opened.assert_nothing_is_left().await;
    });
}

fn wrong_bytes_make_their_row_invalid(browser: Browser) {
    with_page(browser, async |opened: &Opened<'_>| {
        opened
            .run_script(
                "const read = Blob.prototype.arrayBuffer;
                 Blob.prototype.arrayBuffer = async function () {
                   const buffer = await read.call(this);
                   if (buffer.byteLength > 0) new Uint8Array(buffer)[buffer.byteLength >> 1] ^= 1;
                   return buffer;
                 };",
            )
            .await;
        assert_eq!(opened.run_job(jobs::MAIN_AGAINST_WORKER, None).await, State::Finished);
        let result = opened.result().await;
        let (arm, estimate) = contender(&result, "blocks", "main/slice");
        assert!(arm.verifications.iter().any(|checked| checked.expected != checked.found), "{arm:?}");
        assert_eq!(estimate.verdict, Verdict::Withheld { reasons: vec![Withheld::WrongBytes] });
        let (arm, estimate) = contender(&result, "blocks", "worker/sync");
        assert!(arm.verifications.iter().all(|checked| checked.expected == checked.found), "{arm:?}");
        assert!(!matches!(&estimate.verdict, Verdict::Withheld { reasons } if reasons.contains(&Withheld::WrongBytes)), "{estimate:?}");
        opened.assert_nothing_is_left().await;
    });
}

fn a_method_that_throws_is_taken_out(browser: Browser) {
    with_page(browser, async |opened: &Opened<'_>| {
        opened
            .run_script("Blob.prototype.arrayBuffer = async () => { throw new DOMException('as the test wants', 'NotReadableError'); };")
            .await;
        assert_eq!(opened.run_job(jobs::MAIN_AGAINST_WORKER, None).await, State::Finished);
        let result = opened.result().await;
        let (arm, estimate) = contender(&result, "blocks", "main/slice");
        let failure = arm.failure.as_deref().expect("it failed");
        assert!(failure.contains("NotReadableError") && failure.contains("as the test wants"), "{failure}");
        assert!(
            matches!(&estimate.verdict, Verdict::Withheld { reasons } if matches!(reasons[..], [Withheld::Failed { .. }])),
            "{estimate:?}"
        );
        let (other, estimate) = contender(&result, "blocks", "worker/sync");
        assert!(other.failure.is_none() && estimate.ratio.is_some(), "the others are measured: {estimate:?}");
        assert!(opened.text("groups").await.contains("as the test wants"), "a person sees why");
        opened.assert_nothing_is_left().await;
    });
}

fn a_run_that_fails_says_why_and_leaves_nothing(browser: Browser) {
    with_page(browser, async |opened: &Opened<'_>| {
        if browser == Browser::Chromium {
            // The storage is full while the files are written.
            opened.developer_tools("Storage.overrideQuotaForOrigin", json!({ "origin": opened.url, "quotaSize": 500_000 })).await;
        } else {
            opened.run_script("window.Worker = class { constructor() { throw new Error('no workers today'); } };").await;
        }
        let told = if browser == Browser::Chromium { "QuotaExceededError" } else { "no workers today" };
        assert_eq!(opened.run_job(jobs::SHORT, None).await, State::Failed);
        let error = opened.page.poll().await.expect("the page answers").error.expect("a failed run says why");
        assert!(error.contains(told), "{error}");
        assert!(opened.text("failure").await.contains(told), "a person sees why");
        opened.assert_nothing_is_left().await;
    });
}

fn a_page_without_opfs_says_why(browser: Browser) {
    let mut preferences = Map::new();
    if browser == Browser::Firefox {
        preferences.insert("dom.fs.enabled".to_owned(), Value::Bool(false));
    }
    with_browser(browser, preferences, async |opened: &Opened<'_>| {
        if browser == Browser::Chromium {
            let source = "delete StorageManager.prototype.getDirectory;";
            opened.developer_tools("Page.addScriptToEvaluateOnNewDocument", json!({ "source": source })).await;
        }
        let page = Page::open(opened.session, &opened.url).await.expect("the page opens");
        let error = page.wait_until_ready().await.expect_err("there is no OPFS").to_string();
        for told in ["no Origin Private File System", "What helps: ", "Firefox 114"] {
            assert!(error.contains(told), "{error}");
        }
        let startable: bool = opened
            .session
            .script(
                "looking at Start",
                "const start = document.getElementById('start'); return start.checkVisibility() && !start.disabled;",
                vec![],
            )
            .await
            .expect("the page answers");
        assert!(!startable);
    });
}

fn what_programs_are_told_is_so(browser: Browser) {
    with_page(browser, async |opened: &Opened<'_>| {
        let job = jobs::SHORT.replace("budget_s = 3", "budget_s = 0").replace("nrfiles = 10", "nrfiles = 7");
        let error = opened.page.set_job(&job, None).await.expect_err("two mistakes").to_string();
        assert!(error.contains("budget_s: 0 s") && error.contains("7 files"), "{error}");
        let error = opened.page.set_job(jobs::SHORT, Some("xyz")).await.expect_err("no seed").to_string();
        assert!(error.contains("`xyz` is not a seed"), "{error}");
        whatever_is_left_is_seen(opened).await;
        result_is_fetched_whole_though_slices_cut_characters(opened).await;
    });
}

/// All tests of "nothing is left" rest on this.
async fn whatever_is_left_is_seen(opened: &Opened<'_>) {
    opened.assert_nothing_is_left().await;
    let script = "const done = arguments[arguments.length - 1];
        navigator.storage.getDirectory().then((root) => root.getDirectoryHandle('left', {create: true}))
          .then((folder) => folder.getFileHandle('behind', {create: true})).then(() => caches.open('a cache'))
          .then(() => new Promise((resolve) => { indexedDB.open('a database').onsuccess = resolve; }))
          .then(() => done('made'), (error) => done(String(error)));";
    let made: String = opened.session.script_async("leaving a file", script, vec![]).await.expect("the page answers");
    assert_eq!(made, "made");
    let left = opened.page.left_behind().await.expect("the page answers");
    assert_eq!(left, ["left", "left/behind", "IndexedDB: a database", "Cache Storage: a cache"]);
}

/// The page's result is fetched in slices that end at multiples of a number; here every character takes two units, and one
/// comes first so that each slice would end inside one.
async fn result_is_fetched_whole_though_slices_cut_characters(opened: &Opened<'_>) {
    opened
        .run_script(
            "const text = 'x' + '🚀'.repeat(300_000) + 'é';
             window.opfsBench = {resultLength: () => text.length, resultSlice: (from, to) => text.slice(from, to)};",
        )
        .await;
    let text = opened.page.result().await.unwrap_or_else(|error| panic!("{error:#}")).expect("there is one");
    assert!(text == format!("x{}é", "🚀".repeat(300_000)), "{} characters", text.chars().count());
}
