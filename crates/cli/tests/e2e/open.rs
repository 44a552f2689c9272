//! Browsers that no driver drives: the page begins by itself, and sends what came of it.

use std::fs;

use opfs_bench_cli::browser::Browser;
use opfs_bench_cli::recompute;
use opfs_bench_core::result::Outcome;

use crate::harness::{alone, in_both_browsers};
use crate::program::Run;

in_both_browsers! {
    a_job_is_measured_and_its_result_comes_back;
    a_page_that_refuses_the_job_says_why;
    an_interrupted_run_ends_the_browser;
}

fn a_job_is_measured_and_its_result_comes_back(browser: Browser) {
    let _alone = alone();
    let mut run = Run::open(browser, &["--job", "short.toml", "--seed", "ab"], "");
    assert_eq!(run.end(), Some(0), "{}", run.read("stderr"));
    let result = run.result();
    assert_eq!((&result.outcome, result.seed.to_string().as_str()), (&Outcome::Finished, "00000000000000ab"));
    assert_eq!(result.job.title, "A short job 🚀");
    assert!(!result.environment.automated && result.environment.isolated && result.polls == 0, "{:?}", result.environment);
    assert_eq!(recompute::differences(&result), Vec::<String>::new());
    let (files, output) = (run.results(".html"), run.read("stdout"));
    assert_eq!(files.len(), 1);
    for words in ["worker/sync", &format!("-{}.html", browser.name()), &files[0].file_name().expect("a file").to_string_lossy()] {
        assert!(output.contains(words), "{words}: {output}");
    }
    assert!(fs::read_to_string(&files[0]).expect("text").contains("<svg"));
    run.assert_nothing_is_left();
}

fn a_page_that_refuses_the_job_says_why(browser: Browser) {
    let _alone = alone();
    let mut run = Run::open(browser, &["--job", "unknown.toml"], "");
    assert_eq!(run.end(), Some(1));
    let error = run.read("stderr");
    assert!(
        error.contains("the page says:\nThe server's job cannot be run") && error.contains("there is no method main/unknown"),
        "{error}"
    );
    assert!(run.results(".json").is_empty());
    run.assert_nothing_is_left();
}

fn an_interrupted_run_ends_the_browser(browser: Browser) {
    let _alone = alone();
    let mut run = Run::open(browser, &["--job", "long.toml"], "");
    run.wait_for_words("the page is open");
    run.interrupt();
    assert_eq!(run.end(), Some(3), "{}", run.read("stderr"));
    assert!(run.results(".json").is_empty());
    run.assert_nothing_is_left();
}

#[test]
fn a_browser_that_fails_a_check_says_which() {
    let _alone = alone();
    let mut run = Run::open(Browser::Firefox, &[], "user_pref('dom.fs.enabled', false);");
    assert_eq!(run.end(), Some(1));
    let error = run.read("stderr");
    assert!(error.contains("could not be measured") && error.contains("no Origin Private File System"), "{error}");
    run.assert_nothing_is_left();
}
