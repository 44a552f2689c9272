//! `opfs-bench run`

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::{Context, Result, anyhow};
use opfs_bench_core::job::Job;
use opfs_bench_core::report::{self, Doubt};
use opfs_bench_core::result::{Outcome, RunResult};
use opfs_bench_core::seed::Seed;
use serde_json::{Map, Value};

use crate::commands::job::OfFio;
use crate::exit::{Exit, Failure, OrUsage};
use crate::fio::convert::Converted;
use crate::fixture::Fixture;
use crate::inbox::Received;
use crate::interrupt::Interrupt;
use crate::launch::{BrowserOptions, Choice, Launcher, Work};
use crate::native;
use crate::open::{self, Ended, Program};
use crate::print::print;
use crate::progress::Progress;
use crate::recompute;
use crate::results::{self, Written};

/// Measure in a browser on this machine, and write the result and a report
#[derive(Debug, clap::Args)]
pub struct Run {
    /// What to measure: a preset's name
    #[arg(long, value_name = "NAME", default_value = "quick")]
    preset: String,
    /// What to measure: a job, in TOML
    #[arg(long, value_name = "FILE", conflicts_with = "preset")]
    job: Option<PathBuf>,
    /// What to measure: a job file of fio's. Says first what of it is not used; opfs-bench job shows the job that it becomes
    #[arg(long, value_name = "FILE", conflicts_with_all = ["preset", "job"])]
    fio: Option<PathBuf>,
    #[command(flatten)]
    of_fio: OfFio,
    /// Measure files of your own in place of made-up ones: a file, or a folder with all that is in it; may be given several times. They are
    /// copied into the browser's storage for this site, and the copy is removed at the end
    #[arg(long, value_name = "PATH")]
    fixture: Vec<PathBuf>,
    /// Where all chance comes from, in hexadecimal; a result file tells its own. Chosen by the page unless given
    #[arg(long, value_name = "HEX")]
    seed: Option<Seed>,
    /// The folder for the result and the report
    #[arg(long, value_name = "DIR", default_value = "results")]
    out: PathBuf,
    #[command(flatten)]
    browser: BrowserOptions,
    /// Use a driver that runs already. Its browser must be on this machine
    #[arg(long, value_name = "URL", conflicts_with = "driver")]
    webdriver: Option<String>,
    /// A JSON object of capabilities for the driver, sent as it is in place of the usual ones
    #[arg(long, value_name = "FILE")]
    capabilities: Option<PathBuf>,
    /// Measure in a program that no driver drives. It is started with the page's address as its last argument; the page begins by
    /// itself and sends its result. Profile and window are the program's own matter
    #[arg(long, value_name = "PROGRAM", conflicts_with_all = ["browser", "headed", "driver", "webdriver", "capabilities"])]
    open: Option<OsString>,
    /// An argument for that program, before the address; as often as there are arguments: --open-arg=--headless
    #[arg(long, value_name = "ARG", requires = "open", allow_hyphen_values = true)]
    open_arg: Vec<OsString>,
}

impl Run {
    /// Measures, from starting the server to writing the files. Whatever happens, browser, driver and their files are gone
    /// afterwards.
    ///
    /// # Errors
    /// Those of the arguments with [`Exit::Usage`], all others with [`Exit::Failed`].
    pub async fn run(self) -> Result<Exit, Failure> {
        if self.fio.is_none() && self.of_fio.is_given() {
            return Err(anyhow!("--methods and --section are for a job file of fio's: name one by --fio, or write them into a job"))
                .or_usage();
        }
        let work = self.work().or_usage()?;
        if let Some(program) = &self.open {
            let program = Program { name: program.clone(), arguments: self.open_arg.clone() };
            program.check().or_usage()?;
            return self.run_in(&program, &work).await;
        }
        let capabilities = self.capabilities().or_usage()?;
        let driver = self.driver().or_usage()?;
        results::check_folder(&self.out).or_usage()?;
        let interrupt = Interrupt::listen()?;
        let launcher = Launcher::start(&self.browser, driver, capabilities, work.fixture.clone()).await?;
        let mut kept = None;
        let keep = |json: &str| {
            kept = Some(self.keep(json)?);
            Ok(())
        };
        let mut ended = launcher.measure(&work, Progress::new(), &interrupt, keep).await;
        if let Some(kept) = kept {
            ended = conclude(kept, ended, &work.fixture, &launcher, &interrupt).await;
        }
        launcher.stop().await;
        Ok(ended?)
    }

    /// Measures in a program that no driver drives.
    async fn run_in(&self, program: &Program, work: &Work) -> Result<Exit, Failure> {
        let site = self.browser.site().or_usage()?;
        results::check_folder(&self.out).or_usage()?;
        let interrupt = Interrupt::listen()?;
        match open::measure(program, site, work, &self.out, &interrupt).await? {
            Ended::Measured(received) => Ok(show(&received)?),
            Ended::Unable(words) => Err(anyhow!("this browser could not be measured; the page says:\n{words}").into()),
            Ended::Interrupted => {
                crate::tell!("stopped before a result came: a page that nobody drives keeps nothing of an unfinished run");
                Ok(Exit::Stopped)
            }
        }
    }

    fn work(&self) -> Result<Work> {
        let work = Work { fixture: Fixture::gather(&self.fixture)?, ..self.job()? };
        if !work.fixture.is_empty() {
            // Which methods can read them, the page knows.
            work.job.with_own(&work.fixture.sizes(), &())?;
        }
        Ok(work)
    }

    /// What to measure, with made-up files.
    fn job(&self) -> Result<Work> {
        let seed = self.seed;
        let fixture = Fixture::default();
        if let Some(file) = &self.fio {
            let Converted { toml, job, seed: of_file, notes } = self.of_fio.convert(file)?;
            for note in notes {
                crate::tell!("{}, {note}", file.display());
            }
            return Ok(Work { job, own: Some(toml), seed: seed.or(of_file), fixture });
        }
        let Some(file) = &self.job else {
            let text = Job::preset(&self.preset);
            let names = || Job::presets().collect::<Vec<_>>().join(", ");
            let text = text.with_context(|| format!("there is no preset {:?}; there are: {}", self.preset, names()))?;
            return Ok(Work { job: Job::from_toml(text)?, own: None, seed, fixture });
        };
        let text = fs::read_to_string(file).with_context(|| format!("cannot read the job {}", file.display()))?;
        let job = Job::from_toml(&text).map_err(|bad| anyhow!("the job {} cannot be run:\n{bad}", file.display()))?;
        Ok(Work { job, own: Some(text), seed, fixture })
    }

    fn capabilities(&self) -> Result<Map<String, Value>> {
        let Some(file) = &self.capabilities else { return Ok(self.browser.capabilities()) };
        let text = fs::read_to_string(file).with_context(|| format!("cannot read the capabilities {}", file.display()))?;
        serde_json::from_str(&text).with_context(|| format!("{} is no JSON object", file.display()))
    }

    fn driver(&self) -> Result<Choice> {
        match &self.webdriver {
            Some(url) => check_address(url).map(|()| Choice::Running(url.clone())),
            None => self.browser.driver(),
        }
    }

    /// Writes the page's result, before anything else can go wrong.
    fn keep(&self, json: &str) -> Result<Kept> {
        let result = results::understand(&self.out, json)?;
        let write = |folder: &Path| results::write(folder, &result.started, self.browser.browser.name(), json, &report::page(&result));
        let (written, misplaced) = match write(&self.out) {
            Ok(written) => (written, None),
            // A run is not repeated lightly: its result is kept where there is room.
            Err(error) => match write(&env::temp_dir().join("opfs-bench-results")) {
                Ok(written) => (written, Some(error)),
                Err(_) => return Err(error),
            },
        };
        Ok(Kept { result, written, misplaced })
    }
}

/// Prints a result that was sent, and tells how its run ended.
fn show(received: &Received) -> Result<Exit> {
    let Written { json, html } = &received.written;
    let result = recompute::checked(results::read(json)?).0;
    print(&format!("{}\n\n{}\n{}", report::text(&result).trim_end(), json.display(), html.display()))?;
    for difference in &received.differences {
        crate::tell!("WARNING: the page's estimates are not those of its samples, which are shown: {difference}");
    }
    check_bytes(&result)?;
    match &result.outcome {
        Outcome::Failed { error } => Err(anyhow!("the run failed: {error}")),
        Outcome::Stopped => Ok(Exit::Stopped),
        Outcome::Finished if received.differences.is_empty() => Ok(Exit::Finished),
        Outcome::Finished => Ok(Exit::Failed),
    }
}

/// A result that is safe in its files.
struct Kept {
    result: RunResult,
    written: Written,
    /// Why they are not in the folder that was asked for.
    misplaced: Option<anyhow::Error>,
}

/// Adds what is measured once the browser has ended, and prints the result, however the run has ended.
async fn conclude(kept: Kept, ended: Result<Exit>, fixture: &Fixture, launcher: &Launcher, interrupt: &Interrupt) -> Result<Exit> {
    let Kept { mut result, written, misplaced } = kept;
    let (mut exit, mut completed) = (ended, Ok(()));
    if let Ok(Exit::Finished) = exit {
        exit = Ok(native::measure(&mut result, fixture, launcher.scratch(), interrupt).await);
        completed = results::complete(&written, &result.to_json(), &report::page(&result));
    }
    print(&format!("{}\n\n{}\n{}", report::text(&result).trim_end(), written.json.display(), written.html.display()))?;
    let exit = exit?;
    completed?;
    if let Some(error) = misplaced {
        return Err(error.context("the result is not in the folder that was asked for, but in the files named above"));
    }
    check_bytes(&result).map(|()| exit)
}

/// A method that reads other bytes than it should is no method to be measured: a script must notice, whatever else the run found.
fn check_bytes(result: &RunResult) -> Result<()> {
    let wrong = report::doubts(result).into_iter().find(|doubt| matches!(doubt, Doubt::WrongBytes(_) | Doubt::FixtureDiffers(_)));
    wrong.map_or(Ok(()), |doubt| Err(anyhow!("{} {}.", doubt.sentence(), doubt.items().join("; "))))
}

fn check_address(url: &str) -> Result<()> {
    if url.starts_with("http://") || (cfg!(feature = "https") && url.starts_with("https://")) {
        return Ok(());
    }
    if url.starts_with("https://") {
        return Err(anyhow!("{url}: this program was built without TLS; build it with `--features https`"));
    }
    Err(anyhow!("{url:?} is no address of a WebDriver server: it starts with http://"))
}

#[cfg(test)]
mod tests {
    use opfs_bench_core::result::When;
    use opfs_bench_core::simulate::{self, Clock, Device, Fault, MethodModel, Noise, WRONG};
    use opfs_bench_core::units::Nanos;

    use super::*;

    fn measured(faults: Vec<(usize, Fault)>) -> RunResult {
        let job = Job::from_toml(Job::preset("quick").expect("shipped")).expect("valid");
        let names = job.groups.iter().flat_map(|group| group.methods.iter().chain([&group.baseline]));
        let methods = names.map(|name| MethodModel::new(&name.to_string(), 300_000.0)).collect();
        let clocks = [Clock::regular(Nanos(5_000)), Clock::regular(Nanos(5_000))];
        let mut device = Device::new(methods, clocks, Noise::default(), Seed(1));
        device.faults = faults;
        simulate::run(&job, Seed(1), &mut device)
    }

    #[test]
    fn wrong_bytes_are_an_error_that_names_the_method() {
        assert!(check_bytes(&measured(vec![])).is_ok());
        let error = check_bytes(&measured(vec![(3, Fault::WrongBytes(When::After))])).expect_err("wrong bytes").to_string();
        assert!(error.contains("other bytes than the files hold") && error.contains("worker/sync"), "{error}");
        let mut differing = measured(vec![]);
        differing.fixtures[0].read_back = WRONG.into();
        assert!(check_bytes(&differing).expect_err("another checksum").to_string().contains(WRONG));
    }
}
