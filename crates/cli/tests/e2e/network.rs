//! The page as a phone gets it: by https, under an address of the network, with a certificate that a person has clicked through.

use std::fs;
use std::net::Ipv4Addr;
use std::path::PathBuf;

use opfs_bench_cli::browser::Browser;
use opfs_bench_cli::inbox::{Arrival, Inbox};
use opfs_bench_cli::lan::{Lan, addresses, certificates};
use opfs_bench_cli::page::State;
use opfs_bench_cli::server::Settings;
use serde_json::{Map, Value};
use time::OffsetDateTime;

use crate::harness::{Opened, in_both_browsers, site, with_server};
use crate::jobs;
use crate::result::assert_complete;

in_both_browsers! {
    by_https_the_page_measures_and_its_result_comes_to_the_servers_disk;
}

fn by_https_the_page_measures_and_its_result_comes_to_the_servers_disk(browser: Browser) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // Where a machine is in no network, another address of its own does as well.
    let address = addresses::choose(&[]).map_or(Ipv4Addr::new(127, 0, 0, 2), |found| found[0]);
    let identity = certificates::identity(folder.path(), &[address], false, OffsetDateTime::now_utc()).expect("made");
    let results = folder.path().join("results");
    let (inbox, mut arrivals) = Inbox::new(&results, None).expect("random");
    let token = inbox.token().clone();
    let lan = Lan { addresses: vec![address], identity };
    let settings = Settings { lan: Some(lan), inbox: Some(inbox), ..Settings::new(site(), 0) };
    // What a person does who taps through the warning.
    let accepting = Map::from_iter([("acceptInsecureCerts".to_owned(), Value::Bool(true))]);
    with_server(browser, Map::new(), accepting, settings, async |opened: &Opened<'_>| {
        let port = opened.url.trim_end_matches('/').rsplit(':').next().expect("a port");
        // Typed without the scheme, as people do, it is led to https, and keeps its token.
        let typed = format!("http://{address}:{port}/#token={}", token.as_str());
        opened.session.go_to(&typed).await.expect("the page opens");
        opened.page.wait_until_ready().await.unwrap_or_else(|error| panic!("{error:#}"));
        let at: String = opened.session.script("looking", "return location.href", vec![]).await.expect("it answers");
        assert_eq!(at, format!("https://{address}:{port}/#token={}", token.as_str()));

        // One tap on Start: what the page sends, it sends by itself.
        assert_eq!(opened.run_job(jobs::SHORT, None).await, State::Finished);
        assert_complete(&opened.result().await);
        opened
            .wait_until("the page to say that it was saved", "return document.getElementById('send-status').textContent.includes('saved')")
            .await;
        let files: Vec<PathBuf> = fs::read_dir(&results).expect("there").map(|entry| entry.expect("readable").path()).collect();
        let file = files.iter().find(|file| file.extension().is_some_and(|extension| extension == "json")).expect("it is on the disk");
        let name = file.file_name().expect("a file").to_string_lossy().into_owned();
        assert!(opened.text("send-status").await.contains(&name), "{name}");
        let held = opened.page.result().await.expect("the page answers").expect("a result");
        assert_eq!(fs::read_to_string(file).expect("text"), held);
        match arrivals.recv().await.expect("it was told") {
            Arrival::Result(received) => {
                assert!(received.differences.is_empty() && received.written.json == results.join(&name), "{received:?}");
            }
            Arrival::Failure(words) => panic!("{words}"),
        }
        opened.assert_nothing_is_left().await;
    });
}
