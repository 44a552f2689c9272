//! Lists the presets: every `fixtures/*.toml` is one, so that a new preset is a new file and nothing else.

use std::path::Path;
use std::{env, fs};

fn main() {
    let fixtures = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("set by cargo")).join("../../fixtures");
    println!("cargo::rerun-if-changed={}", fixtures.display());
    let mut presets: Vec<_> = fs::read_dir(&fixtures)
        .unwrap_or_else(|error| panic!("{}: {error}", fixtures.display()))
        .map(|entry| entry.expect("readable folder").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    presets.sort();
    let entries: Vec<String> = presets
        .iter()
        .map(|path| {
            let name = path.file_stem().and_then(|stem| stem.to_str()).expect("presets have plain names");
            let path = path.to_str().expect("the checkout's path is plain text");
            format!("({name:?}, include_str!({path:?}))")
        })
        .collect();
    let source = format!("/// Every preset: its name and its text.\nconst PRESETS: &[(&str, &str)] = &[{}];\n", entries.join(", "));
    let target = Path::new(&env::var("OUT_DIR").expect("set by cargo")).join("presets.rs");
    fs::write(&target, source).unwrap_or_else(|error| panic!("{}: {error}", target.display()));
}
