//! `cargo xtask lint`: formatting, and clippy for this machine and for Wasm.

use std::process::{Command, ExitCode};

use anyhow::Result;

use crate::process;
use crate::project::Project;
use crate::setup::{self, Need};
use crate::summary::{Outcome, Summary};

/// Every check runs, also after one has failed.
const CHECKS: [(&str, &[&str]); 4] = [
    ("formatting", &["fmt", "--all", "--check"]),
    ("lints", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]),
    // Not among all targets, since `cargo test` alone does not run it.
    ("lints of the end-to-end tests", &["clippy", "--workspace", "--test", "e2e", "--", "-D", "warnings"]),
    // The core is checked as what the module depends on; its own tests are native.
    (
        "lints for Wasm",
        &["clippy", "--package", "opfs-bench", "--all-targets", "--target", "wasm32-unknown-unknown", "--", "-D", "warnings"],
    ),
];

/// Runs all checks.
pub fn run(project: &Project) -> Result<ExitCode> {
    let tools = setup::ensure(project, &[Need::WasmTarget])?;
    tools.require_all()?;
    let mut summary = Summary::default();
    for (name, arguments) in CHECKS {
        let mut command = Command::new(&project.cargo);
        command.args(arguments).current_dir(&project.root).env("PATH", tools.path());
        summary.time(name, || match process::run(&mut command) {
            Ok(()) => Outcome::Done,
            Err(error) => Outcome::Failed(format!("{error:#}")),
        });
    }
    eprint!("\n{summary}");
    Ok(if summary.failed() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
