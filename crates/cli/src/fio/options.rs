//! What becomes of each of fio's options.

/// What becomes of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// It is read: [`super::convert`] knows how.
    Read,
    /// It changes nothing that is measured here, for this reason.
    Unused(&'static str),
    /// Without it something else would be measured, for this reason. It is refused unless it is switched off.
    Needed(&'static str),
}

const READ: &[&str] = &[
    "rw",
    "bs",
    "size",
    "filesize",
    "nrfiles",
    "iodepth",
    "numjobs",
    "runtime",
    "rate_iops",
    "randseed",
    "kb_base",
    "description",
    "ioengine",
    "stonewall",
    "fsync",
    "end_fsync",
    "filename",
];

/// Options that change nothing here, by their reason.
const UNUSED: &[(&str, &[&str])] = &[
    (
        "not used: a page cannot bypass the operating system's cache, so files are measured warm, from that cache",
        &["direct", "buffered", "atomic", "invalidate", "pre_read", "fadvise_hint", "ioscheduler"],
    ),
    (
        "not used: the files are in the browser's private file system, made anew and removed afterwards",
        &[
            "directory",
            "filename_format",
            "unique_filename",
            "fallocate",
            "overwrite",
            "create_serialize",
            "create_fsync",
            "create_on_open",
            "allow_file_create",
            "allow_mounted_write",
            "unlink",
            "unlink_each_loop",
            "lockfile",
            "openfiles",
        ],
    ),
    (
        "not used: batches are repeated until the interval is narrow enough or the time is up, after a warm-up of their own",
        &["time_based", "ramp_time", "loops", "io_size", "number_ios", "steadystate", "steadystate_duration", "steadystate_ramp_time"],
    ),
    (
        "not used: groups are measured one after another, each alone",
        &["new_group", "exitall", "exit_what", "exitall_on_error", "wait_for", "startdelay", "ignore_error", "continue_on_error"],
    ),
    (
        "not used: it is about fio's processes, and here browsers' threads measure",
        &[
            "thread",
            "cpumask",
            "cpus_allowed",
            "cpus_allowed_policy",
            "numa_cpu_nodes",
            "numa_mem_policy",
            "nice",
            "prio",
            "prioclass",
            "cmdprio",
            "cmdprio_percentage",
            "mem",
            "iomem",
            "iomem_align",
            "mem_align",
            "hugepage-size",
            "lockmem",
            "clocksource",
            "gtod_reduce",
            "gtod_cpu",
            "cgroup",
            "cgroup_weight",
            "cgroup_nodelete",
            "uid",
            "gid",
            "exec_prerun",
            "exec_postrun",
            "hipri",
            "registerfiles",
            "fixedbufs",
            "sqthread_poll",
            "sqthread_poll_cpu",
            "nonvectored",
            "uncached",
            "nowait",
            "userspace_reap",
            "iodepth_batch",
            "iodepth_batch_submit",
            "iodepth_batch_complete",
            "iodepth_batch_complete_min",
            "iodepth_batch_complete_max",
            "io_submit_mode",
            "profile",
            "force_async",
        ],
    ),
    (
        "not used: it is about fio's reports; every sample is in the result, and report --format fio-json gives fio's layout",
        &[
            "group_reporting",
            "unified_rw_reporting",
            "per_job_logs",
            "write_bw_log",
            "write_lat_log",
            "write_iops_log",
            "write_hist_log",
            "log_avg_msec",
            "log_hist_msec",
            "log_hist_coarseness",
            "log_max_value",
            "log_offset",
            "log_prio",
            "log_compression",
            "log_compression_cpus",
            "log_store_compressed",
            "log_unix_epoch",
            "log_alternate_epoch",
            "log_entries",
            "bwavgtime",
            "iopsavgtime",
            "stats",
            "disk_util",
            "clat_percentiles",
            "lat_percentiles",
            "slat_percentiles",
            "percentile_list",
            "significant_figures",
            "disable_lat",
            "disable_clat",
            "disable_slat",
            "disable_bw_measurement",
            "disable_bw",
            "block_error_percentiles",
            "unit_base",
            "name",
        ],
    ),
    (
        "not used: all chance comes from one seed, the run's, and what is written is random bytes",
        &[
            "randrepeat",
            "allrandrepeat",
            "random_generator",
            "zero_buffers",
            "refill_buffers",
            "scramble_buffers",
            "buffer_pattern",
            "buffer_compress_percentage",
            "buffer_compress_chunk",
            "dedupe_percentage",
            "dedupe_mode",
        ],
    ),
    ("not used: only reads or only writes are measured, so there is no mix", &["rwmixread", "rwmixwrite", "rwmixcycle"]),
    ("not used: every block comes once before one comes again, as with fio's random map", &["norandommap", "softrandommap"]),
    (
        "not used: bytes of every method are checked before the first round and after the last, outside the time",
        &["do_verify", "verify_fatal"],
    ),
    (
        "not used: a rate that is not kept is told with the row",
        &["rate_min", "rate_iops_min", "rate_cycle", "rate_ignore_thinktime", "max_latency"],
    ),
];

/// Options without which something else would be measured, by their reason.
const NEEDED: &[(&str, &[&str])] = &[
    ("blocks of one size only are measured here", &["bsrange", "bssplit", "bs_unaligned", "bs_is_seq_rand"]),
    (
        "every block is read once, each as often as any other, and blocks begin at multiples of bs",
        &[
            "random_distribution",
            "percentage_random",
            "ba",
            "rw_sequencer",
            "offset",
            "offset_increment",
            "offset_align",
            "zonemode",
            "zonesize",
            "zonerange",
            "zoneskip",
            "zonecapacity",
            "sequential_pct",
        ],
    ),
    (
        "the next op begins when one has ended, or by rate_iops",
        &[
            "thinktime",
            "thinktime_spin",
            "thinktime_blocks",
            "thinktime_iotime",
            "rate",
            "latency_target",
            "latency_window",
            "latency_percentile",
            "latency_run",
            "iodepth_low",
            "serialize_overlap",
            "flow",
        ],
    ),
    (
        "nothing is verified inside the time that is measured",
        &[
            "verify",
            "verify_interval",
            "verify_offset",
            "verify_pattern",
            "verify_async",
            "verify_backlog",
            "verify_only",
            "verify_dump",
            "experimental_verify",
            "verify_state_load",
            "verify_state_save",
        ],
    ),
    ("trims are not in a page's reach", &["trim_percentage", "trim_verify_zero", "trim_backlog", "trim_backlog_batch"]),
    (
        "the operating system's own flushes are not in a page's reach: fsync=1 or end_fsync=1 stand for what is",
        &["fdatasync", "sync", "sync_file_range", "write_barrier", "fsync_on_close"],
    ),
    ("recorded patterns are not played back", &["read_iolog", "write_iolog", "merge_blktrace_file"]),
    ("the files are made here", &["opendir", "file_append", "fill_device", "create_only"]),
];

/// What becomes of the option with this name. None where fio has none of this name, as far as is known here.
pub(super) fn of(name: &str) -> Option<Use> {
    let reason = |table: &[(&'static str, &[&str])]| table.iter().find(|(_, names)| names.contains(&name)).map(|(reason, _)| *reason);
    if READ.contains(&name) {
        return Some(Use::Read);
    }
    reason(UNUSED).map(Use::Unused).or_else(|| reason(NEEDED).map(Use::Needed)).or(match name {
        "file_service_type" => Some(Use::Needed("one file is read after the other: leave it out, or write file_service_type=sequential")),
        "rate_process" => Some(Use::Needed("ops are offered at equal distances")),
        _ => None,
    })
}

/// Whether this value is what the option has unless it is given, or what is done here anyway.
pub(super) fn is_off(name: &str, value: Option<&str>) -> bool {
    let off: &[&str] = match name {
        "random_distribution" => &["random"],
        "percentage_random" => &["100"],
        "file_service_type" | "rw_sequencer" => &["sequential"],
        "rate_process" => &["linear"],
        "zonemode" | "verify" | "sync" => &["none", "0"],
        _ => &["0"],
    };
    value.is_some_and(|value| off.contains(&value))
}

/// Engines that have several reads in flight.
pub(super) const ASYNCHRONOUS: &[&str] = &["libaio", "io_uring", "posixaio", "windowsaio", "solarisaio", "sg"];
/// Engines that read one at a time, whatever `iodepth` says.
pub(super) const SYNCHRONOUS: &[&str] = &["sync", "psync", "vsync", "pvsync", "pvsync2", "mmap", "splice"];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_option_stands_twice() {
        let tables = UNUSED.iter().chain(NEEDED).flat_map(|(_, names)| *names);
        let mut seen = HashSet::new();
        for name in READ.iter().chain(tables) {
            assert!(seen.insert(name), "{name}");
        }
        assert!(seen.len() > 150);
    }
}
