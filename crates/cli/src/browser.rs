//! The browsers that the command can start by itself.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::ValueEnum;

/// A browser and its `WebDriver` server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Browser {
    /// Chromium or Chrome, through chromedriver.
    Chromium,
    /// Firefox, through geckodriver.
    Firefox,
}

impl Browser {
    /// As on the command line and in file names.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Chromium => "chromium",
            Self::Firefox => "firefox",
        }
    }

    /// The driver's program.
    #[must_use]
    pub fn driver_name(self) -> &'static str {
        match self {
            Self::Chromium => "chromedriver",
            Self::Firefox => "geckodriver",
        }
    }

    /// The environment variable that may hold the driver's path: the one that wasm-bindgen's test runner knows too.
    #[must_use]
    pub fn driver_variable(self) -> &'static str {
        match self {
            Self::Chromium => "CHROMEDRIVER",
            Self::Firefox => "GECKODRIVER",
        }
    }

    /// What a person installs to have browser and driver.
    #[must_use]
    pub fn remedy(self) -> &'static str {
        match self {
            Self::Chromium => {
                "install Chromium and chromedriver (on Debian: `apt-get install chromium chromium-driver`; elsewhere Chrome \
                 and the chromedriver of the same version); `cargo xtask bench` does it where it can"
            }
            Self::Firefox => {
                "install Firefox and geckodriver (on Debian: `apt-get install firefox-esr`, and anywhere `cargo install \
                 geckodriver`); `cargo xtask bench --browser firefox` does it where it can"
            }
        }
    }

    /// The driver's path: the one given, else the variable's, else the first on `PATH`.
    ///
    /// # Errors
    /// When there is none, with what to install.
    pub fn driver(self, given: Option<&Path>) -> Result<PathBuf> {
        let variable = env::var_os(self.driver_variable()).filter(|path| !path.is_empty()).map(PathBuf::from);
        if let Some(path) = given.map(Path::to_owned).or(variable) {
            if path.is_file() {
                return Ok(path);
            }
            bail!("{} is no file, but was named as the driver (by --driver or {})", path.display(), self.driver_variable());
        }
        match find(OsStr::new(self.driver_name())) {
            Some(path) => Ok(path),
            None => {
                bail!("{} is not on PATH: {}, or name it with --driver or {}", self.driver_name(), self.remedy(), self.driver_variable())
            }
        }
    }

    /// The browser's program where its driver would not find it by itself: Debian's Firefox has a name of its own.
    #[must_use]
    pub fn program(self) -> Option<PathBuf> {
        let find = |name| find(OsStr::new(name));
        (self == Self::Firefox && find("firefox").is_none()).then(|| find("firefox-esr")).flatten()
    }
}

/// The first file of this name in the folders of `PATH`.
#[must_use]
pub fn find(program: &OsStr) -> Option<PathBuf> {
    on_path(&env::var_os("PATH").unwrap_or_default(), program)
}

fn on_path(paths: &OsStr, program: &OsStr) -> Option<PathBuf> {
    let mut name = program.to_owned();
    name.push(env::consts::EXE_SUFFIX);
    env::split_paths(paths).filter(|folder| folder.is_absolute()).map(|folder| folder.join(&name)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_folder_that_has_the_program_wins() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let [empty, first, second] = ["empty", "first", "second"].map(|name| folder.path().join(name));
        for path in [&empty, &first, &second] {
            std::fs::create_dir(path).expect("writable");
        }
        let name = format!("geckodriver{}", env::consts::EXE_SUFFIX);
        std::fs::create_dir(empty.join(&name)).expect("writable");
        std::fs::write(first.join(&name), "").expect("writable");
        std::fs::write(second.join(&name), "").expect("writable");
        let paths = env::join_paths([&empty, &first, &second]).expect("plain names");
        assert_eq!(on_path(&paths, OsStr::new("geckodriver")), Some(first.join(name)));
        assert_eq!(on_path(&paths, OsStr::new("chromedriver")), None);
    }

    #[test]
    fn a_named_driver_that_is_not_there_is_told() {
        let error = Browser::Firefox.driver(Some(Path::new("/nowhere/geckodriver"))).expect_err("no such file").to_string();
        assert!(error.contains("/nowhere/geckodriver is no file"), "{error}");
    }
}
