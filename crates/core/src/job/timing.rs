//! How the ops of a sample are timed.

use serde::{Deserialize, Serialize};

/// How the ops of a sample are timed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Timing {
    /// All together: two readings of the clock for a batch that is long enough for it.
    #[default]
    Batches,
    /// In passes over everything: a sample reads each block of the group's files once, in files' order or in a random one, and times are
    /// told for a pass as well as for an op. Where a pass is too short for the clock, a sample is several whole ones.
    Passes,
    /// Each by itself: two readings of the clock around every op, for percentiles where the clock can see them.
    Ops,
}

impl Timing {
    /// Whether it is what a job gets that does not say. Files leave it out then, as they did before there was a choice.
    #[allow(clippy::trivially_copy_pass_by_ref)] // serde passes it so
    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{Group, Job};

    fn group() -> Group {
        Job::from_toml(Job::preset("quick").expect("shipped")).expect("valid").groups.remove(0)
    }

    #[test]
    fn files_from_before_there_was_a_choice_are_what_they_were() {
        let text = serde_json::to_string(&group()).expect("plain data");
        for later in ["timing", "rate_iops", "iodepth", "numjobs"] {
            assert!(!text.contains(later), "{text}");
        }
        assert_eq!(serde_json::from_str::<Group>(&text).expect("its own text"), group());
    }

    #[test]
    fn what_a_job_chose_stands_in_the_file() {
        let paced = Group { timing: Timing::Ops, rate_iops: Some(200), ..group() };
        let text = serde_json::to_string(&paced).expect("plain data");
        assert!(text.contains(r#""timing":"ops","rate_iops":200"#), "{text}");
        assert_eq!(serde_json::from_str::<Group>(&text).expect("its own text"), paced);
        let deep = Group { iodepth: 16, numjobs: 4, ..group() };
        let text = serde_json::to_string(&deep).expect("plain data");
        assert!(text.contains(r#""iodepth":16,"numjobs":4"#), "{text}");
        assert_eq!(serde_json::from_str::<Group>(&text).expect("its own text"), deep);
    }
}
