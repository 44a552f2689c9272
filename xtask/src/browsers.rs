//! What is measured in both browsers by one command: `cargo xtask methods`, every way to read, and `cargo xtask overhead`, what this
//! project's own glue costs.

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::Result;

use crate::project::Project;
use crate::{bench, process};

/// Every method that there is, on the same files.
pub const METHODS: Measurement = Measurement { preset: "every-method", out: "results/methods" };
/// Loops in Rust against the same loops in plain JavaScript.
pub const OVERHEAD: Measurement = Measurement { preset: "overhead", out: "results/overhead" };

/// A preset, and where its results go.
#[derive(Clone, Copy)]
pub struct Measurement {
    preset: &'static str,
    out: &'static str,
}

/// Sets up, builds, and measures the preset: in both browsers, or in the one that the options name.
pub fn run(project: &Project, Measurement { preset, out }: Measurement, options: &[OsString]) -> Result<ExitCode> {
    let preset = ["--preset", preset].map(OsString::from);
    let browsers: &[&str] = if bench::value(options, "--browser").is_some() { &[] } else { &["chromium", "firefox"] };
    for browser in browsers {
        let options = [&preset[..], &["--browser".into(), browser.into()], options].concat();
        let tools = bench::prepare(project, &options)?;
        process::run(&mut bench::measurement(project, &tools, "run", &options, out))?;
    }
    if !browsers.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    let options = [&preset[..], options].concat();
    let tools = bench::prepare(project, &options)?;
    process::become_program(&mut bench::measurement(project, &tools, "run", &options, out))
}
