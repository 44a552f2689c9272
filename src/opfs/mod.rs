//! The Origin Private File System, typed: directories, files and sync access handles, each call with an error of its own.
//!
//! Works on the main thread and in workers. Handles that hold a lock let go of it when they are dropped.

mod error;
mod support;
#[cfg(all(test, target_arch = "wasm32"))]
mod tests;
mod writable;

use js_sys::{Object, Promise, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Blob, FileSystemDirectoryHandle, FileSystemFileHandle, FileSystemGetDirectoryOptions, FileSystemGetFileOptions,
    FileSystemReadWriteOptions, FileSystemRemoveOptions, FileSystemSyncAccessHandle, StorageManager, Window, WorkerGlobalScope,
};

pub use error::{Call, OpfsError, told};
pub use support::{SYNC_HANDLES, has_sync_handles, is_here};
pub use writable::Writable;

use crate::glue;

/// What everything of opfs-bench in OPFS begins with, so that what a killed run left is found.
pub const PREFIX: &str = "opfs-bench-";

/// A lock can outlive the page or worker that held it for a moment: how often a refusal is tried again, and after how many
/// milliseconds, doubling each time (half a second in all).
const OPEN_RETRIES: u32 = 6;
/// A worker that was ended while it was busy keeps its locks until the browser has killed it, which took Chromium two seconds:
/// removal is tried again for four.
const REMOVE_RETRIES: u32 = 9;
const LOCK_WAIT_MS: f64 = 8.0;

/// A directory.
#[derive(Clone)]
pub struct Directory {
    handle: FileSystemDirectoryHandle,
}

/// The storage manager of whichever thread this is.
pub fn storage() -> Result<StorageManager, OpfsError> {
    let global = js_sys::global();
    let manager = if let Some(window) = global.dyn_ref::<Window>() {
        window.navigator().storage()
    } else {
        global.unchecked_into::<WorkerGlobalScope>().navigator().storage()
    };
    // In an insecure context the property is undefined, whatever its type says.
    if manager.is_undefined() { Err(OpfsError::absent(Call::GetDirectory, "navigator.storage")) } else { Ok(manager) }
}

impl Directory {
    /// The origin's root directory.
    pub async fn root() -> Result<Self, OpfsError> {
        let handle = settle(Call::GetDirectory, "", storage()?.get_directory()).await?;
        Ok(Self { handle: handle.unchecked_into() })
    }

    /// A directory inside this one, made where it is missing.
    pub async fn directory(&self, name: &str) -> Result<Self, OpfsError> {
        let options = FileSystemGetDirectoryOptions::new();
        options.set_create(true);
        let handle = settle(Call::GetDirectoryHandle, name, self.handle.get_directory_handle_with_options(name, &options)).await?;
        Ok(Self { handle: handle.unchecked_into() })
    }

    /// The browser's own.
    pub fn js(&self) -> &FileSystemDirectoryHandle {
        &self.handle
    }

    /// A file that exists.
    pub async fn file(&self, name: &str) -> Result<FileHandle, OpfsError> {
        let handle = settle(Call::GetFileHandle, name, self.handle.get_file_handle(name)).await?;
        Ok(FileHandle { handle: handle.unchecked_into() })
    }

    /// A file, made where it is missing.
    pub async fn create(&self, name: &str) -> Result<FileHandle, OpfsError> {
        let options = FileSystemGetFileOptions::new();
        options.set_create(true);
        let handle = settle(Call::GetFileHandle, name, self.handle.get_file_handle_with_options(name, &options)).await?;
        Ok(FileHandle { handle: handle.unchecked_into() })
    }

    /// Its name. Empty for the root.
    pub fn name(&self) -> String {
        self.handle.name()
    }

    /// The names of everything in it.
    pub async fn names(&self) -> Result<Vec<String>, OpfsError> {
        let names = settle(Call::Keys, "", glue::names(&self.handle)).await?;
        Ok(names.unchecked_into::<js_sys::Array>().iter().filter_map(|name| name.as_string()).collect())
    }

    /// Removes an entry with all that is in it. One that a lock still holds is tried again for some seconds.
    pub async fn remove(&self, name: &str) -> Result<(), OpfsError> {
        let options = FileSystemRemoveOptions::new();
        options.set_recursive(true);
        while_locked(REMOVE_RETRIES, || async {
            settle(Call::RemoveEntry, name, self.handle.remove_entry_with_options(name, &options)).await
        })
        .await?;
        Ok(())
    }
}

/// A file, not opened.
pub struct FileHandle {
    handle: FileSystemFileHandle,
}

impl FileHandle {
    /// Opens it for reading by promises: a snapshot that takes no lock.
    pub async fn snapshot(&self) -> Result<Blob, OpfsError> {
        let file = settle(Call::GetFile, &self.handle.name(), self.handle.get_file()).await?;
        Ok(file.unchecked_into())
    }

    /// Opens it for synchronous access, in a worker only. Takes the file's exclusive lock.
    pub async fn open_sync(&self) -> Result<SyncHandle, OpfsError> {
        let name = self.handle.name();
        let handle = settle(Call::CreateSyncAccessHandle, &name, self.handle.create_sync_access_handle()).await?;
        Ok(SyncHandle { handle: handle.unchecked_into(), name })
    }

    /// The same with a lock that others may hold too. Browsers without such locks ignore what is asked, and take the exclusive one.
    pub async fn open_sync_shared(&self, lock: SharedLock) -> Result<SyncHandle, OpfsError> {
        let name = self.handle.name();
        let handle = self.handle.unchecked_ref::<glue::ModalFileHandle>().create_sync_access_handle(&lock.options());
        let handle = settle(Call::CreateSyncAccessHandle, &name, handle).await?;
        Ok(SyncHandle { handle: handle.unchecked_into(), name })
    }

    /// [`Self::open_sync_shared`], tried again for half a second while another holder's lock is going away.
    pub async fn open_sync_shared_patiently(&self, lock: SharedLock) -> Result<SyncHandle, OpfsError> {
        while_locked(OPEN_RETRIES, || self.open_sync_shared(lock)).await
    }

    /// Opens it to be written by a stream. Its bytes are kept where they are not overwritten, or the file is empty at first.
    pub async fn open_writable(&self, keep: bool) -> Result<Writable, OpfsError> {
        let name = self.handle.name();
        let stream = settle(Call::CreateWritable, &name, glue::create_writable(&self.handle, keep)).await?;
        Ok(Writable::new(stream, name))
    }

    /// Writes bytes at offset `at` by a writable stream, which every browser has that has no sync handles.
    pub async fn write_by_stream(&self, bytes: &[u8], at: u64) -> Result<(), OpfsError> {
        let stream = self.open_writable(true).await?;
        // A copy: Safari 26 writes the whole buffer behind a view.
        stream.write(&Uint8Array::from(bytes), at).await?;
        stream.close().await
    }

    /// [`Self::open_sync`], tried again for half a second while another holder's lock is going away.
    pub async fn open_sync_patiently(&self) -> Result<SyncHandle, OpfsError> {
        while_locked(OPEN_RETRIES, || self.open_sync()).await
    }
}

/// The bytes of a blob in a new buffer.
pub async fn array_buffer(blob: &Blob, name: &str) -> Result<js_sys::ArrayBuffer, OpfsError> {
    Ok(settle(Call::ArrayBuffer, name, blob.array_buffer()).await?.unchecked_into())
}

/// How many bytes a blob holds.
pub fn size(blob: &Blob) -> u64 {
    whole(blob.size())
}

/// A part of a file, which is not read yet.
pub fn slice(file: &Blob, name: &str, at: u64, len: u32) -> Result<Blob, OpfsError> {
    let start = offset(at);
    file.slice_with_f64_and_f64(start, start + f64::from(len)).map_err(|error| OpfsError::thrown(Call::Slice, name, &error))
}

/// A lock of a sync handle that does not keep out all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SharedLock {
    /// Others may read too.
    ReadOnly,
    /// Others may read and write too.
    ReadWriteUnsafe,
}

impl SharedLock {
    /// What the option `mode` of `createSyncAccessHandle()` calls it.
    pub fn mode(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::ReadWriteUnsafe => "readwrite-unsafe",
        }
    }

    /// As that call takes it.
    pub fn options(self) -> Object {
        glue::object([("mode", &self.mode().into())])
    }
}

/// Where reads put their bytes. With its length, since to ask JavaScript for it costs a small read some percent.
pub struct View {
    array: Uint8Array,
    length: u32,
}

impl View {
    /// The whole of an array.
    pub fn of(array: Uint8Array) -> Self {
        let length = array.length();
        Self { array, length }
    }

    /// The browser's own.
    pub fn js(&self) -> &Uint8Array {
        &self.array
    }

    /// What follows after so many bytes of it.
    pub fn after(&self, bytes: u32) -> Self {
        Self { array: self.array.subarray(bytes, self.length), length: self.length - bytes }
    }
}

/// A file opened for synchronous access. Closed, and its lock released, when dropped.
#[must_use]
pub struct SyncHandle {
    handle: FileSystemSyncAccessHandle,
    name: String,
}

impl SyncHandle {
    /// Whether it holds this lock: the handle itself says so, or the browser ignored what was asked.
    pub fn holds(&self, lock: SharedLock) -> bool {
        let mode = Reflect::get(&self.handle, &"mode".into());
        mode.is_ok_and(|mode| mode.as_string().as_deref() == Some(lock.mode()))
    }

    /// Fills the view with the bytes from offset `at` on, read after read until it is full.
    #[inline(always)]
    pub fn read_full(&self, view: &View, at: u64) -> Result<u32, OpfsError> {
        let read = glue::read_at(&self.handle, &view.array, offset(at));
        if read == f64::from(view.length) { Ok(view.length) } else { self.read_rest(view, at, read) }
    }

    /// Reads into the view from offset `at` on, once. How many bytes came: fewer than fit at the end of the file, and 0 behind it.
    #[inline(always)]
    pub fn read_once(&self, view: &View, at: u64) -> Result<u32, OpfsError> {
        let read = glue::read_at(&self.handle, &view.array, offset(at));
        if read < 0.0 { Err(OpfsError::thrown(Call::Read, &self.name, &glue::take_thrown())) } else { Ok(to_count(read)) }
    }

    /// The error for a file that ends after so many bytes of what was wanted.
    #[cold]
    pub fn short(&self, at: u64, read: u32, wanted: u32) -> OpfsError {
        OpfsError::short(Call::Read, &self.name, at, read, wanted)
    }

    /// After a read that threw or came back short.
    #[cold]
    fn read_rest(&self, view: &View, at: u64, first: f64) -> Result<u32, OpfsError> {
        let mut read = first;
        let mut filled = 0;
        loop {
            if read < 0.0 {
                return Err(OpfsError::thrown(Call::Read, &self.name, &glue::take_thrown()));
            }
            // What is no number counts as 0 too: whatever is no progress ends the loop.
            let count = to_count(read);
            if count == 0 || count > view.length - filled {
                return Err(self.short(at, filled, view.length));
            }
            filled += count;
            if filled >= view.length {
                return Ok(view.length);
            }
            read = glue::read_at(&self.handle, &view.array.subarray(filled, view.length), offset(at + u64::from(filled)));
        }
    }

    /// The browser's own. It is closed when this is dropped.
    pub fn js(&self) -> &FileSystemSyncAccessHandle {
        &self.handle
    }

    /// One read through web-sys alone, as most programs do it. What a short read brought is returned, and not read on.
    pub fn read_by_web_sys(&self, bytes: &mut [u8], at: u64) -> Result<u32, OpfsError> {
        let options = FileSystemReadWriteOptions::new();
        options.set_at(offset(at));
        let read = self.handle.read_with_u8_array_and_options(bytes, &options);
        read.map(to_count).map_err(|error| OpfsError::thrown(Call::Read, &self.name, &error))
    }

    /// Writes all bytes at offset `at`, write after write until none is left.
    pub fn write_full(&self, bytes: &[u8], at: u64) -> Result<(), OpfsError> {
        let options = FileSystemReadWriteOptions::new();
        let mut written = 0;
        while written < bytes.len() {
            options.set_at(offset(at + written as u64));
            let count = self
                .handle
                .write_with_u8_array_and_options(&bytes[written..], &options)
                .map_err(|error| OpfsError::thrown(Call::Write, &self.name, &error))?;
            // Also what is no number, or no whole byte: whatever is no progress ends the loop.
            if to_count(count) == 0 {
                return Err(OpfsError::short_write(&self.name, at, written, bytes.len()));
            }
            written += to_count(count) as usize;
        }
        Ok(())
    }

    /// Writes the view at offset `at`, write after write until none of it is left.
    #[inline(always)]
    pub fn write_all(&self, view: &View, at: u64) -> Result<u32, OpfsError> {
        let written = glue::write_at(&self.handle, &view.array, offset(at));
        if written == f64::from(view.length) { Ok(view.length) } else { self.write_rest(view, at, written) }
    }

    /// After a write that threw or took less.
    #[cold]
    fn write_rest(&self, view: &View, at: u64, first: f64) -> Result<u32, OpfsError> {
        let mut written = first;
        let mut done = 0;
        loop {
            if written < 0.0 {
                return Err(OpfsError::thrown(Call::Write, &self.name, &glue::take_thrown()));
            }
            let count = to_count(written);
            if count == 0 || count > view.length - done {
                return Err(OpfsError::short_write(&self.name, at, done as usize, view.length as usize));
            }
            done += count;
            if done >= view.length {
                return Ok(view.length);
            }
            written = glue::write_at(&self.handle, &view.array.subarray(done, view.length), offset(at + u64::from(done)));
        }
    }

    /// Cuts the file off.
    pub fn truncate(&self, length: u32) -> Result<(), OpfsError> {
        self.handle.truncate_with_u32(length).map_err(|error| OpfsError::thrown(Call::Truncate, &self.name, &error))
    }

    /// Asks the browser to hand everything written to the operating system.
    pub fn flush(&self) -> Result<(), OpfsError> {
        self.handle.flush().map_err(|error| OpfsError::thrown(Call::Flush, &self.name, &error))
    }
}

impl Drop for SyncHandle {
    fn drop(&mut self) {
        self.handle.close();
    }
}

/// Offsets are numbers in JavaScript: exact below 2^53, far above what a checked job can hold.
#[inline(always)]
fn offset(at: u64) -> f64 {
    at as f64
}

/// A count of bytes that the browser returned: whole, and at most the length of a view.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn to_count(bytes: f64) -> u32 {
    bytes as u32
}

/// A count of bytes that another thread told.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub fn whole(bytes: f64) -> u64 {
    bytes as u64
}

/// What a promise resolves to.
pub(crate) async fn settle(call: Call, name: &str, promise: Promise) -> Result<JsValue, OpfsError> {
    JsFuture::from(promise).await.map_err(|error| OpfsError::thrown(call, name, &error))
}

async fn while_locked<T, F: Future<Output = Result<T, OpfsError>>>(retries: u32, mut attempt: impl FnMut() -> F) -> Result<T, OpfsError> {
    let mut waited = LOCK_WAIT_MS;
    for _ in 0..retries {
        match attempt().await {
            Err(error) if error.is_locked() => {
                sleep(waited).await;
                waited *= 2.0;
            }
            settled => return settled,
        }
    }
    attempt().await
}

/// Waits so many milliseconds.
pub async fn sleep(ms: f64) {
    JsFuture::from(glue::sleep(ms)).await.expect("a timer does not reject");
}
