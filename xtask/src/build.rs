//! `cargo xtask build`: the Wasm module and the documents, into the page's folder.

use std::fs::{self, File};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use crate::project::Project;
use crate::settings::Profile;
use crate::setup::{self, Tools};
use crate::{documents, names, process, snippets};

/// Sets up and builds.
pub fn run(project: &Project) -> Result<ExitCode> {
    let tools = setup::ensure(project, &setup::BUILD)?;
    page(project, &tools)?;
    Ok(ExitCode::SUCCESS)
}

/// Builds the module with tools that are there.
pub fn page(project: &Project, tools: &Tools) -> Result<()> {
    tools.require(&setup::BUILD)?;
    let _alone = lock(project)?;
    process::run(&mut wasm_pack(project, tools)?)?;
    let folder = project.root.join(&project.settings.build.out_dir);
    documents::write(&project.root.join("docs"), &folder)?;
    let module = folder.join("opfs_bench_bg.wasm");
    snippets::inline(&folder)?;
    if project.settings.build.profile == Profile::Release { names::strip(&module) } else { Ok(()) }
}

fn wasm_pack(project: &Project, tools: &Tools) -> Result<Command> {
    let build = &project.settings.build;
    let mut command = Command::new(tools.program("wasm-pack")?);
    // It must not download what setup has provided.
    command.args(["build", "--mode", "no-install", "--target", &build.target, "--out-dir", &build.out_dir, build.profile.option()]);
    command.current_dir(&project.root).env("PATH", tools.path());
    Ok(command)
}

/// Two builds at once would write the same files.
fn lock(project: &Project) -> Result<File> {
    let folder = project.scratch();
    let path = folder.join("build.lock");
    let lock = || {
        fs::create_dir_all(&folder)?;
        let file = File::options().create(true).truncate(false).write(true).open(&path)?;
        file.lock()?;
        Ok::<_, std::io::Error>(file)
    };
    lock().with_context(|| format!("cannot lock {}", path.display()))
}
