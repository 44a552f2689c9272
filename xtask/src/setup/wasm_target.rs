//! The standard library for `wasm32-unknown-unknown`.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use crate::process;
use crate::project::{Project, executable};

const TARGET: &str = "wasm32-unknown-unknown";

/// Whether the toolchain has it.
pub fn is_there(project: &Project) -> bool {
    let mut rustc = Command::new(project.beside_cargo("rustc"));
    rustc.args(["--print", "target-libdir", "--target", TARGET]);
    process::output(&mut rustc).is_ok_and(|folder| holds_libraries(Path::new(folder.trim())))
}

/// rustc names the folder whether it is there or not.
fn holds_libraries(folder: &Path) -> bool {
    let is_core = |name: &str| name.starts_with("libcore-");
    folder.read_dir().is_ok_and(|entries| entries.flatten().any(|entry| entry.file_name().to_str().is_some_and(is_core)))
}

/// Installs it with rustup.
pub fn install(project: &Project) -> Result<()> {
    let Some(rustup) = rustup(project) else {
        bail!(
            "the Rust toolchain of {} has no {TARGET}, and there is no rustup to add it: install rustup (https://rustup.rs), or \
             your system's package of the standard library for that target (on Debian: libstd-rust-dev-wasm32)",
            project.cargo.display()
        );
    };
    eprintln!("adding {TARGET} to the Rust toolchain");
    let mut command = Command::new(rustup);
    command.args(["target", "add", TARGET]);
    if let Some(toolchain) = toolchain(&project.cargo) {
        command.args(["--toolchain", &toolchain]);
    }
    process::run(&mut command)
}

fn rustup(project: &Project) -> Option<PathBuf> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| Some(env::home_dir()?.join(".cargo")));
    let installed = home.map(|home| home.join("bin").join(executable("rustup"))).filter(|file| file.is_file());
    let beside = Some(project.beside_cargo("rustup")).filter(|file| file.is_file());
    process::find(&project.path, "rustup").or(installed).or(beside)
}

/// The name of rustup's toolchain that a cargo is of: `stable` for `…/toolchains/stable/bin/cargo`.
fn toolchain(cargo: &Path) -> Option<String> {
    let toolchain = cargo.parent()?.parent()?;
    (toolchain.parent()?.file_name()? == "toolchains").then_some(())?;
    Some(toolchain.file_name()?.to_str()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rustups_toolchain_is_read_off_cargos_path() {
        let stable = "/home/somebody/.rustup/toolchains/stable-x86_64/bin/cargo";
        assert_eq!(toolchain(Path::new(stable)), Some("stable-x86_64".to_owned()));
        assert_eq!(toolchain(Path::new("/usr/bin/cargo")), None);
        assert_eq!(toolchain(Path::new("cargo")), None);
    }

    #[test]
    fn an_empty_folder_is_no_target() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        assert!(!holds_libraries(&folder.path().join("none")));
        assert!(!holds_libraries(folder.path()));
        std::fs::write(folder.path().join("libcore-0123.rlib"), "").expect("writable");
        assert!(holds_libraries(folder.path()));
    }
}
