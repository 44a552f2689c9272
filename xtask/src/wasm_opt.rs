//! Makes the built module smaller, where a wasm-opt is at hand that can.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::settings::WasmOpt;
use crate::{process, version};

/// Optimises a module in place. Without a wasm-opt that is new enough it stays as it is, and one line says so.
pub fn run(settings: &WasmOpt, path: &OsStr, module: &Path) -> Result<()> {
    let Some(program) = process::find(path, "wasm-opt") else {
        eprintln!("no wasm-opt on PATH: the module stays as it is, which is fine");
        return Ok(());
    };
    let number = version::printed(&program).as_deref().and_then(version::of_wasm_opt);
    if number.is_none_or(|number| number < settings.minimum_version) {
        let number = number.map_or_else(|| "an unknown version".to_owned(), |number| format!("version {number}"));
        eprintln!(
            "{} is {number}, but {} is needed: the module stays as it is, which is fine",
            program.display(),
            settings.minimum_version
        );
        return Ok(());
    }
    let before = size(module)?;
    // The module is replaced only when the new one is whole.
    let smaller = module.with_extension("wasm.optimised");
    process::run(Command::new(&program).args(&settings.flags).arg(module).arg("-o").arg(&smaller))?;
    fs::rename(&smaller, module).with_context(|| format!("cannot replace {}", module.display()))?;
    eprintln!("wasm-opt: {before} B became {} B", size(module)?);
    Ok(())
}

fn size(file: &Path) -> Result<u64> {
    Ok(fs::metadata(file).with_context(|| format!("cannot read {}", file.display()))?.len())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn only_a_new_enough_one_is_used() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (module, program) = (folder.path().join("a.wasm"), folder.path().join("wasm-opt"));
        let settings = WasmOpt { minimum_version: 119, flags: vec!["-O3".to_owned()] };
        for (number, expected) in [("none", "module"), ("108", "module"), ("119", "-O3"), ("132", "-O3")] {
            fs::write(&module, "module").expect("writable");
            let script = format!("if [ \"$1\" = --version ]; then echo wasm-opt version {number}; else printf %s \"$1\" > \"$4\"; fi");
            testing::program(&program, &script);
            run(&settings, folder.path().as_os_str(), &module).expect("works with and without");
            assert_eq!(fs::read_to_string(&module).expect("there"), expected, "{number}");
        }
        run(&settings, OsStr::new("/nowhere"), &module).expect("never needed");
    }
}
