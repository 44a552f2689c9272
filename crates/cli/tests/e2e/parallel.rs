//! Several reads in flight, and several workers.

use opfs_bench_cli::browser::Browser;
use opfs_bench_cli::page::State;
use opfs_bench_core::estimate::{Note, Verdict};
use opfs_bench_core::result::{GroupResult, Outcome, Role, When};

use crate::harness::{Opened, in_both_browsers, with_page};
use crate::jobs;
use crate::result::{assert_complete, contender};

in_both_browsers! {
    several_reads_in_flight_and_several_workers_are_verified;
    a_worker_of_a_pool_that_dies_ends_the_pool_s_methods_alone;
}

fn several_reads_in_flight_and_several_workers_are_verified(browser: Browser) {
    with_page(browser, async |opened: &Opened<'_>| {
        assert_eq!(opened.run_job(jobs::PARALLEL, None).await, State::Finished);
        opened.assert_nothing_is_left().await;
        let result = opened.result().await;
        // Every method's bytes before and after, and those that it read in between.
        assert_complete(&result);

        let [deep, pool, pool_each] = &result.groups[..] else { panic!("three groups") };
        assert_depths(deep, 4, &["worker/sync"]);
        assert_depths(pool, 2, &["worker/sync", "pool/sync", "pool/sync-read-only"]);
        assert_depths(pool_each, 1, &[]);
        assert_eq!(empty_loops(deep), ["main/empty", "worker/empty"]);
        assert_eq!(empty_loops(pool), ["worker/empty", "pool/empty"]);
        assert_eq!(empty_loops(pool_each), ["main/empty", "worker/empty", "pool/empty"]);
        let read_only = contender(&result, "pool", "pool/sync-read-only").0;
        let missing = (browser == Browser::Firefox).then(|| "createSyncAccessHandle({ mode: \"read-only\" })".to_owned());
        assert_eq!(read_only.absent, missing);

        let shown = opened.text("groups").await;
        for told in
            ["4 reads in flight (iodepth 4)", "synchronous calls have no queue", "2 workers in a pool (numjobs 2)", "empty loop, pool"]
        {
            assert!(shown.contains(told), "{told}: {shown}");
        }
    });
}

/// Whether each arm had so many reads in flight, or one where its calls are synchronous, and says so; and enough ops for them.
fn assert_depths(group: &GroupResult, depth: u32, synchronous: &[&str]) {
    for (arm, estimate) in group.record.arms.iter().zip(&group.estimates.arms).filter(|(arm, _)| arm.role != Role::Empty) {
        let alone = synchronous.contains(&&*arm.method.to_string());
        let title = &group.record.group.title;
        assert_eq!(arm.iodepth, if alone { 1 } else { depth }, "{title}: {}", arm.method);
        assert_eq!(estimate.notes.contains(&Note::OneAtATime), alone && arm.absent.is_none(), "{title}: {}", arm.method);
        assert!(arm.absent.is_some() || arm.iodepth == 1 || arm.n >= 8 * u64::from(depth), "{title}: {} of {} ops", arm.method, arm.n);
    }
}

fn empty_loops(group: &GroupResult) -> Vec<String> {
    group.record.arms.iter().filter(|arm| arm.role == Role::Empty).map(|arm| arm.method.to_string()).collect()
}

fn a_worker_of_a_pool_that_dies_ends_the_pool_s_methods_alone(browser: Browser) {
    with_page(browser, async |opened: &Opened<'_>| {
        // The first is the run's own worker, the second and third are the pool's.
        opened
            .run_script(
                "const Plain = Worker;
                 let made = 0;
                 window.Worker = class extends Plain {
                   constructor(...whatever) {
                     super(...whatever);
                     made += 1;
                     if (made !== 3) return;
                     setTimeout(() => {
                       this.terminate();
                       this.dispatchEvent(new ErrorEvent('error', { message: 'killed by a test' }));
                     }, 2500);
                   }
                 };",
            )
            .await;
        let job = jobs::PARALLEL.replace("budget_s = 9", "budget_s = 15");
        let (before, groups) = job.split_once("[[group]]").expect("groups");
        let pool = groups.split("[[group]]").find(|group| group.contains("name = \"pool\"")).expect("there");
        let methods = r#"methods = ["pool/sync", "pool/slice", "main/slice"]"#;
        let pool = pool.replace(r#"methods = ["pool/sync", "pool/sync-read-only", "pool/slice"]"#, methods);
        assert_eq!(opened.run_job(&format!("{before}[[group]]{pool}"), None).await, State::Finished);
        opened.assert_nothing_is_left().await;
        let result = opened.result().await;
        assert_eq!(result.outcome, Outcome::Finished);
        for arm in &result.groups[0].record.arms {
            let failure = arm.failure.as_deref();
            if arm.method.to_string().starts_with("pool/") {
                assert_eq!(failure, Some("worker 2 of 2: the worker failed: killed by a test"), "{}", arm.method);
            } else {
                assert_eq!(failure, None, "{}", arm.method);
                assert!(arm.role == Role::Empty || arm.verifications.last().is_some_and(|last| last.when == When::After), "{arm:?}");
            }
        }
        let (_, main) = contender(&result, "pool", "main/slice");
        assert!(!matches!(main.verdict, Verdict::NotCompared) && main.ratio.is_some(), "{main:?}");
    });
}
