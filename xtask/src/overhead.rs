//! `cargo xtask overhead`: what this project's own glue costs, against the same loops in plain JavaScript.

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::Result;

use crate::project::Project;
use crate::{bench, process};

const OUT: &str = "results/overhead";

/// Sets up, builds, and measures the preset `overhead`: in both browsers, or in the one that the options name.
pub fn run(project: &Project, options: &[OsString]) -> Result<ExitCode> {
    let preset = ["--preset", "overhead"].map(OsString::from);
    let browsers: &[&str] = if bench::value(options, "--browser").is_some() { &[] } else { &["chromium", "firefox"] };
    for browser in browsers {
        let options = [&preset[..], &["--browser".into(), browser.into()], options].concat();
        let tools = bench::prepare(project, &options)?;
        process::run(&mut bench::measurement(project, &tools, "run", &options, OUT))?;
    }
    if !browsers.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    let options = [&preset[..], options].concat();
    let tools = bench::prepare(project, &options)?;
    process::become_program(&mut bench::measurement(project, &tools, "run", &options, OUT))
}
