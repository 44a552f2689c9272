//! Names of methods: who reads, and how.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::options::Options;

/// `thread/api`, for instance `worker/sync`, and what the arm does otherwise than its group says, if anything:
/// `worker/sync:open=kept`, `main/slice:iodepth=4`. Which names exist is the browser part's registry to say.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MethodName {
    thread: Thread,
    api: String,
    options: Options,
}

/// Whose program wants the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Thread {
    /// The page's main thread reads.
    Main,
    /// A dedicated worker reads.
    Worker,
    /// The main thread asks a worker, which reads and sends the bytes back.
    Rpc,
    /// Several dedicated workers share the reads, and the main thread waits for all of them.
    Pool,
    /// No page's: a worker finds out what reading could cost at least.
    Limit,
    /// No page's: the operating system reads, outside the browser.
    Native,
}

/// The threads and how a name spells them.
const THREADS: [(Thread, &str); 6] = [
    (Thread::Main, "main"),
    (Thread::Worker, "worker"),
    (Thread::Rpc, "rpc"),
    (Thread::Pool, "pool"),
    (Thread::Limit, "limit"),
    (Thread::Native, "native"),
];

impl Thread {
    fn name(self) -> &'static str {
        THREADS.iter().find(|(thread, _)| *thread == self).expect("every thread has a name").1
    }

    /// Whether the worker's clock times it; the main thread's does otherwise.
    #[must_use]
    pub fn timed_in_worker(self) -> bool {
        matches!(self, Self::Worker | Self::Limit)
    }

    /// Whether a page can read its files so. What is no choice is there to compare the choices with.
    #[must_use]
    pub fn is_choice(self) -> bool {
        matches!(self, Self::Main | Self::Worker | Self::Rpc | Self::Pool)
    }

    /// The thread of the empty loop that shows what measuring itself costs a method of this one: to ask is a loop of the main thread.
    #[must_use]
    pub fn of_empty_loop(self) -> Self {
        match self {
            Self::Rpc => Self::Main,
            Self::Limit => Self::Worker,
            other => other,
        }
    }
}

impl MethodName {
    /// Whose program wants the bytes.
    #[must_use]
    pub fn thread(&self) -> Thread {
        self.thread
    }

    /// The part after the slash, without options.
    #[must_use]
    pub fn api(&self) -> &str {
        &self.api
    }

    /// What the arm does otherwise than its group says.
    #[must_use]
    pub fn options(&self) -> Options {
        self.options
    }

    /// The method alone, without options.
    #[must_use]
    pub fn plain(&self) -> Self {
        self.with(Options::default())
    }

    /// The same method with these options in place of its own.
    #[must_use]
    pub fn with(&self, options: Options) -> Self {
        Self { options, ..self.clone() }
    }
}

/// Text that is no method's name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a method's name: {problem}")]
pub struct BadMethodName {
    text: String,
    problem: String,
}

const SHAPE: &str = "write thread/api, where thread is main, worker, rpc, pool or limit, for instance worker/sync or worker/sync:open=kept";

impl FromStr for MethodName {
    type Err = BadMethodName;

    fn from_str(text: &str) -> Result<Self, BadMethodName> {
        let problem = |problem: String| BadMethodName { text: text.to_owned(), problem };
        let bad = || problem(SHAPE.into());
        let (thread, rest) = text.split_once('/').ok_or_else(bad)?;
        let (thread, _) = *THREADS.iter().find(|(_, name)| *name == thread).ok_or_else(bad)?;
        let (api, options) = rest.split_once(':').map_or((rest, None), |(api, options)| (api, Some(options)));
        let well_formed = !api.is_empty() && api.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
        let options = options.map_or_else(|| Ok(Options::default()), str::parse).map_err(problem)?;
        if well_formed { Ok(Self { thread, api: api.to_owned(), options }) } else { Err(bad()) }
    }
}

impl fmt::Display for MethodName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.thread.name(), self.api)?;
        if self.options.is_empty() { Ok(()) } else { write!(f, ":{}", self.options) }
    }
}

impl Serialize for MethodName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for MethodName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for text in ["main/slice", "worker/sync-read-only", "rpc/transfer:iodepth=4", "pool/sync:open=kept,numjobs=2", "native/read"] {
            assert_eq!(text.parse::<MethodName>().map(|name| name.to_string()), Ok(text.to_owned()));
        }
    }

    #[test]
    fn what_is_no_name_is_named() {
        for text in ["sync", "worker/", "/sync", "service/sync", "worker/Sync", "worker/a/b", "worker/<b>"] {
            assert!(text.parse::<MethodName>().expect_err(text).to_string().contains(text));
        }
    }
}
