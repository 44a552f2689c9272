//! Ctrl-C and the other signals that ask a program to end.

use std::process;
use std::sync::Arc;

use anyhow::{Context, Result};
use tokio::sync::watch;

use crate::exit::Exit;

/// Tells when a person, or the system, asked the command to end.
#[derive(Clone, Debug)]
pub struct Interrupt {
    raised: watch::Receiver<bool>,
    _sender: Arc<watch::Sender<bool>>,
}

impl Interrupt {
    /// Begins to listen. The first signal is told; the second one ends the command at once (the supervisor then still ends
    /// driver and browser).
    ///
    /// # Errors
    /// When the system does not let this process listen.
    pub fn listen() -> Result<Self> {
        let mut signals = Signals::new().context("cannot listen for Ctrl-C")?;
        let (sender, raised) = watch::channel(false);
        let sender = Arc::new(sender);
        let raise = Arc::clone(&sender);
        tokio::spawn(async move {
            signals.next().await;
            raise.send_replace(true);
            signals.next().await;
            crate::tell!("\nended at once");
            process::exit(Exit::Stopped as i32);
        });
        Ok(Self { raised, _sender: sender })
    }

    /// Whether it has happened.
    #[must_use]
    pub fn is_raised(&self) -> bool {
        *self.raised.borrow()
    }

    /// Waits until it happens.
    pub async fn raised(&self) {
        let _ = self.raised.clone().wait_for(|raised| *raised).await;
    }
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hang_up: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = self.hang_up.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    #[expect(clippy::unnecessary_wraps, reason = "can fail on Unix")]
    fn new() -> std::io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) {
        let _ = tokio::signal::ctrl_c().await;
    }
}
