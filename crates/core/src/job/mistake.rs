//! What is wrong with a job, said to a person: the line, the field, what was found, and what is allowed.

use std::fmt;

/// A job that cannot be run, and all that is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .mistakes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct BadJob {
    /// At least one, in the order of their lines as far as these are known.
    pub mistakes: Vec<Mistake>,
}

/// One thing that is wrong with a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The line of the job's text, from 1. None where it is of no line: a field that is missing at the top.
    pub line: Option<usize>,
    /// Where: `job`, or `group small-files`.
    pub place: String,
    /// The field: `nrfiles`. None where the line as such is no TOML.
    pub field: Option<String>,
    /// What was found and what is allowed.
    pub problem: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        f.write_str(&self.place)?;
        if let Some(field) = &self.field {
            write!(f, ", {field}")?;
        }
        write!(f, ": {}", self.problem)
    }
}

/// What is wrong with a value that has the right type. Its place and line are found by who reads the job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The field.
    pub field: &'static str,
    /// The entry of `methods` or the `baseline` that it is the matter of, where it is one's.
    pub method: Option<String>,
    /// Further fields without which it would be none, where several do not fit together.
    pub with: &'static [&'static str],
    /// What was found and what is allowed.
    pub text: String,
}

impl Problem {
    /// Of one field alone.
    #[must_use]
    pub fn of(field: &'static str, text: String) -> Self {
        Self { field, method: None, with: &[], text }
    }
}
