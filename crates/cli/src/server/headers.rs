//! The headers of every answer.

use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;

/// Everything from this server and nothing inline. `wasm-unsafe-eval` allows Wasm to be compiled, and no `eval`. `connect-src blob:`
/// is for the methods that read a file by `fetch()` of its blob's URL, which only the page itself can make.
const POLICY: &str = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; \
    worker-src 'self'; connect-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// What every answer carries. The first three isolate the page from other origins: browsers then give it a finer clock. `credentialless` in place of
/// `require-corp` would do in Chromium and Firefox, but not in Safari. There is no HSTS on purpose: it would bind every
/// other server on localhost. `no-cache` lets browsers keep files, but ask each time whether they changed (`ETag`).
pub const HEADERS: [(&str, &str); 7] = [
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-embedder-policy", "require-corp"),
    ("cross-origin-resource-policy", "same-origin"),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("content-security-policy", POLICY),
    ("cache-control", "no-cache"),
];

/// Puts the headers on an answer, whatever it is.
pub(super) async fn add(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    for (name, value) in HEADERS {
        response.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    response
}
