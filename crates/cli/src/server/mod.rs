//! Serves the page to browsers on this machine, with the headers that give it OPFS and the finest clock.
//!
//! A request passes three gates, outermost first: [`headers`] puts the same headers on every answer, [`hosts`] turns away
//! requests that name another host, [`files`] finds the one file that a path may mean.

mod files;
mod headers;
mod hosts;

use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// Answers that are under way when the server is told to stop may take this long.
const LAST_ANSWERS: Duration = Duration::from_secs(2);
/// A free port on IPv4 may be taken on IPv6; this often another one is tried.
const ATTEMPTS: usize = 20;

/// A server that answers until it is stopped or dropped.
#[derive(Debug)]
pub struct Server {
    port: u16,
    stop: watch::Sender<bool>,
    tasks: Vec<JoinHandle<std::io::Result<()>>>,
}

impl Server {
    /// Serves the folder on loopback. Port 0 takes any free one.
    ///
    /// # Errors
    /// When the folder does not hold the page, or the port is not to be had.
    pub async fn start(www: &Path, port: u16) -> Result<Self> {
        let root = page_folder(www)?;
        let (port, listeners) = bind(port).await?;
        let (stop, stopped) = watch::channel(false);
        let tasks = listeners
            .into_iter()
            .map(|listener| {
                let app = app(root.clone(), port);
                let mut stopped = stopped.clone();
                tokio::spawn(async move {
                    let until = async move {
                        // An error means that the server was dropped, which is the same.
                        let _ = stopped.wait_for(|stop| *stop).await;
                    };
                    axum::serve(listener, app).with_graceful_shutdown(until).await
                })
            })
            .collect();
        Ok(Self { port, stop, tasks })
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

    /// Stops taking requests, and returns when the last answers are out or [`LAST_ANSWERS`] has passed.
    pub async fn stop(mut self) {
        self.stop.send_replace(true);
        let tasks = std::mem::take(&mut self.tasks);
        let aborts: Vec<_> = tasks.iter().map(JoinHandle::abort_handle).collect();
        let all = async {
            for task in tasks {
                let _ = task.await;
            }
        };
        if tokio::time::timeout(LAST_ANSWERS, all).await.is_err() {
            aborts.iter().for_each(tokio::task::AbortHandle::abort);
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

/// The folder, with every link in its own path resolved, if it holds the built page.
fn page_folder(www: &Path) -> Result<PathBuf> {
    let root = www.canonicalize().with_context(|| format!("cannot open the page's folder {}", www.display()))?;
    for needed in ["index.html", "pkg/opfs_bench_bg.wasm"] {
        if !root.join(needed).is_file() {
            bail!("{} has no {needed}: build the page with `cargo xtask build`, or name its folder with --www", root.display());
        }
    }
    Ok(root)
}

fn app(root: PathBuf, port: u16) -> Router {
    Router::new()
        .fallback(files::serve)
        .with_state(Arc::new(root))
        .layer(from_fn_with_state(hosts::Allowed::new(port), hosts::check))
        .layer(from_fn(headers::add))
}

/// Listens on both loopback addresses, since `localhost` means either; on IPv4 alone where the system has no IPv6.
async fn bind(port: u16) -> Result<(u16, Vec<TcpListener>)> {
    for _ in 0..ATTEMPTS {
        let four = listen(Ipv4Addr::LOCALHOST.into(), port).await.with_context(|| cannot_listen(port))?;
        let actual = four.local_addr().with_context(|| cannot_listen(port))?.port();
        match listen(Ipv6Addr::LOCALHOST.into(), actual).await {
            Ok(six) => return Ok((actual, vec![four, six])),
            Err(error) if error.kind() == ErrorKind::AddrInUse && port == 0 => {}
            Err(error) if error.kind() == ErrorKind::AddrInUse => return Err(error).with_context(|| cannot_listen(port)),
            Err(_) => return Ok((actual, vec![four])),
        }
    }
    bail!("found no port that is free on both 127.0.0.1 and [::1] in {ATTEMPTS} attempts")
}

async fn listen(address: IpAddr, port: u16) -> std::io::Result<TcpListener> {
    TcpListener::bind(SocketAddr::new(address, port)).await
}

fn cannot_listen(port: u16) -> String {
    format!("cannot serve on port {port} of localhost; if another program uses it, end that program or choose another port with --port")
}
