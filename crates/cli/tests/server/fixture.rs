//! A person's own files, which a page asks for range by range, and nobody else.

use std::fs;

use opfs_bench_cli::fixture::Fixture;
use opfs_bench_cli::server::Deadlines;
use tempfile::TempDir;

use crate::harness::{Answer, Running};

/// A server that offers a file of 20 MiB and one of a byte.
fn offering() -> (Running, TempDir, Vec<u8>) {
    let own = tempfile::tempdir().expect("a temporary folder");
    let large: Vec<u8> = (0..20_u32 << 20).map(|at| u8::try_from(at * 7 % 251).expect("below 251")).collect();
    fs::write(own.path().join("large"), &large).expect("writable");
    fs::write(own.path().join("small"), "x").expect("writable");
    fs::write(own.path().join(".secret"), "hidden").expect("writable");
    let fixture = Fixture::gather(&[own.path().to_owned()]).expect("two files");
    (Running::start_offering(Deadlines::default(), None, None, Some(fixture)), own, large)
}

fn ask(server: &Running, target: &str, authorization: &str, range: &str) -> Answer {
    let range = if range.is_empty() { String::new() } else { format!("Range: {range}\r\n") };
    let authorization = if authorization.is_empty() { String::new() } else { format!("Authorization: {authorization}\r\n") };
    let answer = server.ask("GET", target, &server.host(), &format!("{authorization}{range}"));
    answer.assert_headers();
    answer
}

#[test]
fn who_has_the_token_gets_sizes_and_ranges() {
    let (server, _own, large) = offering();
    let bearer = format!("Bearer {}", server.token.as_str());
    let sizes = ask(&server, "/fixture", &bearer, "");
    assert_eq!((sizes.status, sizes.text()), (200, "[20971520,1]".to_owned()));
    for (from, last) in [(0, 0), (5, 1000), (8 << 20, (16 << 20) - 1), ((20 << 20) - 3, (20 << 20) - 1)] {
        let answer = ask(&server, "/fixture/0", &bearer, &format!("bytes={from}-{last}"));
        assert_eq!(answer.status, 206, "{}", answer.text());
        assert_eq!(answer.header("content-range"), Some(&*format!("bytes {from}-{last}/20971520")));
        assert!(answer.body == large[from..=last], "{from} to {last}");
    }
    assert_eq!(ask(&server, "/fixture/1", &bearer, "bytes=0-0").text(), "x");
}

#[test]
fn nobody_else_gets_anything_and_nothing_beyond_the_files() {
    let (server, own, _) = offering();
    let bearer = format!("Bearer {}", server.token.as_str());
    for target in ["/fixture", "/fixture/0"] {
        for (authorization, words) in [("", "a token is missing"), ("Bearer 0123456789abcdef0123456789abcdef", "not that of this run")] {
            let answer = ask(&server, target, authorization, "bytes=0-0");
            assert_eq!(answer.status, 401, "{target}");
            assert!(answer.json("error").contains(words), "{}", answer.text());
        }
    }
    for target in
        ["/fixture/2", "/fixture/-1", "/fixture/large", "/fixture/..%2flarge", "/fixture/.secret", "/fixture/99999999999999999999"]
    {
        let answer = ask(&server, target, &bearer, "bytes=0-0");
        assert_eq!((answer.status, answer.json("error").as_str()), (404, "there is no such file"), "{target}");
    }
    assert_eq!(ask(&server, "/fixture/", &bearer, "bytes=0-0").status, 404);
    for range in [
        "",
        "bytes=0-",
        "bytes=-5",
        "bytes=5-4",
        "bytes=0-20971520",
        "bytes=0-16777216",
        "bytes=0-0,2-2",
        "0-1",
        "bytes=0-18446744073709551615",
    ] {
        let answer = ask(&server, "/fixture/0", &bearer, range);
        assert_eq!(answer.status, 416, "{range}");
        assert!(answer.json("error").contains("of at most 16 MiB"), "{}", answer.text());
    }
    let posted = server.ask("POST", "/fixture/0", &server.host(), &format!("Authorization: {bearer}\r\nContent-Length: 0\r\n"));
    assert_eq!(posted.status, 405);
    // A file that became shorter is an error, and no name stands in it.
    fs::write(own.path().join("large"), "short").expect("writable");
    let answer = ask(&server, "/fixture/0", &bearer, "bytes=0-9");
    assert_eq!(answer.status, 500);
    assert!(answer.json("error").starts_with("the file cannot be read any more") && !answer.text().contains("large"), "{}", answer.text());
    server.assert_nothing_written();
}

#[test]
fn a_server_without_files_of_a_person_s_has_no_such_place() {
    let server = Running::start();
    let bearer = format!("Bearer {}", server.token.as_str());
    for target in ["/fixture", "/fixture/0"] {
        assert_eq!(ask(&server, target, &bearer, "bytes=0-0").status, 404, "{target}");
    }
}
