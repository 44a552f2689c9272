//! A program under the supervisor, with everything that it starts.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use tempfile::TempDir;

use super::supervisor;

/// The supervisor's own deadlines are shorter.
const END: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(20);
/// How much of a log belongs into an error.
const LAST_LINES: usize = 40;

/// A running program. It, its descendants and their files are gone when this is dropped.
#[derive(Debug)]
pub struct Supervised {
    supervisor: Child,
    line: String,
    log: PathBuf,
    scratch: PathBuf,
}

impl Supervised {
    /// Starts a program. `command` is this project's own program, which supervises it.
    ///
    /// # Errors
    /// When the supervisor does not start. Whether the program did stands in the [log](Self::log).
    pub fn start(command: &Path, program: &OsStr, arguments: &[OsString]) -> Result<Self> {
        let scratch = scratch()?;
        let log = scratch.path().join("program.log");
        let mut supervise = Command::new(command);
        supervise.arg("supervise").arg("--scratch").arg(scratch.path()).arg("--log").arg(&log).arg("--").arg(program).args(arguments);
        supervise.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::inherit());
        own_group(&mut supervise);
        let line = format!("{supervise:?}");
        let supervisor = supervise.spawn().with_context(|| format!("cannot start {line}"))?;
        // From here on the supervisor removes the folder.
        Ok(Self { supervisor, line, log, scratch: scratch.keep() })
    }

    /// The supervisor's command line.
    #[must_use]
    pub fn line(&self) -> &str {
        &self.line
    }

    /// What the program, and others through it, wrote.
    #[must_use]
    pub fn log(&self) -> String {
        String::from_utf8_lossy(&fs::read(&self.log).unwrap_or_default()).into_owned()
    }

    /// The last lines of that.
    #[must_use]
    pub fn last_lines(&self) -> String {
        let log = self.log();
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(LAST_LINES)..].join("\n")
    }

    /// How the program ended, in the system's words, or why it did not start. None while it runs.
    #[must_use]
    pub fn ended(&self) -> Option<String> {
        supervisor::ended(&self.log()).map(str::to_owned)
    }

    /// The folder that holds all its files.
    #[must_use]
    pub fn scratch(&self) -> &Path {
        &self.scratch
    }

    /// Fails when nobody supervises any more.
    pub(super) fn check(&mut self) -> Result<()> {
        if let Some(status) = self.supervisor.try_wait()? {
            bail!("its supervisor ended: {status}; output so far:\n{}", self.log());
        }
        Ok(())
    }
}

impl Drop for Supervised {
    fn drop(&mut self) {
        // Closing the pipe is the sign to tidy up.
        drop(self.supervisor.stdin.take());
        let deadline = Instant::now() + END;
        while Instant::now() < deadline {
            match self.supervisor.try_wait() {
                Ok(None) => thread::sleep(PAUSE),
                Ok(Some(_)) => return,
                Err(error) => {
                    crate::tell!("cannot wait for the supervisor, process {}: {error}", self.supervisor.id());
                    return;
                }
            }
        }
        crate::tell!("the supervisor, process {}, did not end within {} s", self.supervisor.id(), END.as_secs());
    }
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
