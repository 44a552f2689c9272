//! The same workloads outside the browser: once it has ended, this program reads them by the operating system's own calls.

use std::path::Path;

use opfs_bench_core::result::{GroupResult, Native, RunResult};
use opfs_bench_core::units::Nanos;
use opfs_bench_native::{Workloads, budget};

use crate::exit::Exit;
use crate::fixture::Fixture;
use crate::interrupt::Interrupt;
use crate::page::{Poll, State};
use crate::progress::Progress;

/// Reads every group of a finished run, and adds what came of it to the result. `scratch` is a folder on the disk that held the browser's
/// files, of which whoever made it removes all; None where the browser was someone else's. Nothing that goes wrong here makes the run fail:
/// it is told, and stands in the result.
pub async fn measure(result: &mut RunResult, fixture: &Fixture, scratch: Option<&Path>, interrupt: &Interrupt) -> Exit {
    let Some(scratch) = scratch else {
        crate::tell!(
            "not read by the operating system, to compare: with a driver of someone else's, the browser may be on another machine"
        );
        return Exit::Finished;
    };
    let work = Work::of(result, fixture, scratch, interrupt.clone());
    match tokio::task::spawn_blocking(move || work.run(Progress::new())).await {
        Ok(measured) => {
            let all = measured.len() == result.groups.len();
            for (group, native) in result.groups.iter_mut().zip(measured) {
                group.native = Some(native);
            }
            if all { Exit::Finished } else { Exit::Stopped }
        }
        Err(error) => {
            crate::tell!("not read by the operating system, to compare: {error}");
            Exit::Finished
        }
    }
}

/// What is to be read.
struct Work {
    /// Or why nothing can be.
    workloads: Result<Workloads, String>,
    groups: Vec<Task>,
    interrupt: Interrupt,
}

/// A group.
struct Task {
    /// Its place in the job.
    index: usize,
    title: String,
    budget: Nanos,
}

impl Work {
    fn of(result: &RunResult, fixture: &Fixture, scratch: &Path, interrupt: Interrupt) -> Self {
        let own = result.fixtures.iter().find(|copied| copied.fileset.own.is_some()).map(|copied| copied.checksum.clone());
        let workloads = Workloads::new(result.job.clone(), result.seed, scratch);
        let workloads = workloads.and_then(|workloads| match own {
            Some(checksum) => workloads.with_own(fixture.paths(), checksum),
            None => Ok(workloads),
        });
        let workloads = workloads.map_err(|error| format!("{error:#}"));
        let task = |group: &GroupResult| Task {
            index: group.record.index as usize,
            title: group.record.group.title.clone(),
            budget: budget(group.record.budget_ns),
        };
        Self { workloads, groups: result.groups.iter().map(task).collect(), interrupt }
    }

    /// What came of each group, in their order; fewer than there are where a person stopped it.
    fn run(mut self, mut progress: Progress) -> Vec<Native> {
        let all: Nanos = self.groups.iter().map(|group| group.budget).sum();
        let mut done = Nanos(0);
        let mut measured = Vec::new();
        for Task { index, title, budget } in &self.groups {
            progress.show(&Poll {
                state: State::Running,
                fraction: Some(done.as_s() / all.as_s()),
                doing: Some(format!("{title}: the same by the operating system")),
                seconds_left: Some(all.since(done).as_s()),
                error: None,
            });
            let native = match &mut self.workloads {
                Ok(workloads) => workloads.measure(*index, *budget, || self.interrupt.is_raised()),
                Err(error) => Some(Native::Failed { error: error.clone() }),
            };
            let Some(native) = native else { break };
            // The same for all groups is told once.
            if let Native::Failed { error } = &native
                && measured.last() != Some(&native)
            {
                progress.say(&format!("{title}: not read by the operating system, to compare: {error}"));
            }
            measured.push(native);
            done = done + *budget;
        }
        measured
    }
}

#[cfg(test)]
mod tests {
    use opfs_bench_core::job::Job;
    use opfs_bench_core::seed::Seed;
    use opfs_bench_core::simulate::{self, Clock, Device, MethodModel, Noise};

    use super::*;

    /// A finished run of three groups, of small files.
    fn finished() -> RunResult {
        let text = Job::preset("quick").expect("shipped").replace("budget_s = 30", "budget_s = 3").replace("32 MiB\"", "1 MiB\"");
        let job = Job::from_toml(&text).expect("valid");
        let names = job.groups.iter().flat_map(|group| group.methods.iter().chain([&group.baseline]));
        let methods = names.map(|name| MethodModel::new(&name.to_string(), 300_000.0)).collect();
        let clocks = [Clock::regular(Nanos(5_000)), Clock::regular(Nanos(5_000))];
        simulate::run(&job, Seed(1), &mut Device::new(methods, clocks, Noise::default(), Seed(1)))
    }

    fn after(scratch: Option<&Path>) -> (Exit, RunResult) {
        let mut result = finished();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let exit = runtime.block_on(async {
            let interrupt = Interrupt::listen().expect("signals");
            measure(&mut result, &Fixture::default(), scratch, &interrupt).await
        });
        (exit, result)
    }

    #[test]
    fn every_group_gets_its_reads_and_they_follow_from_their_samples() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (exit, result) = after(Some(folder.path()));
        assert_eq!(exit, Exit::Finished);
        assert_eq!(result.groups.len(), 3);
        for group in &result.groups {
            let reads = group.native.as_ref().and_then(Native::reads).unwrap_or_else(|| panic!("{:?}", group.native));
            assert_eq!((&reads.record.group, reads.record.index), (&group.record.group, group.record.index));
        }
        assert_eq!(crate::recompute::differences(&result), Vec::<String>::new());
        let again = RunResult::from_json(&result.to_json()).expect("its own text");
        assert_eq!(again, result);
        let mut forged = result;
        let Some(Native::Measured(reads)) = &mut forged.groups[1].native else { panic!("measured above") };
        reads.estimates.arms[0].per_op.as_mut().expect("timed").median_ns += 1.0;
        let found = crate::recompute::differences(&forged);
        assert!(found.len() == 1 && found[0].starts_with("group random-4k, outside the browser.arms[0].per_op.median_ns"), "{found:?}");
        let (mended, _) = crate::recompute::checked(forged);
        assert_eq!(mended, again, "what does not follow is not shown");
    }

    #[test]
    fn what_cannot_be_written_is_in_the_result_and_no_failure_of_the_run() {
        let (exit, result) = after(Some(Path::new("/nowhere/at/all")));
        assert_eq!(exit, Exit::Finished);
        for group in &result.groups {
            let Some(Native::Failed { error }) = &group.native else { panic!("{:?}", group.native) };
            assert!(error.contains("/nowhere/at/all"), "{error}");
        }
        assert!(opfs_bench_core::report::markdown(&result).contains("The operating system's own calls could not be measured: "));
    }

    #[test]
    fn a_browser_that_may_be_elsewhere_is_not_compared() {
        let (exit, result) = after(None);
        assert_eq!((exit, &result), (Exit::Finished, &finished()));
    }
}
