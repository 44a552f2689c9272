//! Arms with options of their own, passes, lists, and groups that do not fit.

use opfs_bench_cli::browser::Browser;
use opfs_bench_cli::page::State;
use opfs_bench_core::result::{Outcome, Role, Skipped};
use opfs_bench_core::units::Bytes;

use crate::harness::{Opened, in_both_browsers, with_page};
use crate::jobs;
use crate::result::{assert_complete, contender};

in_both_browsers! {
    arms_with_options_of_their_own_stand_in_one_table_and_in_passes;
    a_group_that_does_not_fit_is_left_out_aloud;
}

fn arms_with_options_of_their_own_stand_in_one_table_and_in_passes(browser: Browser) {
    with_page(browser, async |opened: &Opened<'_>| {
        assert_eq!(opened.run_job(jobs::OPTIONS, None).await, State::Finished);
        opened.assert_nothing_is_left().await;
        let result = opened.result().await;
        // Bytes before and after: no arm's locks kept another one out.
        assert_complete(&result);
        let files = &result.groups[0].record;
        for arm in &files.arms {
            let whole_passes = arm.n > 0 && arm.n.is_multiple_of(10);
            assert!(whole_passes || arm.role == Role::Empty, "{}: {} ops", arm.method, arm.n);
        }
        assert_eq!(contender(&result, "files", "main/array-buffer:iodepth=10").0.iodepth, 10);
        let empty = files.arms.iter().filter(|arm| arm.role == Role::Empty).map(|arm| arm.method.to_string());
        assert_eq!(empty.collect::<Vec<_>>(), ["main/empty", "worker/empty", "pool/empty:numjobs=3"]);
        // What the work consists of is told once for a method, whatever its options.
        let apart = files.arms.iter().filter(|arm| !arm.stages.is_empty()).map(|arm| arm.method.to_string());
        assert_eq!(apart.collect::<Vec<_>>(), ["main/array-buffer", "worker/sync"]);

        let shown = opened.text("groups").await;
        for told in
            ["per pass (95 %)", "main/array-buffer:iodepth=10", "A pass reads 10 files whole once", "per pass of 10 ops", "open=kept"]
        {
            assert!(shown.contains(told), "{told}: {shown}");
        }
    });
}

fn a_group_that_does_not_fit_is_left_out_aloud(browser: Browser) {
    with_page(browser, async |opened: &Opened<'_>| {
        // As much as a browser with little room would grant. What is stored counts, as a browser counts it.
        opened
            .run_script(
                "const sizes = async (folder) => {
                   let size = 0;
                   for await (const entry of folder.values())
                     size += entry.kind === 'file' ? (await entry.getFile()).size : await sizes(entry);
                   return size;
                 };
                 StorageManager.prototype.estimate = async function () {
                   return { quota: 5.5 * 2 ** 20, usage: await sizes(await this.getDirectory()) };
                 };",
            )
            .await;
        assert_eq!(opened.run_job(jobs::TOO_LARGE, None).await, State::Finished);
        opened.assert_nothing_is_left().await;
        let result = opened.result().await;
        assert_eq!(result.outcome, Outcome::Finished);
        // The last fits since the files of the first are gone by then.
        let measured: Vec<&str> = result.groups.iter().map(|group| group.record.group.name.as_str()).collect();
        assert_eq!(measured, ["first", "last"]);
        let [Skipped { index: 1, needed: Bytes(0x0400_0000), free }] = result.skipped[..] else { panic!("{:?}", result.skipped) };
        assert!(free < Bytes(5 << 20), "{free}");
        let shown = opened.text("doubts").await;
        for told in ["Not measured", &format!("A file of 64 MiB: 64 MiB needed, {free} free")] {
            assert!(shown.contains(told), "{told}: {shown}");
        }
    });
}
