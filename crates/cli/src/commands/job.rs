//! `opfs-bench job`

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use opfs_bench_core::job::MethodName;

use crate::exit::{Exit, Failure, OrUsage};
use crate::fio::convert::{Converted, convert};
use crate::print::print;

/// Show the job that a job file of fio's becomes: to look at it, or to keep and change it
#[derive(Debug, clap::Args)]
pub struct JobCommand {
    /// A job file of fio's
    #[arg(long, value_name = "FILE")]
    from_fio: PathBuf,
    #[command(flatten)]
    of_fio: OfFio,
}

/// What a job file of fio's does not say.
#[derive(Debug, Default, clap::Args)]
pub struct OfFio {
    /// The methods for a job file of fio's, of which the first is the baseline: main/slice,worker/sync. The usual ones unless given
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    methods: Vec<MethodName>,
    /// A section of a job file of fio's, as often as there are some: only these are measured
    #[arg(long, value_name = "NAME")]
    section: Vec<String>,
}

impl OfFio {
    /// Whether anything is asked for.
    #[must_use]
    pub fn is_given(&self) -> bool {
        !self.methods.is_empty() || !self.section.is_empty()
    }

    /// Makes a job of a file.
    ///
    /// # Errors
    /// When the file cannot be read, or asks for what cannot be measured here.
    pub fn convert(&self, file: &Path) -> Result<Converted> {
        let text = fs::read_to_string(file).with_context(|| format!("cannot read fio's job file {}", file.display()))?;
        let name = file.file_name().unwrap_or(OsStr::new("fio")).to_string_lossy();
        convert(&name, &text, &self.methods, &self.section)
            .map_err(|refused| anyhow!("fio's job file {} cannot be measured as it is:\n{refused}", file.display()))
    }
}

impl JobCommand {
    /// Prints the job, and on standard error what of the file is not used.
    ///
    /// # Errors
    /// Those of the file, with [`Exit::Usage`].
    pub fn run(self) -> Result<Exit, Failure> {
        let Converted { toml, notes, .. } = self.of_fio.convert(&self.from_fio).or_usage()?;
        for note in notes {
            crate::tell!("{}, {note}", self.from_fio.display());
        }
        print(toml.trim_end())?;
        Ok(Exit::Finished)
    }
}
