//! What someone else, or a page elsewhere, may try. Each is refused in plain words, and nothing is written.

use std::fs;
use std::io::{Read, Write};
use std::time::{Duration, Instant};

use opfs_bench_cli::inbox::Arrival;
use opfs_bench_cli::server::{Deadlines, LARGEST_RESULT};

use crate::harness::{Answer, Post, Running, read_answer, result};

/// The refusal has all headers, this status, and these words.
fn assert_refused(server: &Running, answer: &Answer, status: u16, words: &str) {
    assert_eq!(answer.status, status, "{}", answer.text());
    answer.assert_headers();
    assert!(answer.json("error").contains(words), "{}", answer.text());
    server.assert_nothing_written();
}

#[test]
fn another_host_reaches_nothing() {
    let server = Running::start();
    let sent = result().to_json();
    for host in ["example.org".to_owned(), format!("example.org:{}", server.port), format!("127.0.0.2:{}", server.port)] {
        // A page elsewhere that had its own name point here would send that name as its origin too.
        let answer = Post { origin: Some(format!("http://{host}")), host: host.clone(), ..Post::new(&server) }.send(sent.as_bytes());
        assert_eq!(answer.status, 421, "{host}");
        answer.assert_headers();
        server.assert_nothing_written();
    }
}

#[test]
fn another_origin_is_refused_though_it_has_the_token() {
    let server = Running::start();
    let sent = result().to_json();
    let own = server.host();
    let port = server.port;
    for origin in [
        "https://example.org".to_owned(),
        "null".to_owned(),
        format!("https://{own}"),
        format!("http://localhost:{}", port ^ 1),
        format!("http://127.0.0.1:{port}"),
        format!("http://{own}.example.org"),
        format!("http://{own}/"),
        String::new(),
    ] {
        let answer = Post { origin: Some(origin.clone()), ..Post::new(&server) }.send(sent.as_bytes());
        assert_refused(&server, &answer, 403, "only the page of this server");
    }
    let answer = Post { origin: None, ..Post::new(&server) }.send(sent.as_bytes());
    assert_refused(&server, &answer, 403, "Origin is missing");
    let two = format!("http://{own}\r\nOrigin: https://example.org");
    let answer = Post { origin: Some(two), ..Post::new(&server) }.send(sent.as_bytes());
    assert_refused(&server, &answer, 403, "only the page of this server");
    // Before a page elsewhere may send such headers, its browser asks; without permission in the answer it does not send.
    let asked = server.ask("OPTIONS", "/report", &own, "Origin: https://example.org\r\nAccess-Control-Request-Method: POST\r\n");
    assert_eq!(asked.status, 405);
    assert!(asked.headers.iter().all(|(name, _)| !name.starts_with("access-control-")), "{:?}", asked.headers);
}

#[test]
fn without_the_token_nothing_is_taken() {
    let server = Running::start();
    let sent = result().to_json();
    let token = server.token.as_str();
    for (authorization, words) in [
        (None, "a token is missing"),
        (Some(String::new()), "a token is missing"),
        (Some(format!("Basic {token}")), "a token is missing"),
        (Some("Bearer ".to_owned()), "a token is missing"),
        (Some("Bearer 0123456789abcdef0123456789abcdef".to_owned()), "not that of this run"),
        (Some(format!("Bearer {}", &token[1..])), "not that of this run"),
        (Some(format!("Bearer {token}0")), "not that of this run"),
    ] {
        for (target, kind) in [("/report", "application/json"), ("/failure", "text/plain")] {
            let answer = Post { target, kind, authorization: authorization.clone(), ..Post::new(&server) }.send(sent.as_bytes());
            assert_refused(&server, &answer, 401, words);
        }
    }
}

#[test]
fn a_large_body_is_read_by_those_alone_who_may_send_and_only_to_the_limit() {
    let server = Running::start();
    // Below the limit, with the token: read, and no result.
    let ten_mb = vec![b'['; 10_000_000];
    assert_refused(&server, &server.post("/report", &ten_mb), 422, "not a result of opfs-bench");
    // Whoever may not send gets an answer all the same, and not a broken connection.
    let answer = Post { authorization: None, ..Post::new(&server) }.send(&ten_mb);
    assert_refused(&server, &answer, 401, "a token is missing");
    // Above the limit: refused by what the head says,
    assert_refused(&server, &server.post("/report", &vec![b' '; LARGEST_RESULT + 1]), 413, "larger than 16 MiB");
    // and where the head does not say it, as soon as it is so.
    let head = Post::new(&server).head(b"").replace("Content-Length: 0", "Transfer-Encoding: chunked");
    let mut stream = server.connect();
    stream.write_all(head.as_bytes()).expect("connected");
    let chunk = [b"100000\r\n".as_slice(), &vec![b' '; 1 << 20], b"\r\n"].concat();
    for _ in 0..16 {
        stream.write_all(&chunk).expect("within the limit");
    }
    stream.write_all(b"1\r\n \r\n").expect("the first byte above it");
    assert_refused(&server, &read_answer(&mut stream), 413, "larger than 16 MiB");
}

fn short() -> Deadlines {
    Deadlines { head: Duration::from_millis(500), body: Duration::from_secs(1), ..Deadlines::default() }
}

#[test]
fn a_slow_body_is_given_up() {
    let server = Running::start_with(short(), None, None);
    let sent = result().to_json();
    let mut stream = server.connect();
    let began = Instant::now();
    stream.write_all(Post::new(&server).head(sent.as_bytes()).as_bytes()).expect("connected");
    // A byte now and then keeps no deadline away. Whether the last of them is still taken does not matter.
    let answer = std::thread::scope(|scope| {
        let mut writing = stream.try_clone().expect("a socket");
        scope.spawn(move || {
            for byte in sent.as_bytes().iter().take(30) {
                let _ = writing.write_all(&[*byte]);
                std::thread::sleep(Duration::from_millis(100));
            }
        });
        read_answer(&mut stream)
    });
    assert_refused(&server, &answer, 408, "did not arrive within 1 s");
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
}

#[test]
fn slow_heads_and_silent_connections_are_closed() {
    let server = Running::start_with(short(), None, None);
    let whole = format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", server.host());
    for (what, first) in [("nothing at all", ""), ("half a head", "GET / HTTP/1.1\r\nHost: lo"), ("a request, and no second one", &whole)] {
        let mut stream = server.connect();
        stream.write_all(first.as_bytes()).expect("connected");
        let began = Instant::now();
        let mut answer = Vec::new();
        let mut dripping = stream.try_clone().expect("a socket");
        std::thread::scope(|scope| {
            if first.ends_with("lo") {
                scope.spawn(move || {
                    for _ in 0..30 {
                        let _ = dripping.write_all(b"c");
                        std::thread::sleep(Duration::from_millis(100));
                    }
                });
            }
            // The kernel may tell that what still came after the end was thrown away.
            let _ = stream.read_to_end(&mut answer);
        });
        assert!(began.elapsed() < Duration::from_secs(10), "{what}: {:?}", began.elapsed());
        assert_eq!(!answer.is_empty(), first == whole, "{what}: {}", String::from_utf8_lossy(&answer));
    }
}

#[test]
fn heads_without_end_are_refused() {
    let server = Running::start();
    let endless = format!("GET / HTTP/1.1\r\nHost: {}\r\nX: {}\r\n\r\n", server.host(), "x".repeat(200 << 10));
    let mut stream = server.connect();
    // The server may close before all is sent.
    let _ = stream.write_all(endless.as_bytes());
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer);
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 431 "), "{answer}");
}

#[test]
fn what_is_no_result_is_refused() {
    let server = Running::start();
    let good = result().to_json();
    let mut inconsistent = result().clone();
    inconsistent.groups[0].record.rounds[0].order = vec![0, 0, 99];
    for (body, words) in [
        (String::new(), "not a result of opfs-bench"),
        ("{".to_owned(), "not a result of opfs-bench"),
        ("{}".to_owned(), "missing field `format`"),
        (good.replacen('{', &format!("{{\"x\":{}", "[".repeat(100_000)), 1), "not a result of opfs-bench"),
        (format!("{good}x"), "trailing characters"),
        (good.replace("opfs-bench result ", "opfs-bench result 9"), "take a newer one"),
        (good.replacen("\"rounds\":[", "\"rounds\":[1,", 1), "not a result of opfs-bench"),
        (good.replacen("\"seed\":\"", "\"seed\":\"../", 1), "not a result of opfs-bench"),
        (inconsistent.to_json(), "does not fit the"),
    ] {
        assert_refused(&server, &server.post("/report", body.as_bytes()), 422, words);
    }
    let answer = Post { kind: "text/html", ..Post::new(&server) }.send(good.as_bytes());
    assert_refused(&server, &answer, 415, "application/json");
    assert_refused(&server, &server.post("/report", b"{\"format\": \"\xff\"}"), 400, "not UTF-8");
}

#[test]
fn only_a_post_reports_and_only_at_its_own_path() {
    let server = Running::start();
    for method in ["GET", "PUT", "DELETE", "PATCH"] {
        let answer = server.ask(method, "/report", &server.host(), "");
        assert_eq!(answer.status, 405, "{method}");
        answer.assert_headers();
    }
    let sent = result().to_json();
    for target in ["/report/", "/report/../x", "/report/..%2f..%2fx.json", "/%2e%2e/report", "//report", "/results/x.json"] {
        let answer = server.post(target, sent.as_bytes());
        assert_eq!(answer.status, 405, "{target}");
        answer.assert_headers();
    }
    server.assert_nothing_written();
}

#[test]
fn a_connection_that_breaks_off_leaves_nothing() {
    let server = Running::start();
    let sent = result().to_json();
    let mut stream = server.connect();
    let head = Post::new(&server).head(sent.as_bytes());
    stream.write_all(&[head.as_bytes(), &sent.as_bytes()[..sent.len() / 2]].concat()).expect("connected");
    stream.shutdown(std::net::Shutdown::Write).expect("connected");
    // The server answers, or closes.
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    assert!(!answer.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&answer));
    server.assert_nothing_written();
}

#[test]
fn names_of_files_are_the_servers() {
    let server = Running::start();
    let mut named = result().clone();
    named.started = "../../../../tmp/x".to_owned();
    named.environment.browser = "../../etc/passwd 1".to_owned();
    named.job.name = "/etc/passwd".to_owned();
    let name = server.post("/report", named.to_json().as_bytes()).json("saved");
    let year = name.split('-').next().expect("a part");
    assert!(year.len() == 4 && year.parse::<u32>().is_ok_and(|year| year >= 2025) && name.ends_with("-browser.json"), "{name}");
    assert_eq!(server.results().len(), 2);
    // Beside the page's folder and the results there is the file that was there before.
    assert_eq!(fs::read_dir(server.folder.path()).expect("there").count(), 3);
}

#[test]
fn html_in_a_name_is_text_in_the_report() {
    let server = Running::start();
    let mut hostile = result().clone();
    let script = "<script>alert(1)</script>";
    hostile.environment.browser = format!("{script}\u{1b}[2J");
    hostile.environment.user_agent = format!("\"'><img src=x onerror=alert(1)>{script}");
    hostile.environment.system = script.to_owned();
    hostile.job.title = script.to_owned();
    hostile.groups[0].record.group.title = script.to_owned();
    let name = server.post("/report", hostile.to_json().as_bytes()).json("saved");
    let html = fs::read_to_string(server.folder.path().join("results").join(name).with_extension("html")).expect("there");
    assert!(!html.contains("<script") && !html.contains("<img") && html.contains("&lt;script&gt;"));
}

#[test]
fn a_forged_estimate_is_told_and_not_shown() {
    let server = Running::start();
    let honest = result();
    let mut forged = honest.clone();
    let arm = forged.groups[0].estimates.arms.iter_mut().rfind(|arm| arm.ratio.is_some()).expect("a comparison");
    let ratio = arm.ratio.as_mut().expect("it has one");
    ratio.log -= 5.0;
    ratio.log_interval = Some((ratio.log - 0.01, ratio.log + 0.01));
    let told = |sent: &str| match (server.post("/report", sent.as_bytes()).status, server.arrivals.recv().expect("it was told")) {
        (200, Arrival::Result(received)) => received,
        other => panic!("{other:?}"),
    };
    let [honest, forged] = [honest.to_json(), forged.to_json()].map(|sent| told(&sent));
    assert_eq!(honest.differences, Vec::<String>::new());
    assert!(matches!(&forged.differences[..], [difference] if difference.contains("ratio.log")), "{:?}", forged.differences);
    assert_eq!(forged.answer, honest.answer);
    let read = |path| fs::read_to_string(path).expect("there");
    assert_eq!(read(&forged.written.html), read(&honest.written.html));
    assert_ne!(read(&forged.written.json), read(&honest.written.json), "what was sent is kept");
}
