//! What a page could use instead of OPFS, as far as methods compare it: `IndexedDB` and Cache Storage. A run has one database and one
//! cache at most, of the name of its folder in OPFS, filled with copies of its files when a method opens, and deleted when the
//! group is over or the run ends in whatever way.

use js_sys::{Array, ArrayBuffer};
use opfs_bench_core::sort;
use wasm_bindgen::prelude::*;
use web_sys::{Cache, IdbDatabase, IdbRequest, IdbTransactionMode, Request, Response};

use crate::deadline;
use crate::glue::{self, CACHES, INDEXED_DB};
use crate::opfs::{Call, OpfsError, PREFIX, settle};

/// The one store of a database.
pub const STORE: &str = "files";

/// A database, closed when dropped. One that another thread deletes closes too.
pub struct Database {
    handle: IdbDatabase,
}

impl Database {
    /// Opens it, made where it is missing.
    pub async fn open(name: &str) -> Result<Self, OpfsError> {
        let handle = settle(Call::IndexedDb, name, glue::open_database(name, STORE)).await?;
        Ok(Self { handle: handle.unchecked_into() })
    }

    /// The browser's own. It is closed when this is dropped.
    pub fn js(&self) -> &IdbDatabase {
        &self.handle
    }

    /// Whether there is a value under a key.
    pub async fn holds(&self, key: &JsValue) -> Result<bool, OpfsError> {
        let request = self.request(IdbTransactionMode::Readonly, |store| store.get_key(key));
        Ok(!requested(request, key).await?.is_undefined())
    }

    /// Puts a value under a key.
    pub async fn put(&self, key: &JsValue, value: &JsValue) -> Result<(), OpfsError> {
        requested(self.request(IdbTransactionMode::Readwrite, |store| store.put_with_key(value, key)), key).await?;
        Ok(())
    }

    /// The value under a key.
    #[inline]
    pub async fn get<T: JsCast>(&self, key: &JsValue) -> Result<T, OpfsError> {
        let value = requested(self.request(IdbTransactionMode::Readonly, |store| store.get(key)), key).await?;
        value.dyn_into().map_err(|_| OpfsError::not_stored(Call::IndexedDb, &file(key)))
    }

    #[inline]
    fn request(
        &self,
        mode: IdbTransactionMode,
        ask: impl FnOnce(web_sys::IdbObjectStore) -> Result<IdbRequest, JsValue>,
    ) -> Result<IdbRequest, JsValue> {
        ask(self.handle.transaction_with_str_and_mode(STORE, mode)?.object_store(STORE)?)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        self.handle.close();
    }
}

#[inline]
async fn requested(request: Result<IdbRequest, JsValue>, key: &JsValue) -> Result<JsValue, OpfsError> {
    let request = request.map_err(|error| OpfsError::thrown(Call::IndexedDb, &file(key), &error))?;
    settle(Call::IndexedDb, "", glue::requested(&request)).await
}

fn file(key: &JsValue) -> String {
    key.as_string().unwrap_or_default()
}

/// A cache. Its keys are requests that no network ever sees.
pub struct StoredAnswers {
    handle: Cache,
}

impl StoredAnswers {
    /// Opens it, made where it is missing.
    pub async fn open(name: &str) -> Result<Self, OpfsError> {
        let caches = CACHES.with(Clone::clone).ok_or_else(|| OpfsError::absent(Call::CacheStorage, "caches"))?;
        let handle = settle(Call::CacheStorage, name, caches.open(name)).await?;
        Ok(Self { handle: handle.unchecked_into() })
    }

    /// The key of a file.
    pub fn key(file: &str) -> Result<Request, OpfsError> {
        Request::new_with_str(&format!("/{PREFIX}{file}")).map_err(|error| OpfsError::thrown(Call::CacheStorage, file, &error))
    }

    /// The browser's own.
    pub fn js(&self) -> &Cache {
        &self.handle
    }

    /// Whether there is something under a key.
    pub async fn holds(&self, key: &Request) -> Result<bool, OpfsError> {
        Ok(!settle(Call::CacheStorage, "", self.handle.match_with_request(key)).await?.is_undefined())
    }

    /// Puts bytes under a key.
    pub async fn put(&self, key: &Request, bytes: &ArrayBuffer) -> Result<(), OpfsError> {
        let failed = |error: JsValue| OpfsError::thrown(Call::CacheStorage, "", &error);
        let response = Response::new_with_opt_buffer_source(Some(bytes)).map_err(failed)?;
        settle(Call::CacheStorage, "", self.handle.put_with_request(key, &response)).await?;
        Ok(())
    }
}

/// Deletes the database and the cache of a name, where there are such. Whoever still has the database open is told to close it; that
/// a worker has ended can take the browser a while.
pub async fn remove(name: &str) -> Result<(), OpfsError> {
    deadline::within(deadline::ANSWER_MS, async {
        if let Some(databases) = INDEXED_DB.with(Clone::clone) {
            let request = databases.delete_database(name).map_err(|error| OpfsError::thrown(Call::IndexedDb, name, &error))?;
            settle(Call::IndexedDb, name, glue::requested(&request)).await?;
        }
        if let Some(caches) = CACHES.with(Clone::clone) {
            settle(Call::CacheStorage, name, caches.delete(name)).await?;
        }
        Ok(())
    })
    .await
}

/// The names of databases and caches that earlier runs left, each once. A browser that lists none, or does not let us look, has
/// none that could be removed.
pub async fn left() -> Vec<String> {
    let mut names = Vec::new();
    let databases = INDEXED_DB.with(Clone::clone).and_then(|databases| databases.unchecked_ref::<glue::ListingFactory>().databases().ok());
    if let Some(databases) = databases
        && let Ok(list) = settle(Call::IndexedDb, "", databases).await
    {
        let name = |database: JsValue| js_sys::Reflect::get(&database, &"name".into()).ok()?.as_string();
        names.extend(list.unchecked_into::<Array>().iter().filter_map(name));
    }
    if let Some(caches) = CACHES.with(Clone::clone)
        && let Ok(list) = settle(Call::CacheStorage, "", caches.keys()).await
    {
        names.extend(list.unchecked_into::<Array>().iter().filter_map(|name| name.as_string()));
    }
    names.retain(|name| name.starts_with(PREFIX));
    sort::distinct(&mut names);
    names
}

#[cfg(all(test, target_arch = "wasm32"))]
mod tests {
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::*;

    #[wasm_bindgen_test]
    async fn what_is_left_is_found_and_removed_even_where_it_is_still_open() {
        let name = format!("{PREFIX}stores-test");
        let (database, cache) = (Database::open(&name).await.unwrap(), StoredAnswers::open(&name).await.unwrap());
        let (key, request) = ("a file".into(), StoredAnswers::key("a").unwrap());
        assert!(!database.holds(&key).await.unwrap() && !cache.holds(&request).await.unwrap());
        database.put(&key, &ArrayBuffer::new(3)).await.unwrap();
        cache.put(&request, &ArrayBuffer::new(4)).await.unwrap();
        assert!(database.holds(&key).await.unwrap() && cache.holds(&request).await.unwrap());
        assert_eq!(database.get::<ArrayBuffer>(&key).await.unwrap().byte_length(), 3);
        assert_eq!(left().await, [name.as_str()]);
        remove(&name).await.unwrap();
        assert_eq!(left().await, Vec::<String>::new());
        drop((database, cache));
    }

    #[wasm_bindgen_test]
    async fn a_value_that_is_gone_is_told_with_its_key() {
        let name = format!("{PREFIX}stores-test");
        let database = Database::open(&name).await.unwrap();
        let error = database.get::<ArrayBuffer>(&"a file".into()).await.unwrap_err().to_string();
        assert!(error.contains("IndexedDB on a file failed: it does not hold what was stored"), "{error}");
        remove(&name).await.unwrap();
    }
}
