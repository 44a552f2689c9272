//! Files of a person's own, in place of those that are generated: what each group of a job reads of them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::check::{self, LARGEST_BLOCK, LARGEST_SIZE, MOST_FILES};
use super::parameters::title;
use super::{BadJob, Fileset, Group, Job, MethodName, Mistake, OwnSizes, Problem, Timing, Work};
use crate::units::Bytes;

/// A pass over more than this takes longer than a sample may.
const LARGEST_PASS: Bytes = Bytes(1 << 30);

/// What a group reads of a person's own files. The group's `nrfiles` and `size` count what it reads, its `bs` is the largest op.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Own {
    /// All files that were chosen.
    pub fileset: Fileset,
    /// The smallest file that the group reads.
    pub smallest: Bytes,
    /// The largest.
    pub largest: Bytes,
    /// The bytes of all that it reads, with their ends that are shorter than a block.
    pub bytes: Bytes,
    /// Whether an op is a whole file. Else it is a block that lies wholly within one.
    pub whole: bool,
    /// The files that it reads, in their order. Results have only the sizes above: those of all files would tell much about them.
    #[serde(skip)]
    pub files: Arc<[OwnFile]>,
}

/// A file that a group reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnFile {
    /// Its place among all that were chosen.
    pub number: u32,
    /// Its bytes.
    pub size: Bytes,
}

/// What a job does not do with own files, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// A group, or a method of a group: `random 4 KiB reads in own files, 3 of 4 KiB to 1 MiB, worker/slice-js`.
    pub what: String,
    /// Why.
    pub why: String,
}

/// `own files, 37 of 1.2 KiB to 4 MiB`.
pub(super) fn files(nrfiles: u32, smallest: Bytes, largest: Bytes) -> String {
    match (nrfiles, smallest.rounded(), largest.rounded()) {
        (1, _, size) => format!("an own file of {size}"),
        (_, least, most) if least == most => format!("own files, {nrfiles} of {most}"),
        (_, least, most) => format!("own files, {nrfiles} of {least} to {most}"),
    }
}

impl Own {
    /// The group's files for people: `own files, 37 of 1.2 KiB to 4 MiB`.
    #[must_use]
    pub fn files(&self, nrfiles: u32) -> String {
        files(nrfiles, self.smallest, self.largest)
    }

    /// What the group leaves out of the files that were chosen, for people. None where it reads all of them.
    #[must_use]
    pub fn unread(&self, group: &Group) -> Option<String> {
        let files = self.fileset.nrfiles.saturating_sub(group.nrfiles);
        let bytes = Bytes(self.fileset.bytes().0.saturating_sub(group.size.0));
        if bytes.0 == 0 {
            return None;
        }
        let whole =
            if files == 0 { String::new() } else { format!(", of them {files} whole {}", if files == 1 { "file" } else { "files" }) };
        let why = if self.whole { format!("larger than {LARGEST_BLOCK}") } else { format!("shorter than a block of {}", group.bs) };
        Some(format!("{} of {} are left out{whole}: {why}", bytes.rounded(), self.fileset.bytes().rounded()))
    }
}

/// Which methods fit a group, and which groups' methods fit together: what only the part in the browser knows.
pub trait Fitting {
    /// Why a method cannot read the group's files, if so.
    fn method(&self, group: &Group, method: &MethodName) -> Option<String>;
    /// Why the group's methods cannot be together, if so.
    fn group(&self, group: &Group) -> Option<String>;
}

/// Everything fits.
impl Fitting for () {
    fn method(&self, _: &Group, _: &MethodName) -> Option<String> {
        None
    }

    fn group(&self, _: &Group) -> Option<String> {
        None
    }
}

impl Job {
    /// The job with files of these sizes in place of those that its reading groups would generate. Groups that do anything else keep
    /// theirs. What does not fit these files is left out, and stands in [`Job::left_out`].
    ///
    /// # Errors
    /// With the files that cannot be measured, or where no group fits.
    pub fn with_own(&self, sizes: &[u64], fitting: &impl Fitting) -> Result<Self, BadJob> {
        let fileset = fileset(sizes).map_err(|problem| bad(vec![problem]))?;
        let mut job = Self { groups: Vec::new(), left_out: Vec::new(), ..self.clone() };
        for group in &self.groups {
            if group.rw.work() != Work::Read {
                job.groups.push(group.clone());
                continue;
            }
            match fitted(group, fileset, sizes, fitting, &mut job.left_out).and_then(|own| unlike(own, &job.groups)) {
                Ok(own) => job.groups.push(own),
                Err(why) => job.left_out.push(LeftOut { what: group.title.clone(), why }),
            }
        }
        if !job.groups.iter().any(|group| group.own.is_some()) {
            let none = "no group of this job reads files, so that own files would change nothing: choose another job";
            let why = job.left_out.iter().map(|left| format!("{}: {}", left.what, left.why));
            let mut problems: Vec<String> = why.collect();
            problems.insert(0, if problems.is_empty() { none } else { "no group of this job can read these files" }.into());
            return Err(bad(problems));
        }
        job.title = format!("{} (with {fileset})", job.title);
        job.storage = LARGEST_SIZE;
        Ok(job)
    }

    /// Puts the files' sizes, which no result has, back into the groups of a job out of one.
    ///
    /// # Errors
    /// Where these are not the files that it was made for.
    pub fn restore_own(&mut self, sizes: &[u64]) -> Result<(), BadJob> {
        let fileset = fileset(sizes).map_err(|problem| bad(vec![problem]))?;
        for group in &mut self.groups {
            let bs = group.bs;
            let Some(own) = &mut group.own else { continue };
            let files = read(sizes, own.whole, bs);
            if own.fileset != fileset || files.len() as u64 != u64::from(group.nrfiles) {
                return Err(bad(vec![format!("these are {fileset}, and the job was made for {}", own.fileset)]));
            }
            own.files = files.into();
        }
        Ok(())
    }
}

fn bad(problems: Vec<String>) -> BadJob {
    let mistake = |problem| Mistake { line: None, place: "own files".into(), field: None, problem };
    BadJob { mistakes: problems.into_iter().map(mistake).collect() }
}

fn fileset(sizes: &[u64]) -> Result<Fileset, String> {
    let (Some(least), Some(most)) = (sizes.iter().min(), sizes.iter().max()) else {
        return Err("none were chosen".into());
    };
    if let Some(place) = sizes.iter().position(|size| *size == 0) {
        return Err(format!("file {} of {} is empty: there is nothing to read, so leave it out", place + 1, sizes.len()));
    }
    let total = sizes.iter().fold(0_u64, |total, size| total.saturating_add(*size));
    let number = u32::try_from(sizes.len()).ok().filter(|number| *number <= MOST_FILES);
    let Some(nrfiles) = number else { return Err(format!("{} files; allowed are {MOST_FILES}", sizes.len())) };
    if Bytes(total) > LARGEST_SIZE {
        return Err(format!("{} in all; allowed are {LARGEST_SIZE}", Bytes(total).rounded()));
    }
    Ok(Fileset { nrfiles, file_size: Bytes(*most), own: Some(OwnSizes { total: Bytes(total), smallest: Bytes(*least) }) })
}

/// The files that a group reads.
fn read(sizes: &[u64], whole: bool, bs: Bytes) -> Vec<OwnFile> {
    let fits = |file: &OwnFile| if whole { file.size <= LARGEST_BLOCK } else { file.size >= bs };
    (0..).zip(sizes).map(|(number, size)| OwnFile { number, size: Bytes(*size) }).filter(fits).collect()
}

/// The group on own files, or why it cannot be. Methods that do not fit are noted.
fn fitted(group: &Group, fileset: Fileset, sizes: &[u64], fitting: &impl Fitting, left_out: &mut Vec<LeftOut>) -> Result<Group, String> {
    let whole = group.whole_files();
    let files = read(sizes, whole, group.bs);
    let (Some(smallest), Some(largest)) = (files.iter().map(|file| file.size).min(), files.iter().map(|file| file.size).max()) else {
        return Err(if whole {
            format!("each of them is larger than {LARGEST_BLOCK}, the most that is read at one go")
        } else {
            format!("none of them is as long as a block of {}; the longest has {}", group.bs, fileset.file_size)
        });
    };
    let bytes = Bytes(files.iter().map(|file| file.size.0).sum());
    let size = if whole { bytes } else { Bytes(files.iter().map(|file| file.size.0 / group.bs.0 * group.bs.0).sum()) };
    let mut own = Group {
        nrfiles: u32::try_from(files.len()).expect("as many as were chosen at most"),
        size,
        bs: if whole { largest } else { group.bs },
        // A sample that is no whole pass would read other files in one arm than in another whose sample is longer.
        timing: if whole && group.timing == Timing::Batches { Timing::Passes } else { group.timing },
        own: Some(Own { fileset, smallest, largest, bytes, whole, files: files.into() }),
        ..group.clone()
    };
    own.title = title(&own);
    if whole && size > LARGEST_PASS {
        return Err(format!("together they have {}; allowed are {LARGEST_PASS}, since a sample reads each of them once", size.rounded()));
    }
    let methods = std::mem::take(&mut own.methods);
    let alone = |method: &MethodName| Group { methods: vec![method.clone()], ..own.clone() };
    let unfit = |method: &MethodName| -> Option<String> {
        let of_method = |problem: &Problem| problem.method.as_deref() == Some(method.to_string().as_str());
        let problem = check::of_group(&alone(method)).into_iter().find(of_method);
        problem.map(|problem| problem.text).or_else(|| fitting.method(&own, method))
    };
    if let Some(why) = unfit(&own.baseline) {
        return Err(format!("its baseline does not fit: {why}"));
    }
    let (mut fit, mut out) = (Vec::new(), Vec::new());
    for method in methods {
        match unfit(&method) {
            None => fit.push(method),
            Some(why) => out.push(LeftOut { what: format!("{}, {method}", own.title), why }),
        }
    }
    if fit.is_empty() {
        return Err(out.into_iter().map(|left| left.why).collect::<Vec<_>>().join("; "));
    }
    own.methods = fit;
    if let Some(why) = check::of_group(&own).into_iter().map(|problem| problem.text).next().or_else(|| fitting.group(&own)) {
        return Err(why);
    }
    left_out.extend(out);
    Ok(own)
}

/// Groups that differed in their files alone are now the same: the first one stays.
fn unlike(group: Group, others: &[Group]) -> Result<Group, String> {
    let but_for_names = |of: &Group| Group { name: String::new(), title: String::new(), ..of.clone() };
    match others.iter().find(|other| but_for_names(other) == but_for_names(&group)) {
        Some(other) => Err(format!("with own files it is the same as “{}”", other.title)),
        None => Ok(group),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{Options, Rw};

    const SIZES: [u64; 5] = [1, 4097, (1 << 20) + 3, 700, 65_536];

    fn quick() -> Job {
        Job::from_toml(Job::preset("quick").expect("shipped")).expect("valid")
    }

    fn group<'a>(job: &'a Job, name: &str) -> &'a Group {
        job.groups.iter().find(|group| group.name == name).unwrap_or_else(|| panic!("{name} is not in {job:?}"))
    }

    #[test]
    fn each_group_reads_what_fits_it() {
        let job = quick().with_own(&SIZES, &()).expect("they fit");
        let total = SIZES.iter().sum::<u64>();
        let whole = group(&job, "small-files");
        assert_eq!((whole.nrfiles, whole.size.0, whole.bs.0, whole.timing), (5, total, (1 << 20) + 3, Timing::Passes));
        assert_eq!((whole.op_bytes().0, whole.blocks(), whole.moved(10)), (total / 5, 5, 2 * total));
        assert_eq!(whole.title, "own files, 5 of 1 B to 1 MiB, read whole, opened each time");
        assert_eq!(whole.own.as_ref().expect("own").unread(whole), None);
        let blocks = group(&job, "random-4k");
        let own = blocks.own.as_ref().expect("own");
        let read: Vec<u32> = own.files.iter().map(|file| file.number).collect();
        assert_eq!((read, blocks.nrfiles, blocks.size.0), (vec![1, 2, 4], 3, 4096 + (1 << 20) + 65_536));
        assert_eq!((own.bytes.0, blocks.timing, blocks.moved(3)), (4097 + (1 << 20) + 3 + 65_536, Timing::Batches, 3 * 4096));
        assert_eq!(blocks.title, "random 4 KiB reads in own files, 3 of 4 KiB to 1 MiB");
        assert_eq!(
            own.unread(blocks).as_deref(),
            Some("705 B of 1.07 MiB are left out, of them 2 whole files: shorter than a block of 4 KiB")
        );
        assert_eq!(group(&job, "in-order-1m").title, "an own file of 1 MiB in order by 1 MiB");
        assert_eq!(job.filesets().len(), 1, "all read the same files");
        assert_eq!((job.written().0, job.left_out.len()), (total, 0));
        assert!(job.title.ends_with("(with own files, 5 of 1 B to 1 MiB)"), "{}", job.title);
        job.check(|_| Vec::new(), |_| Vec::new()).expect("a job like any other");
    }

    #[test]
    fn what_does_not_fit_is_left_out_aloud() {
        let job = quick().with_own(&[700, 5000], &()).expect("some fit");
        let [left] = &job.left_out[..] else { panic!("{:?}", job.left_out) };
        assert_eq!(left.what, "a 32 MiB file in order by 1 MiB");
        assert_eq!(left.why, "none of them is as long as a block of 1 MiB; the longest has 5000 B");
        let many = quick().with_own(&[5000; 200], &()).expect("some fit");
        assert_eq!(many.groups.len(), 1);
        assert!(many.left_out[0].why.contains("would hold 200 files open; allowed are 128"), "{:?}", many.left_out);
        let large = quick().with_own(&[65 << 20, 4096], &()).expect("some fit");
        let whole = group(&large, "small-files");
        assert_eq!(whole.nrfiles, 1);
        let unread = whole.own.as_ref().expect("own").unread(whole).expect("the large one");
        assert_eq!(unread, "65 MiB of 65 MiB are left out, of them 1 whole file: larger than 64 MiB");
        let huge = quick().with_own(&[60 << 20; 20], &()).expect("blocks fit");
        assert!(huge.left_out[0].why.starts_with("together they have 1.17 GiB; allowed are 1 GiB"), "{:?}", huge.left_out);
    }

    #[test]
    fn groups_that_become_alike_are_measured_once() {
        let mut job = quick();
        let again = Group {
            name: "again".into(),
            title: "others".into(),
            nrfiles: 10,
            size: Bytes(10 << 10),
            bs: Bytes(1 << 10),
            ..job.groups[0].clone()
        };
        job.groups.push(again);
        let own = job.with_own(&SIZES, &()).expect("they fit");
        assert_eq!(own.groups.len(), 3);
        assert_eq!(own.left_out[0].what, "others");
        assert!(own.left_out[0].why.starts_with("with own files it is the same as “own files, 5 of"), "{:?}", own.left_out);
    }

    #[test]
    fn groups_that_do_not_read_keep_their_files() {
        let mut job = quick();
        job.groups[1].rw = Rw::RandWrite;
        let own = job.with_own(&SIZES, &()).expect("they fit");
        assert_eq!((own.groups[1].own.as_ref(), own.groups[1].size), (None, job.groups[1].size));
        job.groups.retain(|group| group.rw == Rw::RandWrite);
        let error = job.with_own(&SIZES, &()).expect_err("nothing is read").to_string();
        assert!(error.contains("no group of this job reads files"), "{error}");
    }

    #[test]
    fn methods_that_do_not_fit_are_left_out_and_a_baseline_takes_its_group_along() {
        struct No(&'static str);
        impl Fitting for No {
            fn method(&self, _: &Group, method: &MethodName) -> Option<String> {
                (method.plain().to_string() == self.0).then(|| "it cannot".into())
            }
            fn group(&self, _: &Group) -> Option<String> {
                None
            }
        }
        let job = quick().with_own(&SIZES, &No("worker/sync")).expect("others fit");
        assert!(job.groups.iter().all(|group| group.methods.iter().all(|method| method.plain().to_string() != "worker/sync")));
        assert_eq!(job.left_out[0].what, "own files, 5 of 1 B to 1 MiB, read whole, opened each time, worker/sync");
        assert_eq!((job.left_out.len(), job.left_out[0].why.as_str()), (3, "it cannot"));
        let job = quick().with_own(&SIZES, &No("main/slice")).expect("whole files fit");
        assert_eq!((job.groups.len(), job.left_out.len()), (1, 2));
        assert_eq!(job.left_out[0].why, "its baseline does not fit: it cannot");
        // An option of an arm of its own: too many files for handles that are kept open.
        let mut job = quick();
        job.groups.truncate(1);
        let kept: MethodName = "worker/sync:open=kept".parse().expect("a name");
        assert_eq!(kept.options(), Options { open: Some(super::super::Open::Kept), ..Options::default() });
        job.groups[0].methods.push(kept);
        let own = job.with_own(&[100; 129], &()).expect("the others fit");
        assert!(own.left_out.len() == 1 && own.left_out[0].why.contains("129 files open"), "{:?}", own.left_out);
    }

    #[test]
    fn files_that_cannot_be_measured_are_told() {
        let told = |sizes: &[u64]| quick().with_own(sizes, &()).expect_err("bad").to_string();
        assert!(told(&[]).contains("none were chosen"));
        assert!(told(&[5, 0, 7]).contains("file 2 of 3 is empty"));
        assert!(told(&vec![1; 10_001]).contains("10001 files; allowed are 10000"));
        assert!(told(&[1 << 40, 1]).contains("allowed are 1024 GiB"));
        assert!(told(&[u64::MAX, 1]).contains("allowed are 1024 GiB"));
    }

    #[test]
    fn a_result_has_no_sizes_of_single_files_and_they_can_be_put_back() {
        let job = quick().with_own(&SIZES, &()).expect("they fit");
        let text = serde_json::to_string(&job).expect("plain data");
        assert!(!text.contains("65536") && !text.contains("700"), "{text}");
        let mut again: Job = serde_json::from_str(&text).expect("its own text");
        assert_ne!(again, job);
        again.restore_own(&SIZES).expect("the same files");
        assert_eq!(again, job);
        let error = again.restore_own(&[1, 2]).expect_err("others").to_string();
        assert!(error.contains("own files, 2 of 1 B to 2 B, and the job was made for own files, 5 of 1 B to 1 MiB"), "{error}");
    }

    #[test]
    fn no_job_file_has_own_files() {
        let text = Job::preset("quick").expect("shipped");
        let text = format!("{text}\n[group.own]\nwhole = true\n");
        let error = Job::from_toml(&text).expect_err("recorded only").to_string();
        assert!(error.contains("own: there is no such field"), "{error}");
        let error = Job::from_toml(&format!("left_out = []\n{text}")).expect_err("recorded only").to_string();
        assert!(error.contains("left_out: there is no such field"), "{error}");
    }
}
