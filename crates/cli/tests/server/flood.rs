//! A thousand results at once, sent to the command itself: its memory is its own then.

use std::fs;
use std::io::Write;
use std::net::TcpStream;
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

use crate::harness::{Served, page, read_answer, result};

const POSTS: usize = 1000;
/// All of them together are many times what the server may take. White space after a result's end belongs to the text, and to nothing else.
const BODY: usize = 100 << 10;
/// What the server may take beyond what it had, in MiB: bodies of four results, what one of them is turned into, and a thousand sockets.
const MOST_MIB: u64 = 64;

/// A line of `/proc/…/status` in MiB; only Linux has it.
fn memory_mib(process: u32, line: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let kib: u64 = status.lines().find_map(|other| other.strip_prefix(line))?.split_whitespace().next()?.parse().ok()?;
    Some(kib >> 10)
}

#[test]
fn of_a_thousand_posts_at_once_all_that_were_accepted_are_there() {
    let folder = page();
    let mut served = Served::start(&folder, &[]);
    let (host, token) = (served.host.clone(), served.token.clone());
    // Otherwise the server would wait for its reader.
    let shown = served.read_on();

    let before = memory_mib(served.child.id(), "VmRSS:");
    let mut body = result().to_json();
    body.extend(std::iter::repeat_n(' ', BODY.saturating_sub(body.len())));
    let length = body.len();
    let request = Arc::new(format!(
        "POST /report HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    ));
    let together = Arc::new(Barrier::new(POSTS));
    let clients: Vec<_> = (0..POSTS)
        .map(|_| {
            let (host, request, together) = (host.clone(), Arc::clone(&request), Arc::clone(&together));
            let client = move || {
                let mut stream = TcpStream::connect(&host).expect("listens");
                stream.set_read_timeout(Some(Duration::from_secs(180))).expect("a valid time");
                together.wait();
                stream.write_all(request.as_bytes()).expect("connected");
                let answer = read_answer(&mut stream);
                (answer.status == 200).then(|| answer.json("saved")).ok_or_else(|| answer.text())
            };
            thread::Builder::new().stack_size(256 << 10).spawn(client).expect("a thread")
        })
        .collect();
    let (mut saved, mut refused) = (Vec::new(), Vec::new());
    for client in clients {
        match client.join().expect("an answer") {
            Ok(name) => saved.push(name),
            Err(words) => refused.push(words),
        }
    }

    let (peak, after) = (memory_mib(served.child.id(), "VmHWM:"), memory_mib(served.child.id(), "VmRSS:"));
    println!(
        "{POSTS} posts of {} KiB at once: {} accepted, {} refused; the server's memory in MiB: {before:?} before, {peak:?} at most, {after:?} after",
        length >> 10,
        saved.len(),
        refused.len()
    );
    if let (Some(before), Some(peak)) = (before, peak) {
        assert!(peak - before <= MOST_MIB, "{before} MiB became {peak} MiB");
    }
    let mut files: Vec<String> = fs::read_dir(folder.path().join("results"))
        .expect("there")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .map(|path| path.file_name().expect("a file").to_string_lossy().into_owned())
        .collect();
    saved.sort();
    files.sort();
    assert_eq!(files, saved, "every accepted result has its own file, and there are no others");
    assert!(refused.iter().all(|words| words.contains("try again")), "{refused:?}");
    assert!(saved.len() > BODIES_IN_ANY_CASE, "{refused:?}");
    for name in &files {
        assert_eq!(fs::read_to_string(folder.path().join("results").join(name)).expect("there"), body);
    }
    drop(served);
    let shown = shown.join().expect("read");
    assert!(files.iter().all(|name| shown.contains(name.as_str())), "each is shown");
}

/// Whoever comes first has a place.
const BODIES_IN_ANY_CASE: usize = 4;
