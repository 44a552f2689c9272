//! Arms of one group that differ in their options, open at the same time.

use opfs_bench_core::job::MethodName;
use wasm_bindgen_test::wasm_bindgen_test;

use super::super::find;
use super::*;

/// Which read the files themselves and which a copy follows from the group: none may lock another one out.
#[wasm_bindgen_test]
async fn arms_that_keep_files_open_and_arms_that_open_them_read_in_turns() {
    let names = [
        "worker/sync:open=kept",
        "worker/sync",
        "rpc/transfer:open=kept",
        "rpc/transfer:iodepth=4",
        "rpc/transfer-list",
        "rpc/transfer-list:open=kept",
        "worker/sync-buffered:open=kept",
        "main/array-buffer:open=kept",
        "main/array-buffer:iodepth=4,open=kept",
        "main/array-buffer:iodepth=6",
    ];
    let names: Vec<MethodName> = names.into_iter().map(|name| name.parse().unwrap()).collect();
    for open_when in [Open::Each, Open::Kept] {
        let group = Group { methods: names.clone(), ..group(true, open_when) };
        let (name, folder) = folder("options").await;
        write(&folder, &group, SEED).await;
        let context = Context::new(folder.clone(), group.clone(), None);
        let mut readers = Vec::new();
        for name in &names {
            let method = find(name).expect("registered").method;
            let (asks, answers) = line();
            let served = match method.serve {
                Some(serve) => Some(serve(&context.of_arm(name), answers).await.unwrap()),
                None => None,
            };
            let asking = if served.is_some() { context.with_port(asks).of_arm(name) } else { context.of_arm(name) };
            let reader = find(name).expect("registered").open(&asking).await.unwrap_or_else(|error| panic!("{name}: {error}"));
            readers.push((name, reader, served));
        }
        let mut bench = Bench::new(group.clone(), 0, SEED, 0);
        for when in [When::Before, When::After] {
            for (name, reader, _) in &readers {
                let checked = bench.verify(&**reader, when).await.unwrap_or_else(|error| panic!("{name}, {open_when:?}: {error}"));
                assert_eq!(checked.found, checked.expected, "{name}");
            }
        }
        drop((readers, context));
        clean(&name).await;
    }
}
