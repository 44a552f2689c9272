//! Finds the one file that a path may mean: a plain file inside the page's folder, with no dot at the start of any name.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use percent_encoding::percent_decode_str;
use tower::ServiceExt;
use tower_http::services::ServeFile;

/// Answers with the file, or 404. `ServeFile` knows types, ranges and `ETag`, and refuses methods other than GET and HEAD.
pub(super) async fn serve(State(root): State<Arc<PathBuf>>, request: Request) -> Response {
    let Some(file) = find(&root, request.uri().path()) else {
        return (StatusCode::NOT_FOUND, "There is no such file.\n").into_response();
    };
    match ServeFile::new(file).oneshot(request).await {
        Ok(response) => response.into_response(),
        Err(never) => match never {},
    }
}

/// The file of a path, if it may be seen. `root` has no links in it.
fn find(root: &Path, path: &str) -> Option<PathBuf> {
    let mut file = root.to_owned();
    let relative = path.strip_prefix('/')?;
    for encoded in if relative.is_empty() { "index.html" } else { relative }.split('/') {
        let name = percent_decode_str(encoded).decode_utf8().ok()?;
        // Slashes that were encoded, Windows' own separators and drive letters, NUL and the like.
        let odd = |c: char| matches!(c, '/' | '\\' | ':') || c.is_control();
        if name.is_empty() || name.starts_with('.') || name.contains(odd) {
            return None;
        }
        file.push(&*name);
    }
    // A link inside the folder may lead anywhere: what counts is where it ends.
    let file = file.canonicalize().ok()?;
    let hidden = |name: &std::ffi::OsStr| name.as_encoded_bytes().starts_with(b".");
    let visible = !file.strip_prefix(root).ok()?.iter().any(hidden);
    (visible && file.is_file()).then_some(file)
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
        for (path, file) in [("/", "index.html"), ("/index.html", "index.html"), ("/pkg/a%20b.js", "pkg/a b.js")] {
            assert_eq!(find(&root, path), Some(root.join(file)), "{path}");
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
            assert_eq!(find(&root, path), None, "{path}");
        }
    }
}
