//! A launch in a program that no `WebDriver` drives. It is given an address at which the page begins by itself, and the page sends what
//! came of it: its result, or why there is none.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use opfs_bench_core::report;
use tokio::sync::mpsc;

use crate::below::Below;
use crate::browser;
use crate::driver::Supervised;
use crate::exit::{Failure, OrUsage};
use crate::inbox::{Arrival, Inbox, Received};
use crate::interrupt::Interrupt;
use crate::launch::Work;
use crate::server::{Offer, Server, Settings, Site};

/// A program has opened the page by then, on a slow machine and for the first time.
const LOADING: Duration = Duration::from_secs(60);
/// A run takes its budget, at most the same again for groups that are measured twice, and a quarter of it to let the device cool down ...
const OF_BUDGET: f64 = 2.25;
/// ... and beside that it loads, writes, checks and removes files.
const BESIDE: Duration = Duration::from_secs(120);
const PAUSE: Duration = Duration::from_millis(100);

/// The program.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its name or path.
    pub name: OsString,
    /// What stands before the address.
    pub arguments: Vec<OsString>,
}

impl Program {
    /// Sees that there is such a program.
    ///
    /// # Errors
    /// When there is none.
    pub fn check(&self) -> Result<()> {
        let path = Path::new(&self.name);
        // A name with a folder is a path; others are looked for.
        let found = if path.components().count() > 1 { path.is_file() } else { browser::find(&self.name).is_some() };
        if !found {
            bail!("there is no program {}{}", path.display(), if path.components().count() > 1 { "" } else { " on PATH" });
        }
        Ok(())
    }
}

/// What a launch came to.
#[derive(Debug)]
pub enum Ended {
    /// The result, in its file.
    Measured(Received),
    /// The page could not measure: its reasons, a line each.
    Unable(String),
    /// A person asked to end first.
    Interrupted,
}

/// Serves the page, has the program open it, and waits for what the page sends. Whatever happens, the program, all that it started and
/// their files are gone afterwards.
///
/// # Errors
/// When the program does not start or ends, or the page does not come to an end; with the last that the program said.
pub async fn measure(program: &Program, site: Site, work: &Work, out: &Path, interrupt: &Interrupt) -> Result<Ended, Failure> {
    let (inbox, mut arrivals) = Inbox::new(out, work.own.clone())?;
    let token = inbox.token().clone();
    let offer = (!work.fixture.is_empty()).then(|| Offer { token: token.clone(), fixture: work.fixture.clone() });
    let server = Server::start(Settings { inbox: Some(inbox), offer, ..Settings::new(site, 0) }).await.or_usage()?;
    let address = format!("{}#token={}", address(&server.url(), work), token.as_str());
    let this = std::env::current_exe().context("cannot tell where this program is")?;
    let arguments: Vec<OsString> = program.arguments.iter().cloned().chain([address.into()]).collect();
    crate::tell!("starting {}", program.name.display());
    let running = Supervised::start(&this, &program.name, &arguments)?;
    let ended = wait(&running, &server, &mut arrivals, work, interrupt).await;
    let ended = ended.below(|| format!("The last lines of {}'s output:\n{}", program.name.display(), running.last_lines()));
    drop(running);
    server.stop().await;
    Ok(ended?)
}

fn address(server: &str, work: &Work) -> String {
    let what = if work.own.is_some() { "job".to_owned() } else { format!("preset={}", work.job.name) };
    let seed = work.seed.map_or_else(String::new, |seed| format!("&seed={seed}"));
    let files = if work.fixture.is_empty() { "" } else { "&fixture" };
    format!("{server}?{what}{seed}{files}&start")
}

async fn wait(
    program: &Supervised,
    server: &Server,
    arrivals: &mut mpsc::Receiver<Arrival>,
    work: &Work,
    interrupt: &Interrupt,
) -> Result<Ended> {
    let began = Instant::now();
    let longest = BESIDE + Duration::from_secs_f64(work.job.budget_s * OF_BUDGET);
    let (mut told_of_visit, mut told_of_end) = (false, false);
    loop {
        tokio::select! {
            arrival = arrivals.recv() => match arrival.context("the server has ended")? {
                Arrival::Result(received) => return Ok(Ended::Measured(received)),
                Arrival::Failure(words) => return Ok(Ended::Unable(words.lines().map(report::one_line).collect::<Vec<_>>().join("\n"))),
            },
            () = interrupt.raised() => return Ok(Ended::Interrupted),
            () = tokio::time::sleep(PAUSE) => {}
        }
        if !told_of_visit && server.visited() {
            told_of_visit = true;
            crate::tell!("the page is open; its result comes in about {:.0} s, {} s at most", work.job.budget_s, longest.as_secs());
        }
        match program.ended() {
            Some(how) if how != ExitStatus::default().to_string() => bail!("the program ended before a result came: {how}"),
            // It may have handed the address to a browser that runs already, as commands that open an address do.
            Some(how) if !told_of_end => {
                told_of_end = true;
                crate::tell!("the program has ended ({how}); waiting for the page's result all the same");
            }
            _ => {}
        }
        let ended = if told_of_end { ", and has ended" } else { "" };
        if !server.visited() && began.elapsed() > LOADING {
            bail!("the program did not open the page within {} s{ended}", LOADING.as_secs());
        }
        if began.elapsed() > longest {
            let seconds = longest.as_secs();
            bail!("waited {seconds} s for the result of a job of {} s: the program opened the page{ended}", work.job.budget_s);
        }
    }
}

#[cfg(test)]
mod tests {
    use opfs_bench_core::job::Job;
    use opfs_bench_core::seed::Seed;

    use super::*;
    use crate::fixture::Fixture;

    #[test]
    fn the_address_says_what_the_page_is_to_do() {
        let job = Job::from_toml(Job::preset("quick").expect("shipped")).expect("valid");
        let mut work = Work { job, own: None, seed: None, fixture: Fixture::default() };
        assert_eq!(address("http://localhost:1/", &work), "http://localhost:1/?preset=quick&start");
        work.seed = Some(Seed(0xab));
        assert_eq!(address("http://localhost:1/", &work), "http://localhost:1/?preset=quick&seed=00000000000000ab&start");
        work.own = Some("name = 'own'".to_owned());
        assert_eq!(address("http://localhost:1/", &work), "http://localhost:1/?job&seed=00000000000000ab&start");
    }
}
