//! The process between this command and a driver, or another program: it ends that, the browser and all their children, and removes their
//! files, as soon as the command is gone, however it went: an error, a panic, a kill.
//!
//! It needs no message for that. The command holds the other end of the supervisor's standard input; when the command ends,
//! the system closes it. Killing the driver alone would not do: chromedriver leaves its browser running, and the browser's
//! processes make process groups of their own.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::tree;

/// Processes may end by themselves for so long before they are killed.
const PATIENCE: Duration = Duration::from_secs(2);
/// Files of a browser that is being killed can still appear: removing them is tried again for so long.
const REMOVAL: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(20);

/// Starts and supervises a driver or another program. Used by `run` itself.
#[derive(Debug, clap::Args)]
pub struct Supervise {
    /// The folder for temporary files of program and browser; removed at the end.
    #[arg(long)]
    scratch: PathBuf,
    /// The file for the program's output.
    #[arg(long)]
    log: PathBuf,
    /// The program and its arguments.
    #[arg(required = true, last = true)]
    command: Vec<OsString>,
}

/// How the log says that the program ended.
const ENDED: &str = "opfs-bench: the program ended: ";

/// How the program ended, by its log. None while it runs.
pub(super) fn ended(log: &str) -> Option<&str> {
    // The program's own last line may lack its end.
    log.lines().rev().find_map(|line| line.split_once(ENDED)).map(|(_, how)| how)
}

impl Supervise {
    /// Runs the program until standard input closes, then tidies up.
    ///
    /// # Errors
    /// When something is left.
    pub fn run(self) -> Result<()> {
        let log = OpenOptions::new().create(true).append(true).open(&self.log);
        let log = log.with_context(|| format!("cannot write {}", self.log.display()))?;
        if let Err(error) = self.start(&log) {
            // The command reads it there.
            let _ = writeln!(&log, "{ENDED}{error:#}");
        }
        // Blocks until the command is gone. What it might send means nothing.
        let _ = io::copy(&mut io::stdin().lock().by_ref(), &mut io::sink());
        let ended = tree::end_descendants(PATIENCE);
        let removed = remove(&self.scratch);
        ended.and(removed)
    }

    fn start(&self, log: &File) -> Result<()> {
        tree::adopt_orphans().context("cannot become the parent of the browser's orphans")?;
        let (program, arguments) = self.command.split_first().context("no program was named")?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log.try_clone()?);
        // Drivers and browsers put profiles and sockets here; so all of it goes with the folder.
        for variable in ["TMPDIR", "TMP", "TEMP"] {
            command.env(variable, &self.scratch);
        }
        if std::env::var_os("HOME").is_none_or(|home| home.is_empty()) {
            // Without one, browsers do not start.
            command.env("HOME", &self.scratch);
        }
        let mut child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
        let mut log = log.try_clone()?;
        thread::spawn(move || {
            if let Ok(status) = child.wait() {
                let _ = writeln!(log, "{ENDED}{status}");
            }
        });
        Ok(())
    }
}

fn remove(folder: &Path) -> Result<()> {
    let deadline = Instant::now() + REMOVAL;
    loop {
        match fs::remove_dir_all(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Ok(()) => return Ok(()),
            Err(error) if Instant::now() > deadline => return Err(error).with_context(|| format!("cannot remove {}", folder.display())),
            Err(_) => thread::sleep(PAUSE),
        }
    }
}
