//! The page as plain files, for any host that serves files.
//!
//! Hosts that read a `_headers` file (Netlify, Cloudflare Pages and others) then send what this program's own server sends. On others the page works too,
//! but browsers give it a coarser clock, which it says.

use std::fmt::Write as _;
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::server::{HEADERS, Site};

/// Lists what was written, so that it can be replaced, and nothing else is. Hosts serve no file whose name begins with a dot, or do no harm by it.
const LIST: &str = ".opfs-bench-site";

/// Writes the site into a folder that is new, empty, or was written by this before. Returns the number of files.
///
/// # Errors
/// When the folder holds something else, or cannot be written.
pub fn write(site: &Site, folder: &Path) -> Result<usize> {
    fs::create_dir_all(folder).with_context(|| format!("cannot create the folder {}", folder.display()))?;
    let list = folder.join(LIST);
    if list.is_file() {
        remove(folder, &list).with_context(|| format!("cannot replace the site in {}", folder.display()))?;
    } else if fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?.next().is_some() {
        bail!("{} is not empty, and was not written by this program: name a folder that is new or empty", folder.display());
    }
    let mut files = site.files()?;
    files.push(("_headers".to_owned(), headers().into()));
    if let Some((name, _)) = files.iter().find(|(name, _)| folder.join(name).exists()) {
        bail!("{} was not written by this program, and stands where the site's own file would: move it away", folder.join(name).display());
    }
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    // The list comes first: should the rest not be written whole, the next attempt can replace it.
    fs::write(&list, names.join("\n") + "\n").with_context(|| format!("cannot write {}", list.display()))?;
    for (name, bytes) in &files {
        let path = folder.join(name);
        let written = fs::create_dir_all(path.parent().context("a file has a folder")?).and_then(|()| {
            let mut file = fs::File::create_new(&path)?;
            std::io::Write::write_all(&mut file, bytes)
        });
        written.with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(files.len())
}

/// Removes the files of the list, and folders that are empty then. What was added by others stays.
fn remove(folder: &Path, list: &Path) -> Result<()> {
    let text = fs::read_to_string(list)?;
    for name in text.lines() {
        let name = Path::new(name);
        // Whatever became of the list, nothing outside is removed.
        if !name.components().all(|part| matches!(part, Component::Normal(_))) {
            bail!("{} names {}, which is not inside the folder", list.display(), name.display());
        }
        match fs::remove_file(folder.join(name)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
        let folders: Vec<PathBuf> =
            name.ancestors().skip(1).filter(|path| !path.as_os_str().is_empty()).map(|path| folder.join(path)).collect();
        for folder in folders {
            // One that is not empty stays.
            let _ = fs::remove_dir(folder);
        }
    }
    Ok(())
}

/// The headers of every file, as such hosts read them.
fn headers() -> String {
    let mut text = "/*\n".to_owned();
    for (name, value) in HEADERS {
        let _ = writeln!(text, "  {name}: {value}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(files: &[(&str, &str)]) -> (tempfile::TempDir, Site) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let needed = [("index.html", "page"), ("pkg/opfs_bench_bg.wasm", "wasm")];
        for (name, text) in needed.iter().chain(files) {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
            fs::write(path, text).expect("writable");
        }
        let site = Site::folder(folder.path()).expect("a page");
        (folder, site)
    }

    fn files(folder: &Path) -> Vec<String> {
        let mut found = Vec::new();
        let mut folders = vec![folder.to_owned()];
        while let Some(next) = folders.pop() {
            for entry in fs::read_dir(next).expect("there").map(|entry| entry.expect("readable").path()) {
                let name = entry.strip_prefix(folder).expect("inside").display().to_string();
                if entry.is_dir() { folders.push(entry) } else { found.push(name) }
            }
        }
        found.sort();
        found
    }

    #[test]
    fn what_a_browser_asks_for_is_written_with_the_headers() {
        let more =
            [("pkg/snippets/a/b.js", ""), ("pkg/.gitignore", "*"), ("pkg/opfs_bench.d.ts", ""), ("pkg/package.json", ""), (".env", "")];
        let (_source, site) = page(&more);
        let folder = tempfile::tempdir().expect("a temporary folder");
        let folder = folder.path().join("new/site");
        assert_eq!(write(&site, &folder).expect("written"), 4);
        assert_eq!(files(&folder), [LIST, "_headers", "index.html", "pkg/opfs_bench_bg.wasm", "pkg/snippets/a/b.js"]);
        assert_eq!(fs::read_to_string(folder.join("index.html")).expect("there"), "page");
        let headers = fs::read_to_string(folder.join("_headers")).expect("there");
        assert!(headers.starts_with("/*\n  ") && headers.contains("\n  cross-origin-embedder-policy: require-corp\n"), "{headers}");
        assert!(headers.contains("'wasm-unsafe-eval'"), "{headers}");
    }

    #[test]
    fn a_site_is_replaced_and_what_others_added_stays() {
        let (_old, old) = page(&[("gone/old.js", "")]);
        let (_new, new) = page(&[("new.js", "")]);
        let folder = tempfile::tempdir().expect("a temporary folder");
        write(&old, folder.path()).expect("written");
        fs::write(folder.path().join("CNAME"), "example.org").expect("writable");
        write(&new, folder.path()).expect("replaced");
        assert_eq!(files(folder.path()), [LIST, "CNAME", "_headers", "index.html", "new.js", "pkg/opfs_bench_bg.wasm"]);
        assert!(!folder.path().join("gone").exists());
    }

    #[test]
    fn a_folder_that_others_filled_is_left_alone() {
        let (_source, site) = page(&[]);
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::write(folder.path().join("thesis.txt"), "mine").expect("writable");
        let error = write(&site, folder.path()).expect_err("not empty").to_string();
        assert!(error.contains("is not empty, and was not written by this program"), "{error}");
        assert_eq!(files(folder.path()), ["thesis.txt"]);
    }

    #[test]
    fn a_file_of_others_in_a_site_is_not_overwritten() {
        let (_old, old) = page(&[]);
        let (_new, new) = page(&[("new.js", "ours")]);
        let folder = tempfile::tempdir().expect("a temporary folder");
        write(&old, folder.path()).expect("written");
        fs::write(folder.path().join("new.js"), "mine").expect("writable");
        for _ in 0..2 {
            let error = write(&new, folder.path()).expect_err("it is there").to_string();
            assert!(error.contains("new.js was not written by this program"), "{error}");
            assert_eq!(fs::read_to_string(folder.path().join("new.js")).expect("there"), "mine");
        }
    }

    #[test]
    fn a_list_that_leads_outside_removes_nothing() {
        let (_source, site) = page(&[]);
        let outside = tempfile::tempdir().expect("a temporary folder");
        let folder = outside.path().join("site");
        fs::create_dir(&folder).expect("writable");
        for victim in ["victim", "site/kept"] {
            fs::write(outside.path().join(victim), "mine").expect("writable");
        }
        let absolute = outside.path().join("victim").display().to_string();
        for name in ["../victim", absolute.as_str()] {
            fs::write(folder.join(LIST), name).expect("writable");
            let error = format!("{:#}", write(&site, &folder).expect_err("outside"));
            assert!(error.contains("not inside the folder"), "{error}");
            assert!(outside.path().join("victim").is_file());
        }
    }
}
