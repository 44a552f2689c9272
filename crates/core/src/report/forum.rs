//! A result as the block of text that people paste into forums, in the terms that disks are compared by there: MB/s and IOPS by block
//! size and queue depth, sync handles and promises side by side. Plain ASCII, lines of at most 80 columns.

use super::prose::one_line;
use super::table::arms;
use crate::estimate::ArmEstimate;
use crate::job::{Group, Open, Rw, Thread, Timing};
use crate::result::{Arm, GroupResult, RunResult};

/// A side of the block: the methods of one kind, of which each line shows the fastest.
struct Side {
    name: &'static str,
    is: fn(&Arm) -> bool,
}

const SIDES: [Side; 2] = [Side { name: "sync handles", is: is_sync }, Side { name: "promises", is: is_promise }];

/// The columns of a side: `123456.789 MB/s [1234567.8 IOPS]`.
const WIDTH: usize = 32;
/// The columns before them.
const LABEL: usize = 16;

fn is_sync(arm: &Arm) -> bool {
    matches!(arm.method.thread(), Thread::Worker | Thread::Pool) && arm.method.api().starts_with("sync")
}

fn is_promise(arm: &Arm) -> bool {
    matches!(arm.method.thread(), Thread::Main | Thread::Worker)
        && ["slice", "writable"].iter().any(|api| arm.method.api().starts_with(api))
}

/// The preset whose readers look for it: its report ends with the block.
const PRESET: &str = "crystaldiskmark";

/// The block at the end of a report, where it belongs there.
pub(super) fn of_preset(run: &RunResult) -> Option<String> {
    (run.job.name == PRESET).then(|| block(run))?
}

/// Its heading.
pub(super) const HEADING: &str = "To paste into a forum";

/// The block. None where the result has no group of blocks in files that stay open.
pub(super) fn block(run: &RunResult) -> Option<String> {
    let lines: Vec<(&'static str, String)> =
        run.groups.iter().filter(|group| is_shown(&group.record.group)).map(|group| (section(group), line(group))).collect();
    let (first, _) = lines.first()?;
    let mut files: Vec<String> = run.groups.iter().map(|group| &group.record.group).filter(|group| is_shown(group)).map(files).collect();
    files.dedup();
    let (browser, system) = (place(&run.environment.browser), place(&run.environment.system));
    let mut text = vec![
        format!("opfs-bench {}: OPFS, a web page's private files", one_line(&run.version)),
        format!("{browser} on {system}; {}, warm; not the raw disk", files.join(", ")),
    ];
    let mut section = "";
    for (of, line) in &lines {
        if *of != section {
            section = of;
            let names = SIDES.map(|side| format!("{:>WIDTH$}", side.name)).concat();
            text.extend([String::new(), format!("{:<LABEL$}{names}", format!("[{of}]"))]);
        }
        text.push(line.clone());
    }
    text.extend([
        String::new(),
        format!("1 MB = 1 000 000 B. Sync handles {} one block at a time whatever Q says.", first.to_ascii_lowercase()),
        SIDES.map(|side| format!("{}: {}", side.name, used(run, &side).join(", "))).join("; "),
    ]);
    let text = text.join("\n") + "\n";
    // No back quote either: it could end what the block is pasted into.
    Some(text.replace(|letter: char| !letter.is_ascii() || letter == '`', "?"))
}

fn files(group: &Group) -> String {
    if let Some(own) = &group.own {
        return own.files(group.nrfiles);
    }
    if group.nrfiles == 1 { group.size.to_string() } else { format!("{} in {} files", group.size, group.nrfiles) }
}

fn place(name: &str) -> String {
    let name = one_line(name);
    if name.is_empty() { "unknown".into() } else { name }
}

fn is_shown(group: &Group) -> bool {
    let blocks = matches!(group.rw, Rw::Read | Rw::RandRead | Rw::Write | Rw::RandWrite);
    blocks && group.open == Open::Kept && group.timing == Timing::Batches && group.bs.0 > 0
}

fn section(group: &GroupResult) -> &'static str {
    if group.record.group.writes() { "Write" } else { "Read" }
}

/// `SEQ 1MiB Q8 T1` and each side.
fn line(group: &GroupResult) -> String {
    let job = &group.record.group;
    let order = match job.rw {
        Rw::RandRead | Rw::RandWrite => "RND",
        _ => "SEQ",
    };
    let label = format!("{order} {} Q{} T1", job.bs.to_string().replace(' ', ""), job.iodepth);
    let sides = SIDES.map(|side| match fastest(group, &side) {
        Some((_, bytes_per_s)) => {
            format!("{:>10.3} MB/s [{:>9.1} IOPS]", bytes_per_s / 1e6, bytes_per_s / job.bs.0 as f64)
        }
        None => "-".into(),
    });
    format!("{label:<LABEL$}{}", sides.map(|side| format!("{side:>WIDTH$}")).concat())
}

/// The arm of this kind that is as deep as its line says, unless its calls have no queue, and has the highest throughput.
fn fastest<'a>(group: &'a GroupResult, side: &Side) -> Option<(&'a Arm, f64)> {
    let rate = |(arm, estimate): (&'a Arm, &ArmEstimate)| Some((arm, estimate.per_op?.bytes_per_s.filter(|rate| rate.is_finite())?));
    let of_side = arms(group).into_iter().filter(|(arm, _)| (side.is)(arm) && arm.takes_part() && arm.method.options().is_empty());
    of_side.filter_map(rate).max_by(|(_, one), (_, other)| one.total_cmp(other))
}

/// Which methods a side's lines are of.
fn used(run: &RunResult, side: &Side) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for group in run.groups.iter().filter(|group| is_shown(&group.record.group)) {
        if let Some((arm, _)) = fastest(group, side) {
            let name = arm.method.to_string();
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::super::tests::samples;
    use super::*;

    #[test]
    fn the_block_shows_both_sides_of_every_group_with_files_kept_open() {
        let text = block(&samples::chromium()).expect("two groups");
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.iter().all(|line| line.len() <= 80 && line.is_ascii()), "{text}");
        let random = lines.iter().find(|line| line.starts_with("RND 4KiB Q1 T1")).expect("there");
        // 4 KiB in 633 µs and less are 6.4 MB/s and more.
        let numbers: Vec<f64> = random.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        let [sync, sync_iops, promise, promise_iops] = numbers[..] else { panic!("four numbers: {random}") };
        for (rate, iops) in [(sync, sync_iops), (promise, promise_iops)] {
            assert!((rate * 1e6 / 4096.0 / iops - 1.0).abs() < 0.01, "{random}");
        }
        assert!(sync > 100.0 * promise, "{random}");
        assert!(
            text.contains("OPFS") && text.contains("not the raw disk") && text.contains("sync handles: worker/sync; promises: "),
            "{text}"
        );
        assert!(!text.contains("20KiB"), "files that are opened each time are not what disks are compared by");
    }

    #[test]
    fn without_such_groups_there_is_no_block() {
        let mut run = samples::chromium();
        run.groups.truncate(1);
        assert_eq!(block(&run), None);
    }
}
