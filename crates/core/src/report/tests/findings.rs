//! What the groups of a run say together, in words, and the advice.

use super::samples::{self, ladders};
use super::text;
use crate::estimate::{Invalid, Verdict};
use crate::report::advice;
use crate::report::findings;
use crate::result::{Outcome, RunResult};

/// All sentences of the section whose title begins so, on one line.
fn said(run: &RunResult, title: &str) -> String {
    let found = findings::of(run).into_iter().find(|finding| finding.title.starts_with(title));
    found.unwrap_or_else(|| panic!("no section {title}")).sentences.join(" ")
}

#[test]
fn what_crosses_and_what_does_not_is_said() {
    let run = ladders();
    let opened = said(&run, "Time against file size: 50 files read whole, opened for every read");
    assert!(
        opened.contains("worker/array-buffer was as fast as main/array-buffer, within 3 %, at every size from 1 KiB to 1 MiB"),
        "{opened}"
    );
    // 800 us + 2 ns a byte against 1501.2 us + 0.3 ns, and that times exp(0.02) and exp(-0.02): 412471, 431833 and 393600 bytes.
    assert!(opened.contains("worker/sync was slower than main/array-buffer below 403 KiB (384–422), and faster above."), "{opened}");
    let kept = said(&run, "Time against file size: 50 files read whole, kept open");
    assert!(kept.contains("worker/sync was faster than main/array-buffer at every size from 1 KiB to 1 MiB."), "{kept}");
}

#[test]
fn prices_are_shown_where_they_hold_and_else_what_breaks_them() {
    let run = ladders();
    let said = said(&run, "What the steps of a read cost");
    assert!(said.contains("With promises on the main thread, the prices of an await, an open and a byte predict 10 of 10 rows"), "{said}");
    assert!(said.contains("With sync handles in a worker, no prices of a call, an open and a byte hold"), "{said}");
    let text = text(&run);
    let row = text.lines().find(|line| line.starts_with("main, promises ")).expect("a row of prices");
    for price in ["305 µs (301–308)", "496 µs (492–500)", "2.06 ms (1.95–2.18)", "10 of 10"] {
        assert!(row.contains(price), "{price}: {row}");
    }
    assert!(!text.lines().any(|line| line.starts_with("worker, sync handles ")), "no prices where none hold");
}

#[test]
fn time_for_twice_the_files_is_twice_as_long() {
    assert!(said(&ladders(), "Time against the number of files").starts_with("With every method, time is in proportion"));
}

#[test]
fn few_groups_say_nothing_together() {
    assert!(findings::of(&samples::chromium()).is_empty());
}

#[test]
fn advice_names_its_rows() {
    let [method, open, size] = &advice::of(&ladders())[..] else { panic!("{:?}", advice::of(&ladders())) };
    assert!(method.starts_with("Read with sync handles in a worker (worker/sync): it was faster in 5 of 10 groups: from 1.60"), "{method}");
    assert!(
        method.ends_with("It was slower for 50 files of 1 KiB, opened each time, 50 files of 20 KiB, opened each time and 3 more."),
        "{method}"
    );
    assert!(open.contains("with worker/sync,") && open.ends_with("for 50 files of 1 MiB, opened each time."), "{open}");
    assert!(size.starts_with("Mind the size: main/array-buffer is the faster one below 403 KiB (384–422), worker/sync above it"), "{size}");
}

#[test]
fn advice_is_withheld_where_the_run_or_an_interval_does_not_bear_it() {
    let mut stopped = ladders();
    stopped.outcome = Outcome::Stopped;
    let mut doubtful = ladders();
    doubtful.groups[0].estimates.invalid = vec![Invalid::ClockSteppedBack];
    for run in [stopped, doubtful] {
        assert!(advice::of(&run).is_empty(), "{:?}", advice::of(&run));
    }
    let mut unclear = ladders();
    for arm in unclear.groups.iter_mut().flat_map(|group| &mut group.estimates.arms) {
        if let Some(ratio) = &mut arm.ratio {
            ratio.log_interval = Some((ratio.log - 20.0, ratio.log + 20.0));
            arm.verdict = Verdict::Inconclusive;
        }
        arm.per_op = arm.per_op.map(|per_op| crate::estimate::PerOp { interval_ns: Some((1.0, 1e12)), ..per_op });
    }
    assert!(advice::of(&unclear).is_empty(), "{:?}", advice::of(&unclear));
}

/// Whoever is advised to take a method finds it faster in the answer, too.
#[test]
fn advice_does_not_contradict_the_verdicts() {
    for (name, run) in samples::all() {
        let advice = advice::of(&run);
        assert!(advice.len() <= 3, "{name}: {advice:?}");
        for sentence in advice.iter().filter(|sentence| sentence.starts_with("Read with")) {
            let faster = run.groups.iter().flat_map(|group| group.record.arms.iter().zip(&group.estimates.arms)).any(|(arm, estimate)| {
                sentence.contains(&format!("({})", arm.method)) && crate::estimate::Lead::of(estimate).verdict == Verdict::Faster
            });
            assert!(faster, "{name}: {sentence}");
        }
    }
}

#[test]
fn times_that_no_run_can_have_do_not_panic() {
    for wild in [0.0, -1.0, f64::MIN_POSITIVE, 1e-300, 1e300, f64::MAX, f64::INFINITY, f64::NAN] {
        for step in [1, 2, 3] {
            let mut run = ladders();
            for arm in run.groups.iter_mut().step_by(step).flat_map(|group| &mut group.estimates.arms) {
                if let Some(per_op) = &mut arm.per_op {
                    (per_op.median_ns, per_op.interval_ns) = (wild, Some((wild, wild)));
                }
            }
            super::everything(&run);
        }
    }
}
