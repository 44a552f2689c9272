//! Why the browser's Wasm tests do not hang while their page loads.
//!
//! The test runner's web server (`tiny_http` 0.12) has four idle threads, and starts another one when a connection comes while it counts none of
//! them as waiting. A thread counts as waiting until it has woken, so of several connections that come at once the last are left to
//! threads that are taken by then: nobody ever answers them, and the page, which imports dozens of modules over six
//! connections, waits for ever. Where all four threads are taken beforehand, each connection gets a thread of its own.

use std::io::Read;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};

const THREADS: usize = 4;

/// Chooses an address for test runners, which come one after another, and takes their idle threads as long as this program runs.
pub fn take_threads() -> Result<SocketAddr> {
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
    let address = free.context("no free port on loopback for the browser's Wasm tests")?;
    thread::spawn(move || {
        loop {
            match (0..THREADS).map(|_| TcpStream::connect(address)).collect::<Result<Vec<_>, _>>() {
                // The server says nothing unasked: this returns when it has ended.
                Ok(mut connections) => drop(connections[0].read(&mut [0])),
                Err(_) => thread::sleep(Duration::from_millis(20)),
            }
        }
    });
    Ok(address)
}
