//! How a server starts, and how it ends.

use std::fs;
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::time::{Duration, Instant};

use opfs_bench_cli::server::{Server, Settings, Site};

use crate::harness::{Running, page, runtime};

#[test]
fn only_this_machine_reaches_it() {
    let server = Running::start();
    // Any address of 127.0.0.0/8 is this machine too, but only the one that was bound may answer.
    assert!(TcpStream::connect(("127.0.0.1", server.port)).is_ok());
    if cfg!(target_os = "linux") {
        assert!(TcpStream::connect(("127.0.0.2", server.port)).is_err());
    }
}

#[test]
fn a_port_in_use_is_told() {
    let taken = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let port = taken.local_addr().expect("bound").port();
    let folder = page();
    let site = Site::folder(&folder.path().join("www")).expect("the page");
    let error = runtime().block_on(Server::start(Settings::new(site, port))).expect_err("taken");
    let text = format!("{error:#}");
    assert!(text.contains(&format!("cannot serve on port {port}")) && text.contains("--port"), "{text}");
}

#[test]
fn an_unbuilt_page_is_told() {
    let folder = page();
    fs::remove_file(folder.path().join("www/pkg/opfs_bench_bg.wasm")).expect("there");
    for (www, told) in [(folder.path().join("www"), "cargo xtask build"), (Path::new("/nowhere/www").to_owned(), "/nowhere/www")] {
        let error = Site::folder(&www).expect_err("not the page");
        assert!(format!("{error:#}").contains(told), "{error:#}");
    }
}

#[test]
fn it_stops_though_a_client_stays_connected() {
    let server = Running::start();
    let mut idle = server.connect();
    let request = format!("GET / HTTP/1.1\r\nHost: localhost:{}\r\n\r\n", server.port);
    idle.write_all(request.as_bytes()).expect("connected");
    let mut begun = server.connect();
    begun.write_all(b"GET / HTTP/1.1\r\n").expect("connected");
    let port = server.port;
    let before = Instant::now();
    drop(server);
    assert!(before.elapsed() < Duration::from_secs(5), "{:?}", before.elapsed());
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
}
