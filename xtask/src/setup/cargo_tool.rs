//! Programs that come as crates: each version in a folder of its own, so that another project, or another version of this
//! one, changes nothing here.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::Need;
use crate::project::{Project, executable};
use crate::settings::locked_version;
use crate::{process, version};

/// A program, or several, of one crate.
#[derive(Clone, Debug)]
pub struct CargoTool {
    package: &'static str,
    version: String,
    programs: &'static [&'static str],
}

/// Where crates are compiled: shared by all, since they have dependencies in common.
const BUILD: &str = ".build";
/// Where cargo installs before the whole is put in its place.
const UNFINISHED: &str = ".unfinished";

impl CargoTool {
    /// The tool for a need, of the version that the project asks for.
    pub fn of(project: &Project, need: Need) -> Result<Self> {
        Ok(match need {
            Need::WasmPack => Self { package: "wasm-pack", version: project.settings.tools.wasm_pack.clone(), programs: &["wasm-pack"] },
            Need::WasmBindgen => Self {
                package: "wasm-bindgen-cli",
                version: locked_version(&project.root, "wasm-bindgen")?,
                programs: &["wasm-bindgen", "wasm-bindgen-test-runner"],
            },
            Need::Geckodriver => {
                Self { package: "geckodriver", version: project.settings.tools.geckodriver.clone(), programs: &["geckodriver"] }
            }
            Need::WasmTarget | Need::Chromium | Need::Firefox | Need::Axe => bail!("{need:?} is no crate"),
        })
    }

    /// The folder of its programs: the one that this project installed, or one on `PATH` that holds the very version.
    pub fn find(&self, tools: &Path, path: &OsStr) -> Option<PathBuf> {
        let own = self.folder(tools).join("bin");
        if self.programs.iter().all(|program| own.join(executable(program)).is_file()) {
            return Some(own);
        }
        let found: Vec<PathBuf> = self.programs.iter().map(|program| process::find(path, program)).collect::<Option<_>>()?;
        let folder = found.first()?.parent()?.to_owned();
        let right = |program: &PathBuf| {
            let printed = version::printed(program);
            program.parent() == Some(&folder) && printed.as_deref().and_then(version::in_text) == Some(&self.version)
        };
        found.iter().all(right).then_some(folder)
    }

    fn folder(&self, tools: &Path) -> PathBuf {
        tools.join(format!("{}-{}", self.package, self.version))
    }

    /// Compiles and installs it. Its folder appears when all of it is there, and not before.
    pub fn install(&self, cargo: &Path, tools: &Path, path: &OsStr) -> Result<()> {
        eprintln!("installing {} {} into {} (once; takes some minutes)", self.package, self.version, tools.display());
        let folder = self.folder(tools);
        let unfinished = tools.join(UNFINISHED).join(format!("{}-{}", self.package, self.version));
        for old in [&unfinished, &folder] {
            remove(old)?;
        }
        fs::create_dir_all(&unfinished).with_context(|| format!("cannot create {}", unfinished.display()))?;
        // With its folder on PATH, cargo does not advise to put it there.
        let path = process::path_with(&[unfinished.join("bin")], path)?;
        process::run(&mut self.command(cargo, tools, &unfinished, &path)).with_context(|| format!("cannot install {}", self.package))?;
        for program in self.programs {
            let file = unfinished.join("bin").join(executable(program));
            let printed = version::printed(&file).with_context(|| format!("{} was installed but does not run", file.display()))?;
            if version::in_text(&printed) != Some(&self.version) {
                bail!("{} was installed as version {}, but says: {}", file.display(), self.version, printed.trim());
            }
        }
        fs::rename(&unfinished, &folder).with_context(|| format!("cannot rename {} to {}", unfinished.display(), folder.display()))
    }

    /// `--locked` is not used: wasm-bindgen-cli's lock file does not fit all toolchains. The profile's settings take half the
    /// time of a release build, and the programs are quick enough without it.
    fn command(&self, cargo: &Path, tools: &Path, root: &Path, path: &OsStr) -> Command {
        let mut command = Command::new(cargo);
        command.arg("install").arg("--root").arg(root).arg("--version").arg(format!("={}", self.version)).arg(self.package);
        command.current_dir(tools).env("PATH", path).env("CARGO_TARGET_DIR", tools.join(BUILD));
        for (setting, value) in [("OPT_LEVEL", "1"), ("CODEGEN_UNITS", "16"), ("LTO", "off"), ("DEBUG", "false")] {
            command.env(format!("CARGO_PROFILE_RELEASE_{setting}"), value);
        }
        command
    }
}

/// Removes what compiling left behind. It is not worth an error.
pub fn remove_build_files(tools: &Path) {
    for folder in [BUILD, UNFINISHED] {
        let _ = fs::remove_dir_all(tools.join(folder));
    }
}

fn remove(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", folder.display()))
        }
        _ => Ok(()),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use tempfile::TempDir;

    use super::*;
    use crate::testing::program;

    const TOOL: CargoTool = CargoTool { package: "some-tool", version: String::new(), programs: &["tool", "helper"] };

    fn tool() -> CargoTool {
        CargoTool { version: "1.2.3".to_owned(), ..TOOL }
    }

    /// A cargo that, as `cargo install --root DIR`, writes both programs, and does `then` in between.
    fn fake_cargo(folder: &Path, version: &str, then: &str) -> PathBuf {
        let cargo = folder.join("cargo");
        let script = format!(
            "root=$3; mkdir -p $root/bin\nwrite() {{ printf '#!/bin/sh\\necho %s {version}\\n' $1 > $root/bin/$1; chmod +x $root/bin/$1; }}\n\
             write tool\n{then}\nwrite helper\n"
        );
        program(&cargo, &script);
        cargo
    }

    fn folders() -> (TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let tools = folder.path().join("tools");
        fs::create_dir(&tools).expect("writable");
        (folder, tools)
    }

    #[test]
    fn an_installed_tool_is_found_in_its_own_folder() {
        let (folder, tools) = folders();
        let cargo = fake_cargo(folder.path(), "1.2.3", "");
        assert_eq!(tool().find(&tools, OsStr::new("")), None);
        tool().install(&cargo, &tools, OsStr::new("/usr/bin:/bin")).expect("installs");
        assert_eq!(tool().find(&tools, OsStr::new("")), Some(tools.join("some-tool-1.2.3/bin")));
    }

    #[test]
    fn an_interrupted_install_is_not_taken_for_a_finished_one() {
        let (folder, tools) = folders();
        for cut in ["kill -9 $$", "exit 1"] {
            let cargo = fake_cargo(folder.path(), "1.2.3", cut);
            let error = tool().install(&cargo, &tools, OsStr::new("/usr/bin:/bin")).expect_err("cut short");
            assert!(format!("{error:#}").contains("install --root"), "{error:#}");
            assert!(tools.join(".unfinished/some-tool-1.2.3/bin/tool").is_file(), "it got that far");
            assert_eq!(tool().find(&tools, OsStr::new("")), None);
        }
        let cargo = fake_cargo(folder.path(), "1.2.3", "");
        tool().install(&cargo, &tools, OsStr::new("/usr/bin:/bin")).expect("the next one succeeds");
        assert!(tool().find(&tools, OsStr::new("")).is_some());
    }

    #[test]
    fn a_folder_with_a_part_of_the_programs_is_installed_again() {
        let (folder, tools) = folders();
        program(&tools.join("some-tool-1.2.3/bin/tool"), "echo tool 1.2.3");
        assert_eq!(tool().find(&tools, OsStr::new("")), None);
        tool().install(&fake_cargo(folder.path(), "1.2.3", ""), &tools, OsStr::new("/usr/bin:/bin")).expect("installs");
        assert!(tool().find(&tools, OsStr::new("")).is_some());
    }

    #[test]
    fn another_version_than_asked_for_is_refused() {
        let (folder, tools) = folders();
        let cargo = fake_cargo(folder.path(), "1.2.4", "");
        let error = tool().install(&cargo, &tools, OsStr::new("/usr/bin:/bin")).expect_err("another version");
        assert!(format!("{error:#}").contains("says: tool 1.2.4"), "{error:#}");
        assert_eq!(tool().find(&tools, OsStr::new("")), None);
    }

    #[test]
    fn a_tool_on_path_is_used_when_its_version_is_the_right_one() {
        let (folder, tools) = folders();
        let path = folder.path().join("bin");
        program(&path.join("tool"), "echo tool 1.2.3 '(abc)'");
        assert_eq!(tool().find(&tools, path.as_os_str()), None, "one of two programs");
        program(&path.join("helper"), "echo helper 1.2.2");
        assert_eq!(tool().find(&tools, path.as_os_str()), None, "of an older version");
        program(&path.join("helper"), "echo helper 1.2.3");
        assert_eq!(tool().find(&tools, path.as_os_str()), Some(path));
    }
}
