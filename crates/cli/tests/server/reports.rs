//! Results that arrive as they should.

use std::fs;

use opfs_bench_cli::inbox::Arrival;
use opfs_bench_cli::server::{Deadlines, LARGEST_RESULT};

use crate::harness::{Post, Running, result};

#[test]
fn a_result_is_kept_as_it_was_sent_with_a_report_beside_it() {
    let server = Running::start();
    let sent = result().to_json();
    let answer = server.post("/report", sent.as_bytes());
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.assert_headers();
    let name = answer.json("saved");
    assert!(!name.contains('/'), "{name}");
    let json = server.folder.path().join("results").join(&name);
    assert_eq!(fs::read_to_string(&json).expect("there"), sent);
    assert!(fs::read_to_string(json.with_extension("html")).expect("there").contains("<svg"));
    assert_eq!(server.results().len(), 2, "{:?}", server.results());
    match server.arrivals.recv().expect("it was told") {
        Arrival::Result(received) => {
            assert_eq!(received.written.json, json);
            assert!(received.answer.contains("worker/sync") && received.differences.is_empty(), "{received:?}");
        }
        Arrival::Failure(words) => panic!("{words}"),
    }
}

#[test]
fn a_result_of_the_largest_size_is_taken_and_one_byte_more_is_not() {
    let server = Running::start();
    // White space after the end belongs to the text, and to nothing else.
    let mut sent = result().to_json().into_bytes();
    sent.resize(LARGEST_RESULT, b' ');
    assert_eq!(server.post("/report", &sent).status, 200);
    assert_eq!(server.results().len(), 2);
    sent.push(b' ');
    let answer = server.post("/report", &sent);
    assert_eq!((answer.status, answer.json("error").as_str()), (413, "what was sent is larger than 16 MiB"));
    assert_eq!(server.results().len(), 2, "nothing more was written");
}

#[test]
fn two_results_of_one_second_have_two_files() {
    let server = Running::start();
    let sent = result().to_json();
    let names: Vec<String> = (0..3).map(|_| server.post("/report", sent.as_bytes()).json("saved")).collect();
    assert!(names[0] != names[1] && names[1] != names[2] && names[0] != names[2], "{names:?}");
    assert_eq!(server.results().len(), 6);
}

#[test]
fn the_reasons_of_a_page_that_cannot_measure_arrive() {
    let server = Running::start();
    let answer = Post { target: "/failure", kind: "text/plain;charset=UTF-8", ..Post::new(&server) }.send("no files 🚀".as_bytes());
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.assert_headers();
    assert!(matches!(server.arrivals.recv().expect("it was told"), Arrival::Failure(words) if words == "no files 🚀"));
    server.assert_nothing_written();
    let answer = Post { target: "/failure", kind: "text/plain", ..Post::new(&server) }.send(&vec![b'x'; (16 << 10) + 1]);
    assert_eq!((answer.status, answer.json("error").as_str()), (413, "what was sent is larger than 16 KiB"));
}

#[test]
fn the_job_is_told_to_those_with_the_token_alone() {
    let server = Running::start_with(Deadlines::default(), Some("name = 'own'"), None);
    let token = format!("Authorization: Bearer {}\r\n", server.token.as_str());
    let ask = |more: &str| server.ask("GET", "/job", &server.host(), more);
    assert_eq!((ask(&token).status, ask(&token).text().as_str()), (200, "name = 'own'"));
    ask(&token).assert_headers();
    for more in ["", "Authorization: Bearer 0123456789abcdef0123456789abcdef\r\n"] {
        assert_eq!(ask(more).status, 401, "{more}");
    }
    let without = Running::start();
    let token = format!("Authorization: Bearer {}\r\n", without.token.as_str());
    assert_eq!(without.ask("GET", "/job", &without.host(), &token).status, 404);
}
