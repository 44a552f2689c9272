//! `cargo xtask serve`: build, serve, open. `cargo xtask dist`: build, and write the page as plain files.

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::project::Project;
use crate::{bench, build, process, setup};

/// Sets up, builds, and becomes `opfs-bench serve`.
pub fn run(project: &Project, options: &[OsString]) -> Result<ExitCode> {
    let tools = setup::ensure(project, &setup::BUILD)?;
    build::page(project, &tools)?;
    let mut command = bench::opfs_bench(project, tools.path().clone(), &["serve"], options);
    bench::add_folder(&mut command, project, options, "--www", "www");
    if bench::value(options, "--share").is_none() {
        bench::add_folder(&mut command, project, options, "--out", "results");
    }
    process::become_program(&mut command)
}

/// The folder of `dist`, where none is named.
const DIST: &str = "dist";

/// Sets up, builds, and writes the static site.
pub fn dist(project: &Project, options: &[OsString]) -> Result<ExitCode> {
    let folder = match options {
        [] => project.root.join(DIST).into_os_string(),
        [folder] if !folder.as_encoded_bytes().starts_with(b"-") => folder.clone(),
        _ => bail!("`cargo xtask dist` takes a folder to write to, {DIST} unless named; it got {options:?}"),
    };
    run(project, &["--share".into(), folder])
}
