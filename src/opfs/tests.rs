//! The file system itself, in a dedicated worker of a real browser.

use wasm_bindgen_futures::spawn_local;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

use super::{Directory, PREFIX, sleep};
use crate::methods::Block;

wasm_bindgen_test_configure!(run_in_dedicated_worker);

async fn folder(name: &str) -> (String, Directory) {
    let name = format!("{PREFIX}opfs-test-{name}");
    let folder = Directory::root().await.unwrap().directory(&name).await.unwrap();
    (name, folder)
}

async fn remove(name: &str) {
    Directory::root().await.unwrap().remove(name).await.unwrap();
}

#[wasm_bindgen_test]
async fn what_is_written_is_read_at_its_offset() {
    let (name, folder) = folder("offset").await;
    let handle = folder.create("a").await.unwrap().open_sync().await.unwrap();
    handle.write_full(&[1, 2, 3, 4, 5], 0).unwrap();
    handle.flush().unwrap();
    let block = Block::new(3);
    assert_eq!(handle.read_full(&block.view(), 2).unwrap(), 3);
    let mut bytes = Vec::new();
    block.pieces(3, |piece| bytes.extend_from_slice(piece));
    assert_eq!(bytes, [3, 4, 5]);
    drop(handle);
    remove(&name).await;
}

#[wasm_bindgen_test]
async fn a_read_past_the_end_says_how_far_it_came() {
    let (name, folder) = folder("end").await;
    let handle = folder.create("a").await.unwrap().open_sync().await.unwrap();
    handle.write_full(&[0; 10], 0).unwrap();
    let error = handle.read_full(&Block::new(8).view(), 5).unwrap_err().to_string();
    assert!(error.contains("on a failed: the file ended after 5 of 8 B from offset 5"), "{error}");
    drop(handle);
    remove(&name).await;
}

#[wasm_bindgen_test]
async fn a_missing_file_is_told_with_what_to_do() {
    let (name, folder) = folder("missing").await;
    let error = folder.file("nothing").await.err().expect("no such file").to_string();
    assert!(error.starts_with("getFileHandle() on nothing failed: NotFoundError"), "{error}");
    assert!(error.contains("Start again"), "{error}");
    remove(&name).await;
}

#[wasm_bindgen_test]
async fn a_lock_is_refused_at_once_and_waited_for_when_asked() {
    let (name, folder) = folder("lock").await;
    let file = folder.create("a").await.unwrap();
    let first = file.open_sync().await.unwrap();
    let refused = file.open_sync().await.err().expect("the lock is exclusive");
    assert!(refused.is_locked(), "{refused}");
    spawn_local(async move {
        sleep(40.0).await;
        drop(first);
    });
    drop(file.open_sync_patiently().await.unwrap());
    remove(&name).await;
}

#[wasm_bindgen_test]
async fn removing_leaves_nothing() {
    let (name, folder) = folder("remove").await;
    folder.create("a").await.unwrap();
    assert_eq!(folder.names().await.unwrap(), ["a"]);
    remove(&name).await;
    assert!(!Directory::root().await.unwrap().names().await.unwrap().contains(&name));
}

#[wasm_bindgen_test]
fn the_clock_has_a_tick() {
    let tick = crate::clock::measure_tick().unwrap();
    assert!(tick.0 >= 1_000 && tick.0 <= 100_000_000, "{tick:?}");
}
