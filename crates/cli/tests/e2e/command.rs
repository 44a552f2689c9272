//! The command, as a person types it.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use opfs_bench_cli::browser::Browser;
use opfs_bench_cli::driver::{Driver, Wishes, capabilities};
use opfs_bench_core::result::{Arm, Native, Outcome, Role};
use opfs_bench_core::seed::Seed;

use crate::harness::{PROGRAM, alone, in_both_browsers, www};
use crate::program::{Run, processes_that_mention};
use crate::result::{assert_complete, ratio_at_most};

in_both_browsers! {
    a_job_file_of_fio_s_is_measured;
    the_quick_preset_answers_within_a_minute;
    an_interrupted_run_keeps_what_it_measured_and_leaves_nothing;
    an_interrupt_while_the_operating_system_reads_keeps_the_browser_s_result;
    a_page_that_does_not_work_is_told_with_its_console;
}

/// As people post them, but smaller.
const FIO: &str =
    "; random reads\n[global]\nioengine=libaio\ndirect=1\niodepth=16\nbs=4k\nsize=1M\nrandseed=42\nruntime=2\n[randread-4k]\nrw=randread\n";

fn a_job_file_of_fio_s_is_measured(browser: Browser) {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("posted.fio");
    fs::write(&file, FIO).expect("writable");
    let mut run = Run::start("run", browser, &www(), &["--fio", &file.to_string_lossy(), "--methods", "main/slice,worker/sync"]);
    let code = run.end();
    let errors = run.read("stderr");
    assert_eq!(code, Some(0), "{errors}");
    assert!(errors.contains("posted.fio, line 4: direct=1: not used"), "{errors}");
    let result = run.result();
    assert_complete(&result);
    assert_eq!((result.job.name.as_str(), result.seed, result.groups.len()), ("posted", Seed(42), 1));
    let depths: Vec<u32> = result.groups[0].record.arms.iter().filter(|arm| arm.role == Role::Baseline).map(|arm| arm.iodepth).collect();
    assert_eq!(depths, [16]);
}

fn the_quick_preset_answers_within_a_minute(browser: Browser) {
    let _alone = alone();
    let start = Instant::now();
    let mut run = Run::start("run", browser, &www(), &["--preset", "quick"]);
    let code = run.end();
    let elapsed = start.elapsed();
    assert_eq!(code, Some(0), "{}", run.read("stderr"));
    let result = run.result();
    assert_complete(&result);
    assert!(elapsed < Duration::from_secs(60), "{elapsed:?}");
    assert!(result.polls > 10, "{} polls", result.polls);
    // Sync handles beat promises hundreds of times in Chromium and a few times in Firefox; far less would be a mistake.
    let limit = if browser == Browser::Chromium { 0.05 } else { 0.8 };
    let ratio = ratio_at_most(&result, "random-4k", "worker/sync");
    assert!(ratio < limit, "{ratio}");

    for group in &result.groups {
        let reads = group.native.as_ref().and_then(Native::reads).unwrap_or_else(|| panic!("{:?}", group.native));
        assert_eq!((&reads.record.group, reads.record.index), (&group.record.group, group.record.index));
        assert!(reads.estimates.rounds >= 12 && reads.estimates.arms[0].per_op.is_some(), "{:?}", reads.estimates);
        let checked = |arm: &Arm| arm.verifications.iter().filter(|checked| checked.expected == checked.found).count();
        assert!(reads.record.arms.iter().all(|arm| checked(arm) == 2), "{:?}", reads.record.arms);
        // The browser's arms were checked against the same.
        assert_eq!(reads.record.arms[0].verifications[0].expected, group.record.arms[0].verifications[0].expected);
        let temporary = run.folder.path().canonicalize().expect("there").join("temporary");
        assert_eq!(Path::new(&reads.place.folder), temporary, "beside the browser's profile");
    }

    // Headings begin with a capital.
    let output = run.read("stdout").replace("Random", "random");
    let shown = run.results(".html");
    assert_eq!(shown.len(), 1);
    for words in [
        "worker/sync",
        "random 4 KiB reads in a 32 MiB file",
        "native/read",
        "over native/read",
        &shown[0].file_name().expect("a file").to_string_lossy(),
    ] {
        assert!(output.contains(words), "{words}: {output}");
    }
    let page = fs::read_to_string(&shown[0]).expect("text");
    assert!(page.contains("<svg") && page.contains("native/read"));
    let progress = run.read("stderr");
    assert!(progress.contains(" s left: ") && progress.contains(" %  ") && progress.contains(READING), "{progress}");
    run.assert_nothing_is_left();
}

fn an_interrupted_run_keeps_what_it_measured_and_leaves_nothing(browser: Browser) {
    let _alone = alone();
    let mut run = Run::start("run", browser, &www(), &["--job", "long.toml"]);
    run.wait_for_words(" s left: ");
    std::thread::sleep(Duration::from_secs(2));
    run.interrupt();
    assert_eq!(run.end(), Some(3), "{}", run.read("stderr"));
    assert_eq!(run.result().outcome, Outcome::Stopped);
    run.assert_nothing_is_left();
}

/// What the command says when the browser has ended and it reads the same itself.
const READING: &str = ": the same by the operating system";

fn an_interrupt_while_the_operating_system_reads_keeps_the_browser_s_result(browser: Browser) {
    let _alone = alone();
    let mut run = Run::start("run", browser, &www(), &["--job", "short.toml"]);
    let temporary = run.folder.path().join("temporary");
    let is_browser = |process: &String| process.contains("--user-data-dir=") || process.contains(" -profile ");
    let browsers = || -> Vec<String> { processes_that_mention(&temporary).into_iter().filter(is_browser).collect() };
    run.wait_for_words(" s left: ");
    assert!(!browsers().is_empty(), "only with these can their end be seen");
    run.wait_for_words(READING);
    let still_there = browsers();
    run.interrupt();
    assert!(still_there.is_empty(), "no browser runs meanwhile: {still_there:?}");
    assert_eq!(run.end(), Some(3), "{}", run.read("stderr"));
    let result = run.result();
    assert_complete(&result);
    assert!(result.groups.last().is_some_and(|group| group.native.is_none()), "it was stopped before the last group");
    assert!(run.read("stdout").contains("worker/sync"), "what there is is shown");
    run.assert_nothing_is_left();
}

fn a_page_that_does_not_work_is_told_with_its_console(browser: Browser) {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir(folder.path().join("pkg")).expect("writable");
    fs::write(folder.path().join("pkg/opfs_bench_bg.wasm"), "").expect("writable");
    let html = "<!doctype html><html data-state='ready'><script src='page.js'></script><button id='start'>Start</button>";
    fs::write(folder.path().join("index.html"), html).expect("writable");
    fs::write(folder.path().join("page.js"), "console.error('the console says so'); null.thisIsBroken;").expect("writable");
    let mut run = Run::start("run", browser, folder.path(), &["--job", "short.toml"]);
    assert_eq!(run.end(), Some(1));
    let error = run.read("stderr");
    for told in ["giving the page its job", "the console says so", "null"] {
        assert!(error.contains(told), "{told}: {error}");
    }
    run.assert_nothing_is_left();
}

/// `cargo xtask test` builds it so.
#[cfg(feature = "embed")]
#[test]
fn a_program_that_holds_the_page_needs_no_folder_for_it() {
    let _alone = alone();
    let mut run = Run::spawn(&["run", "--job", "short.toml"], None);
    assert_eq!(run.end(), Some(0), "{}", run.read("stderr"));
    assert_complete(&run.result());
    run.assert_nothing_is_left();
}

#[test]
fn a_driver_that_runs_already_is_used_and_left_running() {
    let browser = Browser::Chromium;
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("capabilities.json");
    let program = browser.driver(None).unwrap_or_else(|missing| panic!("{missing}"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let driver = runtime.block_on(Driver::start(browser, &program, Path::new(PROGRAM))).unwrap_or_else(|error| panic!("{error:#}"));
    let mut wanted = capabilities(browser, &Wishes::default());
    let arguments = wanted["goog:chromeOptions"]["args"].as_array_mut().expect("a list");
    arguments.push("--user-agent=the file's own".into());
    fs::write(&file, serde_json::to_string(&wanted).expect("plain data")).expect("writable");

    let file = file.to_str().expect("a plain name");
    let mut run = Run::start("run", browser, &www(), &["--job", "short.toml", "--webdriver", driver.url(), "--capabilities", file]);
    assert_eq!(run.end(), Some(0), "{}", run.read("stderr"));
    let result = run.result();
    assert_eq!(result.environment.user_agent, "the file's own");
    assert!(result.groups.iter().all(|group| group.native.is_none()));
    assert!(run.read("stderr").contains("the browser may be on another machine"), "{}", run.read("stderr"));
    run.assert_nothing_is_left();
    let address = driver.url().strip_prefix("http://").expect("plain HTTP");
    assert!(std::net::TcpStream::connect(address).is_ok(), "the driver still listens");
    let left: Vec<_> = processes_that_mention(driver.scratch()).into_iter().filter(|process| process.contains("--user-data-dir")).collect();
    assert!(left.is_empty(), "its browser has ended: {left:?}");
}

#[test]
fn a_killed_run_leaves_no_process_and_no_file() {
    let _alone = alone();
    for (job, words) in [("long.toml", " s left: "), ("short.toml", READING)] {
        let mut run = Run::start("run", Browser::Chromium, &www(), &["--job", job]);
        run.wait_for_words(words);
        let temporary = run.folder.path().join("temporary");
        assert!(!processes_that_mention(&temporary).is_empty(), "only with these can their end be seen");
        assert!(fs::read_dir(&temporary).expect("there").next().is_some());
        run.child.kill().expect("its parent's");
        run.child.wait().expect("killed");
        let deadline = Instant::now() + Duration::from_secs(15);
        while fs::read_dir(&temporary).expect("there").next().is_some() || !processes_that_mention(&temporary).is_empty() {
            assert!(Instant::now() < deadline, "{:?}", processes_that_mention(&temporary));
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}
