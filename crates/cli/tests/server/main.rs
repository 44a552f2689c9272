//! The server, asked over real sockets as browsers and others may ask it.

mod attacks;
mod files;
mod fixture;
mod flood;
mod harness;
mod network;
mod reports;
mod stop;
mod terminal;
