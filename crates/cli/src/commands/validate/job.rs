//! The job of each run: two groups whose arms are all the same method, some of them with a known slowdown.

use std::fmt::Write;

use opfs_bench_core::job::MethodName;

/// One of the job's groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The group's name in the job and in the tables.
    pub name: &'static str,
    title: &'static str,
    /// The method that all of its arms are.
    pub baseline: &'static str,
}

/// The two groups, fast and slow reads.
pub const SUBJECTS: [Subject; 2] = [
    Subject { name: "sync-reads", title: "random 4 KiB reads by a sync handle in a worker", baseline: "worker/sync" },
    Subject { name: "promise-reads", title: "random 4 KiB reads by promises on the main thread", baseline: "main/slice" },
];

/// Per cent by which an arm is slower in one run or another.
pub const SLOWDOWNS: [u32; 5] = [0, 3, 5, 10, 25];
/// These are in every run ...
const ALWAYS: [u32; 3] = [0, 5, 10];
/// ... and these in turn: with the null arm that makes five comparisons, the most that need no correction of the level.
const IN_TURN: [u32; 2] = [3, 25];
/// How the browser part names a method with a known slowdown.
const MARK: &str = "-slowed-";

/// The job of the run of this number, counted from 1.
pub fn job(run: u32, budget_s: f64) -> String {
    let in_turn = IN_TURN[(run - 1) as usize % IN_TURN.len()];
    let mut text = format!(
        "name = \"validation\"\n\
         title = \"Methods with a known slowdown\"\n\
         budget_s = {}\n\
         storage = \"8 MiB\"\n",
        budget_s * SUBJECTS.len() as f64
    );
    for Subject { name, title, baseline } in SUBJECTS {
        let methods = ALWAYS.iter().chain([&in_turn]).map(|percent| format!("\"{baseline}{MARK}{percent}\"")).collect::<Vec<_>>();
        let written = write!(
            text,
            "\n[[group]]\n\
             name = \"{name}\"\n\
             title = \"{title}\"\n\
             rw = \"randread\"\n\
             bs = \"4 KiB\"\n\
             size = \"8 MiB\"\n\
             open = \"kept\"\n\
             baseline = \"{baseline}\"\n\
             methods = [{}]\n",
            methods.join(", ")
        );
        written.expect("text takes text");
    }
    text
}

/// By how many per cent a method of the job is slower than its baseline.
pub fn slowed_by(method: &MethodName) -> Option<u32> {
    method.api().rsplit_once(MARK)?.1.parse().ok()
}

#[cfg(test)]
mod tests {
    use opfs_bench_core::job::Job;
    use opfs_bench_core::protocol;
    use opfs_bench_core::units::Bytes;

    use super::*;

    #[test]
    fn each_run_s_job_is_valid_and_needs_no_correction() {
        for (run, in_turn) in [(1, 3), (2, 25), (3, 3)] {
            let job = Job::from_toml(&job(run, 10.0)).expect("valid");
            assert_eq!((job.budget_s, job.written()), (20.0, Bytes(8 << 20)));
            assert_eq!(job.groups.len(), SUBJECTS.len());
            for group in &job.groups {
                let slowdowns: Vec<u32> = group.methods.iter().filter_map(slowed_by).collect();
                assert_eq!(slowdowns, [0, 5, 10, in_turn]);
                // The null arm is compared too.
                assert_eq!(group.methods.len() + 1, protocol::UNCORRECTED_COMPARISONS);
            }
        }
    }

    #[test]
    fn a_plain_method_is_not_slowed() {
        assert_eq!(slowed_by(&"worker/sync".parse().expect("a name")), None);
    }
}
