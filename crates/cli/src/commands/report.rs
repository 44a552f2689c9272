//! `opfs-bench report`

use std::path::PathBuf;

use anyhow::anyhow;
use clap::ValueEnum;
use opfs_bench_core::{report, result::RunResult};

use crate::exit::{Exit, Failure, OrUsage};
use crate::print::print;
use crate::{recompute, results};

/// Show result files; computes their estimates again from the raw samples and says when a bit differs
#[derive(Debug, clap::Args)]
pub struct Report {
    /// Result files
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// How to show them
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For a terminal
    Text,
    /// For an issue or a README
    Markdown,
    /// A page that needs no other file; of one result
    Html,
    /// A block of text for a forum: MB/s and IOPS, as disks are compared
    Forum,
}

impl Report {
    /// Prints the reports.
    ///
    /// # Errors
    /// When a file is no result. All files are read before the first is shown.
    pub fn run(self) -> Result<Exit, Failure> {
        if self.format == Format::Html && self.files.len() > 1 {
            return Err(anyhow!("an HTML page shows one result, but {} files were named", self.files.len())).or_usage();
        }
        let all: Vec<RunResult> = self.files.iter().map(|file| results::read(file)).collect::<Result<_, _>>().or_usage()?;
        let mut exit = Exit::Finished;
        for (file, result) in self.files.iter().zip(&all) {
            let report = self.format.render(result);
            print(&if all.len() > 1 { format!("{}\n\n{report}", file.display()) } else { report.trim_end().to_owned() })?;
            if !recompute::follows(&file.display().to_string(), result) {
                exit = Exit::Failed;
            }
        }
        Ok(exit)
    }
}

impl Format {
    fn render(self, result: &RunResult) -> String {
        match self {
            Self::Text => report::text(result),
            Self::Markdown => report::markdown(result),
            Self::Html => report::page(result),
            Self::Forum => report::forum(result).unwrap_or_else(|| "no group here reads blocks of files that stay open\n".into()),
        }
    }
}
