//! A server in this process, clients that speak to it over sockets, and results for them to send.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::{OnceLock, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

use opfs_bench_cli::fixture::Fixture;
use opfs_bench_cli::inbox::{Arrival, Inbox, Token};
use opfs_bench_cli::lan::Lan;
use opfs_bench_cli::server::{Deadlines, Offer, Server, Settings, Site};
use opfs_bench_core::job::Job;
use opfs_bench_core::result::RunResult;
use opfs_bench_core::seed::Seed;
use opfs_bench_core::simulate::{self, Clock, Device, MethodModel, Noise};
use opfs_bench_core::units::Nanos;
use tempfile::TempDir;

/// What every answer carries.
pub const HEADERS: [(&str, &str); 7] = [
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

/// A client waits no longer than this.
const PATIENCE: Duration = Duration::from_secs(30);

/// A folder like the built page's, beside a file that must not be seen.
pub fn page() -> TempDir {
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

/// A result of a few kilobytes.
pub fn result() -> &'static RunResult {
    static RESULT: OnceLock<RunResult> = OnceLock::new();
    RESULT.get_or_init(|| {
        let job = Job::from_toml(
            r#"
            name = "short"
            title = "Short"
            budget_s = 1
            storage = "1 MiB"
            [[group]]
            name = "blocks"
            title = "Blocks"
            rw = "randread"
            bs = "4 KiB"
            size = "64 KiB"
            open = "kept"
            baseline = "main/slice"
            methods = ["worker/sync"]
            "#,
        )
        .expect("a job");
        let methods = ["main/slice", "worker/sync"].map(|name| MethodModel::new(name, 300_000.0)).to_vec();
        let clocks = [Clock::regular(Nanos(5_000)), Clock::regular(Nanos(5_000))];
        simulate::run(&job, Seed(1), &mut Device::new(methods, clocks, Noise::default(), Seed(1)))
    })
}

pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The words of `{"error": …}`, or the name of `{"saved": …}`.
    pub fn json(&self, name: &str) -> String {
        let body: serde_json::Value = serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()));
        body[name].as_str().unwrap_or_else(|| panic!("no {name}: {body}")).to_owned()
    }

    pub fn assert_headers(&self) {
        for (name, value) in HEADERS {
            assert_eq!(self.header(name), Some(value), "{name} of an answer {}", self.status);
        }
    }
}

/// A server in a thread of its own, for clients that block.
pub struct Running {
    pub port: u16,
    pub folder: TempDir,
    pub token: Token,
    pub arrivals: mpsc::Receiver<Arrival>,
    stop: Option<tokio::sync::oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    pub fn start() -> Self {
        Self::start_with(Deadlines::default(), None, None)
    }

    pub fn start_with(deadlines: Deadlines, job: Option<&str>, lan: Option<Lan>) -> Self {
        Self::start_offering(deadlines, job, lan, None)
    }

    pub fn start_offering(deadlines: Deadlines, job: Option<&str>, lan: Option<Lan>, fixture: Option<Fixture>) -> Self {
        let folder = page();
        let site = Site::folder(&folder.path().join("www")).expect("the page");
        let (inbox, mut heard) = Inbox::new(&folder.path().join("results"), job.map(str::to_owned)).expect("random bits");
        let token = inbox.token().clone();
        let offer = fixture.map(|fixture| Offer { token: token.clone(), fixture });
        let (port_sender, port) = mpsc::channel();
        let (arrived, arrivals) = mpsc::channel();
        let (stop, stopped) = tokio::sync::oneshot::channel();
        let thread = std::thread::spawn(move || {
            runtime().block_on(async {
                let settings = Settings { inbox: Some(inbox), offer, deadlines, lan, ..Settings::new(site, 0) };
                let server = Server::start(settings).await.expect("a free port");
                port_sender.send(server.port()).expect("the test waits");
                let hand_on = async {
                    while let Some(arrival) = heard.recv().await {
                        // A test that ends listens no more.
                        let _ = arrived.send(arrival);
                    }
                };
                let stop = async {
                    let _ = stopped.await;
                    server.stop().await;
                };
                tokio::join!(hand_on, stop);
            });
        });
        Self { port: port.recv().expect("started"), folder, token, arrivals, stop: Some(stop), thread: Some(thread) }
    }

    pub fn host(&self) -> String {
        format!("localhost:{}", self.port)
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a valid time");
        stream
    }

    /// Sends a request as it is, and reads until the server closes.
    pub fn raw(&self, request: &[u8]) -> Answer {
        let mut stream = self.connect();
        stream.write_all(request).expect("connected");
        read_answer(&mut stream)
    }

    pub fn ask(&self, method: &str, target: &str, host: &str, more: &str) -> Answer {
        self.raw(format!("{method} {target} HTTP/1.1\r\nHost: {host}\r\n{more}Connection: close\r\n\r\n").as_bytes())
    }

    pub fn get(&self, target: &str) -> Answer {
        self.ask("GET", target, &self.host(), "")
    }

    /// Sends something as the page itself does.
    pub fn post(&self, target: &str, body: &[u8]) -> Answer {
        Post { target, ..Post::new(self) }.send(body)
    }

    /// The files of the results' folder, also those that only look like temporary ones.
    pub fn results(&self) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(self.folder.path().join("results")) else { return vec![] };
        entries.map(|entry| entry.expect("readable").path()).collect()
    }

    pub fn assert_nothing_written(&self) {
        assert_eq!(self.results(), Vec::<PathBuf>::new());
        assert!(self.arrivals.try_recv().is_err(), "nothing arrived");
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.stop.take());
        let ended = self.thread.take().expect("present until here").join();
        assert!(ended.is_ok() || std::thread::panicking(), "the server's thread panicked");
    }
}

/// The command `opfs-bench serve`.
pub struct Served {
    pub child: Child,
    /// `localhost:…`
    pub host: String,
    pub token: String,
    output: Option<BufReader<ChildStdout>>,
}

impl Served {
    pub fn start(folder: &TempDir, arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_opfs-bench"));
        command.args(["serve", "--no-open", "--port", "0", "--out"]).arg(folder.path().join("results"));
        command.arg("--www").arg(folder.path().join("www")).args(arguments);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("starts");
        let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut address = String::new();
        output.read_line(&mut address).expect("text");
        let (host, token) = address.trim().strip_prefix("http://").and_then(|rest| rest.split_once("/#token=")).expect("an address");
        let (host, token) = (host.to_owned(), token.to_owned());
        Self { child, host, token, output: Some(output) }
    }

    /// Reads what it prints until it ends.
    pub fn read_on(&mut self) -> JoinHandle<String> {
        let mut output = self.output.take().expect("once");
        std::thread::spawn(move || {
            let mut text = String::new();
            output.read_to_string(&mut text).expect("text");
            text
        })
    }

    /// Presses Ctrl-C and waits for the end.
    #[cfg(unix)]
    pub fn interrupt(mut self) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().expect("a POSIX system").success());
        assert_eq!(self.child.wait().expect("its parent's").code(), Some(0));
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A request that sends something; as the page makes it unless changed.
pub struct Post<'a> {
    pub server: &'a Running,
    pub target: &'a str,
    pub host: String,
    pub origin: Option<String>,
    pub authorization: Option<String>,
    pub kind: &'a str,
    /// What the head says of the body's length, if that is not so.
    pub length: Option<usize>,
}

impl<'a> Post<'a> {
    pub fn new(server: &'a Running) -> Self {
        let host = server.host();
        let (origin, authorization) = (Some(format!("http://{host}")), Some(format!("Bearer {}", server.token.as_str())));
        Self { server, target: "/report", host, origin, authorization, kind: "application/json", length: None }
    }

    pub fn head(&self, body: &[u8]) -> String {
        let Self { target, host, kind, .. } = self;
        let line = |name: &str, value: &Option<String>| value.as_ref().map_or_else(String::new, |value| format!("{name}: {value}\r\n"));
        let (origin, authorization) = (line("Origin", &self.origin), line("Authorization", &self.authorization));
        let length = self.length.unwrap_or(body.len());
        format!(
            "POST {target} HTTP/1.1\r\nHost: {host}\r\n{origin}{authorization}Content-Type: {kind}\r\nContent-Length: {length}\r\n\
             Connection: close\r\n\r\n"
        )
    }

    pub fn send(&self, body: &[u8]) -> Answer {
        self.server.raw(&[self.head(body).as_bytes(), body].concat())
    }
}

pub fn read_answer(stream: &mut impl Read) -> Answer {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).expect("the server closes when asked to");
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or_else(|| panic!("no head: {bytes:?}"));
    let body = bytes.split_off(end + 4);
    let head = String::from_utf8(bytes).expect("a head is text");
    let mut lines = head.trim_end().lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|code| code.parse().ok()).expect("a status");
    let header = |line: &str| line.split_once(": ").map(|(name, value)| (name.to_lowercase(), value.to_owned())).expect("a header");
    Answer { status, headers: lines.map(header).collect(), body }
}

pub fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}
