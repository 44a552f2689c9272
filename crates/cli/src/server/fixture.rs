//! `GET /fixture` lists the sizes of a person's own files that a page is to copy, `GET /fixture/N` gives a range of one. No names leave this
//! machine's command, and both are for those alone who were given the token.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::header::{CONTENT_RANGE, CONTENT_TYPE, RANGE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use super::report::{Refusal, answer, check_token};
use crate::fixture::Fixture;
use crate::inbox::Token;

/// The longest range. A page asks for 8 MiB at a time.
const LONGEST: u64 = 16 << 20;
/// So many ranges are in memory at once; the others wait.
const AT_ONCE: usize = 4;

/// Files that a page may ask for.
#[derive(Clone, Debug)]
pub struct Offer {
    /// Of those who may ask.
    pub token: Token,
    /// The files.
    pub fixture: Fixture,
}

/// The same where requests come.
#[derive(Debug)]
pub(super) struct Counter {
    offer: Offer,
    places: Semaphore,
}

impl Counter {
    pub(super) fn new(offer: Offer) -> Self {
        Self { offer, places: Semaphore::new(AT_ONCE) }
    }
}

/// The size of each file.
pub(super) async fn sizes(State(counter): State<Arc<Counter>>, headers: HeaderMap) -> Response {
    match check_token(&headers, &counter.offer.token) {
        Ok(()) => answer(Ok(counter.offer.fixture.sizes().into())),
        Err(refusal) => answer(Err(refusal)),
    }
}

/// A range of a file.
pub(super) async fn range(State(counter): State<Arc<Counter>>, Path(number): Path<String>, headers: HeaderMap) -> Response {
    match counter.range(&number, &headers).await {
        Ok((bytes, told)) => {
            let headers = [(CONTENT_TYPE, "application/octet-stream".to_owned()), (CONTENT_RANGE, told)];
            (StatusCode::PARTIAL_CONTENT, headers, bytes).into_response()
        }
        Err(refusal) => answer(Err(refusal)),
    }
}

impl Counter {
    async fn range(&self, number: &str, headers: &HeaderMap) -> Result<(Vec<u8>, String), Refusal> {
        check_token(headers, &self.offer.token)?;
        let file = number.parse().ok().and_then(|number| self.offer.fixture.file(number));
        let (path, size) = file.ok_or_else(|| Refusal::new(StatusCode::NOT_FOUND, "there is no such file"))?;
        let asked = headers.get(RANGE).and_then(|value| value.to_str().ok()).and_then(bounds);
        let within = asked.filter(|(from, last)| from <= last && *last < size && last - from < LONGEST);
        let (from, last) = within.ok_or_else(|| {
            let words = format!("Range must be bytes=FROM-LAST, within the file and of at most {} MiB", LONGEST >> 20);
            Refusal::new(StatusCode::RANGE_NOT_SATISFIABLE, words)
        })?;
        let _place = self.places.acquire().await.expect("never closed");
        let path = path.to_owned();
        let read = spawn_blocking(move || {
            let mut bytes = vec![0; usize::try_from(last - from + 1).expect("some mebibytes")];
            let mut file = File::open(path)?;
            file.seek(SeekFrom::Start(from))?;
            file.read_exact(&mut bytes)?;
            Ok::<_, std::io::Error>(bytes)
        });
        let failed = |error: String| Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, format!("the file cannot be read any more: {error}"));
        let bytes = read.await.map_err(|error| failed(error.to_string()))?.map_err(|error| failed(error.to_string()))?;
        Ok((bytes, format!("bytes {from}-{last}/{size}")))
    }
}

/// The first and the last byte that are asked for.
fn bounds(range: &str) -> Option<(u64, u64)> {
    let (from, last) = range.strip_prefix("bytes=")?.split_once('-')?;
    Some((from.parse().ok()?, last.parse().ok()?))
}
