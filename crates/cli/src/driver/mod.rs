//! A browser's `WebDriver` server, and everything that it starts, under one handle.
//!
//! ```text
//! opfs-bench run ── opfs-bench supervise ── chromedriver ── chromium …
//! ```
//! The supervisor's standard input is the life line: see [`supervisor`]. All files are in one scratch folder, which the
//! supervisor removes.

mod capabilities;
pub mod supervisor;
mod tree;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use tempfile::TempDir;

pub use capabilities::{Wishes, capabilities};

use crate::browser::Browser;

/// A driver listens within milliseconds; a machine that is this slow cannot measure anything.
const START: Duration = Duration::from_secs(20);
/// The supervisor's own deadlines are shorter.
const END: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(20);
/// How much of a log belongs into an error.
const LAST_LINES: usize = 40;

/// A running driver. It, its browsers and their files are gone when this is dropped.
#[derive(Debug)]
pub struct Driver {
    supervisor: Child,
    url: String,
    log: PathBuf,
    scratch: PathBuf,
}

impl Driver {
    /// Starts a driver on a port that is free.
    ///
    /// `command` is this project's own program, which supervises the driver.
    ///
    /// # Errors
    /// When it does not start or does not say where it listens; with its command line and its output.
    pub async fn start(browser: Browser, driver: &Path, command: &Path) -> Result<Self> {
        let scratch = scratch()?;
        let log = scratch.path().join("driver.log");
        let mut supervise = Command::new(command);
        supervise.arg("supervise").arg("--scratch").arg(scratch.path()).arg("--log").arg(&log).arg("--").arg(driver);
        supervise.args(arguments(browser));
        supervise.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::inherit());
        own_group(&mut supervise);
        let supervisor = supervise.spawn().with_context(|| format!("cannot start {supervise:?}"))?;
        // From here on the supervisor removes the folder.
        let mut running = Self { supervisor, url: String::new(), log, scratch: scratch.keep() };
        let port = running.wait_for_port().await.with_context(|| format!("{} does not start: {supervise:?}", browser.driver_name()))?;
        running.url = format!("http://127.0.0.1:{port}");
        Ok(running)
    }

    /// Where it listens.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The last lines of what the driver, and the browser through it, wrote.
    #[must_use]
    pub fn log(&self) -> String {
        let text = fs::read(&self.log).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(LAST_LINES)..].join("\n")
    }

    /// The folder that holds all files of driver and browser.
    #[must_use]
    pub fn scratch(&self) -> &Path {
        &self.scratch
    }

    async fn wait_for_port(&mut self) -> Result<u16> {
        let deadline = Instant::now() + START;
        loop {
            let log = fs::read_to_string(&self.log).unwrap_or_default();
            if let Some(port) = port(&log) {
                return Ok(port);
            }
            if log.contains(supervisor::ENDED) {
                bail!("it ended at once; its output:\n{log}");
            }
            if let Some(status) = self.supervisor.try_wait()? {
                bail!("its supervisor ended: {status}; output so far:\n{log}");
            }
            if Instant::now() > deadline {
                bail!("waited {} s for the line that tells its port; its output:\n{log}", START.as_secs());
            }
            tokio::time::sleep(PAUSE).await;
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // Closing the pipe is the sign to tidy up.
        drop(self.supervisor.stdin.take());
        let deadline = Instant::now() + END;
        while Instant::now() < deadline {
            match self.supervisor.try_wait() {
                Ok(None) => thread::sleep(PAUSE),
                Ok(Some(_)) => return,
                Err(error) => {
                    eprintln!("cannot wait for the driver's supervisor, process {}: {error}", self.supervisor.id());
                    return;
                }
            }
        }
        eprintln!("the driver's supervisor, process {}, did not end within {} s", self.supervisor.id(), END.as_secs());
    }
}

/// Both drivers take a free port when asked for port 0, and say which. So none is taken between looking and using.
fn arguments(browser: Browser) -> Vec<OsString> {
    let arguments: &[&str] = match browser {
        // A browser that ends at once has said why.
        Browser::Chromium => &["--port=0", "--enable-chrome-logs"],
        // Without the second option two drivers would both want port 9222.
        Browser::Firefox => &["--port=0", "--websocket-port=0"],
    };
    arguments.iter().map(Into::into).collect()
}

/// The port in chromedriver's "was started successfully on port 1234." or geckodriver's "Listening on 127.0.0.1:1234".
fn port(log: &str) -> Option<u16> {
    // The last line may not be complete yet.
    let complete = &log[..=log.rfind('\n')?];
    complete.lines().find_map(|line| {
        let chromedriver = line.split_once("was started successfully on port ").map(|(_, rest)| rest);
        let geckodriver = line.split_once("Listening on 127.0.0.1:").map(|(_, rest)| rest);
        let digits = chromedriver.or(geckodriver)?.split(|c: char| !c.is_ascii_digit()).next()?;
        digits.parse().ok()
    })
}

/// A new folder for profiles. `/var/tmp` is on the disk, where a person's profile is; `/tmp` is memory on many systems, and
/// storage in memory would be another measurement.
fn scratch() -> Result<TempDir> {
    let chosen = std::env::var_os("TMPDIR").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let disk = PathBuf::from("/var/tmp");
    let mut builder = tempfile::Builder::new();
    builder.prefix("opfs-bench-");
    let created = match chosen {
        None if disk.is_dir() => builder.tempdir_in(disk).or_else(|_| builder.tempdir()),
        _ => builder.tempdir(),
    };
    created.context("cannot create a temporary folder for the browser's profile")
}

/// Ctrl-C reaches every process of the terminal's group. The browser must outlive it, to be stopped and to clean up.
#[cfg(unix)]
fn own_group(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

#[cfg(windows)]
fn own_group(command: &mut Command) {
    const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;
    std::os::windows::process::CommandExt::creation_flags(command, CREATE_NEW_PROCESS_GROUP);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_found_in_both_drivers_logs() {
        let chromedriver = "Starting ChromeDriver 156.0 on port 0\nOnly local connections are allowed.\n\
            ChromeDriver was started successfully on port 40123.\n";
        assert_eq!(port(chromedriver), Some(40123));
        assert_eq!(port("1700000000000\tgeckodriver\tINFO\tListening on 127.0.0.1:41231\n"), Some(41231));
    }

    #[test]
    fn an_incomplete_line_tells_no_port() {
        assert_eq!(port("x\tINFO\tListening on 127.0.0.1:41"), None);
        assert_eq!(port("Starting ChromeDriver on port 0\n"), None);
    }
}
