//! The answer's sentence in every case.

use super::builder::{Sample, group, run};
use super::samples;
use crate::estimate::{Verdict, Withheld};
use crate::report::{answer, group_text};
use crate::result::Outcome;
use crate::stats::Tail;

fn said(groups: Vec<crate::result::GroupResult>) -> String {
    answer(&run(groups))
}

fn blocks(subject: Sample) -> crate::result::GroupResult {
    group(1, &[Sample::baseline("main/slice", 640_000.0), subject])
}

#[test]
fn each_group_is_a_clause_and_nothing_is_said_twice() {
    assert_eq!(
        answer(&samples::chromium()),
        "In Chromium 156 on Linux, reading with sync handles in a worker (worker/sync) was 1.16 times faster (99 % interval 1.14 to 1.17) \
         than promises on the main thread (main/array-buffer) for 50 whole files of 20 KiB, opened each time; \
         625 times faster (614 to 636) than main/slice for random 4 KiB reads in a 32 MiB file; and \
         82.9 times faster (81.8 to 84.0) than main/slice for a 32 MiB file in order by 1 MiB."
    );
}

#[test]
fn each_verdict_has_its_words() {
    let sync = |ratio, half, verdict| blocks(Sample::contender("worker/sync", 1_000.0, ratio, half, verdict));
    for (group, words) in [
        (sync(0.25, 0.02, Verdict::Faster), "was 4.00 times faster (99 % interval 3.92 to 4.08) than promises"),
        (sync(1.5, 0.02, Verdict::Slower), "was 1.50 times slower (99 % interval 1.47 to 1.53) than promises"),
        (sync(1.002, 0.01, Verdict::Same), "was as fast (within 3 %; 99 % interval of the ratio 0.99 to 1.01) as promises"),
        (
            sync(0.98, 0.05, Verdict::Inconclusive),
            "was neither clearly faster nor clearly slower (99 % interval 1.07 times faster to 1.03 times slower) than promises",
        ),
    ] {
        let answer = said(vec![group]);
        assert!(answer.contains(words), "{answer}");
    }
}

#[test]
fn no_verdict_comes_with_its_reason() {
    let sync = Sample::contender("worker/sync", 1_000.0, 0.5, 0.02, Verdict::Faster);
    for (reason, words) in [
        (
            Withheld::Failed { error: "createSyncAccessHandle(): NotSupportedError.".into() },
            "because it failed: createSyncAccessHandle(): NotSupportedError.",
        ),
        (Withheld::WrongBytes, "because it read other bytes than the files hold."),
        (Withheld::Unverified, "because bytes were not checked after the last round."),
        (Withheld::TooFewRounds { rounds: 1 }, "because 1 round is too few for a verdict at 99 %, which takes 12."),
        (Withheld::BelowClock { ticks: 12.0 }, "because samples of 12 ticks of the clock are too short to time."),
        (Withheld::Autocorrelated { coefficient: 0.62 }, "because each round depends on the one before (autocorrelation 0.62)."),
    ] {
        let answer = said(vec![blocks(sync.clone().withheld(vec![reason]))]);
        assert!(
            answer.contains("(worker/sync) could not be judged against promises on the main thread (main/slice) for random"),
            "{answer}"
        );
        assert!(answer.ends_with(words), "{answer}");
    }
}

#[test]
fn after_a_clause_without_verdict_the_verb_is_said_again() {
    let sync = Sample::contender("worker/sync", 1_000.0, 0.5, 0.02, Verdict::Faster);
    let judged = || blocks(sync.clone());
    let withheld = || blocks(sync.clone().withheld(vec![Withheld::WrongBytes]));
    let answer = said(vec![judged(), withheld(), withheld(), judged()]);
    assert!(answer.contains("; it could not be judged against main/slice"), "{answer}");
    assert!(answer.contains("; and it was 2.00 times faster (1.96 to 2.04) than main/slice"), "{answer}");
}

#[test]
fn without_sync_handles_the_fastest_judged_method_answers() {
    let arms = [
        Sample::baseline("main/slice", 640_000.0),
        Sample::contender("rpc/transfer", 1_000.0, 0.1, 0.02, Verdict::Faster).withheld(vec![Withheld::WrongBytes]),
        Sample::contender("worker/slice", 1_000.0, 0.9, 0.02, Verdict::Faster),
        Sample::contender("main/array-buffer", 1_000.0, 0.8, 0.02, Verdict::Faster),
        Sample::empty("main/empty", 1.0),
    ];
    let answer = said(vec![group(1, &arms)]);
    let words =
        "reading with promises on the main thread (main/array-buffer) was 1.25 times faster (99 % interval 1.23 to 1.28) than main/slice";
    assert!(answer.contains(words), "{answer}");
}

#[test]
fn where_a_browser_has_no_sync_handles_it_is_said_once_and_another_answers() {
    let missing = || vec![Withheld::NotInThisBrowser { missing: "createSyncAccessHandle()".into() }];
    let absent = || Sample::contender("worker/sync", 0.0, 1.0, 0.0, Verdict::Same).unmeasured().withheld(missing());
    let promises = || Sample::contender("worker/slice", 700_000.0, 1.1, 0.02, Verdict::Slower);
    let groups = |arms: &[Sample]| vec![group(0, arms), group(1, arms)];
    let answer = said(groups(&[Sample::baseline("main/slice", 640_000.0), absent(), promises()]));
    let words = "sync handles in a worker (worker/sync) cannot be used, since the browser lacks createSyncAccessHandle(); \
                 reading with promises in a worker (worker/slice) was 1.10 times slower";
    assert!(answer.contains(words), "{answer}");
    assert_eq!(answer.matches("worker/sync").count(), 1, "{answer}");
    let answer = said(groups(&[Sample::baseline("main/slice", 640_000.0), absent()]));
    assert!(answer.contains("could not be judged") && !answer.contains("cannot be used"), "{answer}");
}

#[test]
fn a_limit_is_never_the_answer_and_is_called_a_limit() {
    let limit = || Sample::contender("limit/memcpy", 100.0, 0.000_2, 0.02, Verdict::Faster);
    let arms =
        [Sample::baseline("main/slice", 640_000.0), limit(), Sample::contender("worker/slice", 600_000.0, 0.9, 0.02, Verdict::Faster)];
    let group = group(1, &arms);
    let answer = said(vec![group.clone()]);
    assert!(answer.contains("(worker/slice) was 1.11 times faster") && !answer.contains("memcpy"), "{answer}");
    let table = group_text(&group);
    let row = table.lines().find(|line| line.starts_with("limit/memcpy")).expect("a row");
    assert!(row.ends_with("  limit") && row.contains("0.00020"), "{table}");
    assert!(table.contains("no way to read files, so no choice"), "{table}");
    let withheld = group_text(&blocks(limit().withheld(vec![Withheld::WrongBytes])));
    assert!(withheld.lines().any(|line| line.starts_with("limit/memcpy") && line.contains("no verdict")), "{withheld}");
    let mut alone = blocks(limit());
    alone.record.group.methods.retain(|method| !method.thread().is_choice());
    let alone = said(vec![alone]);
    assert!(alone.contains("nothing was compared for random 4 KiB reads"), "{alone}");
}

#[test]
fn a_level_of_its_own_is_said() {
    let sync = || blocks(Sample::contender("worker/sync", 1_000.0, 0.5, 0.02, Verdict::Faster));
    let mut corrected = sync();
    corrected.estimates.level = 1.0 - 0.01 / 6.0;
    let answer = said(vec![sync(), corrected]);
    assert!(answer.contains("(99 % interval 1.96 to 2.04)") && answer.contains("(99.83 % interval 1.96 to 2.04)"), "{answer}");
}

#[test]
fn runs_that_did_not_finish_say_how_far_they_came() {
    assert!(answer(&samples::stopped()).ends_with("; and the run was stopped after 1 of 3 groups."), "{}", answer(&samples::stopped()));
    assert_eq!(
        answer(&samples::failed()),
        "In Safari 26 on iOS 26, the run failed before anything was measured: navigator.storage.getDirectory(): UnknownError. \
         A private window has no such storage: open the page in an ordinary one."
    );
    let mut nothing = run(Vec::new());
    nothing.outcome = Outcome::Stopped;
    assert_eq!(answer(&nothing), "In Chromium 156 on Linux, the run was stopped before anything was measured.");
    nothing.outcome = Outcome::Finished;
    nothing.environment.browser.clear();
    assert_eq!(answer(&nothing), "On Linux, the run measured nothing: it has no groups.");
    nothing.environment.system.clear();
    assert_eq!(answer(&nothing), "In this browser, the run measured nothing: it has no groups.");
}

#[test]
fn where_slow_samples_surely_decide_all_time_leads() {
    let sync = |tail| blocks(Sample::contender("worker/sync", 1_000.0, 1.001, 0.01, Verdict::Same).with_tail(1.5, 0.1, tail));
    let sure = said(vec![sync(Tail::Dominates)]);
    assert!(sure.contains("was 1.50 times slower in total (99 % interval 1.36 to 1.66) than promises"), "{sure}");
    let table = group_text(&sync(Tail::Dominates));
    for shown in ["slower in total", "1.50 (1.36–1.66)", "worker/sync (typically 1.00 (0.99–1.01), same)"] {
        assert!(table.replace("\n   ", "").contains(shown), "{shown}: {table}");
    }
    let unsure = said(vec![sync(Tail::MayDominate)]);
    assert!(unsure.contains("was as fast (within 3 %;"), "{unsure}");
    let table = group_text(&sync(Tail::MayDominate));
    assert!(table.contains("in all 1.50 (1.36–1.66)"), "{table}");
}
