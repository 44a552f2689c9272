//! What a device that does not trust this server yet is told by plain HTTP: to use https; and, where the server's certificate has been signed by an
//! authority of its own, how to trust that.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, HOST, LOCATION};
use axum::middleware::Next;
use axum::response::{Html, IntoResponse, Response};
use maud::{DOCTYPE, html};

use super::connection::Connection;
use crate::lan::certificates::Authority;

/// The page that walks through it.
pub(super) const PAGE: &str = "/trust";
/// The certificate. Browsers on phones offer to install what comes as `application/x-x509-ca-cert`.
pub(super) const CERTIFICATE: &str = "/trust/opfs-bench.crt";
/// What that page takes to look like the others.
const STYLE: [&str; 4] = ["/report.css", "/style.css", "/document.css", "/icon.svg"];

/// Leads plain requests from the network to https. What is needed to trust the server's authority is answered all the same, where there is one.
pub(super) async fn lead(State(authority): State<Option<Arc<Authority>>>, request: Request, next: Next) -> Response {
    let plain = request.extensions().get::<Connection>().is_some_and(|connection| connection.from_network && !connection.secure);
    let path = request.uri().path();
    let before_trust = authority.is_some() && (matches!(path, PAGE | CERTIFICATE) || STYLE.contains(&path));
    if !plain || before_trust {
        return next.run(request).await;
    }
    // It was looked at before: it is one of this server's.
    let host = request.headers().get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let rest = request.uri().path_and_query().map_or("/", |rest| rest.as_str());
    let address = format!("https://{host}{rest}");
    (StatusCode::PERMANENT_REDIRECT, [(LOCATION, address.clone())], format!("The page is at {address}\n")).into_response()
}

/// The certificate to install.
pub(super) async fn certificate(State(authority): State<Arc<Authority>>) -> Response {
    ([(CONTENT_TYPE, "application/x-x509-ca-cert")], authority.certificate.clone()).into_response()
}

/// How to install it.
pub(super) async fn page(State(authority): State<Arc<Authority>>) -> Response {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                title { "Trust this computer · opfs-bench" }
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                link rel="icon" href="icon.svg" type="image/svg+xml";
                @for sheet in ["report.css", "style.css", "document.css"] { link rel="stylesheet" href=(sheet); }
            }
            body.document {
                main {
                    p.name { "opfs-bench" }
                    h1 { "Trust this computer" }
                    p {
                        "Browsers let a page keep private files only where its address is secure. The computer that serves this page has made a \
                         certificate for that. Install it once on this device, and its browser opens the benchmark without a warning."
                    }
                    p { a href=(CERTIFICATE) { "Download the certificate" } }
                    p {
                        "Its name is " strong { (authority.name) } ". When you install it, your device can show its details: compare the SHA-256 \
                         there with the one that the computer printed. Someone in the same network could have changed this page, and the \
                         certificate with it."
                    }
                    h2 { "iPhone and iPad" }
                    ol {
                        li { "Open this page in Safari, tap " strong { "Download the certificate" } " above, then " strong { "Allow" } "." }
                        li { "Open Settings, tap " strong { "Profile Downloaded" } " near the top, then " strong { "Install" } " and enter your passcode." }
                        li {
                            "In Settings, open " strong { "General" } ", " strong { "About" } ", " strong { "Certificate Trust Settings" }
                            ", and turn the certificate on."
                        }
                        li { "Scan the code for the page itself." }
                    }
                    h2 { "Android" }
                    ol {
                        li { "Tap " strong { "Download the certificate" } " above. If the phone wants to install it at once, cancel." }
                        li {
                            "Open Settings, search for " strong { "CA certificate" } ", and tap it. Its place differs: mostly it is under Security, \
                             Encryption & credentials, Install a certificate."
                        }
                        li { "Tap " strong { "Install anyway" } " and choose the file that you downloaded." }
                        li { "Scan the code for the page itself. Firefox for Android takes only its own certificates: use Chrome." }
                    }
                    h2 { "What it may do, and how to be rid of it" }
                    p {
                        "The certificate can vouch for this computer's addresses and for " code { "localhost" }
                        ", and for no other site. When you are done, remove it: on an iPhone under Settings, General, VPN & Device Management; \
                         on Android under User credentials."
                    }
                }
            }
        }
    };
    Html(page.into_string()).into_response()
}
