//! What the command shows of what arrives.
#![cfg(unix)]

use std::io::Write;
use std::net::TcpStream;

use crate::harness::{Answer, Served, page, read_answer, result};

fn post(served: &Served, target: &str, kind: &str, body: &str) -> Answer {
    let Served { host, token, .. } = served;
    let mut stream = TcpStream::connect(host).expect("listens");
    let length = body.len();
    let head = format!(
        "POST {target} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nAuthorization: Bearer {token}\r\nContent-Type: {kind}\r\n\
         Content-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(&[head.as_bytes(), body.as_bytes()].concat()).expect("connected");
    read_answer(&mut stream)
}

#[test]
fn what_arrives_is_shown_in_a_line_with_its_files_and_cannot_redraw_the_terminal() {
    let folder = page();
    let mut served = Served::start(&folder, &[]);
    let shown = served.read_on();
    let mut hostile = result().clone();
    hostile.environment.browser = "Firefox 1\u{1b}[2J\u{1b}]0;owned\u{7}\u{202e}<b>\r\nFAKE LINE".to_owned();
    hostile.job.title = "\u{9b}2J".to_owned();
    hostile.groups[0].record.group.title = "\u{9b}2J\u{202e}group".to_owned();
    let answer = post(&served, "/report", "application/json", &hostile.to_json());
    assert_eq!(answer.status, 200, "{}", answer.text());
    let words = "no\u{1b}[31m files\nsecond\u{8}line\n\n";
    assert_eq!(post(&served, "/failure", "text/plain", words).status, 200);
    // What was taken is shown though the end is asked for in the same moment.
    served.interrupt();
    let shown = shown.join().expect("read");
    let odd: Vec<char> = shown.chars().filter(|c| (c.is_control() && *c != '\n') || *c == '\u{202e}').collect();
    assert!(odd.is_empty(), "{odd:?} in {shown}");
    let lines: Vec<&str> = shown.lines().collect();
    let name = answer.json("saved");
    assert!(
        lines.iter().any(|line| line.starts_with("In Firefox 1 [2J ]0;owned <b> FAKE LINE on ") && line.contains("worker/sync")),
        "{shown}"
    );
    assert!(lines.iter().any(|line| line.starts_with("  ") && line.ends_with(&name)), "{shown}");
    assert!(lines.windows(3).any(|three| three == ["A page could not measure:", "  no [31m files", "  second line"]), "{shown}");
}
