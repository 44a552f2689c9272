//! `opfs-bench report`

use std::path::PathBuf;

use anyhow::anyhow;
use clap::ValueEnum;
use opfs_bench_core::{report, result::RunResult};

use crate::exit::{Exit, Failure, OrUsage};
use crate::print::print;
use crate::{fio, recompute, results};

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
    /// Every sample as a row, for statistics of your own
    Csv,
    /// The layout of `fio --output-format=json+`, for tools that read it
    FioJson,
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
        for report in self.format.render(&self.files, &all) {
            print(report.trim_end())?;
        }
        for (file, result) in self.files.iter().zip(&all) {
            if !recompute::follows(&file.display().to_string(), result) {
                exit = Exit::Failed;
            }
        }
        Ok(exit)
    }
}

impl Format {
    /// What is printed, one text after another: for people a report on each file under its name, for programs one table or object of all.
    fn render(self, files: &[PathBuf], results: &[RunResult]) -> Vec<String> {
        let each = |report: fn(&RunResult) -> String| {
            let named = files.iter().zip(results);
            let several = results.len() > 1;
            named.map(|(file, result)| if several { format!("{}\n\n{}", file.display(), report(result)) } else { report(result) }).collect()
        };
        match self {
            Self::Text => each(report::text),
            Self::Markdown => each(report::markdown),
            Self::Html => each(report::page),
            Self::Forum => {
                each(|result| report::forum(result).unwrap_or_else(|| "no group here reads blocks of files that stay open\n".into()))
            }
            Self::Csv => vec![csv(results)],
            Self::FioJson => vec![fio::export::json(results)],
        }
    }
}

/// One header, and the rows of all.
fn csv(results: &[RunResult]) -> String {
    let mut all = String::new();
    for result in results {
        let csv = report::csv(result);
        let (header, rows) = csv.split_once("\r\n").expect("a header ends its line");
        if all.is_empty() {
            all = format!("{header}\r\n");
        }
        all += rows;
    }
    all
}
