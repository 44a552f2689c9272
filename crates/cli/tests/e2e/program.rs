//! The command as a child process.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use opfs_bench_cli::browser::Browser;
use opfs_bench_cli::driver::{Wishes, capabilities};
use opfs_bench_core::result::RunResult;
use tempfile::TempDir;

use crate::harness::{PROGRAM, www};
use crate::jobs;

/// A run of the command with a folder of its own for results, and one for everything temporary.
pub struct Run {
    pub folder: TempDir,
    pub child: Child,
    profile: Option<PathBuf>,
}

impl Run {
    /// Starts a subcommand that measures.
    pub fn start(subcommand: &str, browser: Browser, page: &Path, arguments: &[&str]) -> Self {
        browser.driver(None).unwrap_or_else(|missing| panic!("{missing}"));
        Self::spawn(&[&[subcommand, "--browser", browser.name()], arguments].concat(), Some(page))
    }

    /// Starts the subcommand `run` with a browser that no driver drives. Its profile is in its own folder, and has these preferences where it is
    /// Firefox.
    pub fn open(browser: Browser, arguments: &[&str], preferences: &str) -> Self {
        let profile = tempfile::tempdir().expect("a temporary folder").keep();
        fs::write(profile.join("user.js"), preferences).expect("writable");
        let place = profile.to_str().expect("a plain name");
        let (program, options) = match browser {
            Browser::Chromium => {
                let usual = capabilities(browser, &Wishes::default());
                let usual = usual["goog:chromeOptions"]["args"].as_array().expect("a list");
                let usual = usual.iter().map(|argument| argument.as_str().expect("text").to_owned());
                ("chromium".to_owned(), usual.chain([format!("--user-data-dir={place}")]).collect())
            }
            Browser::Firefox => {
                let program = browser.program().map_or("firefox".to_owned(), |program| program.display().to_string());
                (program, ["-headless", "--no-remote", "--profile", place].map(str::to_owned).to_vec())
            }
        };
        let options: Vec<String> = options.iter().map(|option| format!("--open-arg={option}")).collect();
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        let mut run = Self::spawn(&[&["run", "--open", &program], &options[..], arguments].concat(), Some(&www()));
        run.profile = Some(profile);
        run
    }

    /// Without a folder, the page is the one inside the program.
    pub fn spawn(arguments: &[&str], page: Option<&Path>) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let temporary = folder.path().join("temporary");
        fs::create_dir(&temporary).expect("writable");
        fs::write(folder.path().join("short.toml"), jobs::SHORT).expect("writable");
        fs::write(folder.path().join("long.toml"), jobs::long()).expect("writable");
        fs::write(folder.path().join("unknown.toml"), jobs::SHORT.replace("main/slice", "main/unknown")).expect("writable");
        let output = |name: &str| fs::File::create(folder.path().join(name)).expect("writable");
        let mut command = Command::new(PROGRAM);
        command.args(arguments).args(["--out", "results"]);
        if let Some(page) = page {
            command.arg("--www").arg(page);
        }
        command.current_dir(&folder).env("TMPDIR", &temporary);
        let child = command.stdin(Stdio::null()).stdout(output("stdout")).stderr(output("stderr")).spawn().expect("starts");
        Self { folder, child, profile: None }
    }

    /// The text of a file of its folder: `stdout`, `stderr`.
    pub fn read(&self, name: &str) -> String {
        let mut text = String::new();
        fs::File::open(self.folder.path().join(name)).expect("there").read_to_string(&mut text).expect("text");
        text
    }

    /// Waits until the command has said something, and fails when it ends before.
    pub fn wait_for_words(&mut self, words: &str) {
        let deadline = Instant::now() + Duration::from_secs(60);
        while !self.read("stderr").contains(words) {
            let ended = self.child.try_wait().expect("its parent's");
            assert!(ended.is_none() && Instant::now() < deadline, "waited for {words:?}; {ended:?}; {}", self.read("stderr"));
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Waits for the end, and returns the exit code.
    pub fn end(&mut self) -> Option<i32> {
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

    /// Presses Ctrl-C.
    pub fn interrupt(&self) {
        let status = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().expect("a POSIX system");
        assert!(status.success());
    }

    /// The files of the results' folder that end so.
    pub fn results(&self, ending: &str) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(self.folder.path().join("results")) else { return vec![] };
        let files = entries.map(|entry| entry.expect("readable").path());
        files.filter(|file| file.to_string_lossy().ends_with(ending)).collect()
    }

    /// The one result.
    pub fn result(&self) -> RunResult {
        let files = self.results(".json");
        assert_eq!(files.len(), 1, "{files:?}; {}", self.read("stderr"));
        RunResult::from_json(&fs::read_to_string(&files[0]).expect("text")).expect("a result")
    }

    /// Fails when anything temporary is left, or a process that uses it.
    pub fn assert_nothing_is_left(&self) {
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
        if let Some(profile) = &self.profile {
            let _ = fs::remove_dir_all(profile);
        }
    }
}

/// Processes with a path in their command line or their environment; only Linux tells.
pub fn processes_that_mention(path: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir("/proc") else { return vec![] };
    let needle = path.to_str().expect("a plain name");
    let mentions = |process: &Path, file: &str| {
        let bytes = fs::read(process.join(file)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).contains(needle).then(|| String::from_utf8_lossy(&bytes).replace('\0', " "))
    };
    let processes = entries.flatten().map(|entry| entry.path()).filter(|path| path.join("cmdline").exists());
    processes.filter_map(|process| mentions(&process, "cmdline").or_else(|| mentions(&process, "environ"))).collect()
}
