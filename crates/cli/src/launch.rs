//! A launch: a fresh browser opens the served page, measures one job, and ends.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use opfs_bench_core::job::Job;
use opfs_bench_core::seed::Seed;
use serde_json::{Map, Value};

use crate::below::Below;
use crate::browser::Browser;
use crate::driver::{Driver, Wishes, capabilities};
use crate::exit::{Exit, Failure, OrUsage};
use crate::fixture::Fixture;
use crate::inbox::Token;
use crate::interrupt::Interrupt;
use crate::page::{Page, Poll, State};
use crate::progress::Progress;
use crate::server::{Offer, Server, Settings, Site};
use crate::session::{Owner, Session};

/// Asking disturbs the page's main thread: seldom enough for that, often enough for a person.
const POLL: Duration = Duration::from_millis(500);
/// After Stop, the page ends within a second; files are removed on top.
const STOP: Duration = Duration::from_secs(40);
/// A run that shows nothing new for so long hangs. Writing the largest fixtures of a preset takes far less.
const SILENCE: Duration = Duration::from_secs(120);

/// Where the browser comes from: options of every command that measures.
#[derive(Debug, clap::Args)]
pub struct BrowserOptions {
    /// The browser
    #[arg(long, value_enum, default_value_t = Browser::Chromium)]
    pub browser: Browser,
    /// The folder of the built page, in place of the page inside this program, or of ./www where there is none
    #[arg(long, value_name = "DIR")]
    pub www: Option<PathBuf>,
    /// Show the browser's window
    #[arg(long)]
    pub headed: bool,
    /// The driver's program, in place of $CHROMEDRIVER or $GECKODRIVER, or the first on PATH
    #[arg(long, value_name = "FILE")]
    pub driver: Option<PathBuf>,
}

impl BrowserOptions {
    /// The driver's program.
    ///
    /// # Errors
    /// When there is none, with what to install.
    pub fn driver(&self) -> Result<Choice> {
        Ok(Choice::Program(self.browser.driver(self.driver.as_deref())?))
    }

    /// The page.
    ///
    /// # Errors
    /// When there is none.
    pub fn site(&self) -> Result<Site> {
        Site::choose(self.www.as_deref())
    }

    /// What a session asks of its browser.
    #[must_use]
    pub fn capabilities(&self) -> Map<String, Value> {
        capabilities(self.browser, &Wishes { headed: self.headed, ..Wishes::default() })
    }
}

/// Which driver.
#[derive(Debug)]
pub enum Choice {
    /// This program, which is started.
    Program(PathBuf),
    /// One that runs already, at this address.
    Running(String),
}

/// What a launch measures.
#[derive(Clone, Debug)]
pub struct Work {
    /// The job.
    pub job: Job,
    /// The job's text, where it is not a preset of the page's own.
    pub own: Option<String>,
    /// Where all chance comes from. Chosen by the page unless given.
    pub seed: Option<Seed>,
    /// A person's own files, in place of made-up ones. None where there are none.
    pub fixture: Fixture,
}

/// A served page and a driver: all that launches need, one after another.
#[derive(Debug)]
pub struct Launcher {
    browser: Browser,
    capabilities: Map<String, Value>,
    driver: Running,
    server: Server,
    /// Of who may ask for files of a person's own.
    token: Token,
}

/// A driver that listens.
#[derive(Debug)]
enum Running {
    Own(Driver),
    Other(String),
}

impl Launcher {
    /// Serves the page, and starts the driver unless it runs.
    ///
    /// # Errors
    /// Those of the page's folder with [`Exit::Usage`], those of the driver with [`Exit::Failed`].
    pub async fn start(
        options: &BrowserOptions,
        choice: Choice,
        capabilities: Map<String, Value>,
        fixture: Fixture,
    ) -> Result<Self, Failure> {
        let browser = options.browser;
        let token = Token::new()?;
        let offer = (!fixture.is_empty()).then(|| Offer { token: token.clone(), fixture });
        let server = Server::start(Settings { offer, ..Settings::new(options.site().or_usage()?, 0) }).await.or_usage()?;
        crate::tell!("starting {}", browser.name());
        let driver = match choice {
            Choice::Program(program) => {
                let this = std::env::current_exe().context("cannot tell where this program is")?;
                Running::Own(Driver::start(browser, &program, &this).await?)
            }
            Choice::Running(url) => Running::Other(url),
        };
        Ok(Self { browser, capabilities, driver, server, token })
    }

    /// Measures in a fresh browser. `keep` gets the page's result as soon as there is one, before anything else can go wrong.
    ///
    /// # Errors
    /// When the browser does not start, the run fails, or it leaves something behind; what was measured has been kept by then.
    pub async fn measure(
        &self,
        work: &Work,
        progress: Progress,
        interrupt: &Interrupt,
        keep: impl FnOnce(&str) -> Result<()>,
    ) -> Result<Exit> {
        let (url, owner) = match &self.driver {
            Running::Own(driver) => (driver.url(), Owner::Command),
            Running::Other(url) => (url.as_str(), Owner::Other),
        };
        let ended = async {
            let opened = Session::open(url, owner, self.capabilities.clone()).await;
            let session = opened.below(|| format!("If the browser itself is missing: {}", self.browser.remedy()))?;
            let ended = self.in_session(&session, work, progress, interrupt, keep).await;
            let closed = session.end().await;
            // What went wrong first is what a person must know.
            let exit = ended?;
            closed?;
            Ok(exit)
        };
        match &self.driver {
            Running::Own(driver) => {
                ended.await.below(|| format!("The last lines of {}'s output:\n{}", self.browser.driver_name(), driver.log()))
            }
            Running::Other(_) => ended.await,
        }
    }

    async fn in_session(
        &self,
        session: &Session,
        work: &Work,
        progress: Progress,
        interrupt: &Interrupt,
        keep: impl FnOnce(&str) -> Result<()>,
    ) -> Result<Exit> {
        let page = Page::open(session, &self.address(work)).await?;
        page.wait_until_ready().await?;
        if let Some(text) = &work.own {
            page.set_job(text, work.seed.map(|seed| seed.to_string()).as_deref()).await?;
        }
        if !work.fixture.is_empty() {
            page.set_fixture(self.token.as_str()).await?;
        }
        if interrupt.is_raised() {
            crate::tell!("stopped before anything was measured");
            return Ok(Exit::Stopped);
        }
        page.start().await?;
        let last = follow(&page, &work.job, progress, interrupt).await?;
        let result = page.result().await?;
        let kept = result.as_deref().map_or(Ok(()), keep);
        let left = page.left_behind().await;
        kept?;
        if last.state == State::Failed {
            let error = last.error.unwrap_or_else(|| "the page does not say why".to_owned());
            bail!("the run failed: {error}{}", if result.is_some() { "" } else { "; it has no result" });
        }
        if result.is_none() {
            bail!("the page {} without a result", last.state);
        }
        let left = left?;
        if !left.is_empty() {
            bail!("the run left something behind: {}", left.join(", "));
        }
        Ok(if last.state == State::Stopped { Exit::Stopped } else { Exit::Finished })
    }

    fn address(&self, work: &Work) -> String {
        let seed = work.seed.map_or_else(String::new, |seed| format!("&seed={seed}"));
        // A page that is given a job afterwards still needs one to begin with.
        let preset = if work.own.is_some() { "quick" } else { &work.job.name };
        format!("{}?preset={preset}{seed}", self.server.url())
    }

    /// The folder of all files of browsers that have run here, which is removed with all that is in it when the launcher is stopped, and also
    /// where this command is killed. None where the driver, and with it perhaps the machine, is someone else's.
    #[must_use]
    pub fn scratch(&self) -> Option<&Path> {
        match &self.driver {
            Running::Own(driver) => Some(driver.scratch()),
            Running::Other(_) => None,
        }
    }

    /// Ends the driver, its browsers and the server. When this returns, they and their files are gone.
    pub async fn stop(self) {
        drop(self.driver);
        self.server.stop().await;
    }
}

/// Shows how far the page is until the run has ended, and presses Stop when a person asks for it.
async fn follow(page: &Page<'_>, job: &Job, mut progress: Progress, interrupt: &Interrupt) -> Result<Poll> {
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
