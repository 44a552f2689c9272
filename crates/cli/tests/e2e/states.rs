//! Every state of the page, looked at ([`crate::looks`]); and the two addresses at which a page is worse off: one that is not secure, and one that
//! is served without headers.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use opfs_bench_cli::browser::Browser;
use opfs_bench_cli::driver::{Wishes, capabilities};
use opfs_bench_cli::page::State;
use opfs_bench_cli::server::Settings;
use serde_json::{Map, Value, json};

use crate::harness::{Opened, in_both_browsers, site, with_browser, with_page, with_server, www};
use crate::looks::{axe, look, set_screen};
use crate::{jobs, kept, own};

in_both_browsers! {
    a_page_on_an_insecure_address_shows_the_one_to_use;
}

const NAME: &str = "bench.test";
/// The first checks take milliseconds.
const GIVES_UP: Duration = Duration::from_secs(20);

fn assert_nothing_found(found: &[String]) {
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_state_of_a_run_reads_on_every_screen() {
    let axe = axe();
    with_page(Browser::Chromium, async |opened: &Opened<'_>| {
        let mut found = Vec::new();
        set_screen(opened, 320, 640, "light").await;
        let files = own::own_files();
        own::choose(opened, &[files.path().join("b.bin"), files.path().join("d.bin")]).await;
        opened.wait_until("what is left out", "return document.querySelectorAll('#own-left-out li').length === 1").await;
        opened.run_script("document.getElementById('parameters').open = true;").await;
        found.extend(look(opened, &axe, "own-files").await);
        opened.session.go_to(&format!("{}?{}", opened.url, kept::SMALL)).await.expect("the page opens");
        opened.page.wait_until_ready().await.unwrap_or_else(|error| panic!("{error:#}"));
        found.extend(look(opened, &axe, "ready").await);
        opened.run_script("for (const id of ['parameters', 'history', 'stored']) document.getElementById(id).open = true;").await;
        kept::fill(opened, "bs", "5 KiB").await;
        opened.wait_until("the mistake", "return !document.getElementById('mistakes').hidden").await;
        found.extend(look(opened, &axe, "mistaken").await);
        kept::fill(opened, "bs", "8 KiB").await;
        kept::fill(opened, "budget_s", "60").await;
        opened.run_script("for (const id of ['parameters', 'history', 'stored']) document.getElementById(id).open = false;").await;

        opened.page.start().await.unwrap_or_else(|error| panic!("{error:#}"));
        found.extend(look(opened, &axe, "running").await);
        opened.page.stop().await.unwrap_or_else(|error| panic!("{error:#}"));
        opened.wait_for_end().await;
        found.extend(look(opened, &axe, "stopped").await);

        kept::fill(opened, "budget_s", "3").await;
        opened.click("start").await;
        assert_eq!(opened.wait_for_end().await, State::Finished);
        found.extend(look(opened, &axe, "finished").await);
        opened.click("show-link").await;
        found.extend(look(opened, &axe, "finished-link").await);
        let link = kept::read_code(opened, "#code svg").await;
        opened.run_script("for (const details of document.querySelectorAll('#kept details')) details.open = true;").await;
        opened.wait_until("the list of what is stored", "return document.querySelectorAll('#stored-list li').length > 1").await;
        found.extend(look(opened, &axe, "history").await);
        kept::compare_all(opened).await;
        found.extend(look(opened, &axe, "comparison").await);

        opened.developer_tools("Storage.overrideQuotaForOrigin", json!({ "origin": opened.url, "quotaSize": 500_000 })).await;
        assert_eq!(opened.run_job(jobs::SHORT, None).await, State::Failed);
        found.extend(look(opened, &axe, "failed").await);
        opened.developer_tools("Storage.overrideQuotaForOrigin", json!({ "origin": opened.url })).await;
        opened.session.go_to(&link).await.expect("the page opens");
        opened.wait_until("the link's result", "return document.getElementById('doubts').textContent.includes('not checked')").await;
        opened.page.wait_until_ready().await.unwrap_or_else(|error| panic!("{error:#}"));
        found.extend(look(opened, &axe, "link").await);
        assert_nothing_found(&found);
    });
}

#[test]
fn a_browser_that_cannot_measure_is_told_in_words_that_read_everywhere() {
    let axe = axe();
    with_browser(Browser::Chromium, Map::new(), async |opened: &Opened<'_>| {
        let source = "delete StorageManager.prototype.getDirectory;";
        opened.developer_tools("Page.addScriptToEvaluateOnNewDocument", json!({ "source": source })).await;
        opened.session.go_to(&opened.url).await.expect("the page opens");
        opened.page.wait_for("the page to give up", GIVES_UP, |state| state == State::Unable).await.expect("it does");
        assert_nothing_found(&look(opened, &axe, "unsupported").await);
    });
}

/// Serves the page as a plain host does: by http, and with no headers of its own.
async fn plain_host() -> SocketAddr {
    let root = Arc::new(www());
    let serve = move |request: Request| {
        let root = Arc::clone(&root);
        async move {
            let path = request.uri().path().trim_start_matches('/');
            let path = if path.is_empty() { "index.html" } else { path };
            let kind = match path.rsplit('.').next() {
                Some("html") => "text/html",
                Some("js") => "text/javascript",
                Some("css") => "text/css",
                Some("svg") => "image/svg+xml",
                Some("wasm") => "application/wasm",
                _ => "application/octet-stream",
            };
            let answer: Response = match std::fs::read(root.join(path)) {
                Ok(bytes) => ([(CONTENT_TYPE, kind)], bytes).into_response(),
                Err(_) => StatusCode::NOT_FOUND.into_response(),
            };
            answer
        }
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("bound");
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(serve)).await });
    address
}

fn a_page_on_an_insecure_address_shows_the_one_to_use(browser: Browser) {
    // A name for this machine that no browser takes for secure.
    let (preferences, more) = match browser {
        Browser::Chromium => (Map::new(), resolving(NAME)),
        Browser::Firefox => (Map::from_iter([("network.dns.localDomains".to_owned(), json!(NAME))]), Map::new()),
    };
    with_server(browser, preferences, more, Settings::new(site(), 0), async |opened: &Opened<'_>| {
        let port = plain_host().await.port();
        opened.session.go_to(&format!("http://{NAME}:{port}/?preset=quick#token=0")).await.expect("the page opens");
        opened.page.wait_for("the page to give up", GIVES_UP, |state| state == State::Unable).await.expect("it does");
        let wanted = format!("https://{NAME}:{port}/?preset=quick#token=0");
        opened.wait_until("the code", "return document.querySelector('.better-address svg') !== null").await;
        let links: Vec<String> = opened.ask("return [...document.querySelectorAll('#checks .card a')].map((link) => link.href)").await;
        assert_eq!(links, [wanted.clone(), format!("http://localhost:{port}/?preset=quick#token=0")]);
        assert_eq!(kept::read_code(opened, ".better-address svg").await, wanted);
        if browser == Browser::Chromium {
            assert_nothing_found(&look(opened, &axe(), "insecure").await);
        }
    });
}

#[test]
fn a_page_without_isolation_says_so_before_the_run_with_what_helps() {
    let axe = axe();
    with_browser(Browser::Chromium, Map::new(), async |opened: &Opened<'_>| {
        let address = plain_host().await;
        opened.session.go_to(&format!("http://{address}/?bs=7&preset=slow&sped=1")).await.expect("the page opens");
        opened.page.wait_until_ready().await.unwrap_or_else(|error| panic!("{error:#}"));
        opened.wait_until("the condition", "return document.querySelector('#notes .condition') !== null").await;
        let notes = opened.text("notes").await;
        for told in [
            "Coarse clocks. The page is not cross-origin isolated",
            "opfs-bench serve does",
            "no parameter of this page. Parameters are preset, job, fixture, seed, start, budget_s, bs",
            "There is no preset “slow”. Presets are ",
            "bs: 7 B do not divide a file",
            "set to the preset’s own values",
        ] {
            assert!(notes.contains(told), "{told}: {notes}");
        }
        assert_nothing_found(&look(opened, &axe, "coarse").await);
    });
}

/// Chromium, with this name for this machine.
fn resolving(name: &str) -> Map<String, Value> {
    let mut options = capabilities(Browser::Chromium, &Wishes::default())["goog:chromeOptions"].clone();
    let rule = json!(format!("--host-resolver-rules=MAP {name} 127.0.0.1"));
    options["args"].as_array_mut().expect("a list").push(rule);
    Map::from_iter([("goog:chromeOptions".to_owned(), options)])
}
