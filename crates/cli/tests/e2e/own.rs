//! Files of a person's own, in place of made-up ones: by the command, and on the page.

use std::fs;
use std::path::{Path, PathBuf};

use axum::http::Method;
use opfs_bench_cli::browser::Browser;
use opfs_bench_cli::page::State;
use opfs_bench_core::fixture::Checksum;
use opfs_bench_core::result::{Arm, Fixture, Native, Outcome, RunResult, When};
use opfs_bench_core::units::Bytes;
use serde_json::{Value, json};
use tempfile::TempDir;
use thirtyfour::common::command::FormatRequestData;
use thirtyfour::{RequestData, SessionId};

use crate::harness::{Opened, in_both_browsers, with_page, www};
use crate::jobs;
use crate::program::Run;

in_both_browsers! {
    the_command_measures_a_folder_of_own_files;
    files_that_are_chosen_on_the_page_are_measured;
}

/// Their order is that of their names.
const FILES: [(&str, usize); 5] =
    [("a secret name.txt", 1), ("b.bin", 4097), ("c/deep.bin", (1 << 20) + 3), ("d.bin", 70_000), ("e.bin", 4095)];

fn bytes(place: usize) -> Vec<u8> {
    (0..FILES[place].1).map(|at| u8::try_from((at * 13 + at / 251 + place * 7) % 256).expect("a byte")).collect()
}

/// The files in a folder, beside others that are not taken.
pub fn own_files() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (place, (name, _)) in FILES.iter().enumerate() {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
        fs::write(path, bytes(place)).expect("writable");
    }
    fs::write(folder.path().join(".hidden"), "hidden").expect("writable");
    folder
}

fn paths(folder: &Path) -> Vec<PathBuf> {
    FILES.iter().map(|(name, _)| folder.join(name)).collect()
}

/// What the result of a run of [`jobs::SHORT`] says of them.
fn assert_measured(result: &RunResult) {
    assert_eq!(result.outcome, Outcome::Finished);
    assert_eq!(result.job.left_out, []);
    let [fixture] = &result.fixtures[..] else { panic!("{:?}", result.fixtures) };
    let Fixture { fileset, checksum, read_back, .. } = fixture;
    let sizes = fileset.own.expect("own files");
    let total: usize = FILES.iter().map(|(_, size)| size).sum();
    assert_eq!((fileset.nrfiles, sizes.total, sizes.smallest, fileset.file_size.0), (5, Bytes(total as u64), Bytes(1), (1 << 20) + 3));
    let mut contents = Checksum::new();
    (0..FILES.len()).for_each(|place| contents.update(&bytes(place)));
    assert_eq!((checksum, read_back), (&contents.digits(), &contents.digits()));
    let [whole, blocks] = &result.groups[..] else { panic!("{:?}", result.job) };
    assert_eq!((whole.record.group.nrfiles, whole.record.group.size.0), (5, total as u64));
    assert_eq!((blocks.record.group.nrfiles, blocks.record.group.size.0), (3, (1 + 256 + 17) * 4096));
    for group in &result.groups {
        for arm in &group.record.arms {
            assert_eq!((&arm.failure, &arm.absent), (&None, &None), "{}", arm.method);
        }
        let read: Vec<&Arm> = group.record.arms.iter().filter(|arm| !arm.verifications.is_empty()).collect();
        assert!(read.len() > 2);
        for arm in read {
            let checked: Vec<When> = arm.verifications.iter().map(|checked| checked.when).collect();
            assert_eq!(checked, [When::Before, When::After], "{}", arm.method);
            assert!(arm.verifications.iter().all(|checked| checked.found == checked.expected && checked.ops > 4), "{arm:?}");
        }
    }
    let text = result.to_json();
    assert!(!text.contains("secret name") && !text.contains("deep.bin"), "a result holds no names");
}

fn the_command_measures_a_folder_of_own_files(browser: Browser) {
    let own = own_files();
    let mut run = Run::start("run", browser, &www(), &["--job", "short.toml", "--fixture", own.path().to_str().expect("a plain name")]);
    assert_eq!(run.end(), Some(0), "{}", run.read("stderr"));
    let result = run.result();
    assert_measured(&result);
    for group in &result.groups {
        let native = group.native.as_ref().and_then(Native::reads).unwrap_or_else(|| panic!("{:?}", group.native));
        assert_eq!((native.record.group.size, native.record.arms[0].verifications.len()), (group.record.group.size, 2));
    }
    let shown = run.read("stdout").split_whitespace().collect::<Vec<_>>().join(" ");
    for words in [
        "Own files, 5 of 1 B to 1 MiB, read whole, opened each time",
        "whole files, one after another in order; own files, 5 of 1 B to 1 MiB (220 KiB in the mean)",
        "Random 4 KiB reads in own files, 3 of 4 KiB to 1 MiB",
        "of them 2 whole files: shorter than a block of 4 KiB",
        "own files, 5 of 1 B to 1 MiB, 1.07 MiB in all, checksum",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    run.assert_nothing_is_left();
}

fn files_that_are_chosen_on_the_page_are_measured(browser: Browser) {
    let own = own_files();
    with_page(browser, async |opened: &Opened<'_>| {
        opened.page.set_job(jobs::SHORT, Some("5")).await.unwrap_or_else(|error| panic!("{error:#}"));
        // A job of one's own has no parameters; the chooser is among those of presets.
        opened.run_script("document.getElementById('options').hidden = false; document.getElementById('parameters').open = true;").await;
        let empty = own.path().join("empty.dat");
        fs::write(&empty, "").expect("writable");
        choose(opened, &[empty]).await;
        opened.wait_until("the refusal", "return document.getElementById('own-status').textContent.includes('empty.dat')").await;
        assert!(opened.ask::<bool>("return document.getElementById('own').hidden").await);

        choose(opened, &paths(own.path())).await;
        opened.wait_until("the choice", "return !document.getElementById('own').hidden").await;
        assert_eq!(opened.text("own-told").await, "Measures own files, 5 of 1 B to 1 MiB, 1.07 MiB in all.");
        assert_eq!(opened.text("own-status").await, "");
        let cost = opened.text("start-cost").await;
        assert!(cost.starts_with("writes 1.1 MiB"), "{cost}");
        opened.page.start().await.unwrap_or_else(|error| panic!("{error:#}"));
        assert_eq!(opened.wait_for_end().await, State::Finished, "{:?}", opened.page.poll().await);
        assert_measured(&opened.result().await);
        opened.assert_nothing_is_left().await;

        opened.run_script("document.getElementById('own-clear').click();").await;
        opened.wait_until("made-up files", "return document.getElementById('own').hidden").await;
        opened.page.start().await.unwrap_or_else(|error| panic!("{error:#}"));
        assert_eq!(opened.wait_for_end().await, State::Finished);
        let made_up = opened.result().await;
        assert!(made_up.fixtures.iter().all(|fixture| fixture.fileset.own.is_none()), "{:?}", made_up.fixtures);
    });
}

#[test]
fn files_that_do_not_fit_are_told_with_the_figures() {
    let own = own_files();
    with_page(Browser::Chromium, async |opened: &Opened<'_>| {
        opened.page.set_job(jobs::SHORT, None).await.unwrap_or_else(|error| panic!("{error:#}"));
        choose(opened, &paths(own.path())).await;
        opened.wait_until("the choice", "return !document.getElementById('own').hidden").await;
        opened.run_script("StorageManager.prototype.estimate = async () => ({ quota: 1_500_000, usage: 0 });").await;
        opened.page.start().await.unwrap_or_else(|error| panic!("{error:#}"));
        assert_eq!(opened.wait_for_end().await, State::Failed);
        let error = opened.page.poll().await.expect("an answer").error.unwrap_or_default();
        assert!(error.contains("each group of the job writes 1.07 MiB or more, but the browser grants this site only 0 B more"), "{error}");
        assert!(error.contains("choose fewer or smaller files"), "{error}");
        opened.assert_nothing_is_left().await;
    });
}

/// What is wrong with files is told before a browser starts, where it can be known.
#[test]
fn files_that_cannot_be_measured_end_the_command_at_once() {
    let own = own_files();
    fs::write(own.path().join("empty"), "").expect("writable");
    let at = |name: &str| own.path().join(name).to_str().expect("a plain name").to_owned();
    let blocks = tempfile::NamedTempFile::new().expect("a temporary file");
    fs::write(blocks.path(), jobs::MAIN_AGAINST_WORKER).expect("writable");
    for (path, words) in [
        (at("nowhere"), "cannot take files from"),
        (at(""), "leave empty files out"),
        (at("e.bin"), "none of them is as long as a block of 4 KiB; the longest has 4095 B"),
    ] {
        let mut run = Run::spawn(&["run", "--job", blocks.path().to_str().expect("a plain name"), "--fixture", &path], Some(&www()));
        assert_eq!(run.end(), Some(2), "{}", run.read("stderr"));
        assert!(run.read("stderr").contains(words) && !run.read("stderr").contains("starting"), "{words}: {}", run.read("stderr"));
        run.assert_nothing_is_left();
    }
}

/// Chooses files with the field, as a driver does it: by their paths.
pub async fn choose(opened: &Opened<'_>, paths: &[PathBuf]) {
    let element: Value = opened.ask("return document.getElementById('own-files')").await;
    let element = element["element-6066-11e4-a52e-4f735466cecf"].as_str().expect("an element").to_owned();
    let text = paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join("\n");
    opened.session.command(SendKeys { element, text }).await.unwrap_or_else(|error| panic!("{error:#}"));
}

/// The driver's way to fill a field.
#[derive(Debug)]
struct SendKeys {
    element: String,
    text: String,
}

impl FormatRequestData for SendKeys {
    fn format_request(&self, session: &SessionId) -> RequestData {
        RequestData::new(Method::POST, format!("session/{session}/element/{}/value", self.element)).add_body(json!({ "text": self.text }))
    }
}
