//! A served page in a fresh browser, for one test at a time.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use opfs_bench_cli::browser::Browser;
use opfs_bench_cli::driver::{Driver, Wishes, capabilities};
use opfs_bench_cli::page::{Page, State};
use opfs_bench_cli::server::{Server, Settings, Site};
use opfs_bench_cli::session::{Owner, Session};
use opfs_bench_core::result::RunResult;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use tempfile::TempDir;
use thirtyfour::common::command::FormatRequestData;
use thirtyfour::{RequestData, SessionId};

/// The command.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_opfs-bench");
/// A short job ends long before.
pub const RUN: Duration = Duration::from_secs(60);

/// Two browsers at once would disturb each other's timing.
static ALONE: Mutex<()> = Mutex::new(());

/// Waits until no other test runs. A failed test does not keep the others from running.
pub fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The folder of the built page.
pub fn www() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../www")
}

/// Writes a test for each browser.
macro_rules! in_both_browsers {
    ($($(#[$attribute:meta])* $name:ident;)*) => {
        mod chromium {
            $($(#[$attribute])* #[test] fn $name() { super::$name(opfs_bench_cli::browser::Browser::Chromium); })*
        }
        mod firefox {
            $($(#[$attribute])* #[test] fn $name() { super::$name(opfs_bench_cli::browser::Browser::Firefox); })*
        }
    };
}
pub(crate) use in_both_browsers;

/// The page in a browser.
pub struct Opened<'a> {
    pub session: &'a Session,
    pub page: Page<'a>,
    /// The page's address.
    pub url: String,
    /// Where the browser saves downloads.
    pub downloads: &'a Path,
}

/// Opens the page in a fresh browser, waits until it is ready, and hands it to the test.
pub fn with_page(browser: Browser, test: impl AsyncFnOnce(&Opened<'_>)) {
    with_browser(browser, Map::new(), async |opened| {
        opened.session.go_to(&opened.url).await.expect("the page opens");
        opened.page.wait_until_ready().await.expect("the page is ready");
        test(opened).await;
    });
}

/// Starts a fresh browser, and hands it to the test before the page is opened.
pub fn with_browser(browser: Browser, preferences: Map<String, Value>, test: impl AsyncFnOnce(&Opened<'_>)) {
    with_server(browser, preferences, Map::new(), Settings::new(site(), 0), test);
}

/// The built page.
pub fn site() -> Site {
    Site::folder(&www()).unwrap_or_else(|missing| panic!("{missing:#}"))
}

/// The same with a server of the test's own, and capabilities beyond the usual ones.
pub fn with_server(
    browser: Browser,
    preferences: Map<String, Value>,
    more: Map<String, Value>,
    settings: Settings,
    test: impl AsyncFnOnce(&Opened<'_>),
) {
    let _alone = alone();
    let downloads = tempfile::tempdir().expect("a temporary folder");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let program = browser.driver(None).unwrap_or_else(|missing| panic!("{missing}"));
        let server = Server::start(settings).await.unwrap_or_else(|error| panic!("{error:#}"));
        let driver = Driver::start(browser, &program, Path::new(PROGRAM)).await.unwrap_or_else(|error| panic!("{error:#}"));
        let mut wishes = Wishes { preferences: download_preferences(browser, &downloads), ..Wishes::default() };
        wishes.preferences.extend(preferences);
        let mut wanted = capabilities(browser, &wishes);
        wanted.extend(more);
        let session = Session::open(driver.url(), Owner::Command, wanted).await;
        let session = session.unwrap_or_else(|error| panic!("{error:#}\n{}\n{}", browser.remedy(), driver.log()));
        let page = Page::of(&session);
        test(&Opened { session: &session, page, url: server.url(), downloads: downloads.path() }).await;
        session.end().await.expect("the browser ends");
        drop(driver);
        server.stop().await;
    });
}

fn download_preferences(browser: Browser, folder: &TempDir) -> Map<String, Value> {
    let value = match browser {
        Browser::Chromium => json!({
            "download.default_directory": folder.path(),
            "download.prompt_for_download": false,
        }),
        Browser::Firefox => json!({
            "browser.download.folderList": 2,
            "browser.download.dir": folder.path(),
            "browser.helperApps.neverAsk.saveToDisk": "application/json,text/html,text/csv",
        }),
    };
    value.as_object().expect("written as one").clone()
}

impl Opened<'_> {
    /// Runs a script for its effect.
    pub async fn run_script(&self, script: &str) {
        let _: Value = self.session.script("a test's script", script, vec![]).await.unwrap_or_else(|error| panic!("{error:#}"));
    }

    /// Sets a job, presses Start, and waits for the end as a person would: without asking.
    pub async fn run_job(&self, job: &str, seed: Option<&str>) -> State {
        self.page.set_job(job, seed).await.unwrap_or_else(|error| panic!("{error:#}"));
        self.page.start().await.unwrap_or_else(|error| panic!("{error:#}"));
        self.wait_for_end().await
    }

    /// Waits until the run has ended.
    pub async fn wait_for_end(&self) -> State {
        self.page.wait_for("the run to end", RUN, State::is_end).await.unwrap_or_else(|error| panic!("{error:#}"));
        self.page.state().await.expect("a state")
    }

    /// The result as the page holds it.
    pub async fn result(&self) -> RunResult {
        let json = self.page.result().await.expect("the page answers").expect("a result");
        RunResult::from_json(&json).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The text of an element as a person sees it: a space is a space, whether a line may end there or not.
    pub async fn text(&self, id: &str) -> String {
        let script = "return document.getElementById(arguments[0]).innerText.replaceAll('\\u00a0', ' ');";
        self.session.script("reading a text", script, vec![json!(id)]).await.unwrap_or_else(|error| panic!("{error:#}"))
    }

    /// Fails unless nothing is left in OPFS, in `IndexedDB`, or in Cache Storage.
    pub async fn assert_nothing_is_left(&self) {
        let left = self.page.left_behind().await.unwrap_or_else(|error| panic!("{error:#}"));
        assert!(left.is_empty(), "left behind: {left:?}");
    }

    /// Waits for a download to be complete: a file that ends so, whose text is what the page holds.
    pub async fn wait_for_download(&self, ending: &str, text: &str) {
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            let files: Vec<PathBuf> =
                std::fs::read_dir(self.downloads).expect("there").map(|entry| entry.expect("readable").path()).collect();
            let complete =
                |file: &PathBuf| file.to_string_lossy().ends_with(ending) && std::fs::read_to_string(file).is_ok_and(|found| found == text);
            if files.iter().any(complete) {
                return;
            }
            let sizes: Vec<_> = files.iter().map(|file| (file, file.metadata().map(|data| data.len()).ok())).collect();
            assert!(Instant::now() < deadline, "waited for a file *{ending} of {} bytes; the folder holds {sizes:?}", text.len());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Calls Chromium's developer tools.
    pub async fn developer_tools(&self, method: &'static str, parameters: Value) -> Value {
        self.session.command(DeveloperTools { method, parameters }).await.unwrap_or_else(|error| panic!("{method}: {error:#}"))
    }

    /// What a script in the page gives.
    pub async fn ask<T: DeserializeOwned>(&self, script: &str) -> T {
        self.session.script("a test's question", script, vec![]).await.unwrap_or_else(|error| panic!("{error:#}"))
    }

    /// Waits until a script in the page gives true.
    pub async fn wait_until(&self, what: &str, script: &str) {
        let deadline = Instant::now() + Duration::from_secs(20);
        while !self.ask::<bool>(script).await {
            assert!(Instant::now() < deadline, "waited for {what}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Presses an element as a person would.
    pub async fn click(&self, id: &str) {
        self.session.click(id).await.unwrap_or_else(|error| panic!("{error:#}"));
    }
}

/// chromedriver's way to the developer tools' protocol.
#[derive(Debug)]
struct DeveloperTools {
    method: &'static str,
    parameters: Value,
}

impl FormatRequestData for DeveloperTools {
    fn format_request(&self, session: &SessionId) -> RequestData {
        RequestData::new(axum::http::Method::POST, format!("session/{session}/goog/cdp/execute"))
            .add_body(json!({ "cmd": self.method, "params": self.parameters }))
    }
}
