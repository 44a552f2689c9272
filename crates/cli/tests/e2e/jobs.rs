//! Jobs for tests: as small as the protocol lets them be.

/// Two groups, one of each kind; its title is not in the Basic Multilingual Plane.
pub const SHORT: &str = r#"
name = "short"
title = "A short job 🚀"
budget_s = 3
storage = "4 MiB"

[[group]]
name = "files"
title = "10 whole files of 4 KiB"
rw = "read"
bs = "4 KiB"
size = "40 KiB"
nrfiles = 10
open = "each"
baseline = "main/array-buffer"
methods = ["worker/sync"]

[[group]]
name = "blocks"
title = "random 4 KiB reads in a file of 1 MiB"
rw = "randread"
bs = "4 KiB"
size = "1 MiB"
open = "kept"
baseline = "main/slice"
methods = ["worker/sync", "rpc/transfer"]
"#;

/// One group that compares the main thread's promises with a worker's, whose program no script of the page can change.
pub const MAIN_AGAINST_WORKER: &str = r#"
name = "main-against-worker"
title = "Main thread against worker"
budget_s = 2
storage = "1 MiB"

[[group]]
name = "blocks"
title = "random 4 KiB reads in a file of 1 MiB"
rw = "randread"
bs = "4 KiB"
size = "1 MiB"
open = "kept"
baseline = "worker/slice"
methods = ["main/slice", "worker/sync"]
"#;

/// Methods with a known slowdown on both threads, and between them.
pub const SLOWED: &str = r#"
name = "slowed"
title = "Twice as slow"
budget_s = 3
storage = "1 MiB"

[[group]]
name = "blocks"
title = "random 4 KiB reads in a file of 1 MiB"
rw = "randread"
bs = "4 KiB"
size = "1 MiB"
open = "kept"
baseline = "worker/sync"
methods = ["worker/sync-slowed-100", "main/slice-slowed-5", "rpc/transfer-slowed-5"]
"#;

/// Two groups of noisy reads, long enough for something to happen in between.
pub const TWO_GROUPS: &str = r#"
name = "two-groups"
title = "Promises on two threads"
budget_s = 12
storage = "4 MiB"

[[group]]
name = "blocks"
title = "random 4 KiB reads in a file of 1 MiB"
rw = "randread"
bs = "4 KiB"
size = "1 MiB"
open = "kept"
baseline = "main/slice"
methods = ["worker/slice"]

[[group]]
name = "in-order"
title = "a file of 1 MiB in order by 16 KiB"
rw = "read"
bs = "16 KiB"
size = "1 MiB"
open = "kept"
baseline = "main/slice"
methods = ["worker/slice"]
"#;

/// Single ops: one after another, and a hundred a second.
pub const LATENCY: &str = r#"
name = "single-ops"
title = "Single ops"
budget_s = 8
storage = "1 MiB"

[[group]]
name = "closed"
title = "random 4 KiB reads, one after another"
rw = "randread"
bs = "4 KiB"
size = "1 MiB"
open = "kept"
timing = "ops"
baseline = "main/slice"
methods = ["worker/sync", "rpc/transfer"]

[[group]]
name = "paced"
title = "random 4 KiB reads, 100 a second"
rw = "randread"
bs = "4 KiB"
size = "1 MiB"
open = "kept"
timing = "ops"
rate_iops = 100
baseline = "main/slice"
methods = ["worker/sync", "rpc/transfer"]
"#;

/// Several reads in flight, and several workers, which share files that stay open and files that do not.
pub const PARALLEL: &str = r#"
name = "several"
title = "Several at once"
budget_s = 9
storage = "8 MiB"

[[group]]
name = "deep"
title = "random 4 KiB reads, 4 in flight"
rw = "randread"
bs = "4 KiB"
size = "1 MiB"
nrfiles = 4
open = "kept"
iodepth = 4
baseline = "main/slice"
methods = ["worker/slice", "worker/sync", "rpc/transfer", "rpc/shared", "main/stream-byob", "worker/idb-blob"]

[[group]]
name = "pool"
title = "random 4 KiB reads by 2 workers"
rw = "randread"
bs = "4 KiB"
size = "1 MiB"
nrfiles = 4
open = "kept"
iodepth = 2
numjobs = 2
baseline = "worker/sync"
methods = ["pool/sync", "pool/sync-read-only", "pool/slice"]

[[group]]
name = "pool-each"
title = "10 whole files of 4 KiB, opened each time by 3 workers"
rw = "read"
bs = "4 KiB"
size = "40 KiB"
nrfiles = 10
open = "each"
numjobs = 3
baseline = "worker/sync"
methods = ["pool/sync", "pool/slice", "rpc/transfer"]
"#;

/// Every method, in as little time as they can be told apart in.
pub const EVERY_METHOD: &str = r#"
name = "every"
title = "Every method"
budget_s = 12
storage = "8 MiB"

[[group]]
name = "blocks"
title = "random 4 KiB reads in a file of 1 MiB"
rw = "randread"
bs = "4 KiB"
size = "1 MiB"
open = "kept"
baseline = "main/slice"
methods = [
    "worker/slice", "main/bytes", "worker/bytes", "main/text", "worker/text", "main/stream", "worker/stream", "main/stream-byob", "worker/stream-byob",
    "main/file-reader", "worker/file-reader", "worker/file-reader-sync", "main/response", "worker/response", "main/fetch",
    "worker/fetch", "worker/sync", "worker/sync-read-only", "worker/sync-readwrite-unsafe", "rpc/transfer", "rpc/clone", "rpc/shared",
    "main/idb-blob", "worker/idb-blob", "limit/memcpy",
]

[[group]]
name = "files"
title = "5 whole files of 4 KiB"
rw = "read"
bs = "4 KiB"
size = "20 KiB"
nrfiles = 5
open = "each"
baseline = "main/array-buffer"
methods = [
    "worker/array-buffer", "worker/sync", "worker/sync-read-only", "main/idb-array-buffer", "worker/idb-array-buffer", "main/idb-blob",
    "main/cache", "worker/cache", "limit/memcpy",
]
"#;

/// The same for longer than any test waits for.
pub fn every_method_for_long() -> String {
    EVERY_METHOD.replace("budget_s = 12", "budget_s = 600")
}

/// Small files that are read whole, by these methods.
pub fn whole_files(baseline: &str, methods: &[String]) -> String {
    let methods = methods.iter().map(|method| format!("{method:?}")).collect::<Vec<_>>().join(", ");
    format!(
        r#"
name = "whole-files"
title = "3 whole files of 4 KiB"
budget_s = 2
storage = "8 MiB"

[[group]]
name = "files"
title = "3 whole files of 4 KiB"
rw = "read"
bs = "4 KiB"
size = "12 KiB"
nrfiles = 3
open = "kept"
baseline = "{baseline}"
methods = [{methods}]
"#
    )
}

/// Longer than any test waits for.
pub fn long() -> String {
    SHORT.replace("budget_s = 3", "budget_s = 600")
}

/// Arms that differ from their group by their options, in passes over small files; and a buffer in front of blocks that do not fit it.
pub const OPTIONS: &str = r#"
name = "options"
title = "Options"
budget_s = 12
storage = "4 MiB"

[[group]]
name = "files"
title = "10 whole files of 4 KiB"
rw = "read"
bs = "4 KiB"
size = "40 KiB"
nrfiles = 10
open = "each"
timing = "passes"
baseline = "main/array-buffer"
methods = [
    "main/array-buffer:iodepth=10", "main/array-buffer:open=kept", "worker/sync", "worker/sync:open=kept", "rpc/transfer-list",
    "rpc/transfer-list:open=kept", "pool/sync:numjobs=2", "pool/sync:numjobs=3",
]

[[group]]
name = "buffered"
title = "a file of 1 MB by 1 000 B"
rw = "read"
bs = 1000
size = "1 MB"
open = "kept"
baseline = "worker/sync"
methods = ["worker/sync-buffered", "main/slice-buffered"]
"#;

/// Two groups whose files do not fit into little storage together, and one that does not fit alone.
pub const TOO_LARGE: &str = r#"
name = "too-large"
title = "Too large"
budget_s = 6
storage = "128 MiB"

[[group]]
name = "first"
title = "a file of 2 MiB"
rw = "read"
bs = "4 KiB"
size = "2 MiB"
open = "kept"
baseline = "main/slice"
methods = ["worker/sync"]

[[group]]
name = "large"
title = "a file of 64 MiB"
rw = "read"
bs = "4 KiB"
size = "64 MiB"
open = "kept"
baseline = "main/slice"
methods = ["worker/sync"]

[[group]]
name = "last"
title = "a file of 3 MiB"
rw = "read"
bs = "4 KiB"
size = "3 MiB"
open = "kept"
baseline = "main/slice"
methods = ["worker/sync"]
"#;

/// A file of 100 MiB by blocks, read into memory of the page's own.
pub const BY_BLOCKS: &str = r#"
name = "by-blocks"
title = "100 MiB by blocks of 64 KiB"
budget_s = 8
storage = "104 MiB"

[[group]]
name = "blocks"
title = "reads of 64 KiB in order in a file of 100 MiB"
rw = "read"
bs = "64 KiB"
size = "100 MiB"
open = "kept"
baseline = "worker/sync"
methods = ["worker/sync-web-sys"]
"#;
