//! The copies of a group's files that its methods make and read.

use opfs_bench_core::job::{self, Fileset, Group, Job};
use opfs_bench_core::units::Bytes;

use super::{Copies, Handles, Method, context, find};

/// The largest group of which a method may keep a copy: a phone has little room, and copying is not to take long.
pub(super) const LARGEST_COPY: Bytes = Bytes(256 << 20);

/// The methods that a group names, each once with the group as its arm has it, and again where its options differ.
pub(super) fn named(group: &Group) -> Vec<(&'static Method, Group)> {
    let mut named: Vec<(&'static Method, Group)> = Vec::new();
    for name in group.named() {
        if let Some(found) = find(name) {
            let arm = (found.method, group.of_arm(name));
            if !named.iter().any(|(method, own)| method.name == arm.0.name && *own == arm.1) {
                named.push(arm);
            }
        }
    }
    named
}

/// Whether a group has methods that keep the exclusive locks of their sync handles beside methods that open such handles each time: the
/// former then read copies of the files, so that the latter find those unlocked.
pub(super) fn locks_apart(group: &Group) -> bool {
    let arms = named(group);
    let any = |open: job::Open, locks: fn(Handles) -> bool| arms.iter().any(|(method, own)| own.open == open && locks(method.handles));
    any(job::Open::Kept, |handles| handles == Handles::Shared) && any(job::Open::Each, |handles| handles != Handles::None)
}

/// The copies that a group's methods make of its files: where, how many bytes, and whether they are gone when the group is over.
fn copies(group: &Group) -> Vec<(String, Bytes, bool)> {
    let mut copies: Vec<(String, Bytes, bool)> = Vec::new();
    for (method, own) in named(group) {
        let copy = (method.copies_in(&own, group), method.copied(&own), method.copies == Copies::Stored);
        if copy.1 > Bytes(0) && !copies.contains(&copy) {
            copies.push(copy);
        }
    }
    if locks_apart(group) {
        copies.push((context::KEPT.into(), group.file_bytes(), false));
    }
    copies
}

/// The bytes of the copies that a group's methods make of its files.
pub fn copied(group: &Group) -> Bytes {
    Bytes(copies(group).iter().map(|(_, bytes, _)| bytes.0).sum())
}

/// The bytes that a job writes, with the copies of the files that its methods read.
pub fn written(job: &Job) -> Bytes {
    Bytes(job.written().0 + copied_by(&job.groups, |_, _| true))
}

/// The most bytes that a job's files and copies take at a time.
pub fn held(job: &Job) -> Bytes {
    let during = |index: usize| {
        let files = job.filesets_during(index);
        let copies = copied_by(&job.groups[..=index], |group, stored| {
            files.contains(&group.fileset()) && (!stored || group.name == job.groups[index].name)
        });
        files.iter().map(|fileset| fileset.bytes().0).sum::<u64>() + copies
    };
    Bytes((0..job.groups.len()).map(during).max().unwrap_or(0))
}

/// The bytes of the copies that count, given the group and whether they are gone when it is over. Groups with the same files share them.
fn copied_by(groups: &[Group], counts: impl Fn(&Group, bool) -> bool) -> u64 {
    let mut counted: Vec<(Fileset, String, Bytes)> = Vec::new();
    for group in groups {
        for (place, bytes, stored) in copies(group) {
            let copy = (group.fileset(), place, bytes);
            if counts(group, stored) && !counted.contains(&copy) {
                counted.push(copy);
            }
        }
    }
    counted.iter().map(|(.., bytes)| bytes.0).sum()
}

/// Whether a method of the group keeps values in another storage.
pub fn stores(group: &Group) -> bool {
    named(group).iter().any(|(method, _)| method.copies == Copies::Stored)
}
