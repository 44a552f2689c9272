//! `POST /report` takes a result, `POST /failure` the reasons why there is none, `GET /job` tells what is to be measured.
//!
//! All three are for those alone who were given the token. The two that take something ask for the page's own origin too, bound what they take
//! in size, in time and in how much of it is in memory at once, and choose the names of files themselves.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, HOST, ORIGIN, RETRY_AFTER};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use http_body_util::{BodyExt, Limited};
use serde_json::json;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::Deadlines;
use super::connection::Connection;
use crate::inbox::{Arrival, Inbox, Refused, Token};

/// The largest result. Results grow with the time that was measured: 0.3 MB for half a minute, 10 MB for a quarter of an hour in which
/// the narrow intervals that would end it early are never reached.
pub const LARGEST_RESULT: usize = 16 << 20;
/// The longest text of a failure; a list of failed checks has some hundred bytes.
const LARGEST_FAILURE: usize = 16 << 10;
/// So many bodies are in memory at once; the others wait in their connections. With [`LARGEST_RESULT`] this bounds the server's memory.
const BODIES: usize = 4;
/// What is refused is read to its end and thrown away, up to this much and for so long: a browser that is answered before it has sent
/// everything reports a broken connection in place of the answer.
const MOST_THROWN_AWAY: usize = 2 * LARGEST_RESULT;
const THROWING_AWAY: Duration = Duration::from_secs(10);
/// What a client is told that comes when all places are taken, in seconds.
const COME_BACK: &str = "10";

/// Where bodies are taken in.
#[derive(Debug)]
pub(super) struct Desk {
    inbox: Arc<Inbox>,
    deadlines: Deadlines,
    places: Semaphore,
}

impl Desk {
    pub(super) fn new(inbox: Inbox, deadlines: Deadlines) -> Self {
        Self { inbox: Arc::new(inbox), deadlines, places: Semaphore::new(BODIES) }
    }
}

/// Takes a result: 200 and `{"saved": "its file's name"}`, or an error in plain words.
pub(super) async fn result(State(desk): State<Arc<Desk>>, request: Request) -> Response {
    answer(desk.result(request).await)
}

/// Takes the reasons of a page that cannot measure.
pub(super) async fn failure(State(desk): State<Arc<Desk>>, request: Request) -> Response {
    answer(desk.failure(request).await)
}

/// Tells the job that is to be measured.
pub(super) async fn job(State(desk): State<Arc<Desk>>, request: Request) -> Response {
    match (check_token(request.headers(), desk.inbox.token()), desk.inbox.job()) {
        (Err(refusal), _) => answer(Err(refusal)),
        (Ok(()), Some(job)) => ([(CONTENT_TYPE, "application/toml")], job.to_owned()).into_response(),
        (Ok(()), None) => answer(Err(Refusal::new(StatusCode::NOT_FOUND, "this server has no job of its own: choose a preset"))),
    }
}

/// Why something was not taken, in plain words, as they stand inside a sentence.
pub(super) struct Refusal {
    status: StatusCode,
    words: String,
}

impl Refusal {
    pub(super) fn new(status: StatusCode, words: impl Into<String>) -> Self {
        Self { status, words: words.into() }
    }
}

pub(super) fn answer(taken: Result<serde_json::Value, Refusal>) -> Response {
    let (status, body) = match taken {
        Ok(body) => (StatusCode::OK, body),
        Err(Refusal { status, words }) => (status, json!({ "error": words })),
    };
    let mut response = (status, [(CONTENT_TYPE, "application/json")], body.to_string()).into_response();
    if status == StatusCode::SERVICE_UNAVAILABLE {
        response.headers_mut().insert(RETRY_AFTER, COME_BACK.parse().expect("a number"));
    }
    response
}

impl Desk {
    async fn result(&self, request: Request) -> Result<serde_json::Value, Refusal> {
        let (text, _place) = self.take(request, "application/json", LARGEST_RESULT).await?;
        let inbox = Arc::clone(&self.inbox);
        let kept = spawn_blocking(move || inbox.keep(&text)).await;
        let received = match kept {
            Ok(Ok(received)) => received,
            Ok(Err(refused @ Refused::NoResult(_))) => return Err(Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, refused.to_string())),
            Ok(Err(refused @ Refused::NotWritten(_))) => return Err(Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, refused.to_string())),
            // It has broken off with a panic, whose message is on standard error.
            Err(_) => return Err(Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "this result cannot be worked with")),
        };
        let name = received.written.json.file_name().map(|name| name.to_string_lossy().into_owned());
        self.inbox.tell(Arrival::Result(received)).await;
        Ok(json!({ "saved": name }))
    }

    async fn failure(&self, request: Request) -> Result<serde_json::Value, Refusal> {
        let (text, _place) = self.take(request, "text/plain", LARGEST_FAILURE).await?;
        self.inbox.tell(Arrival::Failure(text)).await;
        Ok(json!({}))
    }

    /// The body of a request that may send one, and its place in memory.
    async fn take(&self, request: Request, kind: &str, most: usize) -> Result<(String, SemaphorePermit<'_>), Refusal> {
        let (head, body) = request.into_parts();
        if let Err(refusal) = self.check(&head, kind, most) {
            throw_away(body).await;
            return Err(refusal);
        }
        let Ok(Ok(place)) = timeout(self.deadlines.place, self.places.acquire()).await else {
            return Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "too many send at once: try again in a moment"));
        };
        let read = timeout(self.deadlines.body, Limited::new(body, most).collect()).await;
        let bytes = match read {
            Ok(Ok(read)) => read.to_bytes(),
            Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => return Err(too_large(most)),
            Ok(Err(error)) => return Err(Refusal::new(StatusCode::BAD_REQUEST, format!("the connection broke off: {error}"))),
            Err(_) => {
                let words = format!("what was sent did not arrive within {} s: the connection is too slow", self.deadlines.body.as_secs());
                return Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, words));
            }
        };
        let text = String::from_utf8(bytes.into()).map_err(|_| Refusal::new(StatusCode::BAD_REQUEST, "what was sent is not UTF-8"))?;
        Ok((text, place))
    }

    fn check(&self, head: &Parts, kind: &str, most: usize) -> Result<(), Refusal> {
        check_origin(head)?;
        check_token(&head.headers, self.inbox.token())?;
        let found = head.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        if !found.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(kind) {
            return Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, format!("its Content-Type must be {kind}")));
        }
        let length = head.headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
        if length.is_some_and(|length| length > most as u64) {
            return Err(too_large(most));
        }
        Ok(())
    }
}

/// Who has no token has nothing to ask for.
pub(super) fn check_token(headers: &HeaderMap, token: &Token) -> Result<(), Refusal> {
    let given = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
    match given {
        Some(given) if token.is(given) => Ok(()),
        Some(_) => Err(Refusal::new(
            StatusCode::UNAUTHORIZED,
            "the token is not that of this run of the server: open the address that it printed when it was last started",
        )),
        None => Err(Refusal::new(StatusCode::UNAUTHORIZED, "a token is missing: open the address that the server printed, with all of it")),
    }
}

fn too_large(most: usize) -> Refusal {
    let limit = if most >= 1 << 20 { format!("{} MiB", most >> 20) } else { format!("{} KiB", most >> 10) };
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, format!("what was sent is larger than {limit}"))
}

/// Browsers say on which page a script runs that sends something. Hosts were looked at before; so a page from the same host and by the same
/// scheme is this server's.
fn check_origin(head: &Parts) -> Result<(), Refusal> {
    let scheme = if head.extensions.get::<Connection>().is_some_and(|connection| connection.secure) { "https" } else { "http" };
    let own = head.headers.get(HOST).and_then(|host| host.to_str().ok()).map(|host| format!("{scheme}://{host}"));
    let mut origins = head.headers.get_all(ORIGIN).iter().map(|origin| origin.to_str().unwrap_or_default());
    let same = |origin: &str| own.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(origin));
    match (origins.next(), origins.next()) {
        (Some(origin), None) if same(origin) => Ok(()),
        (None, _) => Err(Refusal::new(StatusCode::FORBIDDEN, "only the page itself may send something: the header Origin is missing")),
        _ => Err(Refusal::new(StatusCode::FORBIDDEN, "only the page of this server may send something to it")),
    }
}

async fn throw_away(mut body: Body) {
    let all = async {
        let mut left = MOST_THROWN_AWAY;
        while let Some(Ok(frame)) = body.frame().await {
            let length = frame.data_ref().map_or(0, axum::body::Bytes::len);
            let Some(less) = left.checked_sub(length) else { return };
            left = less;
        }
    };
    let _ = timeout(THROWING_AWAY, all).await;
}
