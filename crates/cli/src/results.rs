//! Result files: each is written whole or not at all, under a name that no other file has, and never changed once its run is over.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use opfs_bench_core::result::RunResult;
use tempfile::NamedTempFile;

/// More files of one second and browser than this are a mistake.
const ATTEMPTS: u32 = 1000;

/// The files of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The result: as the page gave it, until the run has more to add.
    pub json: PathBuf,
    /// The report for a browser.
    pub html: PathBuf,
}

/// Makes the folder and sees that a file can be written into it: before a measurement, not after it.
///
/// # Errors
/// When it cannot.
pub fn check_folder(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot create the folder {}", folder.display()))?;
    tempfile::Builder::new().prefix(".opfs-bench-").tempfile_in(folder).with_context(|| format!("cannot write to {}", folder.display()))?;
    Ok(())
}

/// Writes a result and its report to fresh files.
///
/// # Errors
/// When the folder cannot be written.
pub fn write(folder: &Path, started: &str, browser: &str, json: &str, html: &str) -> Result<Written> {
    let json = write_result(folder, started, browser, json)?;
    let html_path = json.with_extension("html");
    if !write_fresh(&html_path, html)? {
        bail!("{} appeared while its result was written to {}", html_path.display(), json.display());
    }
    Ok(Written { json, html: html_path })
}

/// Writes a result and its report once more, at the end of the run that has added to them.
///
/// # Errors
/// When the folder cannot be written; what was written before stays then.
pub fn complete(written: &Written, json: &str, html: &str) -> Result<()> {
    replace(&written.json, json)?;
    replace(&written.html, html)
}

/// Writes a result alone to a fresh file, with no report of its name beside it.
///
/// # Errors
/// When the folder cannot be written.
pub fn write_result(folder: &Path, started: &str, browser: &str, json: &str) -> Result<PathBuf> {
    check_folder(folder)?;
    let stem = format!("{}-{browser}", date_time(started));
    for attempt in 1..=ATTEMPTS {
        let name = if attempt == 1 { stem.clone() } else { format!("{stem}-{attempt}") };
        let path = folder.join(format!("{name}.json"));
        if !path.with_extension("html").exists() && write_fresh(&path, json)? {
            return Ok(path);
        }
    }
    bail!("{} holds {ATTEMPTS} results named {stem} already", folder.display())
}

/// Writes a file in place of what it was before: whole or not at all.
///
/// # Errors
/// When the folder cannot be written.
pub fn replace(path: &Path, text: &str) -> Result<()> {
    let write = || -> Result<()> {
        temporary(path, text)?.persist(path)?;
        Ok(())
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

/// Writes a file that does not exist yet: true. False, and nothing is written, where it exists.
fn write_fresh(path: &Path, text: &str) -> Result<bool> {
    let write = || -> Result<bool> {
        match temporary(path, text)?.persist_noclobber(path) {
            Ok(_) => sync_folder(path).map(|()| true),
            Err(error) if error.error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error.into()),
        }
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

/// The text in a temporary file beside the path that it is for.
fn temporary(path: &Path, text: &str) -> Result<NamedTempFile> {
    let folder = path.parent().context("a file has a folder")?;
    let mut file = tempfile::Builder::new().prefix(".opfs-bench-").tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    make_readable(file.as_file())?;
    Ok(file)
}

/// A file that was written and synchronised can still lose its name when the power fails; the folder holds that.
#[cfg(unix)]
fn sync_folder(path: &Path) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Ok(fs::File::open(folder)?.sync_all()?)
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "can fail on Unix")]
fn sync_folder(_: &Path) -> Result<()> {
    Ok(())
}

/// Temporary files are their owner's alone; a result is an ordinary file.
#[cfg(unix)]
fn make_readable(file: &fs::File) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    Ok(file.set_permissions(fs::Permissions::from_mode(0o644))?)
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "can fail on Unix")]
fn make_readable(_: &fs::File) -> Result<()> {
    Ok(())
}

/// `2026-08-31T12:34:56.789Z` as a part of a file's name, seconds and no colons: `2026-08-31T12-34-56`.
fn date_time(started: &str) -> String {
    let usable = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let text: String = started.chars().take("2026-08-31T12:34:56".len()).map(usable).collect();
    if text.is_empty() { "undated".to_owned() } else { text }
}

/// Reads the result that a page has given. One that this program cannot read is written to the folder as it is: a measurement is
/// not thrown away.
///
/// # Errors
/// When it cannot be read, with where it is kept.
pub fn understand(folder: &Path, json: &str) -> Result<RunResult> {
    RunResult::from_json(json).map_err(|error| {
        let error = anyhow::Error::from(error).context("cannot read the page's result");
        match write(folder, "unreadable", "result", json, "") {
            Ok(written) => error.context(format!("the page's result is kept as it is in {}", written.json.display())),
            Err(_) => error,
        }
    })
}

/// Reads a result file.
///
/// # Errors
/// When it cannot be read or is no result.
pub fn read(path: &Path) -> Result<RunResult> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    RunResult::from_json(&text).with_context(|| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_never_overwritten() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let folder = folder.path().join("new/results");
        let first = write(&folder, "2026-08-31T12:34:56.789Z", "chromium", "1", "<p>1").expect("written");
        let second = write(&folder, "2026-08-31T12:34:56.999Z", "chromium", "2", "<p>2").expect("written");
        assert_eq!(first.json, folder.join("2026-08-31T12-34-56-chromium.json"));
        assert_eq!(second.html, folder.join("2026-08-31T12-34-56-chromium-2.html"));
        for (written, text) in [(&first, "1"), (&second, "2")] {
            assert_eq!(fs::read_to_string(&written.json).expect("there"), text);
            assert_eq!(fs::read_to_string(&written.html).expect("there"), format!("<p>{text}"));
        }
        assert_eq!(fs::read_dir(&folder).expect("there").count(), 4, "nothing temporary is left");
    }

    #[test]
    fn what_can_be_made_again_is_replaced_and_results_beside_it_are_not() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let table = folder.path().join("table.md");
        for text in ["1", "2"] {
            replace(&table, text).expect("written");
            write_result(folder.path(), "2026-08-31T12:34:56Z", "chromium", text).expect("written");
        }
        assert_eq!(fs::read_to_string(&table).expect("there"), "2");
        assert_eq!(fs::read_dir(folder.path()).expect("there").count(), 3, "a table and two results");
    }

    #[test]
    fn a_result_of_another_kind_is_kept() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let error = format!("{:#}", understand(folder.path(), "{}").expect_err("no result"));
        let kept = folder.path().join("unreadable-result.json");
        assert!(error.contains(kept.to_str().expect("a plain name")), "{error}");
        assert_eq!(fs::read_to_string(kept).expect("there"), "{}");
    }

    #[test]
    fn half_a_pair_is_left_alone() {
        for ending in ["html", "json"] {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let there = folder.path().join(format!("2026-08-31T12-34-56-firefox.{ending}"));
            fs::write(&there, "mine").expect("writable");
            let written = write(folder.path(), "2026-08-31T12:34:56Z", "firefox", "1", "<p>1").expect("written");
            assert_eq!(written.json, folder.path().join("2026-08-31T12-34-56-firefox-2.json"));
            assert_eq!(fs::read_to_string(there).expect("there"), "mine");
        }
    }

    #[test]
    fn no_start_makes_a_path() {
        assert_eq!(date_time("../../etc/passwd"), "------etc-passwd");
        assert_eq!(date_time(""), "undated");
    }
}
