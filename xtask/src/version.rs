//! Versions, as programs print them.

use std::path::Path;
use std::process::{Command, Stdio};

/// The first word that looks like a version in what a program prints for `--version`: `0.2.130` in `wasm-bindgen 0.2.130 (abc)`.
pub fn in_text(text: &str) -> Option<&str> {
    let looks_like_one = |word: &&str| {
        let mut parts = word.split('.');
        parts.clone().count() >= 2 && parts.all(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit()))
    };
    text.lines().next()?.split_whitespace().find(looks_like_one)
}

/// What the program prints for `--version`. None where it cannot be run.
pub fn printed(program: &Path) -> Option<String> {
    let output = Command::new(program).arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_as_each_tool_prints_them() {
        for (text, version) in [
            ("wasm-bindgen 0.2.130\n", Some("0.2.130")),
            ("wasm-bindgen 0.2.130 (0f1e2d3c4)\n", Some("0.2.130")),
            ("wasm-pack 0.15.1\n", Some("0.15.1")),
            ("geckodriver 0.37.1 (6f3f1d 2026-01-01 12:00 +0000)\n\nThe source code of 9.9.9\n", Some("0.37.1")),
            ("geckodriver\n0.37.1\n", None),
            ("unknown\n", None),
            ("", None),
        ] {
            assert_eq!(in_text(text), version, "{text:?}");
        }
    }
}
