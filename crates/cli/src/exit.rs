//! What the exit codes mean.

use std::process::ExitCode;

/// How the command ended. The numbers never change their meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// All went well.
    Finished = 0,
    /// The run failed, read wrong bytes, left something behind, a file's estimates are not those of its samples, or verdicts are not as right as
    /// promised.
    Failed = 1,
    /// A wrong argument, or a file that cannot be read or written.
    Usage = 2,
    /// Stopped by Ctrl-C, or by Stop in the page. What was measured is kept.
    Stopped = 3,
}

/// For `--help`.
pub const HELP: &str = "Exit codes: 0 finished; 1 the run failed or read wrong bytes, a file's estimates are not those of its samples, or verdicts \
    are not as right as promised; 2 usage or file error; 3 stopped (what was measured is kept)";

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// An error and the exit code that it leads to.
#[derive(Debug)]
pub struct Failure {
    /// [`Exit::Failed`] or [`Exit::Usage`].
    pub exit: Exit,
    /// What happened.
    pub error: anyhow::Error,
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self { exit: Exit::Failed, error }
    }
}

/// Marks errors that are the caller's, not the run's.
pub trait OrUsage<T> {
    /// The same with [`Exit::Usage`].
    ///
    /// # Errors
    /// The error that there was.
    fn or_usage(self) -> Result<T, Failure>;
}

impl<T, E: Into<anyhow::Error>> OrUsage<T> for Result<T, E> {
    fn or_usage(self) -> Result<T, Failure> {
        self.map_err(|error| Failure { exit: Exit::Usage, error: error.into() })
    }
}
