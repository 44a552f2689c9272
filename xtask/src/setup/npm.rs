//! What the end-to-end tests take from npm: axe-core, which they run inside the page.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use crate::process;
use crate::project::Project;

/// The tests' own `package.json` is here.
const TESTS: &str = "crates/cli/tests/e2e";
const PACKAGE: &str = "axe-core";

fn folder(project: &Project) -> PathBuf {
    project.root.join(TESTS)
}

/// Whether the version is there that the tests ask for.
pub fn is_there(project: &Project) -> bool {
    let folder = folder(project);
    let wanted = version(&folder.join("package.json"), PACKAGE);
    wanted.is_some() && wanted == version(&folder.join("node_modules").join(PACKAGE).join("package.json"), "version")
}

/// The text of a field.
fn version(file: &Path, field: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let (_, after) = text.split_once(&format!("\"{field}\":"))?;
    Some(after.split('"').nth(1)?.to_owned())
}

/// Installs it.
pub fn install(project: &Project, path: &OsStr) -> Result<()> {
    let Some(npm) = process::find(path, "npm") else {
        bail!("the end-to-end tests need {PACKAGE} from npm, and npm is not on PATH: install Node.js, https://nodejs.org");
    };
    eprintln!("installing {PACKAGE} into {TESTS} (once; takes some seconds)");
    let mut command = Command::new(npm);
    command.args(["ci", "--no-audit", "--no-fund", "--prefix"]).arg(folder(project)).env("PATH", path);
    process::run(&mut command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wanted_version_is_told_from_others() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("package.json");
        for (text, found) in [
            ("{\"devDependencies\": {\n \"axe-core\": \"4.1.0\" }}", Some("4.1.0")),
            ("{\"name\": \"axe-core\"}", None),
            ("{\"axe-core\":", None),
            ("", None),
        ] {
            fs::write(&file, text).expect("writable");
            assert_eq!(version(&file, PACKAGE).as_deref(), found, "{text}");
        }
        assert_eq!(version(&folder.path().join("none"), PACKAGE), None);
    }
}
