//! Whether this browser has sync handles. Some have the method and refuse every call of it.

use std::cell::Cell;

use js_sys::Reflect;
use wasm_bindgen::JsValue;

use super::{Directory, OpfsError};

/// What a browser without them lacks.
pub const SYNC_HANDLES: &str = "FileSystemFileHandle.createSyncAccessHandle()";
const PATH: &str = "FileSystemFileHandle.prototype.createSyncAccessHandle";
/// A refusal may leave a file locked, so it is tried on one that nothing else is done with.
const PROBE: &str = "sync-handle-probe";

thread_local! {
    static FOUND: Cell<Option<bool>> = const { Cell::new(None) };
}

/// Tries once in each worker, on a file in the folder.
///
/// # Errors
/// When it cannot be tried.
pub async fn has_sync_handles(folder: &Directory) -> Result<bool, OpfsError> {
    if let Some(found) = FOUND.get() {
        return Ok(found);
    }
    let found = is_here(PATH)
        && match folder.create(PROBE).await?.open_sync_patiently().await {
            Ok(_) => true,
            Err(error) if error.is_unsupported() => false,
            Err(error) => return Err(error),
        };
    FOUND.set(Some(found));
    Ok(found)
}

/// Whether there is something at the end of a path from the global object: `Blob.prototype.bytes`.
pub fn is_here(path: &str) -> bool {
    let global: JsValue = js_sys::global().into();
    let found = path.split('.').try_fold(global, |object, name| Reflect::get(&object, &name.into()));
    found.is_ok_and(|found| found.is_truthy())
}
