//! What the page keeps and hands on: the address that says what is measured, results on the device, links.

use opfs_bench_cli::browser::Browser;
use opfs_bench_cli::page::State;
use opfs_bench_core::result::RunResult;
use serde_json::{Value, json};

use crate::harness::{Opened, in_both_browsers, with_page};

in_both_browsers! {
    results_are_kept_named_compared_and_deleted;
}

/// A run of seconds, as an address asks for it.
pub const SMALL: &str = "budget_s=3&bs=4KiB&filesize=256KiB&nrfiles=5&methods=worker/sync,rpc/transfer";

/// Types into a parameter's field, and leaves it.
pub async fn fill(opened: &Opened<'_>, name: &str, value: &str) {
    let script = "const input = document.querySelector(`#fields [name=${arguments[0]}]`);
        input.value = arguments[1];
        input.dispatchEvent(new Event('change', {bubbles: true}));";
    let _: Value = opened.session.script("filling a field", script, vec![json!(name), json!(value)]).await.expect("it is there");
}

/// Ticks everything in the list, which holds two results or more, and compares the first two.
pub async fn compare_all(opened: &Opened<'_>) {
    opened.wait_until("the list", "return document.querySelectorAll('#history-list li').length > 1").await;
    opened
        .run_script(
            "document.getElementById('history').open = true; for (const box of document.querySelectorAll('.tick input')) box.click();",
        )
        .await;
    opened.click("compare").await;
    opened.wait_until("the comparison", "return !document.getElementById('comparison').hidden").await;
}

/// What a camera reads in a code on the page.
pub async fn read_code(opened: &Opened<'_>, selector: &str) -> String {
    let script = "return [arguments[0]].map((selector) => document.querySelector(selector))
        .map((svg) => [svg.viewBox.baseVal.width, svg.querySelector('.dark').getAttribute('d')])[0]";
    let (size, path): (usize, String) = opened.session.script("reading a code", script, vec![json!(selector)]).await.expect("it is there");
    let mut dark = vec![false; size * size];
    for run in path.split('M').skip(1) {
        let (place, length) = run.split_once('h').expect("a run of squares");
        let (x, y) = place.split_once(' ').expect("a place");
        let [x, y, length] = [x, y, length.split('v').next().expect("a length")].map(|number| number.parse::<usize>().expect("a number"));
        dark[y * size + x..][..length].fill(true);
    }
    let wide = 4;
    let grey = |x: usize, y: usize| if dark[y / wide * size + x / wide] { 0 } else { 255 };
    let mut image = rqrr::PreparedImage::prepare_from_greyscale(size * wide, size * wide, grey);
    image.detect_grids()[0].decode().expect("it can be read").1
}

async fn run_small(opened: &Opened<'_>) -> RunResult {
    opened.page.start().await.unwrap_or_else(|error| panic!("{error:#}"));
    assert_eq!(opened.wait_for_end().await, State::Finished);
    opened.result().await
}

fn results_are_kept_named_compared_and_deleted(browser: Browser) {
    with_page(browser, async |opened: &Opened<'_>| {
        opened.session.go_to(&format!("{}?{SMALL}", opened.url)).await.expect("the page opens");
        opened.page.wait_until_ready().await.unwrap_or_else(|error| panic!("{error:#}"));
        let told = opened.text("changes").await;
        assert_eq!(told, "Not as the preset has it: 3 s, blocks of 4 KiB, files of 256 KiB, 5 files, only worker/sync and rpc/transfer.");
        let result = run_small(opened).await;
        let groups: Vec<(u64, u32, usize)> =
            result.job.groups.iter().map(|group| (group.size.0, group.nrfiles, group.methods.len())).collect();
        assert_eq!((result.job.budget_s, groups), (3.0, vec![(5 << 18, 5, 2), (1 << 18, 1, 2), (1 << 18, 1, 2)]));

        a_change_goes_into_the_address_and_back(opened).await;
        let second = run_small(opened).await;
        assert_eq!((second.job.groups.len(), second.job.groups[1].bs.0), (3, 8 << 10));
        opened.assert_nothing_is_left().await;

        // What is kept is still there when the page is opened again.
        opened.session.go_to(&opened.url).await.expect("the page opens");
        opened.page.wait_until_ready().await.unwrap_or_else(|error| panic!("{error:#}"));
        opened.wait_until("both", "return document.querySelectorAll('#history-list li').length === 2").await;
        opened
            .run_script(
                "document.getElementById('history').open = true;
                 const entry = document.querySelector('.entry');
                 entry.open = true;
                 const input = entry.querySelector('input');
                 input.value = '<b>my phone</b>';
                 input.dispatchEvent(new Event('change'));",
            )
            .await;
        opened.wait_until("the name", "return document.querySelector('.entry-name').textContent === '<b>my phone</b>'").await;
        opened.run_script("document.querySelector('.entry .buttons button').click();").await;
        opened.wait_until("the second run's result", "return document.getElementById('origin').textContent.includes('my phone')").await;
        assert!(opened.text("groups").await.contains("8 KiB at a time"));

        compare_all(opened).await;
        let comparison = opened.text("comparison").await;
        for words in ["<b>my phone</b>", "quick, ", "launches differ in workload", "worker/sync", "no interval: one launch"] {
            assert!(comparison.contains(words), "{words}: {comparison}");
        }
        a_link_brings_its_rows_to_whoever_opens_it(opened).await;
        deleted_results_are_gone(opened).await;
    });
}

async fn a_change_goes_into_the_address_and_back(opened: &Opened<'_>) {
    fill(opened, "bs", "7 KiX").await;
    opened.wait_until("the mistake", "return !document.getElementById('mistakes').hidden").await;
    let told = opened.text("mistakes").await;
    assert!(told.contains("`7 KiX` is not a size: write a whole number of bytes, or one with"), "{told}");
    assert!(opened.ask::<bool>("return document.getElementById('start').disabled").await);
    fill(opened, "bs", "8k").await;
    opened.wait_until("the address", "return location.search.includes('bs=8KiB')").await;
    let address: String = opened.ask("return location.href").await;
    opened.session.go_to("about:blank").await.expect("it opens");
    opened.session.go_to(&address).await.expect("the page opens");
    opened.page.wait_until_ready().await.unwrap_or_else(|error| panic!("{error:#}"));
    assert!(opened.text("changes").await.contains("3 s, blocks of 8 KiB, files of 256 KiB"));
    assert_eq!(opened.ask::<String>("return location.href").await, address);
}

async fn a_link_brings_its_rows_to_whoever_opens_it(opened: &Opened<'_>) {
    let copying = "Object.defineProperty(navigator, 'clipboard', {value: {writeText: async (text) => { window.copied = text; }}});";
    opened.run_script(copying).await;
    opened.click("show-link").await;
    opened.click("copy-link").await;
    opened.wait_until("the link", "return window.copied !== undefined").await;
    let link: String = opened.ask("return window.copied").await;
    assert_eq!(read_code(opened, "#code svg").await, link);
    let charts: usize = opened.ask("return document.querySelectorAll('#groups .chart .lane').length").await;
    opened.session.go_to("about:blank").await.expect("it opens");
    opened.session.go_to(&link).await.expect("the page opens");
    opened.wait_until("the link's result", "return document.getElementById('doubts').textContent.includes('not checked')").await;
    assert!(opened.text("answer").await.contains("(worker/sync)"));
    let brought: usize = opened.ask("return document.querySelectorAll('#groups .chart .lane').length").await;
    assert!(brought > 3 && brought <= charts, "{brought} of {charts}: the lanes of ratios, without those of stages");
    assert!(!opened.ask::<bool>("return document.getElementById('exports').checkVisibility()").await, "there are no samples to take away");
    // A link that was cut, opened in the same tab.
    opened.run_script("location.hash = location.hash.slice(0, -5);").await;
    opened.wait_until("the damage", "return document.getElementById('failure').textContent.includes('damaged')").await;
}

async fn deleted_results_are_gone(opened: &Opened<'_>) {
    opened.page.wait_until_ready().await.unwrap_or_else(|error| panic!("{error:#}"));
    opened.run_script("for (const id of ['history', 'stored']) document.getElementById(id).open = true;").await;
    opened.wait_until("what is stored", "return document.getElementById('stored-list').textContent.includes('kept: 2, ')").await;
    opened
        .run_script("document.querySelector('.entry').open = true; document.querySelectorAll('.entry .buttons button')[1].click();")
        .await;
    opened.wait_until("one less", "return document.querySelectorAll('#history-list li').length === 1").await;
    opened.wait_until("the same below", "return document.getElementById('stored-list').textContent.includes('kept: 1, ')").await;
    opened.click("delete-all").await;
    assert_eq!(opened.text("delete-all").await, "Really delete? Press again");
    opened.click("delete-all").await;
    opened.wait_until("none", "return document.getElementById('stored-list').textContent.includes('kept: none')").await;
    assert!(opened.ask::<bool>("return document.querySelector('#history-list li') === null").await);
}
