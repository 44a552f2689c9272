//! What a person may change of a preset without writing a job: a few of its numbers, and which of its methods take part.

use super::check::LARGEST_SIZE;
use super::{BadJob, Group, Job, MethodName, Mistake, Open, Rw};
use crate::json;
use crate::units::Bytes;

/// Changes to a job. What is None stays as the job has it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters {
    /// [`Job::budget_s`].
    pub budget_s: Option<f64>,
    /// The bytes of one op in groups that read files in blocks. Where an op is a whole file, `filesize` says how large it is.
    pub bs: Option<Bytes>,
    /// fio's `filesize`: the bytes of each file.
    pub filesize: Option<Bytes>,
    /// The number of files in groups that have several; in all groups where none has.
    pub nrfiles: Option<u32>,
    /// [`Group::iodepth`], in all groups.
    pub iodepth: Option<u32>,
    /// The methods that take part, of those that the job names. Baselines always do; a group that is left with its baseline alone is left out.
    pub methods: Option<Vec<MethodName>>,
}

/// The names of the parameters, in the order in which they are shown.
pub const PARAMETERS: [&str; 6] = ["budget_s", "bs", "filesize", "nrfiles", "iodepth", "methods"];

impl Parameters {
    /// From names and values as an address holds them: `bs` and `64KiB`.
    ///
    /// # Errors
    /// With every name that is no parameter, and every value that cannot be one. Whether values fit a job is [`Job::with`]'s to say.
    pub fn from_pairs<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, BadJob> {
        let mut parameters = Self::default();
        let mut mistakes = Vec::new();
        for (name, value) in pairs {
            if let Err(problem) = parameters.set(name, value.trim()) {
                mistakes.push(mistake(name, problem));
            }
        }
        if mistakes.is_empty() { Ok(parameters) } else { Err(BadJob { mistakes }) }
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let whole = || value.parse().map_err(|_| format!("“{value}” is no whole number"));
        let size = || value.parse().map_err(|error: crate::units::BadSize| error.to_string());
        match name {
            "budget_s" => self.budget_s = Some(json::number(value).ok_or_else(|| format!("“{value}” is no number of seconds"))?),
            "bs" => self.bs = Some(size()?),
            "filesize" => self.filesize = Some(size()?),
            "nrfiles" => self.nrfiles = Some(whole()?),
            "iodepth" => self.iodepth = Some(whole()?),
            "methods" => {
                let names = value.split(',').map(|name| name.trim().parse::<MethodName>().map_err(|error| error.to_string()));
                self.methods = Some(names.collect::<Result<_, _>>()?);
            }
            _ => return Err(format!("there is no such parameter; there are: {}", PARAMETERS.join(", "))),
        }
        Ok(())
    }

    /// The names and values that [`Self::from_pairs`] reads as these parameters.
    #[must_use]
    pub fn pairs(&self) -> Vec<(&'static str, String)> {
        let size = |bytes: Bytes| bytes.to_string().replace(' ', "");
        let values = [
            self.budget_s.map(|seconds| seconds.to_string()),
            self.bs.map(size),
            self.filesize.map(size),
            self.nrfiles.map(|files| files.to_string()),
            self.iodepth.map(|depth| depth.to_string()),
            self.methods.as_ref().map(|methods| methods.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")),
        ];
        PARAMETERS.into_iter().zip(values).filter_map(|(name, value)| Some((name, value?))).collect()
    }

    /// The same for people: `10 s, blocks of 64 KiB`.
    #[must_use]
    pub fn told(&self) -> String {
        let told = [
            self.budget_s.map(|seconds| format!("{seconds} s")),
            self.bs.map(|bs| format!("blocks of {bs}")),
            self.filesize.map(|size| format!("files of {size}")),
            self.nrfiles.map(|files| if files == 1 { "1 file".into() } else { format!("{files} files") }),
            self.iodepth.map(|depth| format!("iodepth {depth}")),
            self.methods
                .as_ref()
                .map(|methods| format!("only {}", methods.iter().map(ToString::to_string).collect::<Vec<_>>().join(" and "))),
        ];
        told.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// Those that change something in this job.
    #[must_use]
    pub fn changing(&self, job: &Job) -> Self {
        let changes = |alone: Self| {
            let changed = alone.applied(job.clone());
            (changed.budget_s, &changed.groups) != (job.budget_s, &job.groups)
        };
        let none = Self::default;
        Self {
            budget_s: self.budget_s.filter(|value| changes(Self { budget_s: Some(*value), ..none() })),
            bs: self.bs.filter(|value| changes(Self { bs: Some(*value), ..none() })),
            filesize: self.filesize.filter(|value| changes(Self { filesize: Some(*value), ..none() })),
            nrfiles: self.nrfiles.filter(|value| changes(Self { nrfiles: Some(*value), ..none() })),
            iodepth: self.iodepth.filter(|value| changes(Self { iodepth: Some(*value), ..none() })),
            methods: self.methods.clone().filter(|value| changes(Self { methods: Some(value.clone()), ..none() })),
        }
    }

    /// Sizes and numbers of files cannot be chosen beside files of a person's own.
    ///
    /// # Errors
    /// With each that was.
    pub fn check_with_own(&self) -> Result<(), BadJob> {
        let given = [("filesize", self.filesize.is_some()), ("nrfiles", self.nrfiles.is_some())].into_iter().filter(|(_, given)| *given);
        let mistakes: Vec<Mistake> =
            given.map(|(name, _)| mistake(name, "own files are as many and as large as they are: take this out".into())).collect();
        if mistakes.is_empty() { Ok(()) } else { Err(BadJob { mistakes }) }
    }

    /// The job with them, unchecked. Titles that no longer hold are replaced.
    fn applied(&self, mut job: Job) -> Job {
        job.budget_s = self.budget_s.unwrap_or(job.budget_s);
        let several = job.groups.iter().any(|group| group.nrfiles > 1);
        for group in &mut job.groups {
            let before = group.clone();
            let whole_files = group.whole_files();
            let file_size = self.filesize.unwrap_or(group.fileset().file_size);
            if group.nrfiles > 1 || !several {
                group.nrfiles = self.nrfiles.unwrap_or(group.nrfiles);
            }
            group.size = Bytes(file_size.0.saturating_mul(u64::from(group.nrfiles)));
            group.bs = if whole_files { file_size } else { self.bs.unwrap_or(group.bs) };
            group.iodepth = self.iodepth.unwrap_or(group.iodepth);
            // A group of no files has no title either; it is refused.
            if *group != before && group.nrfiles > 0 {
                group.title = title(group);
            }
            if let Some(methods) = &self.methods {
                group.methods.retain(|method| methods.contains(method));
            }
        }
        if self.methods.is_some() {
            job.groups.retain(|group| !group.methods.is_empty());
        }
        job
    }

    /// What cannot be applied to the job, whatever the values.
    fn unfit(&self, job: &Job) -> Vec<Mistake> {
        let mut mistakes = Vec::new();
        let mut add = |name: &str, problem: String| mistakes.push(mistake(name, problem));
        if self.bs.is_some() && job.groups.iter().all(Group::whole_files) {
            add("bs", "every group of this preset reads whole files: change filesize instead".into());
        }
        let compared = job.methods();
        for method in self.methods.iter().flatten().filter(|method| !compared.contains(method)) {
            let known: Vec<String> = compared.iter().map(ToString::to_string).collect();
            add("methods", format!("no group of this preset compares {method}; there are: {}", known.join(", ")));
        }
        mistakes
    }
}

/// Of a parameter, which stands on no line.
fn mistake(name: &str, problem: String) -> Mistake {
    Mistake { line: None, place: name.into(), field: None, problem }
}

impl Job {
    /// The job with changes, which its title then tells. Storage is allowed as far as the browser grants it: a person has asked for it.
    ///
    /// # Errors
    /// With everything that does not fit.
    pub fn with(&self, parameters: &Parameters) -> Result<Self, BadJob> {
        let changing = parameters.changing(self);
        // A parameter without effect may be one that cannot have any.
        let mistakes = parameters.unfit(self);
        let mut job = changing.applied(self.clone());
        if changing != Parameters::default() {
            job.title = format!("{} (with {})", job.title, changing.told());
            job.storage = LARGEST_SIZE;
        }
        if !mistakes.is_empty() {
            return Err(BadJob { mistakes });
        }
        job.check(|_| Vec::new(), |_| Vec::new())?;
        Ok(job)
    }

    /// Every method that is compared with a baseline, each once.
    #[must_use]
    pub fn methods(&self) -> Vec<&MethodName> {
        let mut methods: Vec<&MethodName> = Vec::new();
        for method in self.groups.iter().flat_map(|group| &group.methods) {
            if !methods.contains(&method) {
                methods.push(method);
            }
        }
        methods
    }
}

/// What a group reads, as the presets' own titles say it.
pub(super) fn title(group: &Group) -> String {
    let what = match &group.own {
        Some(own) => with_own(group, &own.files(group.nrfiles)),
        None => with_generated(group),
    };
    let opened = if group.open == Open::Each { ", opened each time" } else { "" };
    let in_flight = if group.iodepth > 1 { format!(", {} in flight", group.iodepth) } else { String::new() };
    what + opened + &in_flight
}

/// Only reading groups have own files.
fn with_own(group: &Group, own: &str) -> String {
    let bs = group.bs;
    match (group.whole_files(), group.rw) {
        (true, Rw::RandRead) => format!("{own}, read whole in a random order"),
        (true, Rw::ReadBackwards) => format!("{own}, read whole, the last first"),
        (true, _) => format!("{own}, read whole"),
        (false, Rw::RandRead) => format!("random {bs} reads in {own}"),
        (false, Rw::ReadBackwards) => format!("{bs} reads from the end on in {own}"),
        (false, _) => format!("{own} in order by {bs}"),
    }
}

fn with_generated(group: &Group) -> String {
    let file_size = group.fileset().file_size;
    let (bs, files) = (group.bs, group.nrfiles);
    match (group.whole_files(), group.rw, files) {
        (true, Rw::Read | Rw::RandRead, 1) => format!("a whole file of {file_size}"),
        (true, Rw::Read | Rw::RandRead, _) => format!("{files} whole files of {file_size}"),
        (false, Rw::Read, 1) => format!("a {file_size} file in order by {bs}"),
        (false, Rw::Read, _) => format!("{files} files of {file_size} in order by {bs}"),
        (false, Rw::RandRead, 1) => format!("random {bs} reads in a {file_size} file"),
        (false, Rw::RandRead, _) => format!("random {bs} reads in {files} files of {file_size}"),
        (_, rw, _) => {
            let what = match rw {
                Rw::RandWrite => format!("random {bs} writes in"),
                Rw::Write => format!("{bs} writes in order in"),
                Rw::ReadBackwards => format!("{bs} reads from the end on in"),
                Rw::Copy => "copying".into(),
                Rw::Lock => "a lock for each of".into(),
                _ => "opening and closing".into(),
            };
            let files = if files == 1 { "a file".into() } else { format!("{files} files") };
            format!("{what} {files} of {file_size}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quick() -> Job {
        Job::from_toml(Job::preset("quick").expect("shipped")).expect("valid")
    }

    fn parameters(pairs: &[(&str, &str)]) -> Parameters {
        Parameters::from_pairs(pairs.iter().copied()).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn they_round_trip() {
        let all = [
            ("budget_s", "12.5"),
            ("bs", "64KiB"),
            ("filesize", "1MiB"),
            ("nrfiles", "7"),
            ("iodepth", "4"),
            ("methods", "worker/sync,rpc/transfer"),
        ];
        let read = parameters(&all);
        assert_eq!(read.pairs(), all.map(|(name, value)| (name, value.to_owned())));
        assert_eq!(parameters(&[("bs", " 65536 ")]).pairs(), [("bs", "64KiB".to_owned())]);
        assert_eq!(PARAMETERS, all.map(|(name, _)| name));
    }

    #[test]
    fn a_job_is_changed_where_it_applies_and_says_so() {
        let job =
            quick().with(&parameters(&[("bs", "8KiB"), ("nrfiles", "10"), ("filesize", "64KiB"), ("budget_s", "30")])).expect("valid");
        let read: Vec<(u64, u64, u32)> = job.groups.iter().map(|group| (group.bs.0, group.size.0, group.nrfiles)).collect();
        assert_eq!(read, [(64 << 10, 640 << 10, 10), (8 << 10, 64 << 10, 1), (8 << 10, 64 << 10, 1)]);
        let titles: Vec<&str> = job.groups.iter().map(|group| group.title.as_str()).collect();
        assert_eq!(
            titles,
            ["10 whole files of 64 KiB, opened each time", "random 8 KiB reads in a 64 KiB file", "a 64 KiB file in order by 8 KiB"]
        );
        assert_eq!(
            job.title,
            "Sync handles in a worker against promises on the main thread (with blocks of 8 KiB, files of 64 KiB, 10 files)"
        );
        assert_eq!(job.budget_s, 30.0);
    }

    #[test]
    fn what_is_the_jobs_own_changes_nothing() {
        let job = quick();
        let own =
            parameters(&[("budget_s", "30"), ("iodepth", "1"), ("methods", "rpc/transfer,worker/sync,worker/slice,worker/array-buffer")]);
        assert_eq!(own.changing(&job), Parameters::default());
        assert_eq!(job.with(&own).expect("valid"), job);
    }

    #[test]
    fn methods_are_chosen_among_the_jobs_own() {
        let job = quick().with(&parameters(&[("methods", "worker/array-buffer")])).expect("valid");
        assert_eq!(job.groups.len(), 1);
        assert_eq!(job.groups[0].methods.len(), 1);
    }

    #[test]
    fn a_mistake_says_what_is_allowed() {
        let read = |pairs: &[(&str, &str)]| Parameters::from_pairs(pairs.iter().copied()).expect_err("wrong").to_string();
        let told = read(&[("budget_s", "long"), ("bs", "4 KiX"), ("nrfiles", "1.5"), ("speed", "3"), ("methods", "sync")]);
        assert_eq!(told.lines().count(), 5, "{told}");
        for words in
            ["“long” is no number", "`4 KiX` is not a size", "“1.5” is no whole", "there are: budget_s, bs", "`sync` is not a method"]
        {
            assert!(told.contains(words), "{words}: {told}");
        }
        let unfit = |pairs: &[(&str, &str)]| quick().with(&parameters(pairs)).expect_err("unfit").to_string();
        let told = unfit(&[("methods", "main/bytes")]);
        assert!(told.contains("no group of this preset compares main/bytes; there are: worker/array-buffer, "), "{told}");
        let told = unfit(&[("budget_s", "0"), ("bs", "7"), ("nrfiles", "0")]);
        for words in
            ["job, budget_s: 0 s; allowed are 1 to 86400", "bs: 7 B do not divide a file", "nrfiles: 0 files; allowed are 1 to 10000"]
        {
            assert!(told.contains(words), "{words}: {told}");
        }
        let whole = Job { groups: quick().groups[..1].to_vec(), ..quick() };
        let told = whole.with(&parameters(&[("bs", "4KiB")])).expect_err("no blocks").to_string();
        assert!(told.contains("change filesize instead"), "{told}");
        for pairs in [[("filesize", "16777216GiB")], [("nrfiles", "4294967295")]] {
            unfit(&pairs);
        }
    }
}
