//! What makes a run doubtful.

use super::samples;
use crate::report::{Doubt, Severity, beforehand, doubts};
use crate::result::{Battery, Outcome, RunResult};
use crate::units::{Bytes, Nanos};

fn headings(run: &RunResult) -> Vec<&'static str> {
    doubts(run).iter().map(Doubt::heading).collect()
}

#[test]
fn a_clean_run_has_none() {
    let mut run = samples::chromium();
    (run.environment.automated, run.polls) = (false, 0);
    assert_eq!(doubts(&run), []);
    assert_eq!(crate::report::fragments(&run).doubts, "");
}

#[test]
fn a_program_that_drives_and_watches_is_a_mild_note() {
    let found = doubts(&samples::chromium());
    assert_eq!(found, [Doubt::Automated, Doubt::Polled(12)]);
    assert!(found.iter().all(|doubt| doubt.severity() == Severity::Mild));
    assert!(found[1].sentence().contains("12 times"));
}

#[test]
fn serious_doubts_come_first() {
    for (name, run) in samples::all() {
        let severities: Vec<Severity> = doubts(&run).iter().map(Doubt::severity).collect();
        assert!(severities.is_sorted(), "{name}: {severities:?}");
    }
    assert_eq!(headings(&samples::invalid()), ["No verdicts", "Wrong bytes", "Rounds were dropped", "Measured twice"]);
}

#[test]
fn a_run_without_isolation_says_how_coarse_its_clocks_are() {
    let run = samples::firefox();
    assert_eq!(
        headings(&run),
        ["Coarse clocks", "Short samples", "Rounds were dropped", "Time was up before the intervals were narrow", "No steady state"]
    );
    let found = doubts(&run);
    assert!(found[0].sentence().contains("one tick is 1.00 ms on the main thread and 1.00 ms in the worker"));
    assert_eq!(found[2].items(), ["Random 4 KiB reads in a 32 MiB file: 3 of 51 rounds (the page was hidden: 2; the device slept: 1)"]);
    assert_eq!(found[3].items()[1], "Random 4 KiB reads in a 32 MiB file: ±3.5 % after 48 rounds; about 139 would be needed");
}

#[test]
fn memory_shows_in_a_fast_flush_and_a_slow_read_together() {
    let run = samples::private_window();
    assert_eq!(
        doubts(&run),
        [Doubt::MemoryBacked { flush: Nanos(25_000), written: Bytes(32 << 20), read_ns: 191_000.0, block: Bytes(4096) }]
    );
    let mut disk = run.clone();
    disk.fixtures[1].flush_ns = Nanos(32 * 200_000);
    assert_eq!(doubts(&disk), []);
    let mut fast = run.clone();
    fast.groups[0].estimates.arms[3].per_op.as_mut().expect("measured").median_ns = 100_000.0;
    assert_eq!(doubts(&fast), []);
    let mut large = run;
    large.groups[0].record.group.bs = Bytes(1 << 20);
    assert_eq!(doubts(&large), []);
}

#[test]
fn files_that_read_back_as_others_are_told_with_both_checksums() {
    let mut run = samples::chromium();
    run.fixtures[1].read_back = "0123456789abcdef".into();
    let found = doubts(&run);
    assert_eq!(found[0].heading(), "The files are not what was written");
    let written = &run.fixtures[1].checksum;
    assert_eq!(found[0].items(), [format!("1 file of 32 MiB: checksum {written} written, 0123456789abcdef read")]);
}

#[test]
fn a_budget_that_sufficed_is_no_doubt() {
    let mut run = samples::firefox();
    for group in &mut run.groups {
        group.estimates.half_width = Some(0.02);
        group.estimates.rounds_needed = None;
    }
    assert!(!headings(&run).contains(&"Time was up before the intervals were narrow"));
}

#[test]
fn how_the_run_ended_is_told() {
    assert_eq!(doubts(&samples::stopped())[0], Doubt::Stopped { measured: 1, of: 3 });
    let Doubt::Failed { error, measured: 0 } = &doubts(&samples::failed())[0] else { panic!("the failure comes first") };
    assert!(error.starts_with("navigator.storage.getDirectory()"));
    let mut run = samples::chromium();
    run.outcome = Outcome::Failed { error: String::new() };
    assert!(doubts(&run)[0].sentence().starts_with("no reason was given"));
}

#[test]
fn a_device_that_saves_power_is_told_before_the_run_and_after_it() {
    let mut run = samples::chromium();
    (run.environment.automated, run.polls) = (false, 0);
    for (frame_ms, battery, found) in [
        (16.7, (true, 0.05), vec![]),
        (8.3, (false, 0.8), vec![Doubt::OnBattery(0.8)]),
        (33.4, (false, 0.15), vec![Doubt::FewFrames(33.4), Doubt::OnBattery(0.15)]),
    ] {
        run.environment.frame_ms = Some(frame_ms);
        run.environment.battery = Some(Battery { charging: battery.0, level: battery.1 });
        assert_eq!((beforehand(&run.environment), doubts(&run)), (found.clone(), found));
    }
    let found = doubts(&run);
    assert!(found.iter().all(|doubt| doubt.severity() == Severity::Notable));
    assert!(found[0].sentence().contains("every 33.4 ms") && found[1].sentence().contains("15 % full"), "{found:?}");
    run.environment.isolated = false;
    assert_eq!(beforehand(&run.environment)[0], Doubt::NotIsolated(None));
    let facts = crate::report::text(&run);
    assert!(facts.contains("one every 33.4 ms before the run") && facts.contains("not plugged in, 15 % full"), "{facts}");
}
