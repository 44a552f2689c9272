//! What a job must satisfy beyond being TOML of the right shape. All mistakes are found, not just the first.

use std::collections::HashSet;
use std::fmt;

use super::{Group, Job, Open, Timing, Work};
use crate::units::Bytes;

/// The largest block that is read in one op; above it, buffers of a phone's page run out.
const LARGEST_BLOCK: Bytes = Bytes(64 << 20);
/// The largest offset that JavaScript's numbers hold exactly is 2^53; this is well below and above any quota in sight.
const LARGEST_SIZE: Bytes = Bytes(1 << 40);
/// A list of more blocks than this takes more memory than a phone's page should.
const MOST_BLOCKS: u64 = 1 << 22;
/// Safari refuses more open files than about 252; half of that stays clear of it.
pub const MOST_KEPT_FILES: u32 = 128;
/// More files than this take longer to create than to measure.
const MOST_FILES: u32 = 10_000;
/// A copy of a file this large takes seconds, and an op is to take less than the 20 s after which nothing is waited for.
const LARGEST_COPIED: Bytes = Bytes(1 << 30);
/// A day. A longer budget is a mistake of units.
const LONGEST_BUDGET_S: f64 = 86_400.0;
/// More reads in flight than this are more than any browser works on at once: they would only wait.
const DEEPEST: u32 = 64;
/// So many workers take a gigabyte and more for themselves.
const MOST_WORKERS: u32 = 128;
/// An op every 10 µs, which is two ticks of the finest clock that browsers have: nothing faster can be scheduled by it.
const HIGHEST_RATE: u32 = 100_000;
/// More groups, or methods in one, than a person would read.
const MOST_ENTRIES: usize = 64;

/// A job that cannot be run, and all that is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .mistakes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct BadJob {
    /// At least one.
    pub mistakes: Vec<Mistake>,
}

/// One thing that is wrong with a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Where: `group small-files, nrfiles`, or a line.
    pub place: String,
    /// What was found and what is allowed.
    pub problem: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.problem)
    }
}

impl BadJob {
    pub(super) fn syntax(error: &toml::de::Error) -> Self {
        // The TOML library's own text shows the line and points at the place.
        Self { mistakes: vec![Mistake { place: "not a job".into(), problem: error.to_string().trim_end().to_owned() }] }
    }
}

pub(super) fn check(job: &Job) -> Vec<Mistake> {
    let mut mistakes = Mistakes { place: "job".into(), found: Vec::new() };
    mistakes.name(&job.name);
    mistakes.require(job.budget_s.is_finite() && job.budget_s >= 1.0 && job.budget_s <= LONGEST_BUDGET_S, "budget_s", || {
        format!("{} s; allowed are 1 to {LONGEST_BUDGET_S}", job.budget_s)
    });
    mistakes.require(!job.groups.is_empty() && job.groups.len() <= MOST_ENTRIES, "group", || {
        format!("{} groups; allowed are 1 to {MOST_ENTRIES}, each starting with [[group]]", job.groups.len())
    });
    let mut names = HashSet::new();
    for group in &job.groups {
        mistakes.place = format!("group {}", group.name);
        mistakes.name(&group.name);
        mistakes.require(names.insert(&group.name), "name", || "another group has the same name".into());
        check_group(group, &mut mistakes);
    }
    if mistakes.found.is_empty() {
        mistakes.place = "job".into();
        mistakes.require(job.written() <= job.storage, "storage", || {
            format!("{} allowed, but the groups' files take {}", job.storage, job.written())
        });
    }
    mistakes.found
}

fn check_group(group: &Group, mistakes: &mut Mistakes) {
    let Group { bs, size, nrfiles, .. } = *group;
    mistakes.require((1..=MOST_FILES).contains(&nrfiles), "nrfiles", || format!("{nrfiles} files; allowed are 1 to {MOST_FILES}"));
    mistakes.require(bs.0 >= 1 && bs <= LARGEST_BLOCK, "bs", || format!("{bs}; allowed are 1 B to {LARGEST_BLOCK}"));
    mistakes.require(size.0 >= 1 && size <= LARGEST_SIZE, "size", || format!("{size}; allowed are 1 B to {LARGEST_SIZE}"));
    if nrfiles >= 1 {
        let files = u64::from(nrfiles);
        mistakes
            .require(size.0.is_multiple_of(files), "size", || format!("{} B do not divide into {nrfiles} files of the same size", size.0));
        let file_size = size.0 / files;
        mistakes.require(bs.0 >= 1 && file_size >= bs.0 && file_size.is_multiple_of(bs.0), "bs", || {
            format!("{} B do not divide a file of {file_size} B into whole blocks", bs.0)
        });
        mistakes.require(bs.0 == 0 || size.0 / bs.0 <= MOST_BLOCKS, "bs", || {
            format!("{size} hold more than {MOST_BLOCKS} blocks of {bs}, the most that a group may have; take larger blocks")
        });
    }
    mistakes.require(group.open == Open::Each || nrfiles <= MOST_KEPT_FILES, "open", || {
        format!("\"kept\" would hold {nrfiles} files open; allowed are {MOST_KEPT_FILES}, since browsers limit open files")
    });
    check_depth(group, mistakes);
    check_work(group, mistakes);
    mistakes.require(group.rate_iops.is_none_or(|rate| (1..=HIGHEST_RATE).contains(&rate)), "rate_iops", || {
        format!("{} ops a second; allowed are 1 to {HIGHEST_RATE}", group.rate_iops.unwrap_or_default())
    });
    mistakes.require(group.rate_iops.is_none() || group.timing == Timing::Ops, "rate_iops", || {
        "only ops that are timed one by one can be offered at a rate; write timing = \"ops\" beside it, or leave the rate out".into()
    });
    mistakes.require(!group.methods.is_empty() && group.methods.len() <= MOST_ENTRIES, "methods", || {
        format!("{} methods; allowed are 1 to {MOST_ENTRIES} to compare with the baseline", group.methods.len())
    });
    let mut seen = HashSet::from([&group.baseline]);
    for method in &group.methods {
        mistakes.require(seen.insert(method), "methods", || {
            format!("{method} stands twice; the baseline is repeated as the null arm without being listed")
        });
    }
}

fn check_depth(group: &Group, mistakes: &mut Mistakes) {
    let Group { bs, iodepth, numjobs, .. } = *group;
    mistakes.require((1..=DEEPEST).contains(&iodepth), "iodepth", || format!("{iodepth} reads in flight; allowed are 1 to {DEEPEST}"));
    mistakes.require((1..=MOST_WORKERS).contains(&numjobs), "numjobs", || format!("{numjobs} workers; allowed are 1 to {MOST_WORKERS}"));
    let in_flight = Bytes(bs.0.saturating_mul(u64::from(iodepth)).saturating_mul(u64::from(numjobs)));
    // Each of them too large alone is told as such.
    mistakes.require(bs > LARGEST_BLOCK || iodepth > DEEPEST || numjobs > MOST_WORKERS || in_flight <= LARGEST_BLOCK, "iodepth", || {
        let each = if numjobs == 1 { String::new() } else { format!(" in each of {numjobs} workers") };
        format!(
            "{iodepth} reads of {bs} in flight{each} hold {in_flight} at once; allowed are {LARGEST_BLOCK}, since the buffers \
             of a phone's page run out: take a smaller iodepth, numjobs or bs"
        )
    });
    mistakes.require(iodepth == 1 || group.timing == Timing::Batches, "iodepth", || {
        format!("{iodepth} reads in flight cannot be timed one by one: take timing = \"ops\" out, or iodepth")
    });
}

/// What only reads, or only writes, can have.
fn check_work(group: &Group, mistakes: &mut Mistakes) {
    let Group { rw, fsync, end_fsync, iodepth, open, timing, .. } = *group;
    mistakes.require(group.writes() || fsync == 0, "fsync", || "nothing is written, so nothing can be flushed: leave it out".into());
    mistakes.require(group.writes() || !end_fsync, "end_fsync", || "nothing is written, so nothing can be flushed: leave it out".into());
    mistakes.require(!end_fsync || timing == Timing::Batches, "end_fsync", || {
        "it is a part of a sample, and of no op, so it cannot be timed with timing = \"ops\": take fsync = 1, or leave one of them out"
            .into()
    });
    let blocks = matches!(rw.work(), Work::Read | Work::Write);
    mistakes.require(blocks || iodepth == 1, "iodepth", || {
        format!("{iodepth} of these ops cannot be in flight: only reads and writes of blocks can; leave it out")
    });
    mistakes.require(blocks || open == Open::Each, "open", || "such an op opens its file, if any: write open = \"each\"".into());
    mistakes.require(!end_fsync || open == Open::Kept, "end_fsync", || {
        "at the end of a sample all files are closed, since each op closes its own: take fsync = 1, or open = \"kept\"".into()
    });
    let file_size = Bytes(group.size.0 / u64::from(group.nrfiles.max(1)));
    mistakes.require(rw.work() != Work::Copy || file_size <= LARGEST_COPIED, "size", || {
        format!("files of {file_size} would be copied whole in one op; allowed are {LARGEST_COPIED}")
    });
}

struct Mistakes {
    place: String,
    found: Vec<Mistake>,
}

impl Mistakes {
    fn require(&mut self, holds: bool, field: &str, problem: impl FnOnce() -> String) {
        if !holds {
            self.found.push(Mistake { place: format!("{}, {field}", self.place), problem: problem() });
        }
    }

    fn name(&mut self, name: &str) {
        let well_formed = (1..=64).contains(&name.len()) && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
        self.require(well_formed, "name", || format!("{name:?}; allowed are 1 to 64 lower-case letters, digits and hyphens"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const JOB: &str = r#"
        name = "own"
        title = "A job"
        budget_s = 10
        storage = "1 MiB"

        [[group]]
        name = "blocks"
        title = "Blocks"
        rw = "randread"
        bs = "4 KiB"
        size = "64 KiB"
        open = "kept"
        baseline = "main/slice"
        methods = ["worker/sync"]
    "#;

    fn mistakes(change: &str, into: &str) -> String {
        let text = JOB.replace(change, into);
        assert_ne!(text, JOB, "{change} does not stand in the job");
        Job::from_toml(&text).expect_err(into).to_string()
    }

    #[test]
    fn the_job_itself_is_valid() {
        Job::from_toml(JOB).expect("valid");
        let paced = JOB.replace(r#"open = "kept""#, "open = \"kept\"\ntiming = \"ops\"\nrate_iops = 200");
        Job::from_toml(&paced).expect("valid");
        let deep = JOB.replace(r#"open = "kept""#, "open = \"kept\"\niodepth = 64\nnumjobs = 128");
        Job::from_toml(&deep).expect("valid");
    }

    #[test]
    fn each_mistake_is_told_with_its_place_and_what_is_allowed() {
        for (change, into, told) in [
            (r#"name = "own""#, r#"name = "O wn""#, "job, name: \"O wn\"; allowed are"),
            ("budget_s = 10", "budget_s = -3", "job, budget_s: -3 s; allowed are 1 to"),
            ("budget_s = 10", "budget_s = nan", "job, budget_s: NaN"),
            (r#""1 MiB""#, r#""32 KiB""#, "job, storage: 32 KiB allowed, but the groups' files take 64 KiB"),
            (r#""4 KiB""#, r#""5 KiB""#, "group blocks, bs: 5120 B do not divide a file of 65536 B"),
            (
                "bs = \"4 KiB\"\n        size = \"64 KiB\"",
                "bs = 1\nsize = \"5 MiB\"",
                "group blocks, bs: 5 MiB hold more than 4194304 blocks",
            ),
            (r#""4 KiB""#, "0", "group blocks, bs: 0 B; allowed are"),
            (r#""4 KiB""#, r#""4 KiX""#, "`4 KiX` is not a size"),
            (r#"open = "kept""#, "open = \"kept\"\nnrfiles = 0", "group blocks, nrfiles: 0 files"),
            (r#"open = "kept""#, "open = \"kept\"\nnrfiles = 7", "group blocks, size: 65536 B do not divide into 7 files"),
            (r#"open = "kept""#, r#"open = "sometimes""#, "unknown variant `sometimes`, expected `each` or `kept`"),
            (r#"rw = "randread""#, r#"rw = "trim""#, "unknown variant `trim`, expected one of `read`, `randread`, `read-backwards`"),
            (r#"rw = "randread""#, "rw = \"randread\"\nspeed = 3", "unknown field `speed`"),
            (r#"open = "kept""#, "open = \"kept\"\ntiming = \"rounds\"", "unknown variant `rounds`, expected `batches` or `ops`"),
            (r#"open = "kept""#, "open = \"kept\"\nrate_iops = 200", "group blocks, rate_iops: only ops that are timed one by one"),
            (r#"open = "kept""#, "open = \"kept\"\ntiming = \"ops\"\nrate_iops = 0", "rate_iops: 0 ops a second; allowed are 1 to"),
            (r#"open = "kept""#, "open = \"kept\"\ntiming = \"ops\"\nrate_iops = 100001", "rate_iops: 100001 ops a second"),
            (r#"open = "kept""#, "open = \"kept\"\ntiming = \"ops\"\nrate_iops = -1", "rate_iops = -1"),
            (r#"open = "kept""#, "open = \"kept\"\niodepth = 0", "group blocks, iodepth: 0 reads in flight; allowed are 1 to 64"),
            (r#"open = "kept""#, "open = \"kept\"\niodepth = 65", "group blocks, iodepth: 65 reads in flight"),
            (r#"open = "kept""#, "open = \"kept\"\niodepth = -1", "iodepth = -1"),
            (r#"open = "kept""#, "open = \"kept\"\niodepth = 1.5", "iodepth = 1.5"),
            (r#"open = "kept""#, "open = \"kept\"\niodepth = 4\ntiming = \"ops\"", "iodepth: 4 reads in flight cannot be timed one by one"),
            (r#"open = "kept""#, "open = \"kept\"\nnumjobs = 0", "group blocks, numjobs: 0 workers; allowed are 1 to 128"),
            (r#"open = "kept""#, "open = \"kept\"\nnumjobs = 129", "group blocks, numjobs: 129 workers"),
            (
                "bs = \"4 KiB\"\n        size = \"64 KiB\"",
                "bs = \"8 MiB\"\nsize = \"64 MiB\"\niodepth = 4\nnumjobs = 4",
                "iodepth: 4 reads of 8 MiB in flight in each of 4 workers hold 128 MiB at once; allowed are 64 MiB",
            ),
            (r#"open = "kept""#, "open = \"kept\"\nfsync = 1", "group blocks, fsync: nothing is written"),
            (r#"open = "kept""#, "open = \"kept\"\nend_fsync = true", "group blocks, end_fsync: nothing is written"),
            (r#"open = "kept""#, "open = \"kept\"\nfsync = -1", "fsync = -1"),
            (
                r#"rw = "randread""#,
                "rw = \"write\"\nend_fsync = true\ntiming = \"ops\"",
                "end_fsync: it is a part of a sample, and of no op",
            ),
            (r#"rw = "randread""#, "rw = \"copy\"\niodepth = 2", "group blocks, iodepth: 2 of these ops cannot be in flight"),
            (r#"rw = "randread""#, r#"rw = "open""#, "group blocks, open: such an op opens its file"),
            (r#"rw = "randread""#, r#"rw = "lock""#, "group blocks, open: such an op opens its file"),
            (r#"open = "kept""#, "open = \"each\"\nend_fsync = true", "end_fsync: at the end of a sample all files are closed"),
            (
                "rw = \"randread\"\n        bs = \"4 KiB\"\n        size = \"64 KiB\"",
                "rw = \"copy\"\nbs = \"1 MiB\"\nsize = \"2 GiB\"",
                "group blocks, size: files of 2 GiB would be copied whole in one op; allowed are 1 GiB",
            ),
            (r#"["worker/sync"]"#, "[]", "group blocks, methods: 0 methods"),
            (r#"["worker/sync"]"#, r#"["main/slice"]"#, "group blocks, methods: main/slice stands twice"),
            (r#"["worker/sync"]"#, r#"["sync"]"#, "`sync` is not a method's name"),
        ] {
            let found = mistakes(change, into);
            assert!(found.contains(told), "{into}: {found}");
        }
    }

    #[test]
    fn all_mistakes_are_told_at_once() {
        let text = JOB.replace("budget_s = 10", "budget_s = 0").replace(r#""4 KiB""#, r#""3 KiB""#).replace(r#"["worker/sync"]"#, "[]");
        let found = Job::from_toml(&text).expect_err("three mistakes").mistakes;
        assert_eq!(found.len(), 3, "{found:?}");
    }

    #[test]
    fn a_line_that_is_no_toml_is_shown() {
        let found = mistakes("budget_s = 10", "budget_s 10");
        assert!(found.contains("line 4"), "{found}");
    }
}
