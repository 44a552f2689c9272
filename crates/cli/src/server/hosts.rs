//! Turns away requests for other hosts. A page elsewhere on the web can point a name of its own at 127.0.0.1 and then
//! read what is served there; it cannot send one of the names below.

use std::net::Ipv4Addr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::HOST;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// Under which hosts the server answers: `name:port`, in lower case.
#[derive(Clone, Debug)]
pub(super) struct Allowed(Arc<[String]>);

impl Allowed {
    /// This machine's own names, and these addresses.
    pub(super) fn new(port: u16, addresses: &[Ipv4Addr]) -> Self {
        let own = ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned);
        let names: Vec<String> = own.into_iter().chain(addresses.iter().map(ToString::to_string)).collect();
        let with_port = names.iter().map(|name| format!("{name}:{port}"));
        // Browsers leave the usual ports out.
        let usual = names.iter().filter(|_| matches!(port, 80 | 443)).cloned();
        Self(with_port.chain(usual).collect())
    }

    fn contains(&self, host: &str) -> bool {
        self.0.contains(&host.to_ascii_lowercase())
    }
}

/// Answers 421 unless every host that the request names is allowed: the header's, and the target's where it names one.
pub(super) async fn check(State(allowed): State<Allowed>, request: Request, next: Next) -> Response {
    let mut hosts = request.headers().get_all(HOST).iter();
    let header = hosts.next().and_then(|host| host.to_str().ok());
    let allowed_header = header.is_some_and(|host| allowed.contains(host)) && hosts.next().is_none();
    let allowed_target = request.uri().authority().is_none_or(|authority| allowed.contains(authority.as_str()));
    if allowed_header && allowed_target {
        next.run(request).await
    } else {
        (StatusCode::MISDIRECTED_REQUEST, "This server does not answer under that name: open the address that it printed.\n")
            .into_response()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_with_this_port() {
        let allowed = Allowed::new(8000, &[]);
        for host in ["localhost:8000", "LocalHost:8000", "127.0.0.1:8000", "[::1]:8000"] {
            assert!(allowed.contains(host), "{host}");
        }
        for host in ["localhost", "localhost:8001", "localhost.:8000", "a.localhost:8000", "127.0.0.1", "::1:8000", "me@localhost:8000", ""]
        {
            assert!(!allowed.contains(host), "{host}");
        }
    }

    #[test]
    fn addresses_of_the_network_where_they_are_served() {
        let address = Ipv4Addr::new(192, 168, 1, 5);
        let allowed = Allowed::new(8000, &[address]);
        assert!(allowed.contains("192.168.1.5:8000") && allowed.contains("localhost:8000"));
        assert!(!allowed.contains("192.168.1.6:8000") && !allowed.contains("192.168.1.5"));
        assert!(Allowed::new(443, &[address]).contains("192.168.1.5"));
    }
}
