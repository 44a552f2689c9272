//! Programs for tests.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Writes a shell script that can be run at once.
///
/// Another process writes it. Were it this one, a thread that starts a program in the same moment would hand the open file on
/// to it, and a file that is open for writing cannot be run ("Text file busy").
pub fn program(file: &Path, script: &str) {
    fs::create_dir_all(file.parent().expect("in a folder")).expect("writable");
    let write = r#"printf '#!/bin/sh\n%s\n' "$2" > "$1" && chmod 755 "$1""#;
    let status = Command::new("sh").args(["-c", write, "sh"]).arg(file).arg(script).status().expect("a POSIX system");
    assert!(status.success(), "cannot write {}", file.display());
}
