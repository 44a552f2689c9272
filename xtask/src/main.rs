//! `cargo xtask …`: sets up what is missing, builds, measures, tests. It depends on little, since a bare machine compiles it
//! before anything else; what needs more (the command with its server and `WebDriver`) it starts through cargo.

mod bench;
mod browsers;
mod build;
mod documents;
mod idle;
mod lint;
mod names;
mod process;
mod project;
mod serve;
mod settings;
mod setup;
mod snippets;
mod summary;
mod test;
#[cfg(all(test, unix))]
mod testing;
mod validate;
mod version;

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::project::Project;

const HELP: &str = "\
cargo xtask COMMAND

  bench [OPTIONS]   measure in a headless browser: sets up what is missing, builds, runs, writes to results/
                      --browser chromium|firefox (chromium unless told otherwise)
                      all other options go to `opfs-bench run`: see `cargo xtask bench --help`
  serve [OPTIONS]   build, serve on this machine and open the page; options go to `opfs-bench serve`
  dist [FOLDER]     build, and write the page as plain files for any host into the folder: dist unless named
  validate [OPTIONS]
                    check the tool itself: are its verdicts right where the truth is known? Without options on simulated
                    devices and then in Chromium, which takes about twenty minutes; options go to `opfs-bench validate`:
                      --browser firefox, or --simulated for simulated devices alone
  methods [OPTIONS]
                    which way to read is the fastest? All that there are, in Chromium and in Firefox, about three minutes
  overhead [OPTIONS]
                    what does Wasm cost? Loops in Rust against the same in plain JavaScript, in Chromium and in Firefox, about
                    three minutes; options go to `opfs-bench run`: --browser firefox, for instance
  test              run everything: unit tests, tests in Chromium and Firefox, end-to-end tests
  build             build the Wasm module into the page, by wasm-pack.toml
  setup             install what is missing for all of these, and nothing else
  lint              check formatting and lints
";

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    let command = arguments.next().and_then(|command| command.into_string().ok()).unwrap_or_default();
    let rest: Vec<OsString> = arguments.collect();
    if matches!(command.as_str(), "" | "help" | "--help" | "-h") {
        print!("{HELP}");
        return Ok(ExitCode::SUCCESS);
    }
    let project = Project::find().context("cannot find the project")?;
    match command.as_str() {
        "bench" => bench::run(&project, &rest),
        "serve" => serve::run(&project, &rest),
        "dist" => serve::dist(&project, &rest),
        "validate" => validate::run(&project, &rest),
        "methods" => browsers::run(&project, browsers::METHODS, &rest),
        "overhead" => browsers::run(&project, browsers::OVERHEAD, &rest),
        "setup" | "build" | "test" | "lint" if !rest.is_empty() => bail!("`cargo xtask {command}` takes no options; it got {rest:?}"),
        "setup" => setup::everything(&project),
        "build" => build::run(&project),
        "test" => test::run(&project),
        "lint" => lint::run(&project),
        _ => bail!("there is no command {command:?}\n\n{HELP}"),
    }
}
