//! A browser's `WebDriver` server, and everything that it starts, under one handle.
//!
//! ```text
//! opfs-bench run ── opfs-bench supervise ── chromedriver ── chromium …
//! ```
//! The supervisor's standard input is the life line: see [`supervisor`]. All files are in one scratch folder, which the
//! supervisor removes.

mod capabilities;
mod supervised;
pub mod supervisor;
mod tree;

use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

pub use capabilities::{Wishes, capabilities};
pub use supervised::Supervised;

use crate::browser::Browser;

/// A driver listens within milliseconds; a machine that is this slow cannot measure anything.
const START: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(20);

/// A running driver. It, its browsers and their files are gone when this is dropped.
#[derive(Debug)]
pub struct Driver {
    program: Supervised,
    url: String,
}

impl Driver {
    /// Starts a driver on a port that is free.
    ///
    /// `command` is this project's own program, which supervises the driver.
    ///
    /// # Errors
    /// When it does not start or does not say where it listens; with its command line and its output.
    pub async fn start(browser: Browser, driver: &Path, command: &Path) -> Result<Self> {
        let mut program = Supervised::start(command, driver.as_os_str(), &arguments(browser))?;
        let port = wait_for_port(&mut program).await;
        let port = port.with_context(|| format!("{} does not start: {}", browser.driver_name(), program.line()))?;
        Ok(Self { program, url: format!("http://127.0.0.1:{port}") })
    }

    /// Where it listens.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The last lines of what the driver, and the browser through it, wrote.
    #[must_use]
    pub fn log(&self) -> String {
        self.program.last_lines()
    }

    /// The folder that holds all files of driver and browser.
    #[must_use]
    pub fn scratch(&self) -> &Path {
        self.program.scratch()
    }
}

async fn wait_for_port(program: &mut Supervised) -> Result<u16> {
    let deadline = Instant::now() + START;
    loop {
        let log = program.log();
        if let Some(port) = port(&log) {
            return Ok(port);
        }
        if supervisor::ended(&log).is_some() {
            bail!("it ended at once; its output:\n{log}");
        }
        program.check()?;
        if Instant::now() > deadline {
            bail!("waited {} s for the line that tells its port; its output:\n{log}", START.as_secs());
        }
        tokio::time::sleep(PAUSE).await;
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
