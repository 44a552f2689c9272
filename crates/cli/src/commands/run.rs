//! `opfs-bench run`

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use opfs_bench_core::job::Job;
use opfs_bench_core::report;
use opfs_bench_core::result::RunResult;
use opfs_bench_core::seed::Seed;
use serde_json::{Map, Value};

use crate::below::Below;
use crate::browser::Browser;
use crate::driver::{Driver, Wishes, capabilities};
use crate::exit::{Exit, Failure, OrUsage};
use crate::interrupt::Interrupt;
use crate::page::{Page, Poll, State};
use crate::print::print;
use crate::progress::Progress;
use crate::results;
use crate::server::Server;
use crate::session::{Owner, Session};

/// Asking disturbs the page's main thread: seldom enough for that, often enough for a person.
const POLL: Duration = Duration::from_millis(500);
/// After Stop, the page ends within a second; files are removed on top.
const STOP: Duration = Duration::from_secs(40);
/// A run that shows nothing new for so long hangs. Writing the largest fixtures of a preset takes far less.
const SILENCE: Duration = Duration::from_secs(120);

/// Measure in a browser on this machine, and write the result and a report
#[derive(Debug, clap::Args)]
pub struct Run {
    /// The browser
    #[arg(long, value_enum, default_value_t = Browser::Chromium)]
    browser: Browser,
    /// What to measure: a preset's name
    #[arg(long, value_name = "NAME", default_value = "quick")]
    preset: String,
    /// What to measure: a job, in TOML
    #[arg(long, value_name = "FILE", conflicts_with = "preset")]
    job: Option<PathBuf>,
    /// Where all chance comes from, in hexadecimal; a result file tells its own. Chosen by the page unless given
    #[arg(long, value_name = "HEX")]
    seed: Option<Seed>,
    /// The folder for the result and the report
    #[arg(long, value_name = "DIR", default_value = "results")]
    out: PathBuf,
    /// The folder of the built page
    #[arg(long, value_name = "DIR", default_value = "www")]
    www: PathBuf,
    /// Show the browser's window
    #[arg(long)]
    headed: bool,
    /// The driver's program, in place of $CHROMEDRIVER or $GECKODRIVER, or the first on PATH
    #[arg(long, value_name = "FILE", conflicts_with = "webdriver")]
    driver: Option<PathBuf>,
    /// Use a driver that runs already. Its browser must be on this machine
    #[arg(long, value_name = "URL")]
    webdriver: Option<String>,
    /// A JSON object of capabilities for the driver, sent as it is in place of the usual ones
    #[arg(long, value_name = "FILE")]
    capabilities: Option<PathBuf>,
}

/// What is measured.
struct Plan {
    job: Job,
    /// The job's text, where it is not a preset of the page's own.
    own: Option<String>,
}

impl Run {
    /// Measures, from starting the server to writing the files. Whatever happens, browser, driver and their files are gone
    /// afterwards.
    ///
    /// # Errors
    /// Those of the arguments with [`Exit::Usage`], all others with [`Exit::Failed`].
    pub async fn run(self) -> Result<Exit, Failure> {
        let plan = self.plan().or_usage()?;
        let capabilities = self.capabilities().or_usage()?;
        check_address(self.webdriver.as_deref()).or_usage()?;
        let driver_program = match &self.webdriver {
            Some(_) => None,
            None => Some(self.browser.driver(self.driver.as_deref()).or_usage()?),
        };
        results::check_folder(&self.out).or_usage()?;
        let interrupt = Interrupt::listen()?;
        let server = Server::start(&self.www, 0).await.or_usage()?;

        eprintln!("starting {}", self.browser.name());
        let driver = match &driver_program {
            Some(program) => {
                let this = std::env::current_exe().context("cannot tell where this program is")?;
                Some(Driver::start(self.browser, program, &this).await?)
            }
            None => None,
        };
        let ended = match (&driver, &self.webdriver) {
            (Some(driver), _) => {
                let ended = self.in_browser(&plan, driver.url(), Owner::Command, capabilities, &server, &interrupt).await;
                ended.below(|| format!("The last lines of {}'s output:\n{}", self.browser.driver_name(), driver.log()))
            }
            (None, Some(url)) => self.in_browser(&plan, url, Owner::Other, capabilities, &server, &interrupt).await,
            (None, None) => unreachable!("without an address there is a driver"),
        };
        drop(driver);
        server.stop().await;
        Ok(ended?)
    }

    fn plan(&self) -> Result<Plan> {
        let Some(file) = &self.job else {
            let text = Job::preset(&self.preset);
            let names = || Job::presets().collect::<Vec<_>>().join(", ");
            let text = text.with_context(|| format!("there is no preset {:?}; there are: {}", self.preset, names()))?;
            return Ok(Plan { job: Job::from_toml(text)?, own: None });
        };
        let text = fs::read_to_string(file).with_context(|| format!("cannot read the job {}", file.display()))?;
        let job = Job::from_toml(&text).with_context(|| format!("the job {} cannot be run", file.display()))?;
        Ok(Plan { job, own: Some(text) })
    }

    fn capabilities(&self) -> Result<Map<String, Value>> {
        let Some(file) = &self.capabilities else {
            return Ok(capabilities(self.browser, &Wishes { headed: self.headed, ..Wishes::default() }));
        };
        let text = fs::read_to_string(file).with_context(|| format!("cannot read the capabilities {}", file.display()))?;
        serde_json::from_str(&text).with_context(|| format!("{} is no JSON object", file.display()))
    }

    async fn in_browser(
        &self,
        plan: &Plan,
        driver: &str,
        owner: Owner,
        capabilities: Map<String, Value>,
        server: &Server,
        interrupt: &Interrupt,
    ) -> Result<Exit> {
        let opened = Session::open(driver, owner, capabilities).await;
        let session = opened.below(|| format!("If the browser itself is missing: {}", self.browser.remedy()))?;
        let ended = self.in_session(plan, &session, server, interrupt).await;
        let closed = session.end().await;
        // What went wrong first is what a person must know.
        let exit = ended?;
        closed?;
        Ok(exit)
    }

    async fn in_session(&self, plan: &Plan, session: &Session, server: &Server, interrupt: &Interrupt) -> Result<Exit> {
        let page = Page::open(session, &self.address(plan, server)).await?;
        page.wait_until_ready().await?;
        if let Some(text) = &plan.own {
            page.set_job(text, self.seed.map(|seed| seed.to_string()).as_deref()).await?;
        }
        if interrupt.is_raised() {
            eprintln!("stopped before anything was measured");
            return Ok(Exit::Stopped);
        }
        page.start().await?;
        let last = follow(&page, &plan.job, interrupt).await?;
        let kept = self.keep(&page).await;
        let left = page.left_in_opfs().await;
        let kept = kept?;
        if last.state == State::Failed {
            let error = last.error.unwrap_or_else(|| "the page does not say why".to_owned());
            bail!("the run failed: {error}{}", if kept { "" } else { "; it has no result" });
        }
        if !kept {
            bail!("the page {} without a result", last.state);
        }
        let left = left?;
        if !left.is_empty() {
            bail!("the run left files in OPFS: {}", left.join(", "));
        }
        Ok(if last.state == State::Stopped { Exit::Stopped } else { Exit::Finished })
    }

    fn address(&self, plan: &Plan, server: &Server) -> String {
        let seed = self.seed.map_or_else(String::new, |seed| format!("&seed={seed}"));
        // A page that is given a job afterwards still needs one to begin with.
        let preset = if plan.own.is_some() { "quick" } else { &self.preset };
        format!("{}?preset={preset}{seed}", server.url())
    }

    /// Writes and prints the page's result. False where it has none.
    async fn keep(&self, page: &Page<'_>) -> Result<bool> {
        let Some(json) = page.result().await? else { return Ok(false) };
        let result = match RunResult::from_json(&json) {
            Ok(result) => result,
            Err(error) => return Err(unreadable(&self.out, &json, error.into())),
        };
        let written = results::write(&self.out, &result.started, self.browser.name(), &json, &report::page(&result))?;
        print(&format!("{}\n\n{}\n{}", report::text(&result).trim_end(), written.json.display(), written.html.display()))?;
        Ok(true)
    }
}

/// A measurement is not thrown away because this program cannot read it.
fn unreadable(folder: &Path, json: &str, error: anyhow::Error) -> anyhow::Error {
    let error = error.context("cannot read the page's result");
    match results::write(folder, "unreadable", "result", json, "") {
        Ok(written) => error.context(format!("the page's result is kept as it is in {}", written.json.display())),
        Err(_) => error,
    }
}

/// Shows how far the page is until the run has ended, and presses Stop when a person asks for it.
async fn follow(page: &Page<'_>, job: &Job, interrupt: &Interrupt) -> Result<Poll> {
    let mut progress = Progress::new();
    let mut stopping: Option<Instant> = None;
    let mut news = (Instant::now(), String::new());
    loop {
        let poll = page.poll().await?;
        progress.show(&poll);
        if poll.state.is_end() {
            return Ok(poll);
        }
        if let Some(since) = stopping
            && since.elapsed() > STOP
        {
            bail!("waited {} s for the run to stop; the page says: {poll:?}", STOP.as_secs());
        }
        let now = format!("{poll:?}");
        if now != news.1 {
            news = (Instant::now(), now);
        } else if news.0.elapsed() > SILENCE {
            bail!("the page has shown no progress for {} s of a job of {} s; it says: {poll:?}", SILENCE.as_secs(), job.budget_s);
        }
        tokio::select! {
            () = tokio::time::sleep(POLL) => {}
            () = interrupt.raised(), if stopping.is_none() => {
                progress.say("stopping: what was measured is kept; Ctrl-C again ends at once");
                stopping = Some(Instant::now());
                page.stop().await?;
            }
        }
    }
}

fn check_address(webdriver: Option<&str>) -> Result<()> {
    let Some(url) = webdriver else { return Ok(()) };
    if url.starts_with("http://") || (cfg!(feature = "https") && url.starts_with("https://")) {
        return Ok(());
    }
    if url.starts_with("https://") {
        return Err(anyhow!("{url}: this program was built without TLS; build it with `--features https`"));
    }
    Err(anyhow!("{url:?} is no address of a WebDriver server: it starts with http://"))
}
