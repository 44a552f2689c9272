//! `cargo xtask serve`: build, serve, open.

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::Result;

use crate::project::Project;
use crate::{bench, build, process, setup};

/// Sets up, builds, and becomes `opfs-bench serve`.
pub fn run(project: &Project, options: &[OsString]) -> Result<ExitCode> {
    let tools = setup::ensure(project, &setup::BUILD)?;
    build::page(project, &tools)?;
    let mut command = bench::opfs_bench(project, tools.path().clone(), &["serve"], options);
    bench::add_folder(&mut command, project, options, "--www", "www");
    process::become_program(&mut command)
}
