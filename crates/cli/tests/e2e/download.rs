//! What a phone downloads before it can measure, and how long that takes here.

use std::collections::BTreeMap;

use brotli::enc::BrotliEncoderParams;
use opfs_bench_cli::browser::Browser;
use opfs_bench_cli::server::Site;

use crate::harness::{Opened, in_both_browsers, with_page, www};

in_both_browsers! {
    the_download_is_within_its_budget;
    the_timeline_says_when_the_page_was_ready;
}

/// The most that the page, its glue and the Wasm module may be together, as a web server sends them that has compressed them beforehand.
/// The aim is 200 KB: where the download became smaller, so does this, to some 5 % above what it is.
const MOST: usize = 540_000;
/// What the page loads when something begins: the first check, and a run.
const WORKERS: [&str; 2] = ["probe.js", "worker.js"];

fn compressed(bytes: &[u8]) -> usize {
    let parameters = BrotliEncoderParams { quality: 11, lgwin: 24, size_hint: bytes.len(), ..Default::default() };
    let mut compressed = Vec::new();
    brotli::BrotliCompress(&mut &*bytes, &mut compressed, &parameters).expect("memory takes all");
    compressed.len()
}

/// The files are those that the browser names. The page names all of them too, so that none waits for the one that asks for it.
fn the_download_is_within_its_budget(browser: Browser) {
    let files: BTreeMap<String, _> = Site::folder(&www()).and_then(|site| site.files()).expect("the built page").into_iter().collect();
    with_page(browser, async |opened: &Opened<'_>| {
        let script = "return [...new Set(performance.getEntriesByType('resource').map((entry) => new URL(entry.name).pathname.slice(1)))]";
        let mut names: Vec<String> = opened.session.script("reading what was loaded", script, vec![]).await.expect("a list of files");
        let page = String::from_utf8(files["index.html"].to_vec()).expect("text");
        let (workers, others): (Vec<&String>, Vec<&String>) = names.iter().partition(|name| WORKERS.contains(&name.as_str()));
        for name in others {
            assert!(page.contains(&format!("\"{name}\"")), "the page loads {name} but does not name it");
        }
        assert!(workers.len() < WORKERS.len(), "a run has begun: {workers:?}");
        names.extend(WORKERS.map(str::to_owned));
        names.push("index.html".to_owned());
        names.sort_unstable();
        names.dedup();
        let mut sizes: Vec<(usize, &str)> = names.iter().map(|name| (compressed(&files[name]), name.as_str())).collect();
        sizes.sort_unstable_by(|one, other| other.cmp(one));
        let all: usize = sizes.iter().map(|(size, _)| size).sum();
        eprintln!("the download: {all} B in brotli, of {MOST}, in {} files", sizes.len());
        assert!(names.iter().any(|name| name == "pkg/opfs_bench_bg.wasm"), "{sizes:?}");
        assert!(all <= MOST, "the download is {all} B in brotli, more than {MOST}; from the largest: {sizes:#?}");
    });
}

/// It prints the figures, and judges none: the machine may be busy.
fn the_timeline_says_when_the_page_was_ready(browser: Browser) {
    with_page(browser, async |opened: &Opened<'_>| {
        let mut ready_ms = Vec::new();
        for _ in 0..6 {
            let script = "return performance.getEntriesByName('opfs-bench ready').map((mark) => mark.startTime)";
            let marks: Vec<f64> = opened.session.script("reading the timeline", script, vec![]).await.expect("a list of times");
            let [mark] = marks[..] else { panic!("one mark of one load: {marks:?}") };
            assert!(mark > 0.0);
            ready_ms.push(mark);
            opened.session.go_to(&opened.url).await.expect("the page opens again");
            opened.page.wait_until_ready().await.expect("the page is ready again");
        }
        eprintln!("{}: ready {:.0} ms after navigation began, then again after {:.0?} ms", browser.name(), ready_ms[0], &ready_ms[1..]);
    });
}
