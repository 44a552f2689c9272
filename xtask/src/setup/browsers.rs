//! Browsers and their drivers.

use std::env;
use std::ffi::OsStr;
use std::path::PathBuf;

use anyhow::Result;

use super::apt;
use crate::process;

/// The path in an environment variable, if it names a file.
pub fn named_by(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).map(PathBuf::from).filter(|path| path.is_file())
}

/// Whether Chromium or Chrome and its driver are there; the driver may be the one that was named.
pub fn chromium_is_there(path: &OsStr, named: Option<PathBuf>) -> bool {
    let driver = named.or_else(|| process::find(path, "chromedriver")).is_some();
    driver && any(path, &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"])
}

/// Whether Firefox is there.
pub fn firefox_is_there(path: &OsStr) -> bool {
    any(path, &["firefox", "firefox-esr"])
}

/// Whether a browser is on `PATH`. Outside Linux browsers are not there; their drivers know where to look, and say so if it is missing.
fn any(path: &OsStr, programs: &[&str]) -> bool {
    !cfg!(target_os = "linux") || programs.iter().any(|program| process::find(path, program).is_some())
}

/// Installs Chromium and chromedriver.
pub fn install_chromium(path: &OsStr) -> Result<()> {
    let instead = "Chromium or chromedriver is missing: install Chrome or Chromium, and the chromedriver of the same version \
        (https://googlechromelabs.github.io/chrome-for-testing), and put both on PATH or name the driver in CHROMEDRIVER";
    apt::install(&["chromium", "chromium-driver"], path, instead)
}

/// Installs Firefox.
pub fn install_firefox(path: &OsStr) -> Result<()> {
    let instead = "Firefox is missing: install it (https://www.mozilla.org/firefox) and put it on PATH";
    apt::install(&["firefox-esr"], path, instead)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_browser_without_its_driver_is_not_enough() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let put = |name: &str| {
            fs::write(folder.path().join(name), "").expect("writable");
            fs::set_permissions(folder.path().join(name), fs::Permissions::from_mode(0o755)).expect("its owner's");
        };
        let path = folder.path().as_os_str();
        put("chromium");
        assert!(!chromium_is_there(path, None));
        assert!(chromium_is_there(path, Some(folder.path().join("elsewhere"))));
        put("chromedriver");
        assert!(chromium_is_there(path, None));
        assert!(!firefox_is_there(path));
        put("firefox-esr");
        assert!(firefox_is_there(path));
    }
}
