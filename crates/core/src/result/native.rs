//! The same workload by the operating system's own reads: what the browser costs on top can be seen beside it.

use serde::{Deserialize, Serialize};

use super::group::GroupRecord;
use crate::estimate::GroupEstimates;

/// What came of a group's workload outside the browser.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "state", try_from = "Fields")]
pub enum Native {
    /// It was measured.
    Measured(Box<NativeReads>),
    /// It could not be.
    Failed {
        /// What failed, where, and what a person can do.
        error: String,
    },
}

/// The fields of either as a file has them. What serde makes of a tagged enum reads it into a value of any shape first, and then all of a
/// record's types from that: a second copy of the code that reads a result, a tenth of the page's download.
#[derive(Deserialize)]
struct Fields {
    state: State,
    record: Option<GroupRecord>,
    estimates: Option<GroupEstimates>,
    place: Option<NativePlace>,
    error: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum State {
    Measured,
    Failed,
}

impl TryFrom<Fields> for Native {
    type Error = String;

    fn try_from(fields: Fields) -> Result<Self, String> {
        fn present<T>(name: &str, field: Option<T>) -> Result<T, String> {
            field.ok_or_else(|| format!("missing field `{name}`"))
        }
        Ok(match fields.state {
            State::Measured => Self::Measured(Box::new(NativeReads {
                record: present("record", fields.record)?,
                estimates: present("estimates", fields.estimates)?,
                place: present("place", fields.place)?,
            })),
            State::Failed => Self::Failed { error: present("error", fields.error)? },
        })
    }
}

impl Native {
    /// What was measured, if anything.
    #[must_use]
    pub fn reads(&self) -> Option<&NativeReads> {
        match self {
            Self::Measured(reads) => Some(reads),
            Self::Failed { .. } => None,
        }
    }
}

/// Reads of the same bytes, in the same order, by positioned reads of files on the same machine: after the browser had ended, in rounds of
/// their own, so that nothing of it is compared round by round with the browser's arms.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NativeReads {
    /// Raw samples of two arms: the baseline `native/read`, and the same once more as the null arm.
    pub record: GroupRecord,
    /// What follows: `estimate(&record, seed)`.
    pub estimates: GroupEstimates,
    /// Where.
    pub place: NativePlace,
}

/// Where files were read outside the browser.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NativePlace {
    /// The operating system: `Linux 6.12.1`.
    pub system: String,
    /// The kind of file system: `ext4`. None where that was not found out.
    pub file_system: Option<String>,
    /// The folder in which the files' own folder was, which is gone.
    pub folder: String,
}
