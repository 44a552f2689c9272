//! `wasm-pack.toml`: how the Wasm module is built.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

/// The whole file. A misspelt setting is an error, not ignored.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// Versions.
    pub tools: Tools,
    /// wasm-pack's options.
    pub build: Build,
}

/// Exact versions.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Tools {
    /// Of wasm-pack.
    pub wasm_pack: String,
    /// Of geckodriver.
    pub geckodriver: String,
}

/// wasm-pack's options.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Build {
    /// `--target`
    pub target: String,
    /// `--out-dir`, from the project's folder.
    pub out_dir: String,
    /// Which of wasm-pack's profiles.
    pub profile: Profile,
}

/// wasm-pack's profiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// Optimised.
    Release,
    /// With checks and names.
    Dev,
    /// Optimised, with names.
    Profiling,
}

impl Profile {
    /// wasm-pack's option.
    pub fn option(self) -> &'static str {
        match self {
            Self::Release => "--release",
            Self::Dev => "--dev",
            Self::Profiling => "--profiling",
        }
    }
}

impl Settings {
    /// Reads the project's file.
    pub fn read(root: &Path) -> Result<Self> {
        let path = root.join("wasm-pack.toml");
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        toml::from_str(&text).with_context(|| format!("{} is not as it should be", path.display()))
    }
}

/// The version of a package in `Cargo.lock`.
pub fn locked_version(root: &Path, package: &str) -> Result<String> {
    #[derive(Deserialize)]
    struct Lock {
        package: Vec<Package>,
    }
    #[derive(Deserialize)]
    struct Package {
        name: String,
        version: String,
    }
    let path = root.join("Cargo.lock");
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let lock: Lock = toml::from_str(&text).with_context(|| format!("cannot understand {}", path.display()))?;
    let mut versions = lock.package.into_iter().filter(|entry| entry.name == package).map(|entry| entry.version);
    match (versions.next(), versions.next()) {
        (Some(version), None) => Ok(version),
        (None, _) => bail!("{} has no {package}", path.display()),
        (Some(_), Some(_)) => bail!("{} has several versions of {package}", path.display()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_projects_own_settings_are_understood() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("inside the project");
        let settings = Settings::read(root).expect("valid");
        assert_eq!((settings.build.target.as_str(), settings.build.profile), ("web", Profile::Release));
    }

    #[test]
    fn a_misspelt_setting_is_told() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let text = "[tools]\nwasm-pack = '1'\ngecko = '1'\n";
        fs::write(folder.path().join("wasm-pack.toml"), text).expect("writable");
        let error = format!("{:#}", Settings::read(folder.path()).expect_err("misspelt"));
        assert!(error.contains("gecko"), "{error}");
    }

    #[test]
    fn a_locked_version_is_the_only_one_of_its_name() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let text = "version = 4\n[[package]]\nname = 'a'\nversion = '1.2.3'\n[[package]]\nname = 'b'\nversion = '1.0.0'\n\
            [[package]]\nname = 'b'\nversion = '2.0.0'\n";
        fs::write(folder.path().join("Cargo.lock"), text).expect("writable");
        assert_eq!(locked_version(folder.path(), "a").expect("there"), "1.2.3");
        for (package, told) in [("b", "several versions of b"), ("c", "has no c")] {
            assert!(locked_version(folder.path(), package).expect_err(package).to_string().contains(told));
        }
    }
}
