//! Other programs: how they are started, and how their failures are told, with the full command line.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

/// Runs a program with this one's output, and fails unless it succeeds.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start {}", line(command)))?;
    if !status.success() {
        bail!("{status}: {}", line(command));
    }
    Ok(())
}

/// Runs a program, and returns what it wrote to standard output.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("cannot start {}", line(command)))?;
    if !output.status.success() {
        bail!("{}: {}\n{}", output.status, line(command), String::from_utf8_lossy(&output.stderr).trim_end());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Becomes the program, where systems can do that: Ctrl-C then reaches it alone, and nobody is left waiting for it.
#[cfg(unix)]
pub fn become_program(command: &mut Command) -> Result<ExitCode> {
    let error = std::os::unix::process::CommandExt::exec(command);
    Err(error).with_context(|| format!("cannot start {}", line(command)))
}

/// Runs the program and ends with its exit code.
#[cfg(not(unix))]
pub fn become_program(command: &mut Command) -> Result<ExitCode> {
    let status = command.status().with_context(|| format!("cannot start {}", line(command)))?;
    Ok(ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)))
}

/// `PATH` with folders in front of it.
pub fn path_with(front: &[PathBuf], path: &OsStr) -> Result<OsString> {
    let rest = env::split_paths(path);
    env::join_paths(front.iter().cloned().chain(rest)).context("a folder's name cannot stand in PATH")
}

/// A command line as it could be typed: its own settings of the environment, the program, its arguments.
pub fn line(command: &Command) -> String {
    let mut text = String::new();
    if let Some(folder) = command.get_current_dir() {
        let _ = write!(text, "cd {} && ", quoted(folder.as_os_str()));
    }
    for (name, value) in command.get_envs() {
        // PATH is long, and says little.
        if let Some(value) = value.filter(|_| name != "PATH") {
            let _ = write!(text, "{}={} ", name.display(), quoted(value));
        }
    }
    text.push_str(&quoted(command.get_program()));
    for argument in command.get_args() {
        let _ = write!(text, " {}", quoted(argument));
    }
    text
}

fn quoted(word: &OsStr) -> String {
    let text = word.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) { text.into_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// The first executable file of this name in the folders of a `PATH`.
pub fn find(path: &OsStr, program: &str) -> Option<PathBuf> {
    let name = crate::project::executable(program);
    let absolute = env::split_paths(path).filter(|folder| folder.is_absolute());
    absolute.map(|folder| folder.join(&name)).find(|file| is_executable(file))
}

#[cfg(unix)]
fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(file: &Path) -> bool {
    file.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_told_with_the_line_to_type() {
        let mut command = Command::new("cargo");
        command.args(["--no-such-option", "it's"]).env("A", "b c").env("PATH", "/very/long").current_dir("/");
        assert_eq!(line(&command), r"cd / && A='b c' cargo --no-such-option 'it'\''s'");
        let mut command = Command::new("/no/such/program");
        assert!(format!("{:#}", run(&mut command).expect_err("not there")).contains("cannot start /no/such/program"));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_cannot_be_run_is_not_the_program() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a temporary folder");
        let [first, second] = ["first", "second"].map(|name| folder.path().join(name));
        for (folder, mode) in [(&first, 0o644), (&second, 0o755)] {
            std::fs::create_dir(folder).expect("writable");
            std::fs::write(folder.join("tool"), "").expect("writable");
            std::fs::set_permissions(folder.join("tool"), std::fs::Permissions::from_mode(mode)).expect("its owner's");
        }
        let path = env::join_paths([&first, &second]).expect("plain names");
        assert_eq!(find(&path, "tool"), Some(second.join("tool")));
        assert_eq!(find(&path, "other"), None);
        assert_eq!(find(OsStr::new(""), "tool"), None);
    }
}
