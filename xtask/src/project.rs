//! Where things are: the project, cargo, the per-user folder for tools.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::settings::Settings;

/// The project and the machine that it is on.
#[derive(Debug)]
pub struct Project {
    /// The project's folder.
    pub root: PathBuf,
    /// The cargo that started this.
    pub cargo: PathBuf,
    /// `PATH`.
    pub path: OsString,
    /// The folder for tools that this project installs, all projects of the user together.
    pub tools: PathBuf,
    /// `wasm-pack.toml`.
    pub settings: Settings,
}

impl Project {
    /// Looks around.
    pub fn find() -> Result<Self> {
        let manifest = env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = manifest.parent().context("xtask is not inside a project")?.to_owned();
        let cargo = env::var_os("CARGO").map_or_else(|| PathBuf::from("cargo"), PathBuf::from);
        let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let home = env::home_dir().filter(|home| home.is_absolute());
        let cache = cache_folder(env::consts::OS, set("XDG_CACHE_HOME"), set("LOCALAPPDATA"), home);
        // Without a home, the project's own folder for what is built does as well.
        let tools = cache.unwrap_or_else(|| root.join("target")).join("opfs-bench").join("tools");
        let settings = Settings::read(&root)?;
        Ok(Self { root, cargo, path: env::var_os("PATH").unwrap_or_default(), tools, settings })
    }

    /// A program that belongs to cargo's toolchain, such as rustc: beside cargo, or else on `PATH`.
    pub fn beside_cargo(&self, program: &str) -> PathBuf {
        let name = executable(program);
        let beside = self.cargo.parent().filter(|folder| folder.is_absolute()).map(|folder| folder.join(&name));
        beside.filter(|file| file.is_file()).unwrap_or_else(|| PathBuf::from(name))
    }

    /// A folder for what this program writes while it works.
    pub fn scratch(&self) -> PathBuf {
        self.root.join("target").join("xtask")
    }
}

/// A program's file name on this system.
pub fn executable(program: &str) -> String {
    format!("{program}{}", env::consts::EXE_SUFFIX)
}

/// The user's folder for files that can be made again.
fn cache_folder(system: &str, xdg: Option<PathBuf>, local: Option<PathBuf>, home: Option<PathBuf>) -> Option<PathBuf> {
    let absolute = |path: Option<PathBuf>| path.filter(|path| Path::is_absolute(path));
    match system {
        "windows" => absolute(local),
        "macos" => absolute(xdg).or_else(|| Some(home?.join("Library/Caches"))),
        _ => absolute(xdg).or_else(|| Some(home?.join(".cache"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_go_where_the_system_keeps_such_files() {
        let path = |text: &str| Some(PathBuf::from(text));
        assert_eq!(cache_folder("linux", None, None, path("/home/a")), path("/home/a/.cache"));
        assert_eq!(cache_folder("linux", path("/cache"), None, path("/home/a")), path("/cache"));
        assert_eq!(cache_folder("linux", path("relative"), None, path("/home/a")), path("/home/a/.cache"));
        assert_eq!(cache_folder("macos", None, None, path("/Users/a")), path("/Users/a/Library/Caches"));
        assert_eq!(cache_folder("linux", None, None, None), None);
        assert_eq!(cache_folder("windows", None, None, path("/home/a")), None);
    }
}
