//! `cargo xtask bench`: from nothing to an answer.

use std::ffi::{OsStr, OsString};
use std::process::{Command, ExitCode};

use anyhow::{Result, bail};

use crate::project::Project;
use crate::setup::{self, Need, Tools};
use crate::{build, process};

/// Sets up, builds, and becomes `opfs-bench run`.
pub fn run(project: &Project, options: &[OsString]) -> Result<ExitCode> {
    if has(options, "--help") || has(options, "-h") {
        return process::become_program(&mut opfs_bench(project, project.path.clone(), &["run"], options));
    }
    let tools = prepare(project, options)?;
    process::become_program(&mut measurement(project, &tools, "run", options, "results"))
}

/// Sets up and builds what measuring in the chosen browser needs.
pub fn prepare(project: &Project, options: &[OsString]) -> Result<Tools> {
    let browser = Browser::of(options)?;
    let tools = setup::ensure(project, &[&setup::BUILD[..], browser.needs(options)].concat())?;
    tools.require_all()?;
    build::page(project, &tools)?;
    Ok(tools)
}

/// A subcommand that measures in a browser, with the project's page, and with a folder of the project for what comes out.
pub fn measurement(project: &Project, tools: &Tools, subcommand: &str, options: &[OsString], out: &str) -> Command {
    let mut command = opfs_bench(project, tools.path().clone(), &[subcommand], options);
    add_folder(&mut command, project, options, "--www", "www");
    add_folder(&mut command, project, options, "--out", out);
    command
}

/// The command, through cargo. In the profile that tests use too: it times nothing itself, so what counts is how soon it is
/// compiled.
pub fn opfs_bench(project: &Project, path: OsString, first: &[&str], options: &[OsString]) -> Command {
    let mut command = Command::new(&project.cargo);
    command.args(["run", "--package", "opfs-bench-cli", "--bin", "opfs-bench", "--manifest-path"]).arg(project.root.join("Cargo.toml"));
    command.arg("--").args(first).args(options).env("PATH", path);
    command
}

/// Adds an option that names a folder of the project, unless it was given.
pub fn add_folder(command: &mut Command, project: &Project, options: &[OsString], option: &str, folder: &str) {
    if value(options, option).is_none() {
        command.arg(option).arg(project.root.join(folder));
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Browser {
    Chromium,
    Firefox,
}

impl Browser {
    fn of(options: &[OsString]) -> Result<Self> {
        match value(options, "--browser") {
            None => Ok(Self::Chromium),
            Some(name) if name == "chromium" => Ok(Self::Chromium),
            Some(name) if name == "firefox" => Ok(Self::Firefox),
            Some(name) => bail!("--browser is chromium or firefox; it was {}", name.display()),
        }
    }

    /// A driver that runs elsewhere brings its browser, and a program that is to open the page is one.
    fn needs(self, options: &[OsString]) -> &'static [Need] {
        match self {
            _ if ["--webdriver", "--open"].iter().any(|option| value(options, option).is_some()) => &[],
            Self::Chromium => &setup::CHROMIUM,
            Self::Firefox => &setup::FIREFOX,
        }
    }
}

/// Whether an option that has no value was given.
pub fn has(options: &[OsString], name: &str) -> bool {
    options.iter().any(|option| option == name)
}

/// The value of an option that is written `--name value` or `--name=value`.
pub fn value<'a>(options: &'a [OsString], name: &str) -> Option<&'a OsStr> {
    options.iter().enumerate().find_map(|(i, option)| {
        if option == name {
            return options.get(i + 1).map(OsString::as_os_str);
        }
        let text = option.to_str()?;
        text.strip_prefix(name)?.strip_prefix('=').map(OsStr::new)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(words: &[&str]) -> Vec<OsString> {
        words.iter().map(Into::into).collect()
    }

    #[test]
    fn only_the_chosen_browser_is_needed() {
        for (words, needs) in [
            (&[][..], &setup::CHROMIUM[..]),
            (&["--browser", "firefox"], &setup::FIREFOX),
            (&["--seed", "1", "--browser=firefox"], &setup::FIREFOX),
            (&["--browser", "firefox", "--webdriver", "http://127.0.0.1:4444"], &[]),
            (&["--open=MiniBrowser", "--open-arg=--headless"], &[]),
        ] {
            let options = options(words);
            assert_eq!(Browser::of(&options).expect("a browser").needs(&options), needs, "{words:?}");
        }
        assert!(Browser::of(&options(&["--browser", "lynx"])).is_err());
    }

    #[test]
    fn an_option_is_found_in_both_forms_and_not_by_its_beginning() {
        assert_eq!(value(&options(&["--out", "a"]), "--out"), Some(OsStr::new("a")));
        assert_eq!(value(&options(&["--out=a"]), "--out"), Some(OsStr::new("a")));
        assert_eq!(value(&options(&["--output=a"]), "--out"), None);
        assert_eq!(value(&options(&["--out"]), "--out"), None);
    }
}
