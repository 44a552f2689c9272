//! fio's job files and fio's results: what people have already, in and out.
//!
//! A job file goes through three steps, each a file: [`file`](mod@file) finds sections and options as fio's own parser does, [`options`]
//! says of every option of fio what becomes of it here, and [`convert`] makes a job of what is read. Nothing that would change what is
//! measured is passed over in silence: it is refused, or told as not used, with its line and why. [`export`] writes results as fio does.
//!
//! The meaning of each option is that of fio's `HOWTO.rst`, and was compared with what fio 3.33 does where that is less than clear.

pub mod convert;
pub mod export;
mod file;
mod number;
mod options;
mod text;

use std::fmt;

/// Something to tell of a line of a job file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// The line, from 1. None: the file as a whole.
    pub line: Option<usize>,
    /// What stands there: `direct=1`.
    pub found: String,
    /// What became of it and why, or what is allowed.
    pub what: String,
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        write!(f, "{}: {}", self.found, self.what)
    }
}

/// In the order of their lines, what is of the whole file last, and nothing twice: what a global section says holds in many.
fn in_order(mut told: Vec<Told>) -> Vec<Told> {
    told.sort_by_key(|told| (told.line.is_none(), told.line));
    let mut once: Vec<Told> = Vec::new();
    for told in told {
        if !once.contains(&told) {
            once.push(told);
        }
    }
    once
}

/// A job file that cannot be measured here, and every reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct Refused(pub Vec<Told>);
