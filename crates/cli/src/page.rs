//! The page's interface for programs: its state, its buttons, its result.

use std::fmt;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::json;

use crate::session::Session;

/// The page's first checks take milliseconds.
const READY: Duration = Duration::from_secs(30);
/// Start and Stop show at once that they were pressed.
const PRESSED: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(100);
/// UTF-16 units per slice: drivers and clouds limit the size of one answer.
const SLICE: usize = 256 << 10;

/// What the page is doing: `data-state` of its root element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// The first checks are under way.
    Checking,
    /// One of them failed: nothing can be measured here.
    Unable,
    /// Start may be pressed.
    Ready,
    /// It measures.
    Running,
    /// Stop was pressed, and it cleans up.
    Stopping,
    /// All was measured.
    Finished,
    /// It was stopped.
    Stopped,
    /// It could not go on.
    Failed,
}

impl State {
    /// Whether a run has ended, with its clean-up.
    #[must_use]
    pub fn is_end(self) -> bool {
        matches!(self, Self::Finished | Self::Stopped | Self::Failed)
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", format!("{self:?}").to_lowercase())
    }
}

/// How far a run is.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Poll {
    /// The page's state.
    pub state: State,
    /// How much is done, 0 to 1.
    #[serde(default)]
    pub fraction: Option<f64>,
    /// What is being done.
    #[serde(default)]
    pub doing: Option<String>,
    /// Seconds until the end.
    #[serde(default)]
    pub seconds_left: Option<f64>,
    /// Why it failed.
    #[serde(default)]
    pub error: Option<String>,
}

/// The page, open in a session.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    session: &'a Session,
}

impl<'a> Page<'a> {
    /// The page of a session in which it is open already, or will be.
    #[must_use]
    pub fn of(session: &'a Session) -> Self {
        Self { session }
    }

    /// Opens the page. Its checks are then still under way.
    ///
    /// # Errors
    /// When it does not load.
    pub async fn open(session: &'a Session, url: &str) -> Result<Self> {
        session.go_to(url).await?;
        Ok(Self { session })
    }

    /// Waits until Start may be pressed.
    ///
    /// # Errors
    /// With the page's own words when a check failed; with what the page showed when nothing happened.
    pub async fn wait_until_ready(&self) -> Result<()> {
        #[derive(Deserialize)]
        struct Seen {
            state: Option<State>,
            title: String,
            checks: String,
        }
        let deadline = Instant::now() + READY;
        loop {
            let seen: Seen = self
                .session
                .script(
                    "reading the page's state",
                    "const checks = document.getElementById('checks');
                     return {state: document.documentElement.dataset.state ?? null, title: document.title, checks: checks?.innerText ?? ''};",
                    vec![],
                )
                .await?;
            match seen.state {
                Some(State::Ready) => return Ok(()),
                Some(State::Unable) => bail!("this browser cannot be measured; the page says:\n{}", seen.checks.trim()),
                _ if Instant::now() > deadline => {
                    let state = seen.state.map_or_else(|| "none".to_owned(), |state| state.to_string());
                    bail!(
                        "waited {} s for the page's state to be ready; saw state {state}, title {:?}, checks {:?}; its console:\n{}",
                        READY.as_secs(),
                        seen.title,
                        seen.checks,
                        self.session.console().await
                    )
                }
                _ => tokio::time::sleep(PAUSE).await,
            }
        }
    }

    /// Gives the page a job in place of its preset.
    ///
    /// # Errors
    /// When the page refuses it; with all its mistakes.
    pub async fn set_job(&self, toml: &str, seed: Option<&str>) -> Result<()> {
        let refused: Option<String> = self
            .session
            .script(
                "giving the page its job",
                "const page = window.opfsBench;
                 if (!page) throw new Error('the page offers no window.opfsBench: its script did not run');
                 try { page.setJob(arguments[0], arguments[1] ?? undefined); return null; }
                 catch (error) { return String(error.message ?? error); }",
                vec![json!(toml), json!(seed)],
            )
            .await?;
        match refused {
            None => Ok(()),
            Some(mistakes) => bail!("the page refuses the job:\n{mistakes}"),
        }
    }

    /// Has the page take the files that its server offers to who has this token.
    ///
    /// # Errors
    /// When it cannot, or the job cannot read them; with all that is wrong.
    pub async fn set_fixture(&self, token: &str) -> Result<()> {
        let refused: Option<String> = self
            .session
            .script_async(
                "giving the page its files",
                "const done = arguments[arguments.length - 1];
                 window.opfsBench.setFixture(arguments[0]).then(() => done(null), (error) => done(String(error.message ?? error)));",
                vec![json!(token)],
            )
            .await?;
        match refused {
            None => Ok(()),
            Some(mistakes) => bail!("the page cannot measure these files:\n{mistakes}"),
        }
    }

    /// Presses Start, and waits until the page shows that it runs.
    ///
    /// # Errors
    /// When it does not.
    pub async fn start(&self) -> Result<()> {
        let before = self.state().await?;
        self.session.click("start").await?;
        self.wait_for("Start to take effect", PRESSED, |state| state == State::Running || state != before).await
    }

    /// Presses Stop, and waits until the page shows that it stops.
    ///
    /// # Errors
    /// When it does not.
    pub async fn stop(&self) -> Result<()> {
        // A run may end in the moment in which it is stopped; its button is then no longer to be pressed.
        let pressed = self.session.click("stop").await;
        if self.state().await?.is_end() {
            return Ok(());
        }
        pressed?;
        self.wait_for("Stop to take effect", PRESSED, |state| state != State::Running).await
    }

    /// The page's state.
    ///
    /// # Errors
    /// When the page does not answer.
    pub async fn state(&self) -> Result<State> {
        self.session.script("reading the page's state", "return document.documentElement.dataset.state;", vec![]).await
    }

    /// Waits for a state.
    ///
    /// # Errors
    /// When the time is up; with what was waited for and the state that was seen instead.
    pub async fn wait_for(&self, what: &str, time: Duration, reached: impl Fn(State) -> bool) -> Result<()> {
        let deadline = Instant::now() + time;
        loop {
            let state = self.state().await?;
            if reached(state) {
                return Ok(());
            }
            if Instant::now() > deadline {
                bail!(
                    "waited {} s for {what}; the page's state is {state}; its console:\n{}",
                    time.as_secs(),
                    self.session.console().await
                );
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Asks how far the run is. The page records that it was asked.
    ///
    /// # Errors
    /// When the page does not answer.
    pub async fn poll(&self) -> Result<Poll> {
        self.session.script("asking the page how far it is", "return window.opfsBench.poll();", vec![]).await
    }

    /// The result's JSON, in slices. None where the page has no result.
    ///
    /// # Errors
    /// When the page does not answer, or with something else.
    pub async fn result(&self) -> Result<Option<String>> {
        let length: usize =
            self.session.script("asking for the result's length", "return window.opfsBench.resultLength();", vec![]).await?;
        let mut text = String::with_capacity(length);
        let mut from = 0;
        while from < length {
            // A cut between the two halves of a character would lose it: the second half is then taken along.
            let (to, slice): (usize, String) = self
                .session
                .script(
                    "fetching a part of the result",
                    "const [from, wanted, length] = arguments;
                     let to = Math.min(from + wanted, length);
                     const next = to < length ? window.opfsBench.resultSlice(to, to + 1).charCodeAt(0) : 0;
                     if (next >= 0xdc00 && next <= 0xdfff) to += 1;
                     return [to, window.opfsBench.resultSlice(from, to)];",
                    vec![json!(from), json!(SLICE), json!(length)],
                )
                .await?;
            let units = slice.encode_utf16().count();
            if to <= from || units != to - from {
                bail!("asked for the result from {from} to {to} of {length}, and got {units} UTF-16 units");
            }
            text.push_str(&slice);
            from = to;
        }
        Ok((length > 0).then_some(text))
    }

    /// The names of everything in the origin's private file system, and of its databases and caches: but for the results that the page
    /// keeps for a person, which no run makes (www/history.js).
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn left_behind(&self) -> Result<Vec<String>> {
        #[derive(Deserialize)]
        #[serde(rename_all = "lowercase")]
        enum Answer {
            Found(Vec<String>),
            Error(String),
        }
        let answer: Answer = self
            .session
            .script_async(
                "listing what is left behind",
                "const done = arguments[arguments.length - 1];
                 const found = [];
                 const walk = async (folder, path) => {
                   for await (const [name, handle] of folder.entries()) {
                     found.push(path + name);
                     if (handle.kind === 'directory') await walk(handle, path + name + '/');
                   }
                 };
                 const others = async () => {
                   const databases = (await indexedDB.databases?.()) ?? [];
                   for (const {name} of databases) if (name !== 'results kept by opfs-bench') found.push('IndexedDB: ' + name);
                   for (const name of (await window.caches?.keys()) ?? []) found.push('Cache Storage: ' + name);
                 };
                 navigator.storage.getDirectory().then((root) => walk(root, '')).then(others)
                   .then(() => done({found}), (error) => done({error: String(error)}));",
                vec![],
            )
            .await?;
        match answer {
            Answer::Found(names) => Ok(names),
            Answer::Error(error) => Err(anyhow::anyhow!(error)).context("cannot list what is left behind"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_poll_is_read_with_and_without_its_optional_parts() {
        let poll: Poll = serde_json::from_str(r#"{"state":"running","fraction":0.5,"doing":"reading","secondsLeft":12.5,"error":null}"#)
            .expect("a poll");
        assert_eq!((poll.state, poll.seconds_left), (State::Running, Some(12.5)));
        let poll: Poll = serde_json::from_str(r#"{"state":"failed","error":"disk full"}"#).expect("a poll");
        assert_eq!((poll.state, poll.fraction, poll.error.as_deref()), (State::Failed, None, Some("disk full")));
    }

    #[test]
    fn three_states_are_ends() {
        let ends: Vec<State> = ["checking", "unable", "ready", "running", "stopping", "finished", "stopped", "failed"]
            .iter()
            .map(|name| serde_json::from_value::<State>(json!(name)).expect("a state"))
            .filter(|state| state.is_end())
            .collect();
        assert_eq!(ends, [State::Finished, State::Stopped, State::Failed]);
        assert_eq!(State::Stopped.to_string(), "stopped");
    }
}
