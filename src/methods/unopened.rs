//! Why a method could not be opened: the browser lacks something, which is no one's fault, or a call failed.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::opfs::{self, OpfsError};

/// Why a method could not be opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unopened {
    /// The browser does not have it.
    Absent {
        /// What is missing: `Blob.prototype.bytes`.
        missing: String,
    },
    /// A call failed.
    Failed {
        /// The error in full.
        error: String,
    },
}

impl Unopened {
    /// The browser does not have this.
    pub fn absent(missing: &str) -> Self {
        Self::Absent { missing: missing.to_owned() }
    }

    /// An error where something of these is not there; each is a path from the global object.
    pub fn unless_here(paths: &[&str]) -> Result<(), Self> {
        paths.iter().try_for_each(|path| if opfs::is_here(path) { Ok(()) } else { Err(Self::absent(path)) })
    }
}

impl fmt::Display for Unopened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent { missing } => write!(f, "not in this browser: {missing}"),
            Self::Failed { error } => f.write_str(error),
        }
    }
}

impl From<OpfsError> for Unopened {
    fn from(error: OpfsError) -> Self {
        error.to_string().into()
    }
}

impl From<String> for Unopened {
    fn from(error: String) -> Self {
        Self::Failed { error }
    }
}
