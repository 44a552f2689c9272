//! A file that is changed between writing and reading, in every browser, by the whole tool: every method notices, on the thread where it
//! runs.

use std::fs;
use std::path::Path;

use opfs_bench_cli::browser::Browser;
use opfs_bench_core::estimate::{Invalid, Verdict, Withheld};
use opfs_bench_core::result::{Arm, Outcome, Role};
use tempfile::TempDir;

use crate::harness::{Opened, alone, in_both_browsers, with_page, www};
use crate::jobs;
use crate::program::Run;

in_both_browsers! {
    a_changed_file_makes_every_row_invalid;
    a_changed_copy_of_an_own_file_makes_every_row_invalid;
}

/// Changes a byte of each group's first file when its methods are about to open it.
const DAMAGE: &str = "
    // Once for each folder of files: a group is opened in several workers, and again to take its methods apart.
    const damaged = {};
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (message, ...ports) {
      const opening = typeof message === 'string' && JSON.parse(message).request.OpenGroup;
      if (!opening) return post.call(this, message, ...ports);
      damaged[opening.folder] ??= damage(opening.folder);
      damaged[opening.folder].then(() => post.call(this, message, ...ports));
    };
    async function damage(name) {
      const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle(name);
      for await (const [file, handle] of folder.entries()) {
        if (!file.endsWith('-0.bin')) continue;
        const bytes = new Uint8Array(await (await handle.getFile()).arrayBuffer());
        // A letter, which no decoding hides.
        bytes[1500] = bytes[1500] === 97 ? 98 : 97;
        const writable = await handle.createWritable();
        await writable.write(bytes);
        await writable.close();
      }
    }";

/// The page, with a script that comes before its own.
fn page_with(script: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    copy(&www(), folder.path());
    fs::write(folder.path().join("before.js"), script).expect("writable");
    let index = folder.path().join("index.html");
    let text = fs::read_to_string(&index).expect("the page is built");
    let (before, after) = text.split_once("<script").expect("it has scripts");
    fs::write(&index, format!("{before}<script src=\"before.js\"></script><script{after}")).expect("writable");
    folder
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("there") {
        let entry = entry.expect("readable");
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            fs::create_dir(&to).expect("writable");
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), &to).expect("writable");
        }
    }
}

/// Every method that the page has, in its own words, so that none is forgotten.
fn known_methods(browser: Browser) -> Vec<String> {
    let mut known = Vec::new();
    with_page(browser, async |opened: &Opened<'_>| {
        let job = jobs::whole_files("main/array-buffer", &["main/telepathy".to_owned()]);
        let refused = opened.page.set_job(&job, None).await.expect_err("there is no such method").to_string();
        let (_, list) = refused.split_once("there are: ").unwrap_or_else(|| panic!("{refused}"));
        known = list.split(", ").map(|name| name.trim().to_owned()).collect();
    });
    assert!(known.len() > 30, "{known:?}");
    known
}

fn a_changed_file_makes_every_row_invalid(browser: Browser) {
    let known = known_methods(browser);
    let _alone = alone();
    let page = page_with(DAMAGE);
    let job = page.path().join("every.toml");
    let others: Vec<String> = known.iter().filter(|name| *name != "main/array-buffer").cloned().collect();
    fs::write(&job, jobs::whole_files("main/array-buffer", &others)).expect("writable");
    let mut run = Run::start("run", browser, page.path(), &["--job", job.to_str().expect("a plain name")]);
    assert_eq!(run.end(), Some(1), "{}", run.read("stderr"));
    let error = run.read("stderr");
    assert!(error.contains("Methods read other bytes than the files hold."), "{error}");

    let result = run.result();
    assert_eq!(result.outcome, Outcome::Finished);
    assert!(result.fixtures.iter().all(|fixture| fixture.checksum == fixture.read_back), "they were right when they were written");
    let group = &result.groups[0];
    assert_eq!(group.estimates.invalid, [Invalid::BaselineFailed]);
    let shown = run.read("stdout").split_whitespace().collect::<Vec<_>>().join(" ");
    let here = |arm: &&Arm| arm.role != Role::Empty && arm.absent.is_none();
    let read: Vec<&Arm> = group.record.arms.iter().filter(here).collect();
    // All but the few that a browser lacks, and the baseline once more.
    assert!(read.len() > known.len() - 5, "{} of {}", read.len() - 1, known.len());
    for arm in read {
        let [checked] = &arm.verifications[..] else { panic!("once: {arm:?}") };
        assert_ne!(checked.found, checked.expected, "{}", arm.method);
        assert!(shown.contains(&format!("checksum {} instead of {}", checked.found, checked.expected)), "{}: {shown}", arm.method);
    }
    for (arm, estimate) in group.record.arms.iter().zip(&group.estimates.arms).filter(|(arm, _)| arm.role == Role::Contender) {
        let Verdict::Withheld { reasons } = &estimate.verdict else { panic!("{}: {estimate:?}", arm.method) };
        let expected = if arm.absent.is_some() {
            matches!(reasons[..], [Withheld::NotInThisBrowser { .. }])
        } else {
            *reasons == [Withheld::WrongBytes]
        };
        assert!(expected, "{}: {reasons:?}", arm.method);
    }
    run.assert_nothing_is_left();
}

fn a_changed_copy_of_an_own_file_makes_every_row_invalid(browser: Browser) {
    let _alone = alone();
    let page = page_with(DAMAGE);
    let own = tempfile::tempdir().expect("a temporary folder");
    for (name, size) in [("a", 5001), ("b", 70_000)] {
        fs::write(own.path().join(name), vec![b'x'; size]).expect("writable");
    }
    let mut run =
        Run::start("run", browser, page.path(), &["--job", "short.toml", "--fixture", own.path().to_str().expect("a plain name")]);
    assert_eq!(run.end(), Some(1), "{}", run.read("stderr"));
    assert!(run.read("stderr").contains("Methods read other bytes than the files hold."), "{}", run.read("stderr"));
    let result = run.result();
    assert!(result.fixtures.iter().all(|fixture| fixture.checksum == fixture.read_back), "it was right when it was copied");
    assert_eq!(result.groups.len(), 2);
    for group in &result.groups {
        assert_eq!(group.estimates.invalid, [Invalid::BaselineFailed]);
        for arm in group.record.arms.iter().filter(|arm| arm.role != Role::Empty) {
            let [checked] = &arm.verifications[..] else { panic!("once: {arm:?}") };
            assert_ne!(checked.found, checked.expected, "{}", arm.method);
        }
    }
    run.assert_nothing_is_left();
}
