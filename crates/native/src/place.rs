//! Where the files are: the operating system and the kind of file system.

use std::path::Path;

use anyhow::{Context, Result};
use opfs_bench_core::result::NativePlace;

/// The place of a folder that will be removed: what is told is the folder around it.
pub fn of(folder: &Path) -> Result<NativePlace> {
    let folder = folder.canonicalize().with_context(|| format!("cannot find the folder {}", folder.display()))?;
    let around = folder.parent().unwrap_or(&folder).display().to_string();
    Ok(NativePlace { system: system(), file_system: file_system(&folder), folder: around })
}

/// Name and version of the operating system, as far as it says them.
fn system() -> String {
    let name = match std::env::consts::OS {
        "linux" => "Linux",
        "macos" => "macOS",
        "windows" => "Windows",
        other => other,
    };
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!("{name} {}", release.trim()).trim_end().to_owned()
}

/// The kind of file system that holds a folder. Only Linux says it in a file.
fn file_system(folder: &Path) -> Option<String> {
    kind(&std::fs::read_to_string("/proc/self/mountinfo").ok()?, folder)
}

/// From lines of `/proc/self/mountinfo`: `26 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw`. Of the mounts that hold the folder the
/// innermost counts, and of several on the same place the last.
fn kind(mounts: &str, folder: &Path) -> Option<String> {
    let mount = |line: &str| {
        let (before, after) = line.split_once(" - ")?;
        let place = before.split(' ').nth(4)?.replace("\\040", " ");
        let kind = after.split(' ').next()?.to_owned();
        folder.starts_with(&place).then_some((place.len(), kind))
    };
    mounts.lines().filter_map(mount).max_by_key(|(length, _)| *length).map(|(_, kind)| kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_mount_counts() {
        let mounts = "22 1 8:1 / / rw shared:1 - ext4 /dev/sda1 rw\n\
                      23 22 0:5 / /tmp rw - tmpfs tmpfs rw\n\
                      24 22 0:6 / /my\\040disk rw - xfs /dev/sdb1 rw\n\
                      25 22 0:7 / /var rw - btrfs /dev/sdc1 rw\n\
                      26 25 0:8 / /var rw - f2fs /dev/sdd1 rw\n\
                      no mount at all\n";
        for (folder, expected) in [("/tmp/a", "tmpfs"), ("/tmpfile", "ext4"), ("/my disk/a", "xfs"), ("/var/tmp", "f2fs"), ("/", "ext4")] {
            assert_eq!(kind(mounts, Path::new(folder)).as_deref(), Some(expected), "{folder}");
        }
        assert_eq!(kind("", Path::new("/")), None);
    }

    #[test]
    fn this_machine_s_place_is_the_folder_around() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let inner = folder.path().join("inner");
        std::fs::create_dir(&inner).expect("writable");
        let place = of(&inner).expect("there");
        assert_eq!(place.folder, folder.path().canonicalize().expect("there").display().to_string());
        assert!(!place.system.is_empty());
        assert_eq!(cfg!(target_os = "linux"), place.file_system.is_some());
        assert!(of(&folder.path().join("none")).is_err());
    }
}
