//! What the page can call, on the main thread of a real browser. Whole runs need the served page: the end-to-end tests of the
//! command do those.
#![cfg(target_arch = "wasm32")]

use js_sys::Reflect;
use opfs_bench::{Bench, changeable, conditions, csv, preset, presets, qr, render, render_comparison, render_link, sweep};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::{FileSystemDirectoryHandle, FileSystemGetDirectoryOptions};

wasm_bindgen_test_configure!(run_in_browser);

fn message(error: JsError) -> String {
    Reflect::get(&error.into(), &"message".into()).unwrap().as_string().unwrap()
}

fn number(object: &JsValue, name: &str) -> f64 {
    Reflect::get(object, &name.into()).unwrap().as_f64().unwrap()
}

#[wasm_bindgen_test]
fn quick_says_what_it_writes_and_how_long_it_takes() {
    assert!(presets().contains(&"quick".to_owned()));
    let bench = Bench::new(&preset("quick").ok().unwrap(), None, None).ok().unwrap();
    let plan = bench.plan();
    assert_eq!(number(&plan, "bytesWritten"), f64::from((32 << 20) + 1000 * 1024));
    assert!((30.0..60.0).contains(&number(&plan, "seconds")));
    assert_eq!(bench.result(), None);
}

#[wasm_bindgen_test]
fn an_unknown_preset_is_named_and_the_known_ones_are_listed() {
    let error = message(preset("slow").err().unwrap());
    assert!(error.contains("\"slow\"") && error.contains("quick"), "{error}");
}

#[wasm_bindgen_test]
fn a_job_is_checked_against_the_methods_there_are() {
    let quick = preset("quick").ok().unwrap();
    let refused = |job: &str, seed: Option<&str>| message(Bench::new(job, seed.map(str::to_owned), None).err().unwrap());
    let error = refused(&quick.replace("worker/sync", "worker/telepathy"), None);
    assert_eq!(error.lines().filter(|mistake| mistake.starts_with("line ")).count(), 3, "{error}");
    assert!(error.contains("group random-4k, methods: there is no method worker/telepathy; there are: main/array-buffer"), "{error}");
    let error = refused(&quick.replace("main/slice", "main/array-buffer"), None);
    assert!(error.contains("main/array-buffer reads whole files, but an op of this group is 4 KiB of a file of 32 MiB"), "{error}");
    let error = refused(&quick.replace("worker/sync", "worker/empty"), None);
    assert!(error.contains("there is no method worker/empty"), "{error}");
    let several = quick.replace("budget_s = 30", "budget_s = 0").replace("worker/sync", "worker/telepathy");
    assert_eq!(refused(&several, None).lines().count(), 4, "mistakes of all kinds are told at once");
    let error = refused(&quick, Some("xyz"));
    assert!(error.contains("`xyz` is not a seed"), "{error}");
}

#[wasm_bindgen_test]
fn what_is_no_result_is_not_shown() {
    for text in ["", "{}", r#"{"format":"opfs-bench result 99"}"#] {
        assert!(render(text).is_err() && render_comparison(text, text, "one", "other").is_err(), "{text}");
        assert!(csv(text).is_err(), "{text}");
    }
    assert!(message(render_link("AQ").err().unwrap()).contains("damaged"));
}

#[wasm_bindgen_test]
fn changes_are_checked_with_the_methods_there_are_and_told() {
    assert_eq!(changeable(), ["budget_s", "bs", "filesize", "nrfiles", "iodepth", "methods"]);
    let quick = preset("quick").ok().unwrap();
    let bench = |changes: &[&str]| Bench::new(&quick, None, Some(changes.iter().map(|&change| change.to_owned()).collect()));
    let plan = bench(&["bs=64KiB", "filesize=64KiB", "budget_s=30"]).ok().unwrap().plan();
    assert_eq!(number(&plan, "bytesWritten"), f64::from(51 * (64 << 10)));
    assert_eq!(Reflect::get(&plan, &"told".into()).unwrap().as_string().unwrap(), "blocks of 64 KiB, files of 64 KiB");
    let error = message(bench(&["bs=7", "nrfiles=0"]).err().unwrap());
    assert!(error.contains("bs: 7 B do not divide") && error.contains("nrfiles: 0 files; allowed are"), "{error}");
    let refused = preset("overhead").ok().unwrap();
    let error = message(Bench::new(&refused, None, Some(vec!["iodepth=4".into()])).err().unwrap());
    assert!(error.contains("reads one op after another, and this group has iodepth = 4"), "{error}");
}

#[wasm_bindgen_test]
async fn what_would_make_a_run_doubtful_is_known_before_it() {
    let found: js_sys::Array = conditions().await.unchecked_into();
    let headings: Vec<String> = found.iter().map(|told| Reflect::get(&told, &"heading".into()).unwrap().as_string().unwrap()).collect();
    // The test runner's page is isolated, and a program's notes are none for a person.
    assert!(headings.iter().all(|heading| ["Low power mode, perhaps", "On battery"].contains(&heading.as_str())), "{headings:?}");
}

#[wasm_bindgen_test]
fn what_is_too_long_has_no_code() {
    assert!(qr("https://192.168.1.5:8642/").ok().unwrap().starts_with("<svg"));
    assert!(qr(&"a".repeat(3_000)).is_err());
}

#[wasm_bindgen_test]
async fn a_sweep_removes_what_killed_runs_left_and_nothing_else() {
    let root = web_sys::window().unwrap().navigator().storage().get_directory();
    let root: FileSystemDirectoryHandle = JsFuture::from(root).await.unwrap().unchecked_into();
    let create = FileSystemGetDirectoryOptions::new();
    create.set_create(true);
    for name in ["opfs-bench-left", "somebody-elses"] {
        JsFuture::from(root.get_directory_handle_with_options(name, &create)).await.unwrap();
    }
    assert_eq!(sweep().await.ok().unwrap(), 1);
    assert!(JsFuture::from(root.get_directory_handle("opfs-bench-left")).await.is_err());
    JsFuture::from(root.get_directory_handle("somebody-elses")).await.unwrap();
    JsFuture::from(root.remove_entry("somebody-elses")).await.unwrap();
    assert_eq!(sweep().await.ok().unwrap(), 0);
}
