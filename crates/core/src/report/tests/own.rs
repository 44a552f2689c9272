//! Runs of a person's own files: no place may say a size that no read had.

use std::slice::from_ref;

use super::samples;
use crate::compare::compare;
use crate::job::Job;
use crate::report::{Doubt, comparison, csv, doubts, forum, fragments, markdown, page, text};
use crate::result::RunResult;
use crate::units::{Bytes, Nanos};

const SIZES: [u64; 5] = [1, 4097, (1 << 20) + 3, 700, 65_536];

/// The usual run, as if it had been of own files.
fn own() -> RunResult {
    let mut run = samples::chromium();
    run.job = Job::from_toml(Job::preset("quick").expect("shipped")).expect("valid").with_own(&SIZES, &()).expect("they fit");
    for group in &mut run.groups {
        group.record.group = run.job.groups[group.record.index as usize].clone();
        group.native = None;
    }
    run.fixtures.truncate(1);
    run.fixtures[0].fileset = run.job.filesets()[0];
    // As a file has it: without the sizes of single files.
    let groups = run.groups.iter_mut().map(|group| &mut group.record.group).chain(&mut run.job.groups);
    for own in groups.filter_map(|group| group.own.as_mut()) {
        own.files = [].into();
    }
    run
}

/// On one line, as a person reads it.
fn plain(text: &str) -> String {
    text.replace('\u{a0}', " ").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_form_says_which_files_were_read() {
    let run = own();
    let html = fragments(&run);
    for shown in [text(&run), markdown(&run), page(&run), html.groups + &html.environment] {
        let shown = plain(&shown);
        for words in [
            "own files, 5 of 1 B to 1 MiB (219 KiB in the mean)",
            "4 KiB at a time in random order; own files, 3 of 4 KiB to 1 MiB",
            "of them 2 whole files: shorter than a block of 4 KiB",
            "own files, 5 of 1 B to 1 MiB, 1.07 MiB in all, checksum 8f3c00ab11d2e4f5",
        ] {
            assert!(shown.contains(words), "{words}: {shown}");
        }
        for made_up in ["32 MiB", "20 KiB", "50 files", "50 whole", "1048579 B", "1118913 B", "of random bytes"] {
            assert!(!shown.contains(made_up), "{made_up}: {shown}");
        }
    }
}

#[test]
fn samples_have_the_bytes_that_a_pass_of_all_files_has() {
    let mut run = own();
    let record = &mut run.groups[0].record;
    record.arms.iter_mut().for_each(|arm| arm.n = 10);
    for round in &mut record.rounds {
        round.order = (0..record.arms.len()).collect();
        round.elapsed_ns = vec![Some(Nanos(1_000_000)); record.arms.len()];
    }
    let total: u64 = SIZES.iter().sum();
    let csv = csv(&run);
    let of_whole: Vec<Vec<&str>> =
        csv.lines().skip(1).map(|line| line.split(',').collect()).filter(|row: &Vec<&str>| row.contains(&"small-files")).collect();
    let column = |name: &str| csv.lines().next().expect("a head").split(',').position(|column| column == name).expect("a column");
    assert!(!of_whole.is_empty());
    for row in of_whole.iter().filter(|row| row[column("role")] != "empty") {
        assert_eq!((row[column("bytes")], row[column("bs")]), (&*(2 * total).to_string(), &*(total / 5).to_string()));
    }
}

#[test]
fn the_block_for_a_forum_says_whose_files_they_are() {
    let block = forum(&own()).expect("groups of blocks");
    assert!(block.contains("own files, 3 of 4 KiB to 1 MiB, an own file of 1 MiB, warm"), "{block}");
    assert!(block.contains("RND 4KiB Q1 T1"), "{block}");
}

#[test]
fn what_does_not_fit_is_told() {
    let mut run = own();
    let job = Job::from_toml(Job::preset("quick").expect("shipped")).expect("valid").with_own(&[700, 5000], &()).expect("some fit");
    run.job.left_out = job.left_out;
    let found = doubts(&run);
    let left = found.iter().find(|doubt| matches!(doubt, Doubt::LeftOut(_))).expect("a group was left out");
    assert_eq!(left.heading(), "Not measured");
    assert_eq!(left.items(), ["A 32 MiB file in order by 1 MiB: none of them is as long as a block of 1 MiB; the longest has 5000 B"]);
    assert!(plain(&text(&run)).contains("the longest has 5000 B"));
}

#[test]
fn runs_of_other_files_are_not_judged() {
    let told = |one: &RunResult, other: &RunResult| plain(&comparison(&compare(from_ref(one), from_ref(other)), "A", "B"));
    let base = own();
    let mut same = base.clone();
    same.started = "2026-08-02T12:00:00.000Z".into();
    assert!(!told(&base, &same).contains("differ in workload"), "{}", told(&base, &same));
    let mut others = same.clone();
    others.fixtures[0].checksum = "0123456789abcdef".into();
    let found = told(&base, &others);
    assert!(found.contains("differ in workload") && found.contains("checksum of all that were chosen: 0123456789abcdef"), "{found}");
    let mut made_up = samples::chromium();
    made_up.started = same.started;
    let found = told(&base, &made_up);
    assert!(found.contains("differ in workload") && found.contains("own files, 5 of 1 B to 1 MiB"), "{found}");
}

/// Results may come from strangers.
#[test]
fn what_no_run_can_have_is_shown_all_the_same() {
    let mut run = own();
    for group in &mut run.groups {
        group.record.group.nrfiles = 0;
        group.record.group.size = Bytes(u64::MAX);
        group.record.group.bs = Bytes(0);
        let own = group.record.group.own.as_mut().expect("own files");
        (own.smallest, own.bytes, own.fileset.nrfiles) = (Bytes(u64::MAX), Bytes(0), 0);
        for arm in &mut group.record.arms {
            arm.n = u64::MAX;
        }
    }
    run.fixtures.clear();
    for shown in [text(&run), markdown(&run), page(&run), csv(&run), comparison(&compare(from_ref(&run), from_ref(&run)), "A", "B")] {
        assert!(!shown.is_empty());
    }
}
