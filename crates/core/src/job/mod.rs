//! A job says what to measure: a TOML file with a budget and groups. A preset is a job that ships in `fixtures/`.

mod check;
#[cfg(test)]
mod document;
mod method;
mod mistake;
mod names;
mod options;
mod own;
mod parameters;
mod read;
mod timing;

use serde::{Deserialize, Serialize};

pub use check::{MOST_FILES, MOST_KEPT_FILES};
pub use method::{BadMethodName, MethodName, Thread};
pub use mistake::{BadJob, Mistake, Problem};
pub use options::Options;
pub use own::{Fitting, LeftOut, Own, OwnFile};
pub use parameters::{PARAMETERS, Parameters};
pub use timing::Timing;

use crate::units::{Bytes, Nanos};

include!(concat!(env!("OUT_DIR"), "/presets.rs"));

/// What to measure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// A short name, of lower-case letters, digits and hyphens.
    pub name: String,
    /// One line for people.
    pub title: String,
    /// Seconds of measuring, all groups together. Writing fixtures and checking bytes come on top.
    pub budget_s: f64,
    /// The storage that the job may fill at most, at a time: a group's files are removed when no later group reads them.
    pub storage: Bytes,
    /// The groups, in the order in which they run. In TOML: `[[group]]`.
    #[serde(rename = "group")]
    pub groups: Vec<Group>,
    /// What a person's own files do not fit ([`Job::with_own`]). No job file has it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, schemars(skip))]
    pub left_out: Vec<LeftOut>,
}

/// One workload and the methods that compete on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// A short name, unlike the job's other groups.
    pub name: String,
    /// One line for people: `random 4 KiB reads in a 32 MiB file`.
    pub title: String,
    /// What an op does, and in which order blocks are read or written.
    pub rw: Rw,
    /// Bytes of one op: one read or one write. Where files are copied, an op is a whole file, and this is how much goes from one to the
    /// other at a time.
    pub bs: Bytes,
    /// Bytes of all the group's files together, as in fio.
    pub size: Bytes,
    /// Over how many files of the same size they are spread.
    #[serde(default = "one")]
    pub nrfiles: u32,
    /// Whether a file is opened for every op or once.
    pub open: Open,
    /// fio's `iodepth`: how many reads a method keeps in flight. When one ends, the next op begins. A synchronous method reads one at a
    /// time whatever is asked for, as fio's synchronous engines do; its arm says so ([`crate::result::Arm::iodepth`]).
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub iodepth: u32,
    /// fio's `numjobs`: how many workers a method of a pool has (`pool/sync` ...). They share a batch's ops, so that more workers do
    /// the same work, not more of it; each keeps `iodepth` reads in flight. Other methods ignore it.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub numjobs: u32,
    /// fio's `fsync`: flush after so many writes. 0: never, so that what was measured is *buffered*: the calls have returned, and the
    /// bytes may be in a cache. A writable has no flush; what makes its bytes the file's is to close it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub fsync: u32,
    /// fio's `end_fsync`: flush all that a sample wrote at its end, in its time. A writable that is kept open is closed then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub end_fsync: bool,
    /// How the ops of a sample are timed.
    #[serde(default, skip_serializing_if = "Timing::is_default")]
    pub timing: Timing,
    /// fio's `rate_iops`: so many ops a second are offered to each method. None: the next op begins when the last one has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_iops: Option<u32>,
    /// The method that the others are compared with. After its name may stand what it does otherwise than the group says, as
    /// `open`, `iodepth` and `numjobs`: `worker/sync:open=kept`, `pool/slice:iodepth=4,numjobs=2`.
    pub baseline: MethodName,
    /// The methods that are compared with it. One may stand here several times, each time with other options.
    pub methods: Vec<MethodName>,
    /// A person's own files, which it reads in place of generated ones ([`Job::with_own`]). No job file has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(skip))]
    pub own: Option<Own>,
}

pub(crate) fn one() -> u32 {
    1
}

/// Files leave such a number out of a group or an arm, as they did before there was a choice.
#[allow(clippy::trivially_copy_pass_by_ref)] // serde passes it so
pub(crate) fn is_one(number: &u32) -> bool {
    *number == 1
}

/// As [`is_one`], for a number that is 0 unless it is given.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// fio's `rw`: what an arm's ops do, and in which order. Beside fio's words there are those of other benchmarks of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Rw {
    /// Block after block, file after file.
    Read,
    /// Every block once in a random order, then in another one, as fio's random map does it.
    RandRead,
    /// The last block first, as `IOzone`'s test of this name does it. OPFS has no call that seeks: each read says where it begins.
    #[serde(rename = "read-backwards")]
    ReadBackwards,
    /// Overwrites block after block, file after file.
    Write,
    /// Overwrites every block once in a random order, then in another one.
    RandWrite,
    /// Copies a whole file to another, which is emptied first. File after file.
    Copy,
    /// Looks a file up, opens it and closes it again; nothing is read. File after file.
    Open,
    /// Takes an exclusive lock named after a file by the Web Locks API and gives it back. File after file.
    Lock,
}

/// What an op does to the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// It reads a block.
    Read,
    /// It overwrites a block.
    Write,
    /// It copies a file.
    Copy,
    /// It opens a file and closes it.
    Open,
    /// It takes a lock and gives it back.
    Lock,
}

impl Rw {
    /// As a job spells it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::RandRead => "randread",
            Self::ReadBackwards => "read-backwards",
            Self::Write => "write",
            Self::RandWrite => "randwrite",
            Self::Copy => "copy",
            Self::Open => "open",
            Self::Lock => "lock",
        }
    }

    /// What an op does.
    #[must_use]
    pub fn work(self) -> Work {
        match self {
            Self::Read | Self::RandRead | Self::ReadBackwards => Work::Read,
            Self::Write | Self::RandWrite => Work::Write,
            Self::Copy => Work::Copy,
            Self::Open => Work::Open,
            Self::Lock => Work::Lock,
        }
    }
}

/// When files are opened and closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Open {
    /// An op looks its file up, opens it, reads and closes it.
    Each,
    /// All files are opened before the first sample.
    Kept,
}

impl Open {
    /// As a job spells it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Each => "each",
            Self::Kept => "kept",
        }
    }
}

impl Job {
    /// Reads a job from TOML and checks it.
    ///
    /// # Errors
    /// Every mistake at once, each with its line: lines that are no TOML; and otherwise fields that there are none of, that are missing or
    /// hold something of the wrong type, values out of their range, and values that make no sense together.
    pub fn from_toml(text: &str) -> Result<Self, BadJob> {
        Self::from_toml_with(text, |_| Vec::new(), |_| Vec::new())
    }

    /// The same with further things to check in each group and, where all groups are right, in the job: the methods, which only the part
    /// in the browser knows.
    ///
    /// # Errors
    /// As [`Self::from_toml`].
    pub fn from_toml_with(
        text: &str,
        of_group: impl Fn(&Group) -> Vec<Problem>,
        of_job: impl Fn(&Self) -> Vec<Problem>,
    ) -> Result<Self, BadJob> {
        let mut read = read::Read::new(text)?;
        read.add(None, check::job(&read.job));
        for number in 0..read.job.groups.len() {
            read.add(Some(number), check::group(&read.job, number));
            read.add(Some(number), of_group(&read.job.groups[number]));
        }
        if read.mistakes.is_empty() {
            let mut problems = check::whole(&read.job);
            problems.extend(of_job(&read.job));
            read.add(None, problems);
        }
        read.finish()
    }

    /// Checks a job that stands in no file, as [`Self::from_toml_with`] checks one that does.
    ///
    /// # Errors
    /// All values that make no sense.
    pub fn check(&self, of_group: impl Fn(&Group) -> Vec<Problem>, of_job: impl Fn(&Self) -> Vec<Problem>) -> Result<(), BadJob> {
        let at = |place: &str, problem: Problem| Mistake {
            line: None,
            place: place.to_owned(),
            field: Some(problem.field.into()),
            problem: problem.text,
        };
        let mut mistakes: Vec<Mistake> = check::job(self).into_iter().map(|problem| at("job", problem)).collect();
        for (number, group) in self.groups.iter().enumerate() {
            let place = format!("group {}", group.name);
            mistakes.extend(check::group(self, number).into_iter().chain(of_group(group)).map(|problem| at(&place, problem)));
        }
        if mistakes.is_empty() {
            mistakes.extend(check::whole(self).into_iter().chain(of_job(self)).map(|problem| at("job", problem)));
        }
        if mistakes.is_empty() { Ok(()) } else { Err(BadJob { mistakes }) }
    }

    /// The text of a preset.
    #[must_use]
    pub fn preset(name: &str) -> Option<&'static str> {
        PRESETS.iter().find(|(preset, _)| *preset == name).map(|(_, text)| *text)
    }

    /// The names of all presets.
    pub fn presets() -> impl Iterator<Item = &'static str> {
        PRESETS.iter().map(|(name, _)| *name)
    }

    /// The files that the job needs: groups whose files have the same number and size read the same ones.
    #[must_use]
    pub fn filesets(&self) -> Vec<Fileset> {
        let mut filesets: Vec<Fileset> = Vec::new();
        for group in &self.groups {
            if !filesets.contains(&group.fileset()) {
                filesets.push(group.fileset());
            }
        }
        filesets
    }

    /// The bytes that the job writes.
    #[must_use]
    pub fn written(&self) -> Bytes {
        Bytes(self.filesets().iter().map(|fileset| fileset.bytes().0).sum())
    }

    /// The files that are there while the group at this place is measured: they are written before the first group that reads them, and
    /// removed after the last.
    #[must_use]
    pub fn filesets_during(&self, index: usize) -> Vec<Fileset> {
        let reads = |fileset: &Fileset, groups: &[Group]| groups.iter().any(|group| group.fileset() == *fileset);
        self.filesets()
            .into_iter()
            .filter(|fileset| reads(fileset, &self.groups[..=index]) && reads(fileset, &self.groups[index..]))
            .collect()
    }

    /// The most bytes of files that are there at a time.
    #[must_use]
    pub fn held(&self) -> Bytes {
        let during = |index| self.filesets_during(index).iter().map(|fileset| fileset.bytes().0).sum();
        Bytes((0..self.groups.len()).map(during).max().unwrap_or(0))
    }

    /// The budget as a duration.
    #[must_use]
    pub fn budget(&self) -> Nanos {
        Nanos::from_s(self.budget_s)
    }
}

impl Group {
    /// The files that the group reads.
    #[must_use]
    pub fn fileset(&self) -> Fileset {
        let generated = || Fileset { nrfiles: self.nrfiles, file_size: Bytes(self.size.0 / u64::from(self.nrfiles.max(1))), own: None };
        self.own.as_ref().map_or_else(generated, |own| own.fileset)
    }

    /// The bytes of the files that it opens: of own files also those that are in no block.
    #[must_use]
    pub fn file_bytes(&self) -> Bytes {
        self.own.as_ref().map_or(self.size, |own| own.bytes)
    }

    /// Whether its ops are of different lengths: files of a person's own, read whole.
    #[must_use]
    pub fn is_uneven(&self) -> bool {
        self.own.as_ref().is_some_and(|own| own.whole)
    }

    /// Whether its ops change files: copies of the fixture's, one for each method.
    #[must_use]
    pub fn writes(&self) -> bool {
        matches!(self.rw.work(), Work::Write | Work::Copy)
    }

    /// The bytes that one op reads or writes: the mean, rounded down, where ops are of different lengths.
    #[must_use]
    pub fn op_bytes(&self) -> Bytes {
        match self.rw.work() {
            Work::Read if self.is_uneven() => Bytes(self.size.0 / u64::from(self.nrfiles.max(1))),
            Work::Read | Work::Write => self.bs,
            Work::Copy => self.fileset().file_size,
            Work::Open | Work::Lock => Bytes(0),
        }
    }

    /// The bytes that so many ops read or write. Where ops are of different lengths that is exact of whole passes, and of other numbers what they
    /// have in the mean.
    #[must_use]
    pub fn moved(&self, ops: u64) -> u64 {
        if self.is_uneven() {
            let bytes = u128::from(ops) * u128::from(self.size.0) / u128::from(self.blocks());
            return u64::try_from(bytes).unwrap_or(u64::MAX);
        }
        ops.saturating_mul(self.op_bytes().0)
    }

    /// Whether an op is a whole file.
    #[must_use]
    pub fn whole_files(&self) -> bool {
        self.own.as_ref().map_or_else(|| self.bs == self.fileset().file_size, |own| own.whole)
    }

    /// How many ops read everything once: what a pass is. At least 1, also of a group that no job can have.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        if self.is_uneven() {
            return u64::from(self.nrfiles.max(1));
        }
        (self.size.0 / self.bs.0.max(1)).max(1)
    }
}

/// A number of files of one size, filled from the run's seed; or a person's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fileset {
    /// How many files.
    pub nrfiles: u32,
    /// The bytes of each; of own files, of the largest.
    pub file_size: Bytes,
    /// What else is known of own files. None of those that are generated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<OwnSizes>,
}

/// The sizes of a person's own files, beside the largest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnSizes {
    /// The bytes of all files.
    pub total: Bytes,
    /// The bytes of the smallest.
    pub smallest: Bytes,
}

impl Fileset {
    /// The bytes of all files.
    #[must_use]
    pub fn bytes(&self) -> Bytes {
        self.own.map_or_else(|| Bytes(u64::from(self.nrfiles).saturating_mul(self.file_size.0)), |own| own.total)
    }
}

/// For people: `own files, 37 of 1.2 KiB to 4 MiB`; of generated ones, `50 files of 20 KiB`.
impl std::fmt::Display for Fileset {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.own {
            Some(OwnSizes { smallest, .. }) => f.write_str(&own::files(self.nrfiles, smallest, self.file_size)),
            None => {
                write!(f, "{} of {}", if self.nrfiles == 1 { "1 file".into() } else { format!("{} files", self.nrfiles) }, self.file_size)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_a_valid_job_of_its_own_name() {
        assert!(Job::presets().any(|name| name == "quick"));
        for name in Job::presets() {
            let job = Job::from_toml(Job::preset(name).expect("listed")).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(job.name, name);
        }
    }

    #[test]
    fn words_are_named_as_files_spell_them() {
        for rw in [Rw::Read, Rw::RandRead, Rw::ReadBackwards, Rw::Write, Rw::RandWrite, Rw::Copy, Rw::Open, Rw::Lock] {
            assert_eq!(serde_json::to_value(rw).expect("a word"), rw.name());
        }
        for open in [Open::Each, Open::Kept] {
            assert_eq!(serde_json::to_value(open).expect("a word"), open.name());
        }
    }

    #[test]
    fn quick_is_what_the_page_promises() {
        let job = Job::from_toml(Job::preset("quick").expect("shipped")).expect("valid");
        assert!(job.budget() <= Nanos::from_s(30.0));
        assert!(job.written() <= Bytes(64 << 20), "{}", job.written());
        assert_eq!(job.groups.len(), 3);
    }

    #[test]
    fn groups_with_the_same_files_share_them() {
        let job = Job::from_toml(Job::preset("quick").expect("shipped")).expect("valid");
        let filesets = job.filesets();
        assert_eq!(filesets.len(), 2);
        assert_eq!(job.written().0, filesets.iter().map(|files| files.bytes().0).sum::<u64>());
    }
}
