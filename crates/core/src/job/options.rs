//! What one arm does otherwise than its group says: `pool/sync:numjobs=2`, `main/array-buffer:iodepth=50,open=kept`.
//!
//! Only what says how a method reads, never what is read: all arms of a group do the same work.

use std::fmt;
use std::str::FromStr;

use super::{Group, MethodName, Open, Thread};

/// Options of an arm. What is None is as the group says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Options {
    /// [`Group::open`].
    pub open: Option<Open>,
    /// [`Group::iodepth`].
    pub iodepth: Option<u32>,
    /// [`Group::numjobs`].
    pub numjobs: Option<u32>,
}

/// What may follow a method's name.
const ALLOWED: &str = "open=each, open=kept, iodepth=NUMBER and numjobs=NUMBER, with commas between them";

impl Options {
    /// Whether all is as the group says.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }

    fn set(&mut self, option: &str) -> Result<(), String> {
        let (name, value) = option.split_once('=').ok_or_else(|| format!("`{option}` is no option; allowed are {ALLOWED}"))?;
        let number = || value.parse().map_err(|_| format!("{name} is `{value}`; allowed are whole numbers from 1 on"));
        let twice = match name {
            "open" => {
                let open = match value {
                    "each" => Open::Each,
                    "kept" => Open::Kept,
                    _ => return Err(format!("open is `{value}`; allowed are each and kept")),
                };
                self.open.replace(open).is_some()
            }
            "iodepth" => self.iodepth.replace(number()?).is_some(),
            "numjobs" => self.numjobs.replace(number()?).is_some(),
            _ => return Err(format!("there is no option `{name}`; allowed are {ALLOWED}")),
        };
        if twice { Err(format!("{name} stands twice")) } else { Ok(()) }
    }
}

impl FromStr for Options {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut options = Self::default();
        text.split(',').try_for_each(|option| options.set(option))?;
        Ok(options)
    }
}

/// As a name has them, in an order of their own: the same options are the same text.
impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let open = self.open.map(|open| format!("open={}", open.name()));
        let numbers = [("iodepth", self.iodepth), ("numjobs", self.numjobs)];
        let numbers = numbers.into_iter().filter_map(|(name, number)| Some(format!("{name}={}", number?)));
        f.write_str(&open.into_iter().chain(numbers).collect::<Vec<_>>().join(","))
    }
}

impl Group {
    /// The workload as this arm has it: the group's, but for the options of its name.
    #[must_use]
    pub fn of_arm(&self, method: &MethodName) -> Self {
        let Options { open, iodepth, numjobs } = method.options();
        Self {
            open: open.unwrap_or(self.open),
            iodepth: iodepth.unwrap_or(self.iodepth),
            numjobs: numjobs.unwrap_or(self.numjobs),
            ..self.clone()
        }
    }

    /// How many workers read for an arm.
    #[must_use]
    pub fn workers(&self, method: &MethodName) -> u32 {
        if method.thread() == Thread::Pool { method.options().numjobs.unwrap_or(self.numjobs) } else { 1 }
    }

    /// The baseline and the methods that are compared with it, once each.
    pub fn named(&self) -> impl Iterator<Item = &MethodName> {
        std::iter::once(&self.baseline).chain(&self.methods)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Job;

    fn name(text: &str) -> Result<MethodName, String> {
        text.parse().map_err(|error: crate::job::BadMethodName| error.to_string())
    }

    #[test]
    fn the_same_options_are_the_same_name_however_they_are_written() {
        let one = name("main/slice:iodepth=4,open=kept").expect("well formed");
        assert_eq!(one, name("main/slice:open=kept,iodepth=4").expect("well formed"));
        assert_eq!(one.to_string(), "main/slice:open=kept,iodepth=4");
        assert_eq!(one.plain().to_string(), "main/slice");
        assert_ne!(one, one.plain());
    }

    #[test]
    fn an_arm_does_what_its_options_say_and_otherwise_what_its_group_says() {
        let job = Job::from_toml(Job::preset("quick").expect("shipped")).expect("valid");
        let group = Group { numjobs: 4, ..job.groups[0].clone() };
        let own = group.of_arm(&name("pool/sync:open=kept,numjobs=2").expect("well formed"));
        assert_eq!((own.open, own.iodepth, own.numjobs), (Open::Kept, 1, 2));
        assert_eq!(group.of_arm(&name("pool/sync").expect("well formed")), group);
        for (method, workers) in [("pool/sync", 4), ("pool/sync:numjobs=2", 2), ("worker/sync", 1)] {
            assert_eq!(group.workers(&name(method).expect("well formed")), workers, "{method}");
        }
    }

    #[test]
    fn what_is_no_option_is_told_with_what_is_allowed() {
        for (text, told) in [
            ("main/slice:", "`` is no option; allowed are open=each, open=kept, iodepth=NUMBER"),
            ("main/slice:kept", "`kept` is no option; allowed are"),
            ("main/slice:bs=4096", "there is no option `bs`; allowed are"),
            ("main/slice:open=often", "open is `often`; allowed are each and kept"),
            ("main/slice:iodepth=-1", "iodepth is `-1`; allowed are whole numbers"),
            ("main/slice:iodepth=many", "iodepth is `many`"),
            ("main/slice:iodepth=2,iodepth=2", "iodepth stands twice"),
            ("main/slice:iodepth=2, numjobs=2", "there is no option ` numjobs`"),
        ] {
            let error = name(text).expect_err(text);
            assert!(error.starts_with(&format!("`{text}`")) && error.contains(told), "{text}: {error}");
        }
    }
}
