//! Standard output: what a person or another program asked for, and nothing else.

use std::io::{self, ErrorKind, Write};

use anyhow::{Context, Result};

/// Prints text and a line's end. A reader that has seen enough, such as `head`, is no error.
///
/// # Errors
/// When standard output cannot be written otherwise.
pub fn print(text: &str) -> Result<()> {
    let mut output = io::stdout().lock();
    match writeln!(output, "{text}").and_then(|()| output.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other.context("cannot write to standard output"),
    }
}
