//! What a run keeps of the bytes that it reads: none.

use std::collections::BTreeMap;
use std::process;
use std::time::{Duration, Instant};

use opfs_bench_cli::browser::Browser;
use opfs_bench_cli::page::State;
use procfs::process::{Process, all_processes};

use crate::harness::{Opened, RUN, in_both_browsers, with_page};
use crate::jobs;
use crate::result::assert_complete;

in_both_browsers! {
    reading_100_mib_by_blocks_takes_less_than_200_mib;
}

/// Everything counts that is in memory of the page's process alone, the browser's own share of it too.
///
/// Promises bring buffers that the browser makes and keeps until it collects them, which is not ours to answer for: a page of five lines that
/// reads as much by `arrayBuffer()` takes up to 154 MiB in Chromium by blocks of 64 KiB, and 388 MiB by blocks of 1 MiB.
fn reading_100_mib_by_blocks_takes_less_than_200_mib(browser: Browser) {
    with_page(browser, async |opened: &Opened<'_>| {
        opened.page.set_job(jobs::BY_BLOCKS, None).await.unwrap_or_else(|error| panic!("{error:#}"));
        opened.page.start().await.unwrap_or_else(|error| panic!("{error:#}"));
        let deadline = Instant::now() + RUN;
        let (mut peak, mut samples) = (0, 0);
        let mut polled = Instant::now();
        loop {
            if let Some(bytes) = page_process() {
                peak = peak.max(bytes);
                samples += 1;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
            // Asking the page disturbs what it measures, looking at its process does not.
            if polled.elapsed() > Duration::from_secs(2) {
                polled = Instant::now();
                if opened.page.state().await.is_ok_and(State::is_end) {
                    break;
                }
                assert!(Instant::now() < deadline, "the run ends");
            }
        }
        let result = opened.result().await;
        assert_complete(&result);
        let read: u64 = result.groups[0].record.arms.iter().map(|arm| arm.bytes).sum();
        assert!(read > 100 << 20, "{read} B read");
        assert!(samples > 50, "its process was looked at {samples} times");
        println!("at most {} MiB of {samples} samples", peak >> 20);
        assert!((20 << 20..200 << 20).contains(&peak), "{} MiB", peak >> 20);
    });
}

/// Bytes of memory that only the largest process with a page has, of the browser that this test started.
fn page_process() -> Option<u64> {
    let processes: BTreeMap<i32, (i32, Process)> = all_processes()
        .expect("the system tells its processes")
        // One may end while it is looked at.
        .filter_map(|process| process.and_then(|process| Ok((process.pid, (process.stat()?.ppid, process)))).ok())
        .collect();
    let is_ours = |mut pid: i32| {
        while let Some((parent, _)) = processes.get(&pid) {
            if *parent == process::id().cast_signed() {
                return true;
            }
            pid = *parent;
        }
        false
    };
    let pages = processes.iter().filter(|(pid, _)| is_ours(**pid)).filter_map(|(_, (_, process))| {
        // Chromium makes one argument of all.
        let arguments = process.cmdline().ok()?.join(" ");
        let is_page = ["--type=renderer", "-contentproc"].iter().any(|kind| arguments.contains(kind));
        let status = process.status().ok()?;
        is_page.then_some((status.rssanon? + status.rssshmem?) * 1024)
    });
    pages.max()
}
