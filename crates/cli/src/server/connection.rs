//! Accepts connections: encrypted ones and plain ones on the same port. The first byte tells which.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::time::Duration;

use axum::Extension;
use axum::middleware::AddExtension;
use axum_server::accept::Accept;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tokio_util::either::Either;
use tower_layer::Layer;

/// The first byte of every TLS connection: a handshake record. No HTTP request begins so.
const HANDSHAKE: u8 = 0x16;

/// What is known of the connection that a request came by. Stands among the request's extensions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Connection {
    /// Whether it is encrypted.
    pub(super) secure: bool,
    /// Whether it came to an address of the network.
    pub(super) from_network: bool,
}

/// Accepts the connections of one address.
#[derive(Clone)]
pub(super) struct Acceptor {
    /// None speaks plain HTTP alone.
    pub(super) tls: Option<TlsAcceptor>,
    /// Whether the address is one of the network.
    pub(super) from_network: bool,
    /// The time for the first byte, and then for the handshake.
    pub(super) patience: Duration,
}

type Stream = Either<TcpStream, TlsStream<TcpStream>>;

impl<S: Send + 'static> Accept<TcpStream, S> for Acceptor {
    type Stream = Stream;
    type Service = AddExtension<S, Connection>;
    type Future = Pin<Box<dyn Future<Output = io::Result<(Stream, Self::Service)>> + Send>>;

    fn accept(&self, stream: TcpStream, service: S) -> Self::Future {
        let Self { tls, from_network, patience } = self.clone();
        Box::pin(async move {
            // Answers are small, and each is waited for.
            stream.set_nodelay(true)?;
            let stream = match tls {
                Some(tls) if timeout(patience, begins_tls(&stream)).await?? => Either::Right(timeout(patience, tls.accept(stream)).await??),
                _ => Either::Left(stream),
            };
            let connection = Connection { secure: matches!(stream, Either::Right(_)), from_network };
            Ok((stream, Extension(connection).layer(service)))
        })
    }
}

async fn begins_tls(stream: &TcpStream) -> io::Result<bool> {
    let mut first = [0];
    Ok(stream.peek(&mut first).await? == 1 && first[0] == HANDSHAKE)
}
