//! Turns away requests for other hosts. A page elsewhere on the web can point a name of its own at 127.0.0.1 and then
//! read what is served there; it cannot send one of the names below.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::HOST;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// Under which hosts the server answers: `name:port`, in lower case.
#[derive(Clone, Debug)]
pub(super) struct Allowed([String; 3]);

impl Allowed {
    pub(super) fn new(port: u16) -> Self {
        Self(["localhost", "127.0.0.1", "[::1]"].map(|name| format!("{name}:{port}")))
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
        (StatusCode::MISDIRECTED_REQUEST, "This server answers under localhost alone.\n").into_response()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_with_this_port() {
        let allowed = Allowed::new(8000);
        for host in ["localhost:8000", "LocalHost:8000", "127.0.0.1:8000", "[::1]:8000"] {
            assert!(allowed.contains(host), "{host}");
        }
        for host in ["localhost", "localhost:8001", "localhost.:8000", "a.localhost:8000", "127.0.0.1", "::1:8000", "me@localhost:8000", ""]
        {
            assert!(!allowed.contains(host), "{host}");
        }
    }
}
