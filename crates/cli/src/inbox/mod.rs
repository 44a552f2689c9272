//! Takes in what pages send: results, which are checked and written to fresh files, and reasons why there is none.
//!
//! Whoever has the token may send whatever they like, so nothing is taken at its word: a result is read as any file of unknown origin is, its
//! estimates are computed again from its samples, and no part of a file's name comes from it.

mod token;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use opfs_bench_core::report;
use opfs_bench_core::result::{BadResult, RunResult};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use tokio::sync::mpsc;

pub use token::Token;

use crate::recompute;
use crate::results::{self, Written};

/// So many arrivals may wait to be shown; those after them wait to be answered.
const WAITING: usize = 64;

/// Where results arrive.
#[derive(Debug)]
pub struct Inbox {
    token: Token,
    folder: PathBuf,
    job: Option<String>,
    arrivals: mpsc::Sender<Arrival>,
    /// Held by whoever reads a result and computes: one at a time, which bounds memory and leaves other cores to a browser that measures.
    at_work: Mutex<()>,
}

/// What has arrived.
#[derive(Debug)]
pub enum Arrival {
    /// A result, which is in its file by now.
    Result(Received),
    /// A page could not measure, for these reasons: its own words, a line each.
    Failure(String),
}

/// A result that was kept.
#[derive(Debug)]
pub struct Received {
    /// Its files. The JSON is what was sent, byte for byte.
    pub written: Written,
    /// The answer that its samples give, in one sentence that begins with browser and system.
    pub answer: String,
    /// Where the sent estimates are not those of its samples, which the report then shows in their place. A line each.
    pub differences: Vec<String>,
}

/// Why a result was not kept.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// It is none.
    #[error(transparent)]
    NoResult(#[from] BadResult),
    /// The disk did not take it.
    #[error("the result could not be written: {0:#}")]
    NotWritten(anyhow::Error),
}

impl Inbox {
    /// An inbox that writes to this folder, and where to hear of what arrives. `job` is what pages are given to measure.
    ///
    /// # Errors
    /// When the system has no randomness for a token.
    pub fn new(folder: &Path, job: Option<String>) -> anyhow::Result<(Self, mpsc::Receiver<Arrival>)> {
        let (arrivals, heard) = mpsc::channel(WAITING);
        Ok((Self { token: Token::new()?, folder: folder.to_owned(), job, arrivals, at_work: Mutex::new(()) }, heard))
    }

    /// The token of those who may send.
    #[must_use]
    pub fn token(&self) -> &Token {
        &self.token
    }

    /// What pages are given to measure, in TOML.
    #[must_use]
    pub fn job(&self) -> Option<&str> {
        self.job.as_deref()
    }

    /// Checks a result and writes it to fresh files, with a report of what its samples give. Blocks.
    ///
    /// # Errors
    /// When it is none, or cannot be written.
    pub fn keep(&self, json: &str) -> Result<Received, Refused> {
        let (family, html, answer, differences) = {
            // Whoever held it may have broken off with a panic, which leaves nothing behind.
            let _alone = self.at_work.lock().unwrap_or_else(PoisonError::into_inner);
            let result = RunResult::from_json(json)?;
            let (result, differences) = recompute::checked(result);
            (family(&result.environment.browser), report::page(&result), report::answer(&result), differences)
        };
        let written = results::write(&self.folder, &now(), family, json, &html).map_err(Refused::NotWritten)?;
        Ok(Received { written, answer, differences })
    }

    /// Hands on what arrived. Where nobody listens any more it is dropped; a result has its file by then.
    pub async fn tell(&self, arrival: Arrival) {
        let _ = self.arrivals.send(arrival).await;
    }
}

/// This machine's time: that of a device is the device's to choose.
fn now() -> String {
    OffsetDateTime::now_utc().format(&Rfc3339).unwrap_or_default()
}

/// The browser's family for a file's name. Browsers name themselves as they like, file names are from this list.
fn family(browser: &str) -> &'static str {
    const FAMILIES: [(&str, &str); 8] = [
        ("Firefox for iOS", "firefox-ios"),
        ("Chrome for iOS", "chrome-ios"),
        ("Samsung Internet", "samsung"),
        ("Chromium", "chromium"),
        ("Edge", "edge"),
        ("Firefox", "firefox"),
        ("Opera", "opera"),
        ("Safari", "safari"),
    ];
    FAMILIES.iter().find(|(name, _)| browser.starts_with(name)).map_or("browser", |(_, family)| family)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_come_from_a_list() {
        for (browser, expected) in
            [("Chromium 151", "chromium"), ("Firefox for iOS 140", "firefox-ios"), ("../../etc/passwd", "browser"), ("", "browser")]
        {
            assert_eq!(family(browser), expected, "{browser}");
        }
    }
}
