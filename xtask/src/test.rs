//! `cargo xtask test`: everything that shows that the code works.
//!
//! Compiling takes all cores, so it comes first, one thing after another. Then the tests that time nothing run, two lanes
//! beside each other; and at last, alone, those that measure in a browser.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};

use crate::build;
use crate::idle;
use crate::process;
use crate::project::Project;
use crate::setup::{self, Need, Tools};
use crate::summary::{Counts, Outcome, Summary};

const WASM: &str = "wasm32-unknown-unknown";
/// Seconds for one file of Wasm tests, browser start included. The runner's own 20 are short on a busy machine.
const WASM_TIMEOUT: &str = "600";

/// One run of tests.
struct Step {
    name: &'static str,
    command: Command,
    /// Shows each line as it comes, where nothing else runs beside it.
    live: bool,
}

/// A browser with what its tests need.
struct Browser {
    name: &'static str,
    needs: &'static [Need],
    variable: &'static str,
    driver: &'static str,
}

const CHROMIUM: Browser = Browser { name: "Wasm in Chromium", needs: &setup::CHROMIUM, variable: "CHROMEDRIVER", driver: "chromedriver" };
const FIREFOX: Browser = Browser { name: "Wasm in Firefox", needs: &setup::FIREFOX, variable: "GECKODRIVER", driver: "geckodriver" };

/// Runs all tests.
pub fn run(project: &Project) -> Result<ExitCode> {
    let mut summary = Summary::default();
    let needs = [&setup::BUILD[..], &setup::CHROMIUM, &setup::FIREFOX, &setup::LOOKS].concat();
    let start = Instant::now();
    let tools = setup::ensure(project, &needs)?;
    let outcome = tools.require_all().map_or_else(|error| failed(&error), |()| Outcome::Done);
    summary.add("set-up", outcome, start.elapsed());

    let built = summary.time("build the page", || build::page(project, &tools).map_or_else(|error| failed(&error), |()| Outcome::Done));
    let compile = |summary: &mut Summary, name: &str, mut command: Command| {
        summary.time(name, || process::run(command.arg("--no-run")).map_or_else(|error| failed(&error), |()| Outcome::Done))
    };
    let native = compile(&mut summary, "compile tests", cargo_test(project, &tools, &["--workspace"]));
    let e2e = compile(&mut summary, "compile end-to-end tests", cargo_test(project, &tools, &E2E));
    let wasm = compile(&mut summary, "compile tests for Wasm", wasm_test(project, &tools));

    let address = idle::take_threads()?;
    let mut lanes: [Vec<Step>; 2] = [vec![], vec![]];
    if native {
        lanes[0].push(Step { name: "unit and property tests", command: cargo_test(project, &tools, &["--workspace"]), live: false });
    }
    for browser in [CHROMIUM, FIREFOX] {
        let command = if wasm { wasm_test_in(project, &tools, &browser, address) } else { Err(anyhow!("see above")) };
        match command {
            Ok(command) => lanes[1].push(Step { name: browser.name, command, live: false }),
            Err(error) => summary.add(browser.name, Outcome::Failed(format!("not run: {error:#}")), Duration::ZERO),
        }
    }
    beside_each_other(project, lanes, &mut summary);

    if built && e2e {
        let mut command = cargo_test(project, &tools, &E2E);
        command.args(["--", "--test-threads=1"]);
        for browser in [CHROMIUM, FIREFOX] {
            // Where one is missing, its tests fail and say what to install.
            if let Ok(driver) = tools.driver(browser.variable, browser.driver) {
                command.env(browser.variable, driver);
            }
        }
        let step = Step { name: "end-to-end tests", command, live: true };
        eprintln!("\n== {}", step.name);
        let (name, outcome, time) = execute(project, step);
        summary.add(name, outcome, time);
    } else {
        summary.add("end-to-end tests", Outcome::Failed("not run: see above".to_owned()), Duration::ZERO);
    }

    println!("\n{summary}");
    let counts = summary.counts();
    println!("{counts}");
    Ok(if summary.failed() || counts.passed == 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The whole workspace is named, so that dependencies are compiled as for the other tests, and not once more. The page is built by then, so
/// the command holds it, as a released one does.
const E2E: [&str; 4] = ["--workspace", "--features=opfs-bench-cli/embed", "--test", "e2e"];

fn failed(error: &anyhow::Error) -> Outcome {
    Outcome::Failed(format!("{error:#}"))
}

fn cargo_test(project: &Project, tools: &Tools, selection: &[&str]) -> Command {
    let mut command = Command::new(&project.cargo);
    command.arg("test").args(selection).current_dir(&project.root).env("PATH", tools.path());
    command
}

fn wasm_test(project: &Project, tools: &Tools) -> Command {
    cargo_test(project, tools, &["--package", "opfs-bench", "--target", WASM])
}

fn wasm_test_in(project: &Project, tools: &Tools, browser: &Browser, address: SocketAddr) -> Result<Command> {
    tools.require(browser.needs)?;
    let mut command = wasm_test(project, tools);
    // The runner takes the browser whose driver is named, so no other may be.
    for other in [CHROMIUM, FIREFOX] {
        command.env_remove(other.variable);
    }
    command.env(browser.variable, tools.driver(browser.variable, browser.driver)?);
    command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", tools.program("wasm-bindgen-test-runner")?);
    command.env("WASM_BINDGEN_TEST_TIMEOUT", WASM_TIMEOUT);
    command.env("WASM_BINDGEN_TEST_ADDRESS", address.to_string());
    Ok(command)
}

/// Runs lanes beside each other, the steps of each one after another.
fn beside_each_other(project: &Project, lanes: [Vec<Step>; 2], summary: &mut Summary) {
    let names: Vec<&str> = lanes.iter().flatten().map(|step| step.name).collect();
    eprintln!("\n== {}", names.join(", "));
    thread::scope(|scope| {
        let lanes = lanes.map(|steps| scope.spawn(|| steps.into_iter().map(|step| execute(project, step)).collect::<Vec<_>>()));
        for lane in lanes {
            for (name, outcome, time) in lane.join().expect("a lane does not panic") {
                summary.add(name, outcome, time);
            }
        }
    });
}

/// Runs a step. Its output goes to a file, and to the terminal when it fails or runs alone.
fn execute(project: &Project, mut step: Step) -> (&'static str, Outcome, Duration) {
    let start = Instant::now();
    let outcome = match output_of(&mut step.command, step.live) {
        Ok((succeeded, output)) => {
            let log = write_log(project, step.name, &output);
            let counts = Counts::in_output(&output);
            if succeeded && counts.passed > 0 && counts.failed == 0 {
                Outcome::Tests(counts)
            } else {
                if !step.live {
                    eprintln!("\n-- output of {}:\n{output}", step.name);
                }
                let what = if succeeded { "no test ran" } else { "failed" };
                Outcome::TestsFailed(counts, format!("{what}: {}\noutput: {log}", process::line(&step.command)))
            }
        }
        Err(error) => failed(&error),
    };
    (step.name, outcome, start.elapsed())
}

/// Runs a command. Returns whether it succeeded, and both its outputs together.
fn output_of(command: &mut Command, live: bool) -> Result<(bool, String)> {
    let (reader, writer) = std::io::pipe().context("cannot create a pipe")?;
    command.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
    let mut child = command.spawn().with_context(|| format!("cannot start {}", process::line(command)))?;
    // The command holds the pipe's other end, and reading would wait for it for ever.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut output = String::new();
    if live {
        for line in BufReader::new(reader).split(b'\n') {
            let text = String::from_utf8_lossy(&line?).into_owned();
            eprintln!("{text}");
            output.push_str(&text);
            output.push('\n');
        }
    } else {
        let mut bytes = Vec::new();
        BufReader::new(reader).read_to_end(&mut bytes)?;
        output = String::from_utf8_lossy(&bytes).into_owned();
    }
    Ok((child.wait()?.success(), output))
}

fn write_log(project: &Project, name: &str, output: &str) -> String {
    let file: PathBuf = project.scratch().join(format!("{}.log", name.to_lowercase().replace(' ', "-")));
    match fs::write(&file, output) {
        Ok(()) => file.display().to_string(),
        Err(error) => format!("not written: {error}"),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn both_outputs_are_read_whether_they_are_shown_or_not() {
        for live in [false, true] {
            let mut command = Command::new("sh");
            command.args(["-c", "echo test result: ok. 2 passed; echo 'test result: ok. 3 passed' >&2; exit 4"]);
            let (succeeded, output) = output_of(&mut command, live).expect("runs");
            assert!(!succeeded);
            assert_eq!(Counts::in_output(&output).passed, 5, "{output}");
        }
    }
}
