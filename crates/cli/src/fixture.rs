//! A person's own files, which a run copies and measures in place of made-up ones: `--fixture`.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use opfs_bench_core::job::MOST_FILES;

/// So many names stand in an error.
const NAMED: usize = 5;

/// The files, in the order in which they were named, those of folders by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fixture {
    files: Vec<(PathBuf, u64)>,
}

impl Fixture {
    /// The files of these paths: a file itself, and of a folder all regular files in it and below. Names that begin with a dot, and links
    /// inside of folders, are left out.
    ///
    /// # Errors
    /// When one is not there, empty or not readable, a folder has none, or they are too many.
    pub fn gather(paths: &[PathBuf]) -> Result<Self> {
        let mut found = Vec::new();
        for path in paths {
            let metadata = fs::metadata(path).with_context(|| format!("cannot take files from {}", path.display()))?;
            if metadata.is_dir() {
                let before = found.len();
                walk(path, &mut found)?;
                if found.len() == before {
                    bail!("the folder {} holds no files (those whose names begin with a dot, and links, are left out)", path.display());
                }
            } else if metadata.is_file() {
                found.push(path.clone());
            } else {
                bail!("{} is neither a file nor a folder", path.display());
            }
        }
        let mut files = Vec::with_capacity(found.len());
        for path in found {
            // What cannot be read is told now, and not when a browser runs.
            let opened = File::open(&path).and_then(|file| file.metadata());
            let size = opened.with_context(|| format!("cannot read {}", path.display()))?.len();
            files.push((path, size));
        }
        let empty: Vec<String> = files.iter().filter(|(_, size)| *size == 0).map(|(path, _)| path.display().to_string()).collect();
        if !empty.is_empty() {
            let more = if empty.len() > NAMED { format!(" and {} more", empty.len() - NAMED) } else { String::new() };
            bail!("there is nothing to read in {}{more}: leave empty files out", empty[..empty.len().min(NAMED)].join(", "));
        }
        Ok(Self { files })
    }

    /// Whether there are any.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Their sizes in bytes.
    #[must_use]
    pub fn sizes(&self) -> Vec<u64> {
        self.files.iter().map(|(_, size)| *size).collect()
    }

    /// Where they are.
    #[must_use]
    pub fn paths(&self) -> Vec<PathBuf> {
        self.files.iter().map(|(path, _)| path.clone()).collect()
    }

    /// One of them, with its size.
    #[must_use]
    pub fn file(&self, number: usize) -> Option<(&Path, u64)> {
        self.files.get(number).map(|(path, size)| (path.as_path(), *size))
    }
}

/// Everything below a folder, by name.
fn walk(folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    let unreadable = || format!("cannot read the folder {}", folder.display());
    let mut entries = fs::read_dir(folder).and_then(Iterator::collect::<std::io::Result<Vec<_>>>).with_context(unreadable)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        // Of a link it is that of the link, which may lead anywhere.
        let kind = entry.file_type().with_context(unreadable)?;
        if kind.is_dir() {
            walk(&entry.path(), found)?;
        } else if kind.is_file() {
            found.push(entry.path());
        }
        // It need not be walked to its end.
        if found.len() > MOST_FILES as usize {
            bail!("{} and other folders hold more than {MOST_FILES} files, the most that are measured at once", folder.display());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(paths: &[PathBuf]) -> String {
        format!("{:#}", Fixture::gather(paths).expect_err("bad"))
    }

    #[test]
    fn a_folder_s_files_come_in_the_order_of_their_names_without_links_and_dot_files() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("in/b/deep")).expect("writable");
        fs::create_dir_all(at("in/.git")).expect("writable");
        for (name, size) in [("in/c", 3), ("in/a", 1), ("in/b/deep/x", 2), ("in/.hidden", 9), ("in/.git/config", 9), ("outside", 7)] {
            fs::write(at(name), vec![b'x'; size]).expect("writable");
        }
        #[cfg(unix)]
        for (to, name) in [("outside", "in/link"), ("in", "in/b/loop")] {
            std::os::unix::fs::symlink(at(to), at(name)).expect("writable");
        }
        let found = Fixture::gather(&[at("outside"), at("in")]).expect("there");
        assert_eq!(found.paths(), ["outside", "in/a", "in/b/deep/x", "in/c"].map(at));
        assert_eq!(found.sizes(), [7, 1, 2, 3]);
        assert_eq!(found.file(1), Some((at("in/a").as_path(), 1)));
        assert_eq!(found.file(4), None);
    }

    #[test]
    fn what_cannot_be_measured_is_told_before_a_browser_starts() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let at = |name: &str| folder.path().join(name);
        let error = told(&[at("nowhere")]);
        assert!(error.contains("cannot take files from") && error.contains("nowhere") && error.contains("No such file"), "{error}");
        fs::create_dir(at("none")).expect("writable");
        fs::write(at("none/.hidden"), "x").expect("writable");
        assert!(told(&[at("none")]).contains("holds no files"));
        for name in ["e1", "e2", "e3", "e4", "e5", "e6", "full"] {
            fs::write(at(name), if name == "full" { "x" } else { "" }).expect("writable");
        }
        let error = told(&[folder.path().to_owned()]);
        assert!(error.starts_with("there is nothing to read in ") && error.contains("e5 and 1 more: leave empty files out"), "{error}");
        #[cfg(unix)]
        assert!(told(&["/dev/null".into()]).contains("neither a file nor a folder"));
    }
}
