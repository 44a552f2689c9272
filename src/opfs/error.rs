//! One error for every call that can fail: which call, on which file, which exception, and what a person can do.

use std::fmt;

use js_sys::Reflect;
use wasm_bindgen::JsValue;

/// The calls that this program makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// `navigator.storage.getDirectory()`
    GetDirectory,
    /// `getDirectoryHandle()`
    GetDirectoryHandle,
    /// `getFileHandle()`
    GetFileHandle,
    /// `keys()`
    Keys,
    /// `removeEntry()`
    RemoveEntry,
    /// `getFile()`
    GetFile,
    /// `createSyncAccessHandle()`
    CreateSyncAccessHandle,
    /// `createWritable()`
    CreateWritable,
    /// `FileSystemWritableFileStream.write()`
    WritableWrite,
    /// `FileSystemWritableFileStream.close()`
    WritableClose,
    /// `ReadableStream.pipeTo()` a file
    PipeTo,
    /// `Blob.slice()`
    Slice,
    /// `Blob.arrayBuffer()`
    ArrayBuffer,
    /// `Blob.bytes()`
    Bytes,
    /// `Blob.text()`
    Text,
    /// `read()` of a reader of `Blob.stream()`
    StreamRead,
    /// `FileReader.readAsArrayBuffer()`
    FileReader,
    /// `FileReaderSync.readAsArrayBuffer()`
    FileReaderSync,
    /// `new Response(blob).arrayBuffer()`
    Response,
    /// `fetch()` of a blob's URL
    Fetch,
    /// `FileSystemSyncAccessHandle.read()`
    Read,
    /// `FileSystemSyncAccessHandle.write()`
    Write,
    /// `FileSystemSyncAccessHandle.flush()`
    Flush,
    /// `FileSystemSyncAccessHandle.truncate()`
    Truncate,
    /// `navigator.locks.request()`
    Lock,
    /// A read or write that a worker makes for the main thread
    Ask,
    /// Calls of `IndexedDB`
    IndexedDb,
    /// Calls of Cache Storage
    CacheStorage,
    /// Whatever was promised
    Promise,
}

impl Call {
    fn name(self) -> &'static str {
        match self {
            Self::GetDirectory => "navigator.storage.getDirectory()",
            Self::GetDirectoryHandle => "getDirectoryHandle()",
            Self::GetFileHandle => "getFileHandle()",
            Self::Keys => "keys()",
            Self::RemoveEntry => "removeEntry()",
            Self::GetFile => "getFile()",
            Self::CreateSyncAccessHandle => "createSyncAccessHandle()",
            Self::CreateWritable => "createWritable()",
            Self::WritableWrite => "FileSystemWritableFileStream.write()",
            Self::WritableClose => "FileSystemWritableFileStream.close()",
            Self::PipeTo => "ReadableStream.pipeTo()",
            Self::Slice => "Blob.slice()",
            Self::ArrayBuffer => "Blob.arrayBuffer()",
            Self::Bytes => "Blob.bytes()",
            Self::Text => "Blob.text()",
            Self::StreamRead => "a read of Blob.stream()",
            Self::FileReader => "FileReader.readAsArrayBuffer()",
            Self::FileReaderSync => "FileReaderSync.readAsArrayBuffer()",
            Self::Response => "new Response(blob).arrayBuffer()",
            Self::Fetch => "fetch() of a blob",
            Self::Read => "FileSystemSyncAccessHandle.read()",
            Self::Write => "FileSystemSyncAccessHandle.write()",
            Self::Flush => "FileSystemSyncAccessHandle.flush()",
            Self::Truncate => "FileSystemSyncAccessHandle.truncate()",
            Self::Lock => "navigator.locks.request()",
            Self::Ask => "a read asked of the worker",
            Self::IndexedDb => "IndexedDB",
            Self::CacheStorage => "Cache Storage",
            Self::Promise => "waiting for the browser",
        }
    }
}

/// An exception's name and message, by its properties: one that another realm threw is of no class known here. Both are
/// empty where it has none, and what was thrown is then told as it is.
fn words_of(thrown: &JsValue) -> (String, String) {
    let property = |name: &str| Reflect::get(thrown, &name.into()).ok().and_then(|value| value.as_string()).unwrap_or_default();
    match (property("name"), property("message")) {
        (name, message) if name.is_empty() && message.is_empty() => {
            (String::new(), thrown.as_string().unwrap_or_else(|| format!("{thrown:?}")))
        }
        words => words,
    }
}

/// What was thrown, in the browser's own words.
pub fn told(thrown: &JsValue) -> String {
    let (name, message) = words_of(thrown);
    joined(&name, &message)
}

fn joined(name: &str, message: &str) -> String {
    [name, message].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ")
}

/// A call that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpfsError {
    call: Call,
    /// Empty where the call is about no file.
    file: String,
    /// The exception's name, `QuotaExceededError` for instance; empty where nothing was thrown.
    exception: String,
    message: String,
}

impl OpfsError {
    /// The call threw, or its promise was rejected.
    pub(crate) fn thrown(call: Call, file: &str, thrown: &JsValue) -> Self {
        let (exception, message) = words_of(thrown);
        Self { call, file: file.to_owned(), exception, message }
    }

    /// The browser, or this context, does not have it.
    pub(crate) fn absent(call: Call, what: &str) -> Self {
        Self { call, file: String::new(), exception: String::new(), message: format!("{what} is undefined here") }
    }

    /// A read reached the end of the file before it had all that it wanted.
    pub(crate) fn short(call: Call, file: &str, at: u64, read: u32, wanted: u32) -> Self {
        let message = format!("the file ended after {read} of {wanted} B from offset {at}");
        Self { call, file: file.to_owned(), exception: String::new(), message }
    }

    /// A write took no more bytes.
    pub(crate) fn short_write(file: &str, at: u64, written: usize, wanted: usize) -> Self {
        let message = format!("nothing more was written after {written} of {wanted} B from offset {at}");
        Self { call: Call::Write, file: file.to_owned(), exception: String::new(), message }
    }

    /// Reads that all succeeded brought another number of bytes than the ops hold.
    pub(crate) fn counted(read: u64, wanted: u64) -> Self {
        let message = format!("{read} B were read or written where the ops hold {wanted} B");
        Self { call: Call::Read, file: String::new(), exception: String::new(), message }
    }

    /// The worker that was asked could not read.
    pub(crate) fn answered(message: &str) -> Self {
        Self { call: Call::Ask, file: String::new(), exception: String::new(), message: message.to_owned() }
    }

    /// Another storage does not hold what was put there.
    pub(crate) fn not_stored(call: Call, file: &str) -> Self {
        let message = "it does not hold what was stored".to_owned();
        Self { call, file: file.to_owned(), exception: String::new(), message }
    }

    /// Nothing settled in time.
    pub(crate) fn late(ms: f64) -> Self {
        let message = format!("no answer within {} s: it was promised, and never came", ms / 1e3);
        Self { call: Call::Promise, file: String::new(), exception: String::new(), message }
    }

    /// The worker still owes the answer to an earlier question, which was given up: the next one to come would be taken for
    /// another's.
    pub(crate) fn owed() -> Self {
        Self::answered("the answer to an earlier question never came")
    }

    /// Whether the browser does not do this at all.
    pub fn is_unsupported(&self) -> bool {
        self.exception == "NotSupportedError"
    }

    /// Whether another holder's lock is the cause.
    pub(crate) fn is_locked(&self) -> bool {
        self.exception == "NoModificationAllowedError"
    }

    /// Whether there is no such file or directory.
    pub(crate) fn is_missing(&self) -> bool {
        self.exception == "NotFoundError"
    }

    /// What a person can do, where that is known.
    fn remedy(&self) -> Option<&'static str> {
        Some(match self.exception.as_str() {
            "NoModificationAllowedError" => {
                "another tab or an earlier run still holds the file: close other tabs of this page and start again"
            }
            "QuotaExceededError" => "free storage on the device or delete data of this site, then start again",
            "SecurityError" | "UnknownError" if self.call == Call::GetDirectory => {
                "private windows have no private file system in some browsers: open the page in a normal window"
            }
            "NotFoundError" => "the file went away during the run: was the site's data cleared? Start again",
            "NotReadableError" => "the file changed or became unreadable during the run: start again",
            "InvalidStateError" => "the file system was closed under the run, perhaps because the site's data was cleared: reload the page",
            "NotSupportedError" => "this browser cannot do it: try a current version",
            _ if self.exception.is_empty() && self.call == Call::GetDirectory => {
                "open the page over https or on localhost, in a current browser"
            }
            _ => return None,
        })
    }
}

impl fmt::Display for OpfsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.call.name())?;
        if !self.file.is_empty() {
            write!(f, " on {}", self.file)?;
        }
        write!(f, " failed: ")?;
        write!(f, "{}", joined(&self.exception, &self.message))?;
        if let Some(remedy) = self.remedy() {
            write!(f, " ({remedy})")?;
        }
        Ok(())
    }
}

impl std::error::Error for OpfsError {}

impl From<OpfsError> for String {
    fn from(error: OpfsError) -> Self {
        error.to_string()
    }
}
