//! What a job must satisfy beyond being TOML of the right shape. All mistakes are found, not just the first.

use std::collections::HashSet;

use super::mistake::Problem;
use super::{Group, Job, MethodName, Open, Timing, Work};
use crate::units::Bytes;

/// The largest block that is read in one op; above it, buffers of a phone's page run out.
pub(super) const LARGEST_BLOCK: Bytes = Bytes(64 << 20);
/// The largest offset that JavaScript's numbers hold exactly is 2^53; this is well below and above any quota in sight.
pub(super) const LARGEST_SIZE: Bytes = Bytes(1 << 40);
/// A list of more blocks than this takes more memory than a phone's page should.
const MOST_BLOCKS: u64 = 1 << 22;
/// Safari refuses more open files than about 252; half of that stays clear of it.
pub const MOST_KEPT_FILES: u32 = 128;
/// More files than this take longer to create than to measure.
pub const MOST_FILES: u32 = 10_000;
/// A copy of a file this large takes seconds, and an op is to take less than the 20 s after which nothing is waited for.
const LARGEST_COPIED: Bytes = Bytes(1 << 30);
/// A day. A longer budget is a mistake of units.
pub(super) const LONGEST_BUDGET_S: u64 = 86_400;
/// More reads in flight than this are more than any browser works on at once: they would only wait.
pub(super) const DEEPEST: u32 = 256;
/// So many workers take a gigabyte and more for themselves.
pub(super) const MOST_WORKERS: u32 = 128;
/// A pass of more ops than this takes longer than the deadline of a sample where an op is a promise.
const LONGEST_PASS: u64 = 1 << 14;
/// An op every 10 µs, which is two ticks of the finest clock that browsers have: nothing faster can be scheduled by it.
pub(super) const HIGHEST_RATE: u32 = 100_000;
/// More groups, or methods in one, than a person would read.
pub(super) const MOST_ENTRIES: usize = 64;

/// The whole numbers that a field may have, where a job may choose one of many.
pub(super) fn range(field: &str) -> Option<(u64, u64)> {
    Some(match field {
        "budget_s" => (1, LONGEST_BUDGET_S),
        "nrfiles" => (1, MOST_FILES.into()),
        "iodepth" => (1, DEEPEST.into()),
        "numjobs" => (1, MOST_WORKERS.into()),
        "rate_iops" => (1, HIGHEST_RATE.into()),
        _ => return None,
    })
}

/// What is wrong with the job but not with a group.
pub(super) fn job(job: &Job) -> Vec<Problem> {
    let mut mistakes = Mistakes::default();
    mistakes.name(&job.name);
    mistakes.require(job.budget_s.is_finite() && job.budget_s >= 1.0 && job.budget_s <= LONGEST_BUDGET_S as f64, "budget_s", || {
        format!("{} s; allowed are 1 to {LONGEST_BUDGET_S}", job.budget_s)
    });
    mistakes.require(!job.groups.is_empty() && job.groups.len() <= MOST_ENTRIES, "group", || {
        format!("{} groups; allowed are 1 to {MOST_ENTRIES}, each starting with [[group]]", job.groups.len())
    });
    mistakes.found
}

/// What is wrong with the group of this number.
pub(super) fn group(job: &Job, number: usize) -> Vec<Problem> {
    let mut mistakes = Mistakes::default();
    let group = &job.groups[number];
    mistakes.name(&group.name);
    let again = job.groups[..number].iter().any(|other| other.name == group.name);
    mistakes.require(!again, "name", || format!("{:?}; another group has the same name", group.name));
    check_group(group, &mut mistakes);
    mistakes.found
}

/// What is wrong with a group, whatever its name.
pub(super) fn of_group(group: &Group) -> Vec<Problem> {
    let mut mistakes = Mistakes::default();
    check_group(group, &mut mistakes);
    mistakes.found
}

/// What is wrong with all groups together, each of which is right.
pub(super) fn whole(job: &Job) -> Vec<Problem> {
    let mut mistakes = Mistakes::default();
    mistakes
        .require(job.held() <= job.storage, "storage", || format!("{} allowed, but the groups' files take {}", job.storage, job.held()));
    mistakes.found
}

fn check_group(group: &Group, mistakes: &mut Mistakes) {
    let Group { bs, size, nrfiles, .. } = *group;
    mistakes.require((1..=MOST_FILES).contains(&nrfiles), "nrfiles", || format!("{nrfiles} files; allowed are 1 to {MOST_FILES}"));
    mistakes.require(bs.0 >= 1 && bs <= LARGEST_BLOCK, "bs", || format!("{bs}; allowed are 1 B to {LARGEST_BLOCK}"));
    mistakes.require(size.0 >= 1 && size <= LARGEST_SIZE, "size", || format!("{size}; allowed are 1 B to {LARGEST_SIZE}"));
    // Own files have sizes of their own, and what is no whole block of them is not read.
    if nrfiles >= 1 && group.own.is_none() {
        let files = u64::from(nrfiles);
        mistakes.together(size.0.is_multiple_of(files), "size", &["nrfiles"], || {
            format!("{} B do not divide into {nrfiles} files of the same size", size.0)
        });
        let file_size = size.0 / files;
        mistakes.together(bs.0 >= 1 && file_size >= bs.0 && file_size.is_multiple_of(bs.0), "bs", &["size", "nrfiles"], || {
            format!("{} B do not divide a file of {file_size} B into whole blocks", bs.0)
        });
    }
    if nrfiles >= 1 {
        mistakes.together(bs.0 == 0 || size.0 / bs.0 <= MOST_BLOCKS, "bs", &["size"], || {
            format!("{size} hold more than {MOST_BLOCKS} blocks of {bs}, the most that a group may have; take larger blocks")
        });
    }
    mistakes.together(group.timing != Timing::Passes || group.blocks() <= LONGEST_PASS, "timing", &["size", "bs"], || {
        format!("a pass is {} ops of {bs}; allowed are {LONGEST_PASS}: take larger blocks, or timing = \"passes\" out", group.blocks())
    });
    check_arm(group, mistakes);
    check_work(group, mistakes);
    mistakes.require(group.rate_iops.is_none_or(|rate| (1..=HIGHEST_RATE).contains(&rate)), "rate_iops", || {
        format!("{} ops a second; allowed are 1 to {HIGHEST_RATE}", group.rate_iops.unwrap_or_default())
    });
    mistakes.together(group.rate_iops.is_none() || group.timing == Timing::Ops, "rate_iops", &["timing"], || {
        "only ops that are timed one by one can be offered at a rate; write timing = \"ops\" beside it, or leave the rate out".into()
    });
    mistakes.require(!group.methods.is_empty() && group.methods.len() <= MOST_ENTRIES, "methods", || {
        format!("{} methods; allowed are 1 to {MOST_ENTRIES} to compare with the baseline", group.methods.len())
    });
    let mut seen = HashSet::new();
    for method in [&group.baseline].into_iter().chain(&group.methods) {
        let own = group.of_arm(method);
        let first = seen.insert((method.plain(), own.open, own.iodepth, own.numjobs));
        mistakes.together(first, "methods", &["baseline"], || twice(method));
        if own != *group {
            let mut of_arm = Mistakes::default();
            check_arm(&own, &mut of_arm);
            let field = if *method == group.baseline { "baseline" } else { "methods" };
            mistakes.found.extend(of_arm.found.into_iter().map(|Problem { field: option, text, .. }| Problem {
                method: Some(method.to_string()),
                ..Problem::of(field, format!("{method}, {option}: {text}"))
            }));
        }
    }
}

fn twice(method: &MethodName) -> String {
    let why = if method.options().is_empty() { "" } else { ", since another one reads just as these options say" };
    format!("{method} stands twice{why}; the baseline is repeated as the null arm without being listed")
}

/// What an arm's options can change: `group` is the workload as it has it.
fn check_arm(group: &Group, mistakes: &mut Mistakes) {
    let nrfiles = group.nrfiles;
    mistakes.together(group.open == Open::Each || nrfiles <= MOST_KEPT_FILES, "open", &["nrfiles"], || {
        format!("\"kept\" would hold {nrfiles} files open; allowed are {MOST_KEPT_FILES}, since browsers limit open files")
    });
    check_depth(group, mistakes);
}

fn check_depth(group: &Group, mistakes: &mut Mistakes) {
    let Group { bs, iodepth, numjobs, .. } = *group;
    mistakes.require((1..=DEEPEST).contains(&iodepth), "iodepth", || format!("{iodepth} reads in flight; allowed are 1 to {DEEPEST}"));
    mistakes.require((1..=MOST_WORKERS).contains(&numjobs), "numjobs", || format!("{numjobs} workers; allowed are 1 to {MOST_WORKERS}"));
    let in_flight = Bytes(bs.0.saturating_mul(u64::from(iodepth)).saturating_mul(u64::from(numjobs)));
    mistakes.together(in_flight <= LARGEST_BLOCK, "iodepth", &["bs", "numjobs"], || {
        let each = if numjobs == 1 { String::new() } else { format!(" in each of {numjobs} workers") };
        format!(
            "{iodepth} reads of {bs} in flight{each} hold {in_flight} at once; allowed are {LARGEST_BLOCK}, since the buffers \
             of a phone's page run out: take a smaller iodepth, numjobs or bs"
        )
    });
    mistakes.together(iodepth == 1 || group.timing != Timing::Ops, "iodepth", &["timing"], || {
        format!("{iodepth} reads in flight cannot be timed one by one: take timing = \"ops\" out, or iodepth")
    });
}

/// What only reads, or only writes, can have.
fn check_work(group: &Group, mistakes: &mut Mistakes) {
    let Group { rw, fsync, end_fsync, iodepth, open, timing, .. } = *group;
    let nothing = || "nothing is written, so nothing can be flushed: leave it out".into();
    mistakes.together(group.writes() || fsync == 0, "fsync", &["rw"], nothing);
    mistakes.together(group.writes() || !end_fsync, "end_fsync", &["rw"], nothing);
    mistakes.together(!end_fsync || timing != Timing::Ops, "end_fsync", &["timing"], || {
        "it is a part of a sample, and of no op, so it cannot be timed with timing = \"ops\": take fsync = 1, or leave one of them out"
            .into()
    });
    let blocks = matches!(rw.work(), Work::Read | Work::Write);
    mistakes.together(blocks || iodepth == 1, "iodepth", &["rw"], || {
        format!("{iodepth} of these ops cannot be in flight: only reads and writes of blocks can; leave it out")
    });
    mistakes.together(blocks || open == Open::Each, "open", &["rw"], || "such an op opens its file, if any: write open = \"each\"".into());
    mistakes.together(!end_fsync || open == Open::Kept, "end_fsync", &["open"], || {
        "at the end of a sample all files are closed, since each op closes its own: take fsync = 1, or open = \"kept\"".into()
    });
    let file_size = Bytes(group.size.0 / u64::from(group.nrfiles.max(1)));
    mistakes.together(rw.work() != Work::Copy || file_size <= LARGEST_COPIED, "size", &["rw", "nrfiles"], || {
        format!("files of {file_size} would be copied whole in one op; allowed are {LARGEST_COPIED}")
    });
}

#[derive(Default)]
struct Mistakes {
    found: Vec<Problem>,
}

impl Mistakes {
    /// What must hold of a field by itself.
    fn require(&mut self, holds: bool, field: &'static str, problem: impl FnOnce() -> String) {
        self.together(holds, field, &[], problem);
    }

    /// What must hold of a field together with others. It is not told where one of them is wrong by itself.
    fn together(&mut self, holds: bool, field: &'static str, with: &'static [&'static str], problem: impl FnOnce() -> String) {
        if !holds {
            self.found.push(Problem { field, method: None, with, text: problem() });
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
            ("budget_s = 10", "budget_s = nan", "job, budget_s: nan; allowed are"),
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
            (r#"open = "kept""#, r#"open = "sometimes""#, "open: \"sometimes\"; allowed are `each` or `kept`"),
            (r#"rw = "randread""#, r#"rw = "trim""#, "rw: \"trim\"; allowed are `read`, `randread`, `read-backwards`"),
            (r#"rw = "randread""#, "rw = \"randread\"\nspeed = 3", "group blocks, speed: there is no such field; allowed are name, title"),
            (r#"open = "kept""#, "open = \"kept\"\ntiming = \"rounds\"", "timing: \"rounds\"; allowed are `batches`, `passes`, `ops`"),
            (r#"open = "kept""#, "open = \"kept\"\nrate_iops = 200", "group blocks, rate_iops: only ops that are timed one by one"),
            (r#"open = "kept""#, "open = \"kept\"\ntiming = \"ops\"\nrate_iops = 0", "rate_iops: 0 ops a second; allowed are 1 to"),
            (r#"open = "kept""#, "open = \"kept\"\ntiming = \"ops\"\nrate_iops = 100001", "rate_iops: 100001 ops a second"),
            (r#"open = "kept""#, "open = \"kept\"\ntiming = \"ops\"\nrate_iops = -1", "rate_iops: -1; allowed are whole numbers from 1 to"),
            (r#"open = "kept""#, "open = \"kept\"\niodepth = 0", "group blocks, iodepth: 0 reads in flight; allowed are 1 to 256"),
            (r#"open = "kept""#, "open = \"kept\"\niodepth = 257", "group blocks, iodepth: 257 reads in flight"),
            (r#"open = "kept""#, "open = \"kept\"\niodepth = -1", "iodepth: -1; allowed are whole numbers from 1 to 256"),
            (r#"open = "kept""#, "open = \"kept\"\niodepth = 1.5", "iodepth: 1.5; allowed are whole numbers from 1 to 256"),
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
            (r#"open = "kept""#, "open = \"kept\"\nfsync = -1", "fsync: -1; allowed is a whole number"),
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
            (r#"["worker/sync"]"#, r#"["worker/sync:bs=4096"]"#, "`worker/sync:bs=4096` is not a method's name: there is no option `bs`"),
            (
                r#"["worker/sync"]"#,
                r#"["main/slice:open=each", "main/slice:iodepth=1,open=each"]"#,
                "group blocks, methods: main/slice:open=each,iodepth=1 stands twice, since another one reads just as",
            ),
            (r#"["worker/sync"]"#, r#"["main/slice:open=kept"]"#, "group blocks, methods: main/slice:open=kept stands twice"),
            (
                r#"["worker/sync"]"#,
                r#"["main/slice:iodepth=0"]"#,
                "group blocks, methods: main/slice:iodepth=0, iodepth: 0 reads in flight",
            ),
            (r#"["worker/sync"]"#, r#"["pool/sync:numjobs=129"]"#, "group blocks, methods: pool/sync:numjobs=129, numjobs: 129 workers"),
            (
                "bs = \"4 KiB\"\n        size = \"64 KiB\"\n        open = \"kept\"",
                "bs = 512\nsize = \"16 MiB\"\nopen = \"kept\"\ntiming = \"passes\"",
                "group blocks, timing: a pass is 32768 ops of 512 B; allowed are 16384",
            ),
            (
                "open = \"kept\"\n        baseline = \"main/slice\"\n        methods = [\"worker/sync\"]",
                "open = \"each\"\nnrfiles = 256\nbaseline = \"main/slice\"\nmethods = [\"worker/sync:open=kept\"]",
                "group blocks, methods: worker/sync:open=kept, open: \"kept\" would hold 256 files open",
            ),
        ] {
            let found = mistakes(change, into);
            assert!(found.contains(told), "{into}: {found}");
        }
    }
}
