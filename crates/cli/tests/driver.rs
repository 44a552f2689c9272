//! What happens to a driver and its children. The driver here is a shell script; real ones are in the end-to-end tests.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use opfs_bench_cli::browser::Browser;
use opfs_bench_cli::driver::Driver;
use tempfile::TempDir;

/// The program that supervises.
const PROGRAM: &str = env!("CARGO_BIN_EXE_opfs-bench");

/// Writes its processes' ids, one of a child that ignores polite signals in a session of its own, as browsers' may be; then
/// says where it listens.
const STUBBORN: &str = r#"
echo $$ > "$FOLDER/driver.pid"
setsid sh -c 'trap "" TERM INT HUP; echo $$ > "$FOLDER/browser.pid"; while :; do sleep 1; done' &
while [ ! -s "$FOLDER/browser.pid" ]; do sleep 0.01; done
mkdir -p "$TMPDIR/profile"
echo "Listening on 127.0.0.1:4567"
"#;

struct Fake {
    folder: TempDir,
    driver: PathBuf,
}

impl Fake {
    fn new(script: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let driver = folder.path().join("geckodriver");
        let text = format!("#!/bin/sh\nFOLDER='{0}'\nexport FOLDER\n{script}", folder.path().display());
        // Another process writes it: were it this one, a test that starts a program in the same moment would hand the open
        // file on to it, and a file that is open for writing cannot be run ("Text file busy").
        let write = r#"printf '%s\n' "$2" > "$1" && chmod 755 "$1""#;
        let status = Command::new("sh").args(["-c", write, "sh"]).arg(&driver).arg(text).status().expect("a POSIX system");
        assert!(status.success());
        Self { folder, driver }
    }

    fn start(&self) -> anyhow::Result<Driver> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(Driver::start(Browser::Firefox, &self.driver, Path::new(PROGRAM)))
    }

    fn processes(&self) -> Vec<i32> {
        let pid = |name| fs::read_to_string(self.folder.path().join(name)).expect("written").trim().parse().expect("a number");
        ["driver.pid", "browser.pid"].map(pid).to_vec()
    }
}

fn alive(process: i32) -> bool {
    let pid = rustix::process::Pid::from_raw(process).expect("not 0");
    rustix::process::test_kill_process(pid).is_ok()
}

fn wait_until_gone(processes: &[i32], folder: &Path) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while processes.iter().any(|process| alive(*process)) || folder.exists() {
        assert!(
            Instant::now() < deadline,
            "of {processes:?}, alive: {:?}; {} {}",
            processes.iter().filter(|process| alive(**process)).collect::<Vec<_>>(),
            folder.display(),
            if folder.exists() { "is left" } else { "is gone" }
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn dropping_a_driver_ends_all_its_processes_and_removes_their_files() {
    let fake = Fake::new(&format!("{STUBBORN}\nexec sleep 1000"));
    let driver = fake.start().expect("says where it listens");
    assert_eq!(driver.url(), "http://127.0.0.1:4567");
    let scratch = driver.scratch().to_owned();
    let processes = fake.processes();
    assert!(processes.iter().all(|process| alive(*process)) && scratch.join("profile").is_dir());
    drop(driver);
    // The drop itself waits: nothing is left when it returns.
    assert!(!processes.iter().any(|process| alive(*process)), "{processes:?}");
    assert!(!scratch.exists());
}

#[test]
fn a_browser_whose_driver_died_is_ended_too() {
    let fake = Fake::new(&format!("{STUBBORN}\nexit 7"));
    let driver = fake.start().expect("says where it listens");
    let (processes, scratch) = (fake.processes(), driver.scratch().to_owned());
    let deadline = Instant::now() + Duration::from_secs(10);
    while alive(processes[0]) || !driver.log().contains("ended: exit status: 7") {
        assert!(Instant::now() < deadline, "{}", driver.log());
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(alive(processes[1]));
    drop(driver);
    wait_until_gone(&processes, &scratch);
}

#[test]
fn a_killed_command_leaves_nothing() {
    let fake = Fake::new(&format!("{STUBBORN}\nexec sleep 1000"));
    let scratch = tempfile::tempdir().expect("a temporary folder").keep();
    // A process between this test and the supervisor, which holds the life line and is killed without a chance to tidy up.
    let script = format!(
        "'{PROGRAM}' supervise --scratch '{0}' --log '{0}/driver.log' -- '{1}' < \"$FOLDER/line\" & exec 3> \"$FOLDER/line\"; exec sleep 1000",
        scratch.display(),
        fake.driver.display()
    );
    let line = fake.folder.path().join("line");
    assert!(Command::new("mkfifo").arg(&line).status().expect("a POSIX system").success());
    let mut command = spawn(Command::new("sh").arg("-c").arg(script).env("FOLDER", fake.folder.path()));
    let deadline = Instant::now() + Duration::from_secs(10);
    while !scratch.join("profile").is_dir() {
        assert!(Instant::now() < deadline, "the driver did not start");
        std::thread::sleep(Duration::from_millis(20));
    }
    let processes = fake.processes();
    command.kill().expect("its parent's");
    command.wait().expect("killed");
    wait_until_gone(&processes, &scratch);
}

fn spawn(command: &mut Command) -> Child {
    command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().expect("starts")
}

#[test]
fn a_driver_that_ends_at_once_is_told_with_its_command_and_its_words() {
    let fake = Fake::new("echo 'libfoo is missing' >&2; exit 3");
    let error = format!("{:#}", fake.start().expect_err("it ended"));
    for told in ["geckodriver does not start", "libfoo is missing", "exit status: 3", "--port=0", &fake.driver.display().to_string()] {
        assert!(error.contains(told), "{told}: {error}");
    }
}

#[test]
fn a_driver_that_is_no_program_is_told() {
    let fake = Fake::new("");
    fs::set_permissions(&fake.driver, fs::Permissions::from_mode(0o644)).expect("its owner's");
    let error = format!("{:#}", fake.start().expect_err("not executable"));
    assert!(error.contains("cannot start") && error.contains("ermission denied"), "{error}");
}
