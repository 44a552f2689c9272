//! Serves the page to browsers, with the headers that give it OPFS and the finest clock, and takes in what the page sends.
//!
//! A request passes three gates, outermost first: [`headers`] puts the same headers on every answer, [`hosts`] turns away
//! requests that name another host, [`files`] finds the one file that a path may mean. [`report`] takes results, where the server has an
//! [`Inbox`], and [`fixture`] gives a person's own files, where it has an [`Offer`]. In a network [`connection`] encrypts, and [`trust`] leads to that.

mod connection;
mod encoding;
mod files;
mod fixture;
mod headers;
mod hosts;
mod report;
mod site;
mod trust;

use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{get, post};
use axum_server::{Control, Handle};
use tokio::net::{TcpListener, TcpSocket};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tower_http::catch_panic::CatchPanicLayer;

pub use fixture::Offer;
pub use headers::HEADERS;
pub use report::LARGEST_RESULT;
pub use site::Site;

use crate::inbox::Inbox;
use crate::lan::Lan;
use crate::lan::certificates::Authority;
use connection::Acceptor;
use files::Files;

/// Answers that are under way when the server is told to stop may take this long.
const LAST_ANSWERS: Duration = Duration::from_secs(2);
/// A free port on IPv4 may be taken on IPv6; this often another one is tried.
const ATTEMPTS: usize = 20;
/// The most that a connection's request head may take in memory; hyper itself would take 400 KiB.
const LARGEST_HEAD: usize = 32 << 10;
/// So many connections may wait to be accepted. Where there are more, Linux forgets some whose clients take them for made, and resets those
/// when they send: a result would be lost. The usual 128 are few when many devices come at once.
const CONNECTIONS_WAITING: u32 = 1024;

/// What a server does.
#[derive(Debug)]
pub struct Settings {
    /// What it serves.
    pub site: Site,
    /// Its port; 0 takes any free one.
    pub port: u16,
    /// Under which addresses of the network it serves too, by https. None serves on this machine alone.
    pub lan: Option<Lan>,
    /// Where results go. None takes none.
    pub inbox: Option<Inbox>,
    /// Files of a person's own that the page is to measure. None has it make its own.
    pub offer: Option<Offer>,
    /// How long it waits.
    pub deadlines: Deadlines,
}

impl Settings {
    /// Serves a site on this machine, and takes nothing.
    #[must_use]
    pub fn new(site: Site, port: u16) -> Self {
        Self { site, port, lan: None, inbox: None, offer: None, deadlines: Deadlines::default() }
    }
}

/// How long a server waits for those who are slow, by intent or not.
#[derive(Clone, Copy, Debug)]
pub struct Deadlines {
    /// For a request's head, and for the next request of a connection.
    pub head: Duration,
    /// For what a page sends, once it is read: 16 MiB at 2 Mbit/s take a minute.
    pub body: Duration,
    /// For a place in memory, before that.
    pub place: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        Self { head: Duration::from_secs(20), body: Duration::from_secs(60), place: Duration::from_secs(60) }
    }
}

/// A server that answers until it is stopped or dropped.
#[derive(Debug)]
pub struct Server {
    port: u16,
    files: Arc<Files>,
    control: Control,
    tasks: Vec<JoinHandle<std::io::Result<()>>>,
}

impl Server {
    /// Serves on loopback, and in the network where the settings say so.
    ///
    /// # Errors
    /// When the port is not to be had.
    #[allow(clippy::unused_async)] // what it spawns takes a runtime
    pub async fn start(settings: Settings) -> Result<Self> {
        let Settings { site, port, lan, inbox, offer, deadlines } = settings;
        let (port, mut listeners) = bind(port)?;
        let inside = listeners.len();
        let addresses = lan.as_ref().map_or(&[][..], |lan| &lan.addresses);
        for address in addresses {
            let listener = listen((*address).into(), port);
            listeners.push(listener.with_context(|| format!("cannot serve on {address}:{port}"))?);
        }
        let files = Arc::new(Files::new(site));
        let app = app(
            Arc::clone(&files),
            inbox.map(|inbox| report::Desk::new(inbox, deadlines)),
            offer.map(fixture::Counter::new),
            lan.as_ref().and_then(|lan| lan.identity.authority.clone()),
            hosts::Allowed::new(port, addresses),
        );
        let tls = lan.map(|lan| TlsAcceptor::from(lan.identity.tls));
        let control = Control::new();
        let mut tasks = Vec::new();
        for (place, listener) in listeners.into_iter().enumerate() {
            let acceptor = Acceptor { tls: tls.clone(), from_network: place >= inside, patience: deadlines.head };
            let mut server = axum_server::Server::<SocketAddr>::from_listener(listener)
                .acceptor(acceptor)
                .handle(Handle::with_control(control.clone()))
                .http1_only();
            server.http_builder().http1().header_read_timeout(deadlines.head).max_buf_size(LARGEST_HEAD);
            tasks.push(tokio::spawn(server.serve(app.clone().into_make_service())));
        }
        Ok(Self { port, files, control, tasks })
    }

    /// The port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The page's address: `http://localhost:…/`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://localhost:{}/", self.port)
    }

    /// Whether a browser has asked for the page.
    #[must_use]
    pub fn visited(&self) -> bool {
        self.files.visited()
    }

    /// Stops taking requests, and returns when the last answers are out or [`LAST_ANSWERS`] has passed.
    pub async fn stop(mut self) {
        self.control.graceful_shutdown(Some(LAST_ANSWERS));
        for task in std::mem::take(&mut self.tasks) {
            let _ = task.await;
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.control.shutdown();
    }
}

fn app(
    files: Arc<Files>,
    desk: Option<report::Desk>,
    counter: Option<fixture::Counter>,
    authority: Option<Authority>,
    allowed: hosts::Allowed,
) -> Router {
    let mut app = Router::new().fallback(files::serve).with_state(files);
    if let Some(desk) = desk {
        let routes = Router::new()
            .route("/report", post(report::result))
            .route("/failure", post(report::failure))
            .route("/job", get(report::job))
            .with_state(Arc::new(desk));
        app = app.merge(routes);
    }
    if let Some(counter) = counter {
        let routes = Router::new().route("/fixture", get(fixture::sizes)).route("/fixture/{number}", get(fixture::range));
        app = app.merge(routes.with_state(Arc::new(counter)));
    }
    let authority = authority.map(Arc::new);
    if let Some(authority) = &authority {
        let routes = Router::new()
            .route(trust::PAGE, get(trust::page))
            .route(trust::CERTIFICATE, get(trust::certificate))
            .with_state(Arc::clone(authority));
        app = app.merge(routes);
    }
    app.layer(from_fn_with_state(authority, trust::lead))
        .layer(from_fn_with_state(allowed, hosts::check))
        .layer(CatchPanicLayer::new())
        .layer(from_fn(headers::add))
}

/// Listens on both loopback addresses, since `localhost` means either; on IPv4 alone where the system has no IPv6.
fn bind(port: u16) -> Result<(u16, Vec<TcpListener>)> {
    for _ in 0..ATTEMPTS {
        let four = listen(Ipv4Addr::LOCALHOST.into(), port).with_context(|| cannot_listen(port))?;
        let actual = four.local_addr().with_context(|| cannot_listen(port))?.port();
        match listen(Ipv6Addr::LOCALHOST.into(), actual) {
            Ok(six) => return Ok((actual, vec![four, six])),
            Err(error) if error.kind() == ErrorKind::AddrInUse && port == 0 => {}
            Err(error) if error.kind() == ErrorKind::AddrInUse => return Err(error).with_context(|| cannot_listen(port)),
            Err(_) => return Ok((actual, vec![four])),
        }
    }
    bail!("found no port that is free on both 127.0.0.1 and [::1] in {ATTEMPTS} attempts")
}

/// As `TcpListener::bind()` does it, but for the queue.
fn listen(address: IpAddr, port: u16) -> std::io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // Elsewhere it would let another program take the port over.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(SocketAddr::new(address, port))?;
    socket.listen(CONNECTIONS_WAITING)
}

fn cannot_listen(port: u16) -> String {
    format!("cannot serve on port {port} of localhost; if another program uses it, end that program or choose another port with --port")
}
