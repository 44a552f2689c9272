//! Files: which are served, with what, and which are not.

use std::fs;

use crate::harness::Running;

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
        assert_eq!(answer.status, status, "{}", answer.text());
        answer.assert_headers();
    }
}

#[test]
fn files_come_with_their_types() {
    let server = Running::start();
    for (target, kind) in [
        ("/", "text/html; charset=utf-8"),
        ("/index.html", "text/html; charset=utf-8"),
        ("/index.html?preset=quick&seed=1", "text/html; charset=utf-8"),
        ("/page.css", "text/css; charset=utf-8"),
        ("/worker.js", "text/javascript; charset=utf-8"),
        ("/pkg/opfs_bench.js", "text/javascript; charset=utf-8"),
        ("/pkg/opfs_bench_bg.wasm", "application/wasm"),
    ] {
        let answer = server.get(target);
        assert_eq!((answer.status, answer.header("content-type")), (200, Some(kind)), "{target}");
    }
    assert_eq!(server.get("/").text(), "<!doctype html>the page");
}

#[test]
fn a_changed_file_is_sent_again() {
    let server = Running::start();
    let host = format!("localhost:{}", server.port);
    let etag = server.get("/page.css").header("etag").expect("files have one").to_owned();
    let conditional = || server.ask("GET", "/page.css", &host, &format!("If-None-Match: {etag}\r\n"));
    assert_eq!(conditional().status, 304);
    fs::write(server.folder.path().join("www/page.css"), "body { color: red }").expect("writable");
    assert_eq!((conditional().status, conditional().text()), (200, "body { color: red }".to_owned()));
}

/// Writes text as long as real files are, of which each compressed form has another length.
pub fn write_text(server: &Running) -> String {
    let text = (0..20_000_u32).map(|number| number.to_string()).collect::<Vec<_>>().join("\n");
    fs::write(server.folder.path().join("www/page.css"), &text).expect("writable");
    text
}

#[test]
fn parts_of_files_are_those_of_the_file_as_it_is() {
    let server = Running::start();
    let (text, host) = (write_text(&server), server.host());
    let tag = server.get("/page.css").header("etag").expect("a tag").to_owned();
    let compressed = server.ask("GET", "/page.css", &host, "Accept-Encoding: br\r\n");
    assert_eq!((compressed.header("content-encoding"), compressed.text()), (None, text.clone()), "on this machine nothing is");
    let length = text.len();
    for (range, from, to) in [("bytes=0-4", 0, 4), ("bytes=10-", 10, length - 1), ("bytes=-6", length - 6, length - 1)] {
        let answer = server.ask("GET", "/page.css", &host, &format!("Range: {range}\r\nAccept-Encoding: br\r\nIf-Range: {tag}\r\n"));
        assert_eq!((answer.status, answer.text().as_str()), (206, &text[from..=to]), "{range}");
        assert_eq!(answer.header("content-range"), Some(format!("bytes {from}-{to}/{length}").as_str()));
    }
    let outside = server.ask("GET", "/page.css", &host, &format!("Range: bytes={length}-\r\n"));
    assert_eq!((outside.status, outside.header("content-range")), (416, Some(format!("bytes */{length}").as_str())));
    for more in ["Range: bytes=0-1,4-5\r\n", "Range: lines=1-2\r\n", "Range: bytes=0-4\r\nIf-Range: \"another\"\r\n"] {
        assert_eq!(server.ask("GET", "/page.css", &host, more).text(), text, "{more}");
    }
    let head = server.ask("HEAD", "/page.css", &host, "");
    assert_eq!((head.body.len(), head.header("content-length")), (0, Some(length.to_string().as_str())));
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
        assert!(!answer.text().contains("hidden"), "{target}");
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
    assert_eq!(server.get("/inside.css").text(), "body {}");
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
        assert_eq!(server.raw(request.as_bytes()).status, 421, "{request}");
    }
    let absolute = format!("GET http://localhost:{port}/ HTTP/1.1\r\nHost: localhost:{port}\r\n{close}");
    assert_eq!(server.raw(absolute.as_bytes()).status, 200);
}
