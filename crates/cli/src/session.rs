//! One `WebDriver` session: a browser that does what it is told. Every call has a deadline, and every error says what was
//! asked and what the page wrote to its console.

use std::fmt::Write as _;
use std::future::Future;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use thirtyfour::error::WebDriverResult;
use thirtyfour::{By, WebDriver};

use crate::below::Below;

/// A browser starts in a few seconds, on a cold disk in some more.
const CREATION: Duration = Duration::from_secs(60);
/// Only this is tried again: nothing has been measured yet.
const CREATION_ATTEMPTS: usize = 3;
const CREATION_PAUSE: Duration = Duration::from_secs(1);
/// Loading the page from this machine.
const NAVIGATION: Duration = Duration::from_secs(30);
/// Scripts only look and press; none waits for the measurement.
const SCRIPT: Duration = Duration::from_secs(20);
const END: Duration = Duration::from_secs(10);
/// How much of a console belongs into an error.
const LAST_LINES: usize = 40;

/// Whose driver it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// This command started it, and will end it with all its browsers.
    Command,
    /// Someone else's: what is opened there must be closed there.
    Other,
}

/// A session. It ends with [`Session::end`], or when it is dropped.
#[derive(Debug)]
pub struct Session {
    // None once it has ended.
    driver: Option<WebDriver>,
    owner: Owner,
}

impl Session {
    /// Starts a browser.
    ///
    /// # Errors
    /// When it does not start, several times in a row; with the driver's words.
    pub async fn open(url: &str, owner: Owner, capabilities: Map<String, Value>) -> Result<Self> {
        let mut attempt = 1;
        loop {
            match Self::attempt(url, owner, capabilities.clone()).await {
                Ok(session) => return Ok(session),
                Err(error) if attempt == CREATION_ATTEMPTS => {
                    return Err(
                        error.context(format!("no browser after {attempt} attempts; asked {url} for {}", Value::Object(capabilities)))
                    );
                }
                Err(_) => {
                    attempt += 1;
                    tokio::time::sleep(CREATION_PAUSE).await;
                }
            }
        }
    }

    async fn attempt(url: &str, owner: Owner, capabilities: Map<String, Value>) -> Result<Self> {
        let mut client = reqwest::Client::builder().timeout(CREATION);
        if owner == Owner::Command {
            // A proxy that the environment names would not reach this machine's driver.
            client = client.no_proxy();
        }
        let config =
            WebDriver::builder(url, thirtyfour::Capabilities::from(capabilities)).request_timeout(CREATION).client(client.build()?);
        let driver = within(CREATION, config.connect()).await?;
        Ok(Self { driver: Some(driver), owner })
    }

    fn driver(&self) -> &WebDriver {
        self.driver.as_ref().expect("present until the session ends")
    }

    /// Opens an address.
    ///
    /// # Errors
    /// When the page does not load.
    pub async fn go_to(&self, url: &str) -> Result<()> {
        let loaded = within(NAVIGATION, self.driver().goto(url)).await;
        loaded.with_context(|| format!("the browser could not open {url} (it must run on this machine)"))
    }

    /// Runs a script and returns its value.
    ///
    /// # Errors
    /// When it throws or returns something else; with `what` it was for and the page's console.
    pub async fn script<T: DeserializeOwned>(&self, what: &str, script: &str, arguments: Vec<Value>) -> Result<T> {
        let run = async { self.driver().execute(script, arguments).await?.convert::<T>() };
        self.explain(what, within(SCRIPT, run).await).await
    }

    /// Runs a script that passes its value to its last argument, a function.
    ///
    /// # Errors
    /// As [`Session::script`].
    pub async fn script_async<T: DeserializeOwned>(&self, what: &str, script: &str, arguments: Vec<Value>) -> Result<T> {
        let run = async { self.driver().execute_async(script, arguments).await?.convert::<T>() };
        self.explain(what, within(SCRIPT, run).await).await
    }

    /// Presses the element of this id, as a person would.
    ///
    /// # Errors
    /// When it is not there or cannot be pressed.
    pub async fn click(&self, id: &str) -> Result<()> {
        let click = async { self.driver().find(By::Id(id)).await?.click().await };
        self.explain(&format!("pressing #{id}"), within(SCRIPT, click).await).await
    }

    /// Calls a command of the driver for which there is no method here, and returns what it answers.
    ///
    /// # Errors
    /// When the driver refuses.
    pub async fn command(&self, command: impl thirtyfour::common::command::FormatRequestData) -> Result<Value> {
        within(SCRIPT, async { self.driver().cmd(command).await?.value_json() }).await
    }

    /// What the page wrote to its console since the last call, where the driver can tell; else nothing.
    pub async fn console(&self) -> String {
        // Only drivers of Chromium's family answer.
        let Ok(entries) = within(SCRIPT, self.driver().browser_log()).await else { return String::new() };
        let mut text = String::new();
        for entry in &entries[entries.len().saturating_sub(LAST_LINES)..] {
            let _ = writeln!(text, "{} {}", entry.level, entry.message);
        }
        text
    }

    async fn explain<T>(&self, what: &str, result: Result<T>) -> Result<T> {
        if result.is_ok() {
            return result;
        }
        let console = self.console().await;
        let details = || if console.is_empty() { String::new() } else { format!("The page's console:\n{console}") };
        result.with_context(|| format!("failed: {what}")).below(details)
    }

    /// Ends the session and its browser.
    ///
    /// # Errors
    /// When the driver does not confirm.
    pub async fn end(mut self) -> Result<()> {
        let Some(driver) = self.driver.take() else { return Ok(()) };
        let spare = driver.clone();
        let ended = within(END, driver.quit()).await.context("the browser did not end when asked");
        if ended.is_err() {
            // Dropping it would ask again, and wait again.
            let _ = spare.leak();
        }
        ended
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Dropping a session asks its driver to end it and waits. That is for others' drivers; the own one ends with all it has.
        if self.owner == Owner::Command
            && let Some(driver) = self.driver.take()
        {
            let _ = driver.leak();
        }
    }
}

async fn within<T>(time: Duration, call: impl Future<Output = WebDriverResult<T>>) -> Result<T> {
    match tokio::time::timeout(time, call).await {
        Ok(result) => result.map_err(|error| anyhow!(without_stack(&error.to_string()))),
        Err(_) => Err(anyhow!("no answer from the driver within {} s", time.as_secs())),
    }
}

/// A driver's error without the addresses of its own machine code.
fn without_stack(text: &str) -> String {
    let is_stack = |line: &str| {
        let line = line.trim();
        line == "Stacktrace:" || line.strip_prefix('#').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    let lines: Vec<&str> = text.lines().filter(|line| !is_stack(line)).map(str::trim_end).collect();
    lines.join("\n").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_keeps_its_words_alone() {
        let text = "no session:     \n    Info:\n        session not created: Chrome #1 exited\n        Stacktrace:\n            #0 0x56 <unknown>\n\
                    #1 0x57 <unknown>\n\n";
        assert_eq!(without_stack(text), "no session:\n    Info:\n        session not created: Chrome #1 exited");
    }
}
