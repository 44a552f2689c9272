//! The job's text, as a person would write it.

use std::fmt::Write;

use opfs_bench_core::units::Bytes;
use serde_json::json;

use super::convert::{Converting, runtime_s};

/// Beside the files themselves some methods keep copies of them.
const COPIES: u64 = 512 << 20;

/// As the presets have it, to stand in a sentence: `random 4 KiB reads in a 64 MiB file, 16 in flight`.
pub(super) fn title(rw: &str, bs: u64, size: u64, nrfiles: u32, iodepth: u32) -> String {
    let (bs, file) = (Bytes(bs), Bytes(size / u64::from(nrfiles.max(1))));
    let files = if nrfiles == 1 { format!("a {file} file") } else { format!("{nrfiles} files of {file}") };
    let reads = match rw {
        "read" => format!("{files} in order by {bs}"),
        "randread" => format!("random {bs} reads in {files}"),
        "write" => format!("{files} written in order by {bs}"),
        "randwrite" => format!("random {bs} writes in {files}"),
        other => format!("{other} of {bs} in {files}"),
    };
    if iodepth == 1 { reads } else { format!("{reads}, {iodepth} in flight") }
}

/// A name as a job has it: `Rand Read 4K` becomes `rand-read-4k`.
pub(super) fn slug(text: &str, otherwise: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
    let words: Vec<&str> = plain.split('-').filter(|word| !word.is_empty()).collect();
    let name: String = words.join("-").chars().take(56).collect();
    if name.is_empty() { otherwise.to_owned() } else { name }
}

/// The name, with a number where another group has it.
pub(super) fn unlike(name: String, groups: &[Converting]) -> String {
    let taken = |name: &str| groups.iter().any(|group| group.name == name);
    if !taken(&name) {
        return name;
    }
    // One more than there are groups cannot all be taken.
    let mut numbered = (2..=groups.len() + 2).map(|number| format!("{name}-{number}"));
    let free = numbered.find(|name| !taken(name));
    free.unwrap_or(name)
}

/// The job's text, as a person would write it.
pub(super) fn toml(file_name: &str, groups: &[Converting]) -> String {
    let budget_s: f64 = groups.iter().map(runtime_s).sum();
    let bytes: u64 = groups.iter().map(|group| group.size).sum();
    let storage = Bytes((bytes.saturating_mul(2).saturating_add(COPIES)).next_multiple_of(1 << 20));
    let quoted = |text: &str| json!(text).to_string().replace('\u{7f}', "\\u007f");
    let mut toml = String::from("# Made from a job file of fio's; docs/jobs.md explains every line.\n");
    let _ = write!(
        toml,
        "name = {}\ntitle = {}\nbudget_s = {budget_s}\nstorage = \"{storage}\"\n",
        quoted(&slug(file_name.rsplit_once('.').map_or(file_name, |(stem, _)| stem), "fio")),
        quoted(&format!("{file_name}, a job file of fio's"))
    );
    for group in groups {
        let (baseline, methods) = group.methods.split_first().expect("the usual ones, or those that were named");
        let methods: Vec<String> = methods.iter().map(|method| quoted(&method.to_string())).collect();
        let _ = write!(
            toml,
            "\n[[group]]\nname = {}\ntitle = {}\nrw = {}\nbs = \"{}\"\nsize = \"{}\"\nnrfiles = {}\nopen = \"kept\"\n",
            quoted(&group.name),
            quoted(&group.title),
            quoted(&group.rw),
            Bytes(group.bs),
            Bytes(group.size),
            group.nrfiles
        );
        for (name, number, default) in [("iodepth", group.iodepth, 1), ("numjobs", group.numjobs, 1), ("fsync", group.fsync, 0)] {
            if number != default {
                let _ = writeln!(toml, "{name} = {number}");
            }
        }
        if group.end_fsync {
            toml += "end_fsync = true\n";
        }
        if let Some(rate) = group.rate_iops {
            let _ = writeln!(toml, "timing = \"ops\"\nrate_iops = {rate}");
        }
        let _ = write!(toml, "baseline = {}\nmethods = [{}]\n", quoted(&baseline.to_string()), methods.join(", "));
    }
    toml
}
