//! Answers with files: their types, their compressed forms, their parts, or that they have not changed.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::header::{
    ACCEPT_RANGES, ALLOW, CONTENT_ENCODING, CONTENT_RANGE, CONTENT_TYPE, ETAG, HeaderName, IF_NONE_MATCH, IF_RANGE, RANGE, VARY,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use xxhash_rust::xxh3::xxh3_128;

use super::connection::Connection;
use super::encoding::{Compressed, Encoding};
use super::site::{Asset, Site};

/// The page's files.
#[derive(Debug)]
pub(super) struct Files {
    site: Site,
    compressed: Compressed,
    visited: AtomicBool,
}

impl Files {
    pub(super) fn new(site: Site) -> Self {
        Self { site, compressed: Compressed::default(), visited: AtomicBool::new(false) }
    }

    /// Whether a browser has asked for the page.
    pub(super) fn visited(&self) -> bool {
        self.visited.load(Ordering::Relaxed)
    }
}

/// Answers with the file that the path means, or 404.
pub(super) async fn serve(State(files): State<Arc<Files>>, request: Request) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return (StatusCode::METHOD_NOT_ALLOWED, [(ALLOW, "GET, HEAD")], "Files can only be read.\n").into_response();
    }
    let Some(asset) = files.site.find(request.uri().path()).await else {
        return (StatusCode::NOT_FOUND, "There is no such file.\n").into_response();
    };
    if asset.name == "index.html" {
        files.visited.store(true, Ordering::Relaxed);
    }
    // On this machine itself compressing takes longer than it saves.
    let far = request.extensions().get::<Connection>().is_some_and(|connection| connection.from_network);
    answer(&files.compressed, asset, request.headers(), far).await
}

async fn answer(compressed: &Compressed, Asset { name, bytes }: Asset, request: &HeaderMap, far: bool) -> Response {
    let kind = mime_guess::from_path(&name).first_raw().unwrap_or("application/octet-stream");
    let checksum = xxh3_128(&bytes);
    let range = request.get(RANGE);
    // A part is one of the file as it is.
    let wanted = if far && range.is_none() && is_text(kind) { Encoding::of(request) } else { Encoding::Identity };
    let (encoding, bytes) = match compressed.of(checksum, wanted, &bytes).await {
        Some(smaller) => (wanted, smaller),
        None => (Encoding::Identity, bytes),
    };
    // Each form of a file is another sequence of bytes, and has its own tag: it is a strong one.
    let tag = format!("\"{checksum:032x}{}\"", encoding.name().map_or_else(String::new, |name| format!("-{name}")));

    let mut headers = HeaderMap::new();
    let mut set = |name: HeaderName, value: &str| {
        headers.insert(name, HeaderValue::from_str(value).expect("plain text"));
    };
    set(ETAG, &tag);
    set(VARY, "accept-encoding");
    if is_unchanged(request, &tag) {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    set(CONTENT_TYPE, &if kind.starts_with("text/") { format!("{kind}; charset=utf-8") } else { kind.to_owned() });
    set(ACCEPT_RANGES, "bytes");
    if let Some(name) = encoding.name() {
        set(CONTENT_ENCODING, name);
    }
    // A range of another version of the file is no use: all of it is sent then.
    let range = range.filter(|_| request.get(IF_RANGE).is_none_or(|version| version == tag.as_str()));
    match range.map_or(Part::Whole, |range| Part::of(range, &bytes)) {
        Part::Whole => (headers, bytes).into_response(),
        Part::Range(range) => {
            set(CONTENT_RANGE, &format!("bytes {}-{}/{}", range.start(), range.end(), bytes.len()));
            (StatusCode::PARTIAL_CONTENT, headers, bytes.slice(range)).into_response()
        }
        Part::Outside => {
            set(CONTENT_RANGE, &format!("bytes */{}", bytes.len()));
            (StatusCode::RANGE_NOT_SATISFIABLE, headers).into_response()
        }
    }
}

/// Whether compressing makes it smaller. Pictures other than drawn ones are compressed already.
fn is_text(kind: &str) -> bool {
    kind.starts_with("text/") || matches!(kind, "application/wasm" | "application/json" | "image/svg+xml")
}

/// Whether the browser has this very form of the file.
fn is_unchanged(request: &HeaderMap, tag: &str) -> bool {
    let values = request.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let mut tags = values.flat_map(|value| value.split(',')).map(str::trim);
    // For this question a tag that a proxy made weak counts as well.
    tags.any(|other| other == "*" || other.strip_prefix("W/").unwrap_or(other) == tag)
}

/// How much of a file is asked for.
enum Part {
    Whole,
    Range(RangeInclusive<usize>),
    Outside,
}

impl Part {
    /// Several ranges at once, and what is no range, may be answered with everything.
    fn of(header: &HeaderValue, bytes: &Bytes) -> Self {
        let parsed = header.to_str().ok().and_then(|text| http_range_header::parse_range_header(text).ok());
        let Some(parsed) = parsed else { return Self::Whole };
        match parsed.validate(bytes.len() as u64).as_deref() {
            Err(_) => Self::Outside,
            Ok([range]) => match (usize::try_from(*range.start()), usize::try_from(*range.end())) {
                (Ok(start), Ok(end)) => Self::Range(start..=end),
                _ => Self::Whole,
            },
            Ok(_) => Self::Whole,
        }
    }
}
