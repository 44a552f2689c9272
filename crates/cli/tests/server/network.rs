//! The server as other devices of a network reach it. The network is 127.0.0.2, which on Linux every machine has.
#![cfg(target_os = "linux")]

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use flate2::read::GzDecoder;
use opfs_bench_cli::inbox::Arrival;
use opfs_bench_cli::lan::{Lan, certificates};
use opfs_bench_cli::server::Deadlines;
use tempfile::TempDir;
use time::OffsetDateTime;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::files::write_text;
use crate::harness::{Answer, Post, Running, read_answer, result};

const ADDRESS: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

/// A server in the network, and the certificate that its clients trust.
struct Network {
    server: Running,
    trusted: CertificateDer<'static>,
    _folder: TempDir,
}

impl Network {
    fn start(with_authority: bool) -> Self {
        Self::start_with(with_authority, Deadlines::default())
    }

    fn start_with(with_authority: bool, deadlines: Deadlines) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let identity = certificates::identity(folder.path(), &[ADDRESS], with_authority, OffsetDateTime::now_utc()).expect("made");
        let trusted = trusted(folder.path(), if with_authority { "authority.json" } else { "self-signed.json" });
        let lan = Lan { addresses: vec![ADDRESS], identity };
        Self { server: Running::start_with(deadlines, None, Some(lan)), trusted, _folder: folder }
    }

    fn host(&self) -> String {
        format!("{ADDRESS}:{}", self.server.port)
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect((ADDRESS, self.server.port)).expect("listens in the network");
        stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a valid time");
        stream
    }

    fn plain(&self, target: &str, host: &str) -> Answer {
        let mut stream = self.connect();
        write!(stream, "GET {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").expect("connected");
        read_answer(&mut stream)
    }

    /// Asks by https, and verifies the certificate for the address.
    fn secure(&self, to: TcpStream, name: &str, request: &[u8]) -> Answer {
        let mut roots = RootCertStore::empty();
        roots.add(self.trusted.clone()).expect("a certificate");
        let config = ClientConfig::builder_with_provider(Arc::new(default_provider())).with_safe_default_protocol_versions();
        let config = config.expect("versions").with_root_certificates(roots).with_no_client_auth();
        let name = ServerName::try_from(name.to_owned()).expect("a name");
        let mut stream = StreamOwned::new(ClientConnection::new(Arc::new(config), name).expect("a client"), to);
        stream.write_all(request).expect("encrypted");
        read_answer(&mut stream)
    }

    fn get(&self, target: &str) -> Answer {
        let request = format!("GET {target} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.host());
        self.secure(self.connect(), "127.0.0.2", request.as_bytes())
    }
}

fn trusted(folder: &Path, file: &str) -> CertificateDer<'static> {
    let text = std::fs::read_to_string(folder.join(file)).expect("kept");
    let kept: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    CertificateDer::from_pem_slice(kept["certificate"].as_str().expect("text").as_bytes()).expect("a certificate")
}

#[test]
fn the_page_is_served_by_https_with_a_certificate_for_the_address() {
    for with_authority in [false, true] {
        let network = Network::start(with_authority);
        let answer = network.get("/");
        assert_eq!((answer.status, answer.text().as_str()), (200, "<!doctype html>the page"));
        answer.assert_headers();
        assert_eq!(network.get("/../secret.txt").status, 404);
        // On this machine itself both schemes work.
        assert_eq!(network.server.get("/").status, 200);
        let request = format!("GET / HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", network.server.host());
        assert_eq!(network.secure(network.server.connect(), "localhost", request.as_bytes()).status, 200);
        assert!(TcpStream::connect((Ipv4Addr::new(127, 0, 0, 3), network.server.port)).is_err(), "no other address");
    }
}

#[test]
fn a_plain_request_is_led_to_https_on_the_same_host() {
    let network = Network::start(false);
    let host = network.host();
    for target in ["/", "/index.html?preset=quick&seed=1", "/report", "/trust", "/none"] {
        let answer = network.plain(target, &host);
        assert_eq!((answer.status, answer.header("location")), (308, Some(format!("https://{host}{target}").as_str())));
        answer.assert_headers();
    }
    // Never to where somebody else wants them.
    for host in ["example.org", &format!("example.org:{}", network.server.port), "127.0.0.2"] {
        let answer = network.plain("/", host);
        assert_eq!((answer.status, answer.header("location")), (421, None), "{host}");
        answer.assert_headers();
    }
    let answer = network.plain(&format!("http://example.org:{}/", network.server.port), &host);
    assert_eq!((answer.status, answer.header("location")), (421, None));
    let answer = network.plain("//example.org/", &host);
    assert_eq!(answer.header("location"), Some(format!("https://{host}//example.org/").as_str()));
}

#[test]
fn results_arrive_by_https_from_the_page_alone() {
    let network = Network::start(false);
    let (host, sent) = (network.host(), result().to_json());
    let post = |origin: &str| {
        let post = Post { host: host.clone(), origin: Some(origin.to_owned()), ..Post::new(&network.server) };
        network.secure(network.connect(), "127.0.0.2", &[post.head(sent.as_bytes()).as_bytes(), sent.as_bytes()].concat())
    };
    for origin in [format!("http://{host}"), format!("https://localhost:{}", network.server.port), "https://example.org".to_owned()] {
        assert_eq!(post(&origin).status, 403, "{origin}");
    }
    network.server.assert_nothing_written();
    assert_eq!(post(&format!("https://{host}")).status, 200);
    assert!(matches!(network.server.arrivals.recv().expect("it was told"), Arrival::Result(_)));
    // By plain HTTP nothing is taken, whatever it says.
    let post = Post { host: host.clone(), origin: Some(format!("http://{host}")), ..Post::new(&network.server) };
    let mut stream = network.connect();
    stream.write_all(&[post.head(sent.as_bytes()).as_bytes(), sent.as_bytes()].concat()).expect("connected");
    assert_eq!(read_answer(&mut stream).status, 308);
    assert_eq!(network.server.results().len(), 2);
}

#[test]
fn the_authority_can_be_had_by_plain_http_and_nothing_else_can() {
    let network = Network::start(true);
    let host = network.host();
    let page = network.plain("/trust", &host);
    page.assert_headers();
    let text = page.text();
    assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")));
    for told in ["Certificate Trust Settings", "CA certificate", "href=\"/trust/opfs-bench.crt\""] {
        assert!(text.contains(told), "{told}: {text}");
    }
    // What the policy forbids would not be seen.
    assert!(!text.contains("<script") && !text.contains("style="), "{text}");
    let certificate = network.plain("/trust/opfs-bench.crt", &host);
    assert_eq!((certificate.status, certificate.header("content-type")), (200, Some("application/x-x509-ca-cert")));
    assert!(certificate.body == network.trusted.to_vec());
    // The test's page has none of the style sheets.
    assert_eq!(network.plain("/style.css", &host).status, 404);
    for target in ["/", "/page.css", "/report", "/trust/", "/trust/../", "/trust/authority.json"] {
        assert_eq!(network.plain(target, &host).status, 308, "{target}");
    }
    assert_eq!(network.plain("/trust", "example.org").status, 421);
    assert_eq!(network.get("/trust").status, 200);
    assert_eq!(Network::start(false).get("/trust").status, 404, "where there is no authority");
}

#[test]
fn a_handshake_that_does_not_go_on_is_given_up() {
    let deadlines = Deadlines { head: Duration::from_millis(500), ..Deadlines::default() };
    let network = Network::start_with(false, deadlines);
    for first in [&b""[..], &[0x16], &[0x16, 3, 1, 2, 0, 1], &[0x16, 0, 0, 0, 0, 0, 0], b"\x00\x00\x00"] {
        let mut stream = network.connect();
        stream.write_all(first).expect("connected");
        let began = Instant::now();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        assert!(began.elapsed() < Duration::from_secs(10), "{first:?}: {:?}", began.elapsed());
        assert!(!answer.starts_with(b"HTTP/1.1 2"), "{first:?}");
    }
    assert_eq!(network.get("/").status, 200, "others are not kept from it");
}

#[test]
fn files_come_compressed_where_that_is_accepted_and_each_form_has_its_own_tag() {
    let network = Network::start(false);
    let text = write_text(&network.server);
    let ask = |target: &str, more: &str| {
        let request = format!("GET {target} HTTP/1.1\r\nHost: {}\r\n{more}Connection: close\r\n\r\n", network.host());
        network.secure(network.connect(), "127.0.0.2", request.as_bytes())
    };
    let get = |accept: &str| ask("/page.css", &format!("Accept-Encoding: {accept}\r\n"));
    let [plain, gzip, brotli] = ["identity", "gzip", "gzip, deflate, br, zstd"].map(get);
    let named = |answer: &Answer| answer.header("content-encoding").map(str::to_owned);
    assert_eq!([named(&plain), named(&gzip), named(&brotli)], [None, Some("gzip".to_owned()), Some("br".to_owned())]);
    let mut unpacked = String::new();
    GzDecoder::new(&gzip.body[..]).read_to_string(&mut unpacked).expect("gzip");
    assert!(unpacked == text && plain.text() == text);
    let mut unpacked = Vec::new();
    brotli::BrotliDecompress(&mut &brotli.body[..], &mut unpacked).expect("brotli");
    assert!(unpacked == text.as_bytes());
    assert!(brotli.body.len() * 3 < text.len(), "{} of {}", brotli.body.len(), text.len());
    let tags = [&plain, &gzip, &brotli].map(|answer| answer.header("etag").expect("a tag").to_owned());
    assert!(tags.iter().all(|tag| tag.starts_with('"')), "strong ones: {tags:?}");
    for (answer, accept) in [(&plain, "identity"), (&gzip, "gzip"), (&brotli, "br")] {
        assert_eq!(answer.header("vary"), Some("accept-encoding"));
        assert_eq!(answer.header("content-length"), Some(answer.body.len().to_string().as_str()));
        for (tag, of) in tags.iter().zip(["identity", "gzip", "br"]) {
            let more = format!("Accept-Encoding: {accept}\r\nIf-None-Match: {tag}\r\n");
            assert_eq!(ask("/page.css", &more).status, if of == accept { 304 } else { 200 }, "{of} for {accept}");
        }
    }
    assert_eq!(named(&ask("/", "Accept-Encoding: br\r\n")), None, "a small file is no smaller so");
}
