//! What is served: the page in a folder, or the one inside this program. A path means one visible file of it, or nothing.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use axum::body::Bytes;
use percent_encoding::percent_decode_str;
use tokio::task::spawn_blocking;

/// Files without which the page is none.
const NEEDED: [&str; 2] = ["index.html", "pkg/opfs_bench_bg.wasm"];

/// Where the page's files are.
#[derive(Clone, Debug)]
pub struct Site(Source);

#[derive(Clone, Debug)]
enum Source {
    /// A folder, with every link in its own path resolved.
    Folder(PathBuf),
    #[cfg(feature = "embed")]
    Embedded,
}

/// A file of the page.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Asset {
    /// Its path in the site: `pkg/opfs_bench.js`.
    pub(super) name: String,
    pub(super) bytes: Bytes,
}

impl Site {
    /// The page in this folder.
    ///
    /// # Errors
    /// When the folder does not hold the built page.
    pub fn folder(www: &Path) -> Result<Self> {
        let root = www.canonicalize().with_context(|| format!("cannot open the page's folder {}", www.display()))?;
        if let Some(missing) = NEEDED.iter().find(|needed| !root.join(needed).is_file()) {
            bail!("{} has no {missing}: build the page with `cargo xtask build`, or name its folder with --www", root.display());
        }
        Ok(Self(Source::Folder(root)))
    }

    /// The page in the folder that was named, else the one inside this program, else that of a checkout.
    ///
    /// # Errors
    /// Those of [`Site::folder`].
    pub fn choose(www: Option<&Path>) -> Result<Self> {
        match www {
            Some(folder) => Self::folder(folder),
            #[cfg(feature = "embed")]
            None => Ok(Self(Source::Embedded)),
            // Where a checkout has it.
            #[cfg(not(feature = "embed"))]
            None => Self::folder(Path::new("www")),
        }
    }

    /// All files that a browser may ask for, each with its path in the site.
    ///
    /// # Errors
    /// When one cannot be read.
    pub fn files(&self) -> Result<Vec<(String, Bytes)>> {
        match &self.0 {
            Source::Folder(root) => {
                let mut found = Vec::new();
                walk(root, &mut Vec::new(), &mut found).with_context(|| format!("cannot read the page in {}", root.display()))?;
                found.retain(|asset| !is_for_npm(&asset.name));
                found.sort_by(|a, b| a.name.cmp(&b.name));
                Ok(found.into_iter().map(|asset| (asset.name, asset.bytes)).collect())
            }
            #[cfg(feature = "embed")]
            Source::Embedded => Ok(embedded::all()),
        }
    }

    /// The file that a request's path means.
    pub(super) async fn find(&self, path: &str) -> Option<Asset> {
        let names = names(path)?;
        match &self.0 {
            Source::Folder(root) => {
                let root = root.clone();
                spawn_blocking(move || read(&root, &names)).await.ok()?
            }
            #[cfg(feature = "embed")]
            Source::Embedded => embedded::find(&names.join("/")),
        }
    }
}

/// What wasm-pack adds for npm, and no browser asks for.
fn is_for_npm(name: &str) -> bool {
    name.ends_with(".d.ts") || matches!(name, "pkg/package.json" | "pkg/README.md")
}

/// Everything below a folder that may be seen. `names` leads there.
fn walk(root: &Path, names: &mut Vec<String>, found: &mut Vec<Asset>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(root.join(names.iter().collect::<PathBuf>()))? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        if name.starts_with('.') {
            continue;
        }
        names.push(name);
        if entry.file_type()?.is_dir() {
            walk(root, names, found)?;
        } else {
            found.extend(read(root, names));
        }
        names.pop();
    }
    Ok(())
}

/// The names that a path is made of, from the site's root.
fn names(path: &str) -> Option<Vec<String>> {
    let relative = path.strip_prefix('/')?;
    let name = |encoded: &str| {
        let name = percent_decode_str(encoded).decode_utf8().ok()?;
        // Slashes that were encoded, Windows' own separators and drive letters, NUL and the like.
        let odd = |c: char| matches!(c, '/' | '\\' | ':') || c.is_control();
        (!name.is_empty() && !name.starts_with('.') && !name.contains(odd)).then(|| name.into_owned())
    };
    let relative = if relative.is_empty() { "index.html" } else { relative };
    relative.split('/').map(name).collect()
}

/// The file in the folder. A link inside it may lead anywhere: what counts is where it ends.
fn read(root: &Path, names: &[String]) -> Option<Asset> {
    let file = root.join(names.iter().collect::<PathBuf>()).canonicalize().ok()?;
    let hidden = |name: &std::ffi::OsStr| name.as_encoded_bytes().starts_with(b".");
    let visible = !file.strip_prefix(root).ok()?.iter().any(hidden);
    if !visible || !file.is_file() {
        return None;
    }
    Some(Asset { name: names.join("/"), bytes: std::fs::read(file).ok()?.into() })
}

#[cfg(feature = "embed")]
mod embedded {
    use std::borrow::Cow;

    use axum::body::Bytes;

    use super::Asset;

    /// Everything that a browser asks for. What wasm-pack adds for npm is left out.
    #[derive(rust_embed::Embed)]
    #[folder = "$CARGO_MANIFEST_DIR/../../www"]
    #[exclude = ".*"]
    #[exclude = "*/.*"]
    #[exclude = "pkg/*.d.ts"]
    #[exclude = "pkg/package.json"]
    #[exclude = "pkg/README.md"]
    struct Page;

    // Where this fails, the page is not built yet: `cargo xtask build` does it. A program without its page would be of no use.
    const _: &[u8] = include_bytes!("../../../../www/pkg/opfs_bench_bg.wasm");

    pub(super) fn all() -> Vec<(String, Bytes)> {
        Page::iter().filter_map(|name| find(&name).map(|asset| (asset.name, asset.bytes))).collect()
    }

    pub(super) fn find(name: &str) -> Option<Asset> {
        let bytes = match Page::get(name)?.data {
            Cow::Borrowed(bytes) => Bytes::from_static(bytes),
            Cow::Owned(bytes) => bytes.into(),
        };
        Some(Asset { name: name.to_owned(), bytes })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_path_means_a_visible_file_inside_the_folder_or_nothing() {
        let outside = tempfile::tempdir().expect("a temporary folder");
        let root = outside.path().canonicalize().expect("exists").join("www");
        fs::create_dir_all(root.join("pkg/.git")).expect("writable");
        for file in ["index.html", "pkg/a b.js", ".env", "pkg/.gitignore", "pkg/.git/config", "../secret"] {
            fs::write(root.join(file), file).expect("writable");
        }
        let find = |path: &str| read(&root, &names(path)?);
        for (path, file) in [("/", "index.html"), ("/index.html", "index.html"), ("/pkg/a%20b.js", "pkg/a b.js")] {
            assert_eq!(find(path), Some(Asset { name: file.to_owned(), bytes: Bytes::from_static(file.as_bytes()) }), "{path}");
        }
        for path in [
            "",
            "index.html",
            "//",
            "//index.html",
            "/pkg",
            "/pkg/",
            "/index.html/",
            "/pkg//a%20b.js",
            "/../secret",
            "/%2e%2e/secret",
            "/..%2fsecret",
            "/%2e%2e%2fsecret",
            "/pkg/../index.html",
            "/pkg%2fa%20b.js",
            "/..%5csecret",
            "/.env",
            "/%2eenv",
            "/pkg/.gitignore",
            "/pkg/.git/config",
            "/./index.html",
            "/index.html%00",
            "/%ff",
            "/C:/secret",
            "/none.js",
        ] {
            assert_eq!(find(path), None, "{path}");
        }
    }

    #[cfg(feature = "embed")]
    #[test]
    fn the_program_holds_the_whole_page_and_nothing_else() {
        for file in NEEDED {
            assert!(embedded::find(file).is_some_and(|found| !found.bytes.is_empty()), "{file}");
        }
        for file in ["pkg/.gitignore", "pkg/package.json", "pkg/opfs_bench.d.ts", "../Cargo.toml"] {
            assert_eq!(embedded::find(file), None, "{file}");
        }
    }
}
