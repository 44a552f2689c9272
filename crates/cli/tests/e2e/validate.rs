//! Methods with a known slowdown, and the command that judges verdicts by them.

use std::fs;
use std::thread;
use std::time::Duration;

use opfs_bench_cli::browser::Browser;
use opfs_bench_cli::page::State;

use crate::harness::{Opened, alone, in_both_browsers, with_page, www};
use crate::jobs;
use crate::program::Run;
use crate::result::{assert_complete, contender};

in_both_browsers! {
    a_method_slowed_by_100_per_cent_takes_about_twice_as_long;
    a_validation_of_one_run_keeps_its_result_and_its_table;
    an_interrupted_validation_keeps_what_there_is;
}

fn a_method_slowed_by_100_per_cent_takes_about_twice_as_long(browser: Browser) {
    with_page(browser, async |opened: &Opened<'_>| {
        assert_eq!(opened.run_job(jobs::SLOWED, None).await, State::Finished);
        opened.assert_nothing_is_left().await;
        let result = opened.result().await;
        // Verified arms, with counted bytes, on both threads and between them.
        assert_complete(&result);
        // A ratio within one run holds on a busy machine too.
        let (_, estimate) = contender(&result, "blocks", "worker/sync-slowed-100");
        let (low, high) = estimate.ratio.and_then(|ratio| ratio.interval()).unwrap_or_else(|| panic!("no interval: {estimate:?}"));
        assert!(low > 1.5 && high < 3.0, "{low} to {high}");
    });
}

fn a_validation_of_one_run_keeps_its_result_and_its_table(browser: Browser) {
    let _alone = alone();
    let mut run = Run::start("validate", browser, &www(), &["--runs", "1", "--budget-s", "2", "--seed", "ab"]);
    let code = run.end();
    let progress = run.read("stderr");
    // One run is too few for what it says to be asserted.
    assert!(matches!(code, Some(0 | 1)) && progress.contains("run 1 of 1, "), "{code:?}: {progress}");
    let result = run.result();
    assert_complete(&result);
    assert_eq!(result.seed.to_string(), "00000000000000ab");
    let slowed: Vec<String> = result.groups[0].record.arms.iter().map(|arm| arm.method.to_string()).collect();
    assert_eq!(
        slowed,
        [
            "worker/sync",
            "worker/sync",
            "worker/sync-slowed-0",
            "worker/sync-slowed-5",
            "worker/sync-slowed-10",
            "worker/sync-slowed-3",
            "worker/empty"
        ]
    );
    let tables = run.results(".md");
    assert_eq!(tables.len(), 1, "{tables:?}");
    assert!(tables[0].ends_with(format!("validation-{}.md", browser.name())), "{tables:?}");
    let table = fs::read_to_string(&tables[0]).expect("text");
    assert!(run.read("stdout").contains(&table), "it is printed too");
    for told in ["1 of 1 finished", "| sync-reads ", "| promise-reads ", "| both ", "| 3 % ", "| 10 % ", "At most 3 % false alarms: **"] {
        assert!(table.contains(told), "{told}: {table}");
    }
    run.assert_nothing_is_left();
}

fn an_interrupted_validation_keeps_what_there_is(browser: Browser) {
    let _alone = alone();
    let mut run = Run::start("validate", browser, &www(), &["--runs", "9", "--budget-s", "1"]);
    run.wait_for_words("run 1 of 9, ");
    thread::sleep(Duration::from_secs(2));
    run.interrupt();
    assert_eq!(run.end(), Some(3), "{}", run.read("stderr"));
    let tables = run.results(".md");
    assert!(fs::read_to_string(&tables[0]).expect("text").contains("1 of 9 finished"), "{tables:?}");
    run.assert_nothing_is_left();
}
