//! The server, asked over real sockets as browsers and others may ask it.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::time::Duration;

use opfs_bench_cli::server::Server;
use tempfile::TempDir;

const HEADERS: [(&str, &str); 7] = [
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-embedder-policy", "require-corp"),
    ("cross-origin-resource-policy", "same-origin"),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cache-control", "no-cache"),
    (
        "content-security-policy",
        "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; worker-src 'self'; \
         connect-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
];

/// A folder like the built page's, beside a file that must not be seen.
fn page() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let www = folder.path().join("www");
    fs::create_dir_all(www.join("pkg")).expect("writable");
    for (file, text) in [
        ("www/index.html", "<!doctype html>the page"),
        ("www/page.css", "body {}"),
        ("www/worker.js", "export {};"),
        ("www/pkg/opfs_bench.js", "export {};"),
        ("www/pkg/opfs_bench_bg.wasm", "\0asm"),
        ("www/pkg/.gitignore", "hidden"),
        ("www/.secret", "hidden"),
        ("secret.txt", "hidden"),
    ] {
        fs::write(folder.path().join(file), text).expect("writable");
    }
    folder
}

struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    body: String,
}

impl Answer {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }
}

/// A server in a thread of its own, for clients that block.
struct Running {
    port: u16,
    folder: TempDir,
    stop: Option<tokio::sync::oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Running {
    fn start() -> Self {
        let folder = page();
        let www = folder.path().join("www");
        let (port_sender, port) = std::sync::mpsc::channel();
        let (stop, stopped) = tokio::sync::oneshot::channel();
        let thread = std::thread::spawn(move || {
            runtime().block_on(async {
                let server = Server::start(&www, 0).await.expect("a free port");
                port_sender.send(server.port()).expect("the test waits");
                let _ = stopped.await;
                server.stop().await;
            });
        });
        Self { port: port.recv().expect("started"), folder, stop: Some(stop), thread: Some(thread) }
    }

    /// Sends a request as it is, and reads until the server closes.
    fn raw(&self, request: &str) -> Answer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("listens");
        stream.set_read_timeout(Some(Duration::from_secs(10))).expect("a valid time");
        stream.write_all(request.as_bytes()).expect("connected");
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).expect("the server closes when asked to");
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").expect("a head and a body");
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|code| code.parse().ok()).expect("a status");
        let header = |line: &str| line.split_once(": ").map(|(name, value)| (name.to_lowercase(), value.to_owned())).expect("a header");
        Answer { status, headers: lines.map(header).collect(), body: body.to_owned() }
    }

    fn ask(&self, method: &str, target: &str, host: &str, more: &str) -> Answer {
        self.raw(&format!("{method} {target} HTTP/1.1\r\nHost: {host}\r\n{more}Connection: close\r\n\r\n"))
    }

    fn get(&self, target: &str) -> Answer {
        self.ask("GET", target, &format!("localhost:{}", self.port), "")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.stop.take());
        let ended = self.thread.take().expect("present until here").join();
        assert!(ended.is_ok() || std::thread::panicking(), "the server's thread panicked");
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

#[test]
fn every_answer_has_all_headers() {
    let server = Running::start();
    let host = format!("localhost:{}", server.port);
    let etag = server.get("/").header("etag").expect("files have one").to_owned();
    for (answer, status) in [
        (server.get("/"), 200),
        (server.ask("HEAD", "/", &host, ""), 200),
        (server.ask("GET", "/", &host, &format!("If-None-Match: {etag}\r\n")), 304),
        (server.ask("GET", "/page.css", &host, "Range: bytes=0-3\r\n"), 206),
        (server.ask("GET", "/page.css", &host, "Range: bytes=99-\r\n"), 416),
        (server.get("/none.js"), 404),
        (server.get("/pkg/"), 404),
        (server.get("/../secret.txt"), 404),
        (server.ask("POST", "/", &host, "Content-Length: 0\r\n"), 405),
        (server.ask("GET", "/", "example.org", ""), 421),
        (server.ask("GET", "/none.js", "example.org", ""), 421),
    ] {
        assert_eq!(answer.status, status, "{}", answer.body);
        for (name, value) in HEADERS {
            assert_eq!(answer.header(name), Some(value), "{name} of an answer {status}");
        }
    }
}

#[test]
fn files_come_with_their_types() {
    let server = Running::start();
    for (target, kind) in [
        ("/", "text/html"),
        ("/index.html", "text/html"),
        ("/index.html?preset=quick&seed=1", "text/html"),
        ("/page.css", "text/css"),
        ("/worker.js", "text/javascript"),
        ("/pkg/opfs_bench.js", "text/javascript"),
        ("/pkg/opfs_bench_bg.wasm", "application/wasm"),
    ] {
        let answer = server.get(target);
        assert_eq!((answer.status, answer.header("content-type")), (200, Some(kind)), "{target}");
    }
    assert_eq!(server.get("/").body, "<!doctype html>the page");
}

#[test]
fn a_changed_file_is_sent_again() {
    let server = Running::start();
    let host = format!("localhost:{}", server.port);
    let etag = server.get("/page.css").header("etag").expect("files have one").to_owned();
    let conditional = || server.ask("GET", "/page.css", &host, &format!("If-None-Match: {etag}\r\n"));
    assert_eq!(conditional().status, 304);
    fs::write(server.folder.path().join("www/page.css"), "body { color: red }").expect("writable");
    assert_eq!((conditional().status, conditional().body), (200, "body { color: red }".to_owned()));
}

#[test]
fn nothing_outside_and_nothing_hidden_is_served() {
    let server = Running::start();
    for target in [
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/..%2fsecret.txt",
        "/%2e%2e%2fsecret.txt",
        "/%252e%252e/secret.txt",
        "/..%5csecret.txt",
        "/pkg/../../secret.txt",
        "//secret.txt",
        "/.secret",
        "/%2esecret",
        "/pkg/.gitignore",
        "/pkg",
        "/pkg/",
        "/index.html%00.js",
    ] {
        let answer = server.get(target);
        assert_eq!(answer.status, 404, "{target}");
        assert!(!answer.body.contains("hidden"), "{target}");
    }
}

#[cfg(unix)]
#[test]
fn links_lead_nowhere_outside() {
    use std::os::unix::fs::symlink;
    let server = Running::start();
    let www = server.folder.path().join("www");
    symlink(server.folder.path().join("secret.txt"), www.join("link.txt")).expect("writable");
    symlink(server.folder.path(), www.join("up")).expect("writable");
    symlink(www.join(".secret"), www.join("shown.txt")).expect("writable");
    symlink(www.join("page.css"), www.join("inside.css")).expect("writable");
    for target in ["/link.txt", "/up/secret.txt", "/up/www/page.css/../../secret.txt", "/shown.txt"] {
        assert_eq!(server.get(target).status, 404, "{target}");
    }
    assert_eq!(server.get("/inside.css").body, "body {}");
}

#[test]
fn only_this_machines_names_are_answered() {
    let server = Running::start();
    let port = server.port;
    for host in ["localhost", "LOCALHOST", "127.0.0.1", "[::1]"] {
        assert_eq!(server.ask("GET", "/", &format!("{host}:{port}"), "").status, 200, "{host}");
    }
    for host in
        ["localhost".to_owned(), format!("example.org:{port}"), format!("localhost.example.org:{port}"), format!("localhost:{}", port ^ 1)]
    {
        assert_eq!(server.ask("GET", "/", &host, "").status, 421, "{host}");
    }
    let close = "Connection: close\r\n\r\n";
    for request in [
        format!("GET / HTTP/1.1\r\n{close}"),
        format!("GET / HTTP/1.1\r\nHost: localhost:{port}\r\nHost: example.org\r\n{close}"),
        format!("GET http://example.org:{port}/ HTTP/1.1\r\nHost: localhost:{port}\r\n{close}"),
    ] {
        assert_eq!(server.raw(&request).status, 421, "{request}");
    }
    assert_eq!(server.raw(&format!("GET http://localhost:{port}/ HTTP/1.1\r\nHost: localhost:{port}\r\n{close}")).status, 200);
}

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
    let error = runtime().block_on(Server::start(&folder.path().join("www"), port)).expect_err("taken");
    let text = format!("{error:#}");
    assert!(text.contains(&format!("cannot serve on port {port}")) && text.contains("--port"), "{text}");
}

#[test]
fn an_unbuilt_page_is_told() {
    let folder = page();
    fs::remove_file(folder.path().join("www/pkg/opfs_bench_bg.wasm")).expect("there");
    for (www, told) in [(folder.path().join("www"), "cargo xtask build"), (Path::new("/nowhere/www").to_owned(), "/nowhere/www")] {
        let error = runtime().block_on(Server::start(&www, 0)).expect_err("not the page");
        assert!(format!("{error:#}").contains(told), "{error:#}");
    }
}

#[test]
fn it_stops_though_a_client_stays_connected() {
    let server = Running::start();
    let mut idle = TcpStream::connect(("127.0.0.1", server.port)).expect("listens");
    let request = format!("GET / HTTP/1.1\r\nHost: localhost:{}\r\n\r\n", server.port);
    idle.write_all(request.as_bytes()).expect("connected");
    let mut begun = TcpStream::connect(("127.0.0.1", server.port)).expect("listens");
    begun.write_all(b"GET / HTTP/1.1\r\n").expect("connected");
    let port = server.port;
    let before = std::time::Instant::now();
    drop(server);
    assert!(before.elapsed() < Duration::from_secs(5), "{:?}", before.elapsed());
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
}
