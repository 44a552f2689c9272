//! The same question on simulated devices: every kind of noise, and many more runs than a browser has time for.

use std::path::Path;
use std::thread;

use anyhow::Result;
use opfs_bench_core::protocol;
use opfs_bench_core::simulate::NoiseKind;
use opfs_bench_core::simulate::validate::{Experiment, Table, Tally, table};

use crate::print::print;
use crate::results;

/// Makes the trials on all cores, prints the table and writes it to the folder.
pub fn run(trials: u64, first_seed: u64, out: &Path) -> Result<()> {
    let mut kinds = NoiseKind::ALL.iter().zip(1..).peekable();
    let found = table(&NoiseKind::ALL, |experiment| {
        if let Some((kind, number)) = kinds.next_if(|(kind, _)| **kind == experiment.kind) {
            crate::tell!("simulating noise {number} of {}: {}", NoiseKind::ALL.len(), kind.name());
        }
        on_all_cores(experiment, trials, first_seed)
    });
    let text = markdown(&found, trials, first_seed);
    let path = out.join("validation-simulated.md");
    results::replace(&path, &text)?;
    print(&format!("{text}\n{}", path.display()))
}

fn on_all_cores(experiment: &Experiment, trials: u64, first_seed: u64) -> Tally {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let seeds = |thread: usize| (0..trials).skip(thread).step_by(threads).map(|trial| first_seed.wrapping_add(trial));
        let parts: Vec<_> = (0..threads).map(|thread| scope.spawn(move || experiment.trials(seeds(thread)))).collect();
        parts.into_iter().fold(Tally::default(), |all, part| all.and(part.join().expect("no trial panics")))
    })
}

fn markdown(table: &Table, trials: u64, first_seed: u64) -> String {
    format!(
        "# Verdicts where the truth is known: simulated devices\n\n\
         - **With**: opfs-bench {}, protocol {}\n\
         - **Runs**: {trials} for each kind of noise and each slowdown, with the seeds from {first_seed:x} on\n\n\
         Each run is a group of a baseline, the null arm, two equal arms and a slower one. A false alarm is a run in which any of the \
         three equal ones is called faster or slower. Shares stand with exact binomial 95 % intervals. Time is the simulated device's.\n\n\
         {}",
        env!("CARGO_PKG_VERSION"),
        protocol::NUMBER,
        table.markdown()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_make_the_trials_that_one_would() {
        let experiment = Experiment::new(NoiseKind::Independent, 0.05);
        let (together, alone) = (on_all_cores(&experiment, 5, 40), experiment.trials(40..45));
        assert_eq!((together.trials, together.intervals, together.covering), (5, alone.intervals, alone.covering));
        assert_eq!((together.found, together.false_alarms), (alone.found, alone.false_alarms));
    }
}
