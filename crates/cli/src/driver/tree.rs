//! Ends all processes below this one.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

const PAUSE: Duration = Duration::from_millis(20);
/// After a kill, the system itself takes the processes away; more than this means that it does not.
const KILLED: Duration = Duration::from_secs(5);

/// How hard to ask.
#[derive(Clone, Copy, Debug)]
enum Force {
    Ask,
    Kill,
}

/// Makes this process the parent of descendants whose own parent ends, so that none gets out of sight. Linux alone can.
#[cfg(target_os = "linux")]
pub(super) fn adopt_orphans() -> std::io::Result<()> {
    Ok(rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?)
}

#[cfg(not(target_os = "linux"))]
#[expect(clippy::unnecessary_wraps, reason = "can fail on Linux")]
pub(super) fn adopt_orphans() -> std::io::Result<()> {
    Ok(())
}

/// Asks every descendant to end, and kills those that have not after `patience`.
///
/// # Errors
/// When one survives.
pub(super) fn end_descendants(patience: Duration) -> Result<()> {
    for (force, time) in [(Force::Ask, patience), (Force::Kill, KILLED)] {
        let deadline = Instant::now() + time;
        // A process that starts another while it is ended is the reason for going round.
        let mut asked = Vec::new();
        loop {
            reap();
            let alive = descendants();
            if alive.is_empty() {
                return Ok(());
            }
            if Instant::now() > deadline {
                break;
            }
            for process in alive {
                if !asked.contains(&process) {
                    end(process, force);
                    asked.push(process);
                }
            }
            thread::sleep(PAUSE);
        }
    }
    bail!("these processes of the driver or the browser do not end: {:?}", descendants());
}

/// Takes notice of ended children, which stay in the list of processes until then.
#[cfg(unix)]
fn reap() {
    while let Ok(Some(_)) = rustix::process::wait(rustix::process::WaitOptions::NOHANG) {}
}

#[cfg(not(unix))]
fn reap() {}

#[cfg(unix)]
fn end(process: u32, force: Force) {
    use rustix::process::{Pid, Signal, kill_process};
    let signal = match force {
        Force::Ask => Signal::TERM,
        Force::Kill => Signal::KILL,
    };
    if let Some(pid) = i32::try_from(process).ok().and_then(Pid::from_raw) {
        // It may have ended just now.
        let _ = kill_process(pid, signal);
    }
}

#[cfg(not(unix))]
fn end(process: u32, _: Force) {
    // Windows has no polite way that a program without a window would hear.
    let _ = std::process::Command::new("taskkill").args(["/T", "/F", "/PID", &process.to_string()]).output();
}

/// All processes below this one.
fn descendants() -> Vec<u32> {
    let pairs = parents();
    let mut found = vec![std::process::id()];
    let mut next = 0;
    while next < found.len() {
        let parent = found[next];
        found.extend(pairs.iter().filter(|(_, of)| *of == parent).map(|(process, _)| *process));
        next += 1;
    }
    found.split_off(1)
}

/// Every process and its parent.
#[cfg(target_os = "linux")]
fn parents() -> Vec<(u32, u32)> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let processes = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    processes.filter_map(|process: u32| Some((process, parent(&std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?)?))).collect()
}

/// The parent in a line of `/proc/…/stat`: `pid (name) state parent …`, where the name may hold anything.
#[cfg(target_os = "linux")]
fn parent(stat: &str) -> Option<u32> {
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(all(unix, not(target_os = "linux")))]
fn parents() -> Vec<(u32, u32)> {
    list("ps", &["-A", "-o", "pid=,ppid="])
}

#[cfg(not(unix))]
fn parents() -> Vec<(u32, u32)> {
    list("powershell", &["-NoProfile", "-Command", "Get-CimInstance Win32_Process | % { \"$($_.ProcessId) $($_.ParentProcessId)\" }"])
}

#[cfg(not(target_os = "linux"))]
fn list(program: &str, arguments: &[&str]) -> Vec<(u32, u32)> {
    use std::process::{Command, Stdio};
    let child = Command::new(program).args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let Ok(child) = child else { return Vec::new() };
    let itself = child.id();
    let Ok(output) = child.wait_with_output() else { return Vec::new() };
    let text = String::from_utf8_lossy(&output.stdout);
    let pair = |line: &str| {
        let (process, parent) = line.trim().split_once(char::is_whitespace)?;
        Some((process.parse().ok()?, parent.trim().parse().ok()?))
    };
    text.lines().filter_map(pair).filter(|(process, _)| *process != itself).collect()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_parent_is_found_whatever_the_name() {
        assert_eq!(parent("123 (a b) S 45 123 0"), Some(45));
        assert_eq!(parent("123 (a) R 7) S 46 123 0"), Some(46));
        assert_eq!(parent("123"), None);
    }
}
