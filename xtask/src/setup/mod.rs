//! Installs what is missing. What is there costs nothing: a look at a few files, and one question to rustc.
//!
//! The fast look takes no lock. Whatever it misses is looked for again under a lock, so that two set-ups at once install it
//! once; the system lets go of the lock when its holder ends, however it ends.

mod apt;
mod browsers;
mod cargo_tool;
mod npm;
mod wasm_target;

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Error, Result, anyhow};

use crate::process;
use crate::project::Project;

/// What a command may need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// The standard library for `wasm32-unknown-unknown`.
    WasmTarget,
    /// wasm-pack.
    WasmPack,
    /// wasm-bindgen's command line with its test runner, of exactly the library's version.
    WasmBindgen,
    /// Chromium or Chrome, and chromedriver.
    Chromium,
    /// Firefox.
    Firefox,
    /// geckodriver.
    Geckodriver,
    /// The accessibility checks that the end-to-end tests run inside the page.
    Axe,
}

/// To build the page.
pub const BUILD: [Need; 3] = [Need::WasmTarget, Need::WasmPack, Need::WasmBindgen];
/// To run in Chromium.
pub const CHROMIUM: [Need; 1] = [Need::Chromium];
/// To run in Firefox.
pub const FIREFOX: [Need; 2] = [Need::Firefox, Need::Geckodriver];
/// To look at the page in the end-to-end tests.
pub const LOOKS: [Need; 1] = [Need::Axe];

/// What was found or installed.
#[derive(Debug)]
pub struct Tools {
    /// Folders of programs, in front of everything else for the programs that use them.
    front: Vec<PathBuf>,
    path: OsString,
    /// What could not be had, and why.
    missing: Vec<(Need, Error)>,
}

/// `cargo xtask setup`
pub fn everything(project: &Project) -> Result<ExitCode> {
    let tools = ensure(project, &[&BUILD[..], &CHROMIUM, &FIREFOX, &LOOKS].concat())?;
    tools.require_all()?;
    eprintln!("everything is there");
    Ok(ExitCode::SUCCESS)
}

/// Installs what is missing of `needs`. What cannot be had is in the answer: other parts may do without it.
///
/// # Errors
/// When the folder for tools is not usable.
pub fn ensure(project: &Project, needs: &[Need]) -> Result<Tools> {
    let mut tools = Tools::new(project)?;
    let mut missing = Vec::new();
    for need in needs {
        if !tools.look(project, *need)? {
            missing.push(*need);
        }
    }
    if missing.is_empty() {
        return Ok(tools);
    }
    let lock = lock(&project.tools)?;
    for need in missing {
        if let Err(error) = tools.install(project, need) {
            tools.missing.push((need, error));
        }
    }
    cargo_tool::remove_build_files(&project.tools);
    drop(lock);
    Ok(tools)
}

impl Tools {
    fn new(project: &Project) -> Result<Self> {
        // wasm-pack and others call `cargo` by name: it must be the one that runs this.
        let cargo = project.cargo.parent().filter(|folder| folder.is_absolute()).map(Path::to_owned);
        let front: Vec<PathBuf> = cargo.into_iter().collect();
        Ok(Self { path: process::path_with(&front, &project.path)?, front, missing: Vec::new() })
    }

    /// Whether it is there.
    fn look(&mut self, project: &Project, need: Need) -> Result<bool> {
        Ok(match need {
            Need::WasmTarget => wasm_target::is_there(project),
            Need::Chromium => browsers::chromium_is_there(&self.path, browsers::named_by("CHROMEDRIVER")),
            Need::Firefox => browsers::firefox_is_there(&self.path),
            Need::Axe => npm::is_there(project),
            Need::WasmPack | Need::WasmBindgen | Need::Geckodriver => {
                let found = cargo_tool::CargoTool::of(project, need)?.find(&project.tools, &self.path);
                if let Some(folder) = &found
                    && !self.front.contains(folder)
                {
                    self.front.push(folder.clone());
                    self.path = process::path_with(&self.front, &project.path)?;
                }
                found.is_some()
            }
        })
    }

    fn install(&mut self, project: &Project, need: Need) -> Result<()> {
        // Another set-up may have installed it while this one waited.
        if self.look(project, need)? {
            return Ok(());
        }
        match need {
            Need::WasmTarget => wasm_target::install(project)?,
            Need::Chromium => browsers::install_chromium(&self.path)?,
            Need::Firefox => browsers::install_firefox(&self.path)?,
            Need::Axe => npm::install(project, &self.path)?,
            Need::WasmPack | Need::WasmBindgen | Need::Geckodriver => {
                cargo_tool::CargoTool::of(project, need)?.install(&project.cargo, &project.tools, &self.path)?;
            }
        }
        if self.look(project, need)? { Ok(()) } else { Err(anyhow!("{need:?} was installed, but is still not found")) }
    }

    /// Fails with everything that is missing.
    pub fn require_all(&self) -> Result<()> {
        let all: Vec<String> = self.missing.iter().map(|(_, error)| format!("{error:#}")).collect();
        if all.is_empty() { Ok(()) } else { Err(anyhow!(all.join("\n\n"))) }
    }

    /// Fails with what is missing of `needs`.
    pub fn require(&self, needs: &[Need]) -> Result<()> {
        let of_these = self.missing.iter().filter(|(need, _)| needs.contains(need));
        let all: Vec<String> = of_these.map(|(_, error)| format!("{error:#}")).collect();
        if all.is_empty() { Ok(()) } else { Err(anyhow!(all.join("\n\n"))) }
    }

    /// `PATH` for programs that use the tools.
    pub fn path(&self) -> &OsString {
        &self.path
    }

    /// The absolute path of a program.
    pub fn program(&self, name: &str) -> Result<PathBuf> {
        process::find(&self.path, name).with_context(|| format!("{name} is not on PATH, though it was set up"))
    }

    /// The driver: the one that an environment variable names, or the one on `PATH`.
    pub fn driver(&self, variable: &str, name: &str) -> Result<PathBuf> {
        browsers::named_by(variable).map_or_else(|| self.program(name), Ok)
    }
}

/// One set-up at a time for one folder of tools.
fn lock(tools: &Path) -> Result<File> {
    let path = tools.join(".lock");
    let open = || {
        fs::create_dir_all(tools)?;
        File::options().create(true).truncate(false).write(true).open(&path)
    };
    let file = open().with_context(|| format!("cannot write {}", path.display()))?;
    match file.try_lock() {
        Ok(()) => return Ok(file),
        Err(TryLockError::WouldBlock) => eprintln!("waiting for another set-up to end"),
        Err(TryLockError::Error(error)) => return Err(error).with_context(|| format!("cannot lock {}", path.display())),
    }
    file.lock().with_context(|| format!("cannot lock {}", path.display()))?;
    Ok(file)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::settings::Settings;
    use crate::testing;

    /// A project whose cargo installs a geckodriver that prints the wanted version, slowly, and counts how often.
    fn project(folder: &Path) -> Project {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("inside the project").to_owned();
        let cargo = folder.join("cargo");
        let script = "# install --root DIR --version =1.2.3 geckodriver\necho \"$*\" >> \"${0%/*}/calls\"\nsleep 0.3\n\
            mkdir -p \"$3/bin\"\nprintf '#!/bin/sh\\necho geckodriver %s\\n' \"${5#=}\" > \"$3/bin/$6\"\nchmod +x \"$3/bin/$6\"";
        testing::program(&cargo, script);
        let settings = Settings::read(&root).expect("valid");
        Project { root, cargo, path: "/usr/bin:/bin".into(), tools: folder.join("tools"), settings }
    }

    fn calls(folder: &Path) -> usize {
        fs::read_to_string(folder.join("calls")).map_or(0, |calls| calls.lines().count())
    }

    #[test]
    fn set_ups_at_once_install_once_and_the_next_one_does_nothing() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let project = project(folder.path());
        let set_up = || {
            let tools = ensure(&project, &[Need::Geckodriver]).expect("the folder is usable");
            tools.require_all().expect("it installs");
            tools.program("geckodriver").expect("there")
        };
        let found: Vec<PathBuf> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..3).map(|_| scope.spawn(set_up)).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        assert!(found.iter().all(|program| program.starts_with(folder.path().join("tools"))), "{found:?}");
        set_up();
        assert_eq!(calls(folder.path()), 1);
    }

    #[test]
    fn what_cannot_be_had_stops_only_those_who_need_it() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut project = project(folder.path());
        // No apt-get, no browser.
        project.path = OsString::new();
        let tools = ensure(&project, &[Need::Chromium]).expect("the folder is usable");
        let named = browsers::named_by("CHROMEDRIVER").is_some();
        if cfg!(target_os = "linux") || !named {
            let error = tools.require(&CHROMIUM).expect_err("there is none").to_string();
            assert!(error.contains("install Chrome or Chromium"), "{error}");
        }
        tools.require(&FIREFOX).expect("nobody asked for it");
    }
}
