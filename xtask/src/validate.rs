//! `cargo xtask validate`: proof that verdicts are right, on simulated devices and in real browsers.

use std::ffi::OsString;
use std::process::{Command, ExitCode};

use anyhow::Result;

use crate::project::Project;
use crate::{bench, process};

const OUT: &str = "results/validation";

/// Sets up, builds, and becomes `opfs-bench validate`. Without options, simulated devices come first.
pub fn run(project: &Project, options: &[OsString]) -> Result<ExitCode> {
    if ["--simulated", "--help", "-h"].iter().any(|option| bench::has(options, option)) {
        return process::become_program(&mut without_browser(project, options));
    }
    let tools = bench::prepare(project, options)?;
    if options.is_empty() {
        process::run(&mut without_browser(project, &["--simulated".into()]))?;
    }
    process::become_program(&mut bench::measurement(project, &tools, "validate", options, OUT))
}

/// The command where it needs neither a browser nor the page.
fn without_browser(project: &Project, options: &[OsString]) -> Command {
    let mut command = bench::opfs_bench(project, project.path.clone(), &["validate"], options);
    bench::add_folder(&mut command, project, options, "--out", OUT);
    command
}
