//! The headers of every answer.

use axum::extract::Request;
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use axum::middleware::Next;
use axum::response::Response;

/// Everything from this server and nothing inline. `wasm-unsafe-eval` allows Wasm to be compiled, and no `eval`. `connect-src blob:`
/// is for the methods that read a file by `fetch()` of its blob's URL, which only the page itself can make.
const POLICY: &str = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; \
    worker-src 'self'; connect-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The first three isolate the page from other origins: browsers then give it a finer clock. `credentialless` in place of
/// `require-corp` would do in Chromium and Firefox, but not in Safari. There is no HSTS on purpose: it would bind every
/// other server on localhost. `no-cache` lets browsers keep files, but ask each time whether they changed (`ETag`).
const HEADERS: [(HeaderName, &str); 7] = [
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-embedder-policy"), "require-corp"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (CONTENT_SECURITY_POLICY, POLICY),
    (CACHE_CONTROL, "no-cache"),
];

/// Puts the headers on an answer, whatever it is.
pub(super) async fn add(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}
