//! The command, as a person types it.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use opfs_bench_cli::browser::Browser;
use opfs_bench_cli::driver::{Driver, Wishes, capabilities};
use opfs_bench_core::result::{Outcome, RunResult};
use tempfile::TempDir;

use crate::harness::{PROGRAM, alone, in_both_browsers, www};
use crate::jobs;
use crate::result::{assert_complete, ratio_at_most};

in_both_browsers! {
    the_quick_preset_answers_within_a_minute;
    an_interrupted_run_keeps_what_it_measured_and_leaves_nothing;
    a_page_that_does_not_work_is_told_with_its_console;
}

/// A run of the command with a folder of its own for results, and one for everything temporary.
struct Run {
    folder: TempDir,
    child: Child,
}

impl Run {
    fn start(browser: Browser, page: &Path, arguments: &[&str]) -> Self {
        browser.driver(None).unwrap_or_else(|missing| panic!("{missing}"));
        let folder = tempfile::tempdir().expect("a temporary folder");
        let temporary = folder.path().join("temporary");
        fs::create_dir(&temporary).expect("writable");
        fs::write(folder.path().join("short.toml"), jobs::SHORT).expect("writable");
        fs::write(folder.path().join("long.toml"), jobs::long()).expect("writable");
        let output = |name: &str| fs::File::create(folder.path().join(name)).expect("writable");
        let mut command = Command::new(PROGRAM);
        command.args(["run", "--browser", browser.name(), "--out", "results", "--www"]).arg(page).args(arguments);
        command.current_dir(&folder).env("TMPDIR", &temporary);
        let child = command.stdin(Stdio::null()).stdout(output("stdout")).stderr(output("stderr")).spawn().expect("starts");
        Self { folder, child }
    }

    fn read(&self, name: &str) -> String {
        let mut text = String::new();
        fs::File::open(self.folder.path().join(name)).expect("there").read_to_string(&mut text).expect("text");
        text
    }

    /// Waits until the command has said something, and fails when it ends before.
    fn wait_for_words(&mut self, words: &str) {
        let deadline = Instant::now() + Duration::from_secs(60);
        while !self.read("stderr").contains(words) {
            let ended = self.child.try_wait().expect("its parent's");
            assert!(ended.is_none() && Instant::now() < deadline, "waited for {words:?}; {ended:?}; {}", self.read("stderr"));
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Waits for the end, and returns the exit code.
    fn end(&mut self) -> Option<i32> {
        let deadline = Instant::now() + Duration::from_secs(120);
        loop {
            if let Some(status) = self.child.try_wait().expect("its parent's") {
                return status.code();
            }
            if Instant::now() > deadline {
                let _ = self.child.kill();
                panic!("the command did not end; {}", self.read("stderr"));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// The files of the results' folder that end so.
    fn results(&self, ending: &str) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(self.folder.path().join("results")) else { return vec![] };
        let files = entries.map(|entry| entry.expect("readable").path());
        files.filter(|file| file.to_string_lossy().ends_with(ending)).collect()
    }

    fn result(&self) -> RunResult {
        let files = self.results(".json");
        assert_eq!(files.len(), 1, "{files:?}; {}", self.read("stderr"));
        RunResult::from_json(&fs::read_to_string(&files[0]).expect("text")).expect("a result")
    }

    /// Fails when anything temporary is left, or a process that uses it.
    fn assert_nothing_is_left(&self) {
        let temporary = self.folder.path().join("temporary");
        let left: Vec<_> = fs::read_dir(&temporary).expect("there").map(|entry| entry.expect("readable").path()).collect();
        assert!(left.is_empty(), "{left:?}");
        let processes = processes_that_mention(&temporary);
        assert!(processes.is_empty(), "{processes:?}");
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        if self.child.try_wait().is_ok_and(|ended| ended.is_none()) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// Processes with a path in their command line or their environment; only Linux tells.
fn processes_that_mention(path: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir("/proc") else { return vec![] };
    let needle = path.to_str().expect("a plain name");
    let mentions = |process: &Path, file: &str| {
        let bytes = fs::read(process.join(file)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).contains(needle).then(|| String::from_utf8_lossy(&bytes).replace('\0', " "))
    };
    let processes = entries.flatten().map(|entry| entry.path()).filter(|path| path.join("cmdline").exists());
    processes.filter_map(|process| mentions(&process, "cmdline").or_else(|| mentions(&process, "environ"))).collect()
}

fn the_quick_preset_answers_within_a_minute(browser: Browser) {
    let _alone = alone();
    let start = Instant::now();
    let mut run = Run::start(browser, &www(), &["--preset", "quick"]);
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

    // Headings begin with a capital.
    let output = run.read("stdout").replace("Random", "random");
    let shown = run.results(".html");
    assert_eq!(shown.len(), 1);
    for words in ["worker/sync", "random 4 KiB reads in a 32 MiB file", &shown[0].file_name().expect("a file").to_string_lossy()] {
        assert!(output.contains(words), "{words}: {output}");
    }
    assert!(fs::read_to_string(&shown[0]).expect("text").contains("<svg"));
    let progress = run.read("stderr");
    assert!(progress.contains(" s left: ") && progress.contains(" %  "), "{progress}");
    run.assert_nothing_is_left();
}

fn an_interrupted_run_keeps_what_it_measured_and_leaves_nothing(browser: Browser) {
    let _alone = alone();
    let mut run = Run::start(browser, &www(), &["--job", "long.toml"]);
    run.wait_for_words(" s left: ");
    std::thread::sleep(Duration::from_secs(2));
    interrupt(&run.child);
    assert_eq!(run.end(), Some(3), "{}", run.read("stderr"));
    assert_eq!(run.result().outcome, Outcome::Stopped);
    run.assert_nothing_is_left();
}

fn interrupt(child: &Child) {
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("a POSIX system");
    assert!(status.success());
}

fn a_page_that_does_not_work_is_told_with_its_console(browser: Browser) {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir(folder.path().join("pkg")).expect("writable");
    fs::write(folder.path().join("pkg/opfs_bench_bg.wasm"), "").expect("writable");
    let html = "<!doctype html><html data-state='ready'><script src='page.js'></script><button id='start'>Start</button>";
    fs::write(folder.path().join("index.html"), html).expect("writable");
    fs::write(folder.path().join("page.js"), "console.error('the console says so'); null.thisIsBroken;").expect("writable");
    let mut run = Run::start(browser, folder.path(), &["--job", "short.toml"]);
    assert_eq!(run.end(), Some(1));
    let error = run.read("stderr");
    for told in ["giving the page its job", "the console says so", "null"] {
        assert!(error.contains(told), "{told}: {error}");
    }
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
    let mut run = Run::start(browser, &www(), &["--job", "short.toml", "--webdriver", driver.url(), "--capabilities", file]);
    assert_eq!(run.end(), Some(0), "{}", run.read("stderr"));
    assert_eq!(run.result().environment.user_agent, "the file's own");
    run.assert_nothing_is_left();
    let address = driver.url().strip_prefix("http://").expect("plain HTTP");
    assert!(std::net::TcpStream::connect(address).is_ok(), "the driver still listens");
    let left: Vec<_> = processes_that_mention(driver.scratch()).into_iter().filter(|process| process.contains("--user-data-dir")).collect();
    assert!(left.is_empty(), "its browser has ended: {left:?}");
}

#[test]
fn a_killed_run_leaves_no_process_and_no_file() {
    let _alone = alone();
    let mut run = Run::start(Browser::Chromium, &www(), &["--job", "long.toml"]);
    run.wait_for_words(" s left: ");
    assert!(!processes_that_mention(&run.folder.path().join("temporary")).is_empty(), "only with these can their end be seen");
    run.child.kill().expect("its parent's");
    run.child.wait().expect("killed");
    let deadline = Instant::now() + Duration::from_secs(15);
    let temporary = run.folder.path().join("temporary");
    while fs::read_dir(&temporary).expect("there").next().is_some() || !processes_that_mention(&temporary).is_empty() {
        assert!(Instant::now() < deadline, "{:?}", processes_that_mention(&temporary));
        std::thread::sleep(Duration::from_millis(50));
    }
}
