//! `opfs-bench compare`

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use opfs_bench_core::compare::compare;
use opfs_bench_core::report;
use opfs_bench_core::result::RunResult;

use crate::exit::{Exit, Failure, OrUsage};
use crate::print::print;
use crate::{recompute, results};

/// Compare two runs: browsers, devices or versions. Each launch is one value; five a side give a verdict
#[derive(Debug, clap::Args)]
pub struct Compare {
    /// A result file, or a folder of them, one for each launch
    base: PathBuf,
    /// The same of the other side
    other: PathBuf,
}

impl Compare {
    /// Prints the comparison.
    ///
    /// # Errors
    /// When a file is no result, or a folder holds none.
    pub fn run(self) -> Result<Exit, Failure> {
        let base = launches(&self.base).or_usage()?;
        let other = launches(&self.other).or_usage()?;
        let comparison = compare(&base, &other);
        let (name, other_name) = names(&base, &other);
        print(report::comparison(&comparison, &name, &other_name).trim_end())?;
        let all = base.iter().chain(&other);
        let forged = all.filter(|run| !recompute::follows(&format!("the launch of {}", run.started), run)).count();
        Ok(if forged == 0 { Exit::Finished } else { Exit::Failed })
    }
}

fn launches(path: &Path) -> Result<Vec<RunResult>> {
    if !path.is_dir() {
        return Ok(vec![results::read(path)?]);
    }
    let entries = path.read_dir().with_context(|| format!("cannot read the folder {}", path.display()))?;
    let mut files: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    if files.is_empty() {
        bail!("the folder {} holds no result file (.json)", path.display());
    }
    files.iter().map(|file| results::read(file)).collect()
}

/// The browsers' names, or letters where they are alike.
fn names(base: &[RunResult], other: &[RunResult]) -> (String, String) {
    let name = |side: &[RunResult]| side.first().map(|run| run.environment.browser.clone()).unwrap_or_default();
    let (one, another) = (name(base), name(other));
    if one == another { ("A".into(), "B".into()) } else { (one, another) }
}
