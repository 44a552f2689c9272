//! How often verdicts are wrong where the truth is known: whole runs with all that can go wrong between the pilot and the last
//! round. The seeds are fixed, so a run of this test finds what the last one found.

use std::thread;

use opfs_bench_core::simulate::NoiseKind;
use opfs_bench_core::simulate::validate::{Experiment, Line, Table, Tally};
use opfs_bench_core::stats::proportion_interval;

/// Of each kind of noise.
const TRIALS: u64 = 2_000;
/// The confidence of the bounds.
const LEVEL: f64 = 0.95;

/// Every kind's trials, spread over the cores.
fn tallies() -> Vec<(NoiseKind, Tally)> {
    let threads = thread::available_parallelism().map_or(2, usize::from) as u64;
    let of = |kind: NoiseKind| {
        thread::scope(|scope| {
            let part = |first: u64| {
                scope.spawn(move || Experiment::new(kind, 0.05).trials((first..TRIALS).step_by(usize::try_from(threads).expect("few"))))
            };
            let parts: Vec<_> = (0..threads).map(part).collect();
            parts.into_iter().fold(Tally::default(), |all, part| all.and(part.join().expect("no trial panics")))
        })
    };
    NoiseKind::ALL.into_iter().map(|kind| (kind, of(kind))).collect()
}

/// What the share is at least, and at most, as far as the count tells.
fn bounds(count: u64, of: u64) -> (f64, f64) {
    proportion_interval(count, of, LEVEL).expect("trials")
}

/// This share of the intervals of 99 % surely holds the truth. By 10 000 trials of independent and of bursty noise, 99.3 % of them do; it
/// could be 99 % for every kind.
const COVERAGE: f64 = 0.985;
/// A false alarm surely comes in no more trials than this.
const FALSE_ALARMS: f64 = 0.03;

#[test]
fn verdicts_are_as_trustworthy_as_they_say() {
    let tallies = tallies();
    let lines = tallies.iter().map(|(kind, tally)| Line { kind: *kind, tallies: vec![(0.05, tally.clone())] }).collect();
    println!("{}", Table { lines }.markdown());
    for (kind, tally) in tallies {
        let name = kind.name();
        assert_eq!(tally.trials, TRIALS, "{name}");
        // Once in some ten thousand pilots, interruptions make every sample of an arm too short to be compared.
        assert!(tally.intervals * 1_000 >= 4 * TRIALS * 999, "{name}: only {} intervals", tally.intervals);
        let (at_least, at_most) = bounds(tally.covering, tally.intervals);
        let covering = at_least >= COVERAGE && at_most >= 0.99;
        assert!(covering, "{name}: {} of {} intervals hold the truth", tally.covering, tally.intervals);
        let (_, false_alarms) = bounds(tally.false_alarms, TRIALS);
        assert!(false_alarms <= FALSE_ALARMS, "{name}: {} false alarms", tally.false_alarms);
        assert!(tally.false_tails * 200 <= TRIALS, "{name}: {} equal arms were called different in total", tally.false_tails);
        let (found, _) = bounds(tally.found, TRIALS);
        assert!(found >= 0.99, "{name}: +5 % found {} times", tally.found);
    }
}
