//! Methods that write: what they wrote is found where it belongs, and what was lost on the way is noticed.

use opfs_bench_cli::browser::Browser;
use opfs_bench_cli::page::State;
use opfs_bench_core::estimate::{Verdict, Withheld};
use opfs_bench_core::result::{EndsUp, Outcome, Role};

use crate::harness::{Opened, in_both_browsers, with_page};
use crate::result::{assert_complete, contender};

in_both_browsers! {
    written_bytes_are_read_back_and_the_storage_comes_to_rest;
    a_write_that_the_browser_loses_is_no_result;
}

const JOB: &str = r#"
name = "writes"
title = "Writes"
budget_s = 8
storage = "2 MiB"
[[group]]
name = "blocks"
title = "4 KiB overwritten at random in a 256 KiB file"
rw = "randwrite"
bs = "4 KiB"
size = "256 KiB"
end_fsync = true
open = "kept"
baseline = "worker/sync"
methods = ["main/writable", "worker/writable", "rpc/transfer"]
[[group]]
name = "copies"
title = "a file of 256 KiB copied to another"
rw = "copy"
bs = "64 KiB"
size = "256 KiB"
open = "each"
baseline = "main/pipe-to"
methods = ["worker/sync"]
"#;

fn written_bytes_are_read_back_and_the_storage_comes_to_rest(browser: Browser) {
    with_page(browser, async |opened: &Opened<'_>| {
        assert_eq!(opened.run_job(JOB, None).await, State::Finished);
        opened.assert_nothing_is_left().await;
        let result = opened.result().await;
        assert_complete(&result);
        for group in &result.groups {
            assert!(group.record.arms.iter().all(|arm| arm.writes == (arm.role != Role::Empty)));
            let samples: usize = group.record.rounds.iter().chain(&group.record.warm_up.rounds).map(|round| round.order.len()).sum();
            let wash_out = group.record.wash_out.expect("it writes");
            assert!(
                wash_out.at_rest_ns.is_some() && wash_out.waits > 0 && (wash_out.waits as usize) < samples,
                "{wash_out:?} of {samples}"
            );
        }
        for (method, wanted) in [("main/writable", EndsUp::FileClosed), ("rpc/transfer", EndsUp::FileFlushed)] {
            assert_eq!(contender(&result, "blocks", method).0.ends_up, wanted, "{method}");
        }
        let shown = opened.text("groups").await;
        for told in ["flushed at the end of every sample (end_fsync)", "file, flushed", "file, closed", "The storage came to rest within"] {
            assert!(shown.contains(told), "{told}: {shown}");
        }
    });
}

fn a_write_that_the_browser_loses_is_no_result(browser: Browser) {
    with_page(browser, async |opened: &Opened<'_>| {
        opened
            .run_script(
                "const write = FileSystemWritableFileStream.prototype.write;
                 let writes = 0;
                 FileSystemWritableFileStream.prototype.write = function (...whatever) {
                   writes += 1;
                   return writes % 50 === 0 ? Promise.resolve() : write.apply(this, whatever);
                 };",
            )
            .await;
        let (job, _) = JOB.rsplit_once("[[group]]").expect("two groups");
        assert_eq!(opened.run_job(&job.replace("budget_s = 8", "budget_s = 4"), None).await, State::Finished);
        let result = opened.result().await;
        assert_eq!(result.outcome, Outcome::Finished);
        let (_, lost) = contender(&result, "blocks", "main/writable");
        let Verdict::Withheld { reasons } = &lost.verdict else { panic!("{lost:?}") };
        assert!(reasons.contains(&Withheld::WrongBytes), "{reasons:?}");
        let (kept, _) = contender(&result, "blocks", "worker/writable");
        assert!(kept.takes_part() && kept.verifications.len() == 2, "{kept:?}");
    });
}
