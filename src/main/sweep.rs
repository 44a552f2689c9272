//! One run per site, and nothing of it left behind.

use js_sys::Function;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use crate::opfs::{Directory, OpfsError, PREFIX, told};
use crate::{glue, stores};

/// The lock that one run per origin holds.
const LOCK: &str = "opfs-bench";

/// Removes what earlier runs left behind when their page was killed, in OPFS and in other storages. Returns how many folders, files,
/// databases and caches; none while a run goes on in another page.
pub async fn sweep() -> Result<u32, String> {
    let Some(lock) = take_lock().await? else { return Ok(0) };
    let swept = sweep_locked().await;
    lock.release();
    swept.map_err(|error| error.to_string())
}

/// The same for the page that holds the lock.
pub(super) async fn sweep_locked() -> Result<u32, OpfsError> {
    let root = Directory::root().await?;
    let mut removed = 0;
    for name in root.names().await? {
        if name.starts_with(PREFIX) {
            match root.remove(&name).await {
                Ok(()) => removed += 1,
                // Another page removed it first: its own first check's file, for instance.
                Err(error) if error.is_missing() => {}
                Err(error) => return Err(error),
            }
        }
    }
    for name in stores::left().await {
        stores::remove(&name).await?;
        removed += 1;
    }
    Ok(removed)
}

/// Held until it is released, or until its page is closed.
pub(super) struct Lock(Function);

impl Lock {
    pub(super) fn release(self) {
        // The function settles a promise, which cannot throw.
        let _ = self.0.call0(&JsValue::UNDEFINED);
    }
}

/// None where another page holds it.
pub(super) async fn take_lock() -> Result<Option<Lock>, String> {
    let taken =
        JsFuture::from(glue::take_lock(LOCK)).await.map_err(|error| format!("navigator.locks.request() failed: {}", told(&error)))?;
    Ok(taken.dyn_into().ok().map(Lock))
}

/// Removes a folder of the run that goes on.
pub(super) async fn remove_folder(root: &Directory, name: &str) -> Result<(), String> {
    root.remove(name)
        .await
        .map_err(|error| format!("{error}. The run's files are still in OPFS, in {name}; they are removed when the page is next opened"))
}

/// Removes the run's copies in other storages.
pub(super) async fn remove_stores(name: &str) -> Result<(), String> {
    stores::remove(name).await.map_err(|error| {
        format!(
            "{error}. The run's copies are still in IndexedDB or Cache Storage, as {name}; they are removed when the page is next opened"
        )
    })
}
