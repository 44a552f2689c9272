//! Debian's and Ubuntu's packages.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Result, bail};

use crate::process;

/// dpkg calls programs of these folders, which a short `PATH` may lack.
const SYSTEM: [&str; 3] = ["/usr/local/sbin", "/usr/sbin", "/sbin"];

/// Installs packages, where this user may; otherwise says what a person can do.
///
/// `instead` is what helps on other systems.
pub fn install(packages: &[&str], path: &OsStr, instead: &str) -> Result<()> {
    let Some(apt) = process::find(path, "apt-get") else { bail!("{instead}") };
    let list = packages.join(" ");
    if !is_root() {
        bail!("this needs packages that root alone can install: `sudo apt-get install {list}`. Otherwise: {instead}");
    }
    run(&apt, packages, path)
}

fn run(apt: &Path, packages: &[&str], path: &OsStr) -> Result<()> {
    eprintln!("installing {} with apt-get (once)", packages.join(", "));
    let path = with_system_folders(path);
    let command = |arguments: &[&str]| {
        let mut command = Command::new(apt);
        // Another apt-get may run: wait for it, rather than fail.
        command.args(["-q", "-y", "-o", "DPkg::Lock::Timeout=600"]).args(arguments);
        command.env("PATH", &path).env("DEBIAN_FRONTEND", "noninteractive");
        command
    };
    let updated = process::run(&mut command(&["update"]));
    let mut install = command(&["install", "--no-install-recommends"]);
    let installed = process::run(install.args(packages));
    match (updated, installed) {
        (_, Ok(())) => Ok(()),
        (Ok(()), Err(error)) => Err(error),
        // Lists of packages from before may have sufficed; they did not.
        (Err(update), Err(install)) => Err(install.context(format!("{update:#}"))),
    }
}

fn with_system_folders(path: &OsStr) -> OsString {
    let folders = env::split_paths(path).chain(SYSTEM.iter().map(PathBuf::from));
    env::join_paths(folders).unwrap_or_else(|_| path.to_owned())
}

fn is_root() -> bool {
    fs::read_to_string("/proc/self/status").is_ok_and(|status| effective_user(&status) == Some(0))
}

/// The effective user in `/proc/…/status`: the second number of `Uid: real effective saved file-system`.
fn effective_user(status: &str) -> Option<u32> {
    status.lines().find_map(|line| line.strip_prefix("Uid:"))?.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn the_effective_user_counts() {
        assert_eq!(effective_user("Name:\tx\nUid:\t1000\t0\t1000\t1000\nGid:\t5\n"), Some(0));
        assert_eq!(effective_user("Name:\tx\n"), None);
    }

    #[test]
    fn lists_are_updated_before_packages_are_installed() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (apt, log) = (folder.path().join("apt-get"), folder.path().join("log"));
        // Like Debian's, it fails where it does not find what dpkg needs.
        let script = format!(
            "case $PATH in */usr/sbin*) ;; *) exit 9;; esac\necho \"$DEBIAN_FRONTEND $*\" >> {}\n\
             case \"$*\" in *update*) exit 100;; esac",
            log.display()
        );
        testing::program(&apt, &script);
        run(&apt, &["chromium", "chromium-driver"], OsStr::new("/usr/bin:/bin")).expect("a failed update alone is no error");
        let options = "noninteractive -q -y -o DPkg::Lock::Timeout=600";
        let expected = format!("{options} update\n{options} install --no-install-recommends chromium chromium-driver\n");
        assert_eq!(fs::read_to_string(log).expect("called"), expected);
    }

    #[test]
    fn without_apt_a_person_is_told_what_helps() {
        let error = install(&["chromium"], OsStr::new("/nowhere"), "get Chrome").expect_err("no apt-get");
        assert_eq!(error.to_string(), "get Chrome");
    }
}
