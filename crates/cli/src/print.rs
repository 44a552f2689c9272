//! Standard output: what a person or another program asked for, and nothing else. Standard error: all that is said beside it.

use std::fmt;
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

/// Says a line on standard error; [`tell!`](crate::tell) formats it. Where nobody takes it, a run goes on all the same, and its result is kept.
pub fn tell(line: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// `eprintln!` that ends nothing where standard error cannot be written.
#[macro_export]
macro_rules! tell {
    ($($line:tt)*) => { $crate::print::tell(format_args!($($line)*)) };
}
