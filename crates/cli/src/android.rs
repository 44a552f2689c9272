//! Phones on a USB cable. `adb reverse` lets a phone reach this machine's port under its own `localhost`, which is a secure address without any
//! certificate, and no network takes part.

use std::ffi::OsStr;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use opfs_bench_core::report::one_line;
use tokio::process::Command;
use tokio::time::timeout;

/// Starting adb's own server takes some seconds.
const ANSWER: Duration = Duration::from_secs(20);
const ADB: &str = "adb";
const INSTALL: &str = "adb is not on PATH: install Android's platform-tools (on Debian: `apt-get install adb`; with Homebrew: \
    `brew install android-platform-tools`)";
const CONNECT: &str = "on the phone turn on USB debugging (in the developer options, which appear after seven taps on Settings, About phone, \
    Build number), connect it by USB, and allow this computer on its screen";

/// Phones that reach this machine's port.
#[derive(Debug)]
pub struct Phones {
    port: u16,
    serials: Vec<String>,
}

/// A device that adb lists.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Device {
    serial: String,
    state: String,
}

impl Phones {
    /// Connects these phones, or the only one where none is named. [`Phones::disconnect`] undoes it.
    ///
    /// # Errors
    /// When adb is missing, or a phone is not there or not ready; none is then connected.
    pub async fn connect(named: &[String], port: u16) -> Result<Self> {
        adb(&["start-server"]).await?;
        let devices = devices(&adb(&["devices"]).await?);
        let (serials, notes) = choose(named, &devices)?;
        for note in notes {
            crate::tell!("note: {note}");
        }
        let mut phones = Self { port, serials: Vec::new() };
        for serial in serials {
            let port = format!("tcp:{port}");
            if let Err(error) = adb(&["-s", &serial, "reverse", &port, &port]).await {
                phones.disconnect().await;
                return Err(error);
            }
            phones.serials.push(serial);
        }
        Ok(phones)
    }

    /// Opens an address in each phone's browser. Where one refuses, that is told: a person can open it by hand.
    pub async fn open(&self, address: &str) {
        // Another shell, on the phone, reads the words once more.
        let quoted = format!("'{address}'");
        for serial in &self.serials {
            let opened = adb(&["-s", serial, "shell", "am", "start", "-a", "android.intent.action.VIEW", "-d", &quoted]).await;
            let refused = match opened {
                Ok(output) => output.lines().find(|line| line.starts_with("Error")).map(one_line),
                Err(error) => Some(format!("{error:#}")),
            };
            match refused {
                None => crate::tell!("{serial}: the page is open on the phone"),
                Some(words) => crate::tell!("{serial}: the page could not be opened there, so open {address} in its browser: {words}"),
            }
        }
    }

    /// Undoes it. Where that fails, for instance since the cable is unplugged, the connection has ended by itself, or does when it is.
    pub async fn disconnect(self) {
        for serial in &self.serials {
            let port = format!("tcp:{}", self.port);
            if let Err(error) = adb(&["-s", serial, "reverse", "--remove", &port]).await {
                crate::tell!("note: {serial} could not be told that this ends; its connection does when the cable is unplugged: {error:#}");
            }
        }
    }
}

/// Which devices to use, and what a person should know of the others.
fn choose(named: &[String], devices: &[Device]) -> Result<(Vec<String>, Vec<String>)> {
    if !named.is_empty() {
        for serial in named {
            match devices.iter().find(|device| device.serial == *serial) {
                None => bail!("there is no device {serial}; connected: {}", list(devices)),
                Some(device) if !device.is_ready() => bail!("{}", device.trouble()),
                Some(_) => {}
            }
        }
        let distinct = named.iter().enumerate().filter(|(place, serial)| !named[..*place].contains(serial));
        return Ok((distinct.map(|(_, serial)| serial.clone()).collect(), vec![]));
    }
    let (ready, others): (Vec<&Device>, Vec<&Device>) = devices.iter().partition(|device| device.is_ready());
    let troubles: Vec<String> = others.iter().map(|device| device.trouble()).collect();
    match ready[..] {
        [device] => Ok((vec![device.serial.clone()], troubles)),
        [] if troubles.is_empty() => bail!("there is no phone: {CONNECT}"),
        [] => bail!("{}", troubles.join("; ")),
        _ => bail!("there are several devices: name those that you mean with --serial, as often as there are: {}", list(devices)),
    }
}

impl Device {
    fn is_ready(&self) -> bool {
        self.state == "device"
    }

    /// What stands in its way, in plain words.
    fn trouble(&self) -> String {
        let Self { serial, state } = self;
        if state.starts_with("no permissions") {
            return format!("{serial}: this user may not speak to it ({state})");
        }
        match state.as_str() {
            "unauthorized" | "authorizing" => {
                format!("{serial} has not allowed this computer yet: unlock the phone and tap Allow on its screen, then try again")
            }
            "offline" | "connecting" => format!("{serial} does not answer: unplug it, plug it in again and unlock it"),
            _ => format!("{serial} is not ready: adb says {state:?}"),
        }
    }
}

fn list(devices: &[Device]) -> String {
    let named = |device: &Device| if device.is_ready() { device.serial.clone() } else { format!("{} ({})", device.serial, device.state) };
    if devices.is_empty() { "none".to_owned() } else { devices.iter().map(named).collect::<Vec<_>>().join(", ") }
}

/// The devices in what `adb devices` prints: serial, tab, state. Other lines tell of adb itself.
fn devices(output: &str) -> Vec<Device> {
    let device = |line: &str| {
        let (serial, state) = line.split_once('\t')?;
        Some(Device { serial: one_line(serial), state: one_line(state) })
    };
    output.lines().filter_map(device).collect()
}

/// Runs adb, and returns what it printed.
async fn adb(arguments: &[&str]) -> Result<String> {
    let line = || format!("{ADB} {}", arguments.join(" "));
    if crate::browser::find(OsStr::new(ADB)).is_none() {
        bail!(INSTALL);
    }
    let mut command = Command::new(ADB);
    command.args(arguments).stdin(Stdio::null()).kill_on_drop(true);
    // Ctrl-C is for this program, which then still needs adb.
    #[cfg(unix)]
    command.process_group(0);
    let output = timeout(ANSWER, command.output()).await;
    let output = output.map_err(|_| anyhow::anyhow!("no answer within {} s: {}", ANSWER.as_secs(), line()))?;
    let output = output.with_context(|| format!("cannot start {}", line()))?;
    let [printed, errors] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    if !output.status.success() {
        bail!("{}: {}: {}", output.status, line(), one_line(if errors.trim().is_empty() { &printed } else { &errors }));
    }
    Ok(printed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(serial: &str, state: &str) -> Device {
        Device { serial: serial.to_owned(), state: state.to_owned() }
    }

    #[test]
    fn devices_are_read_and_what_adb_says_of_itself_is_not() {
        let output = "* daemon not running; starting now at tcp:5037\n* daemon started successfully\nList of devices attached\n\
            emulator-5554\tdevice\r\nR58N\tunauthorized\n192.168.1.9:5555\tno permissions (user in plugdev group; are your udev rules wrong?)\n\n";
        let found = devices(output);
        assert_eq!(found[..2], [device("emulator-5554", "device"), device("R58N", "unauthorized")]);
        assert!(found.len() == 3 && found[2].trouble().contains("may not speak to it (no permissions (user"), "{found:?}");
    }

    #[test]
    fn the_only_device_that_is_ready_is_taken_and_others_are_told_of() {
        let (serials, notes) = choose(&[], &[device("A", "offline"), device("B", "device")]).expect("one is ready");
        assert_eq!((serials, notes.len()), (vec!["B".to_owned()], 1));
        assert!(notes[0].contains("A does not answer: unplug"), "{notes:?}");
    }

    #[test]
    fn what_stands_in_the_way_is_told() {
        let [a, b] = ["A", "B"].map(str::to_owned);
        for (named, devices, told) in [
            (vec![], vec![], "there is no phone: on the phone turn on USB debugging"),
            (vec![], vec![device("A", "unauthorized")], "A has not allowed this computer yet: unlock the phone and tap Allow"),
            (vec![], vec![device("A", "recovery")], "A is not ready: adb says \"recovery\""),
            (
                vec![],
                vec![device("A", "device"), device("B", "device"), device("C", "offline")],
                "with --serial, as often as there are: A, B, C (offline)",
            ),
            (vec![b.clone()], vec![device("A", "device")], "there is no device B; connected: A"),
            (vec![b.clone()], vec![], "there is no device B; connected: none"),
            (vec![a, b], vec![device("A", "device"), device("B", "offline")], "B does not answer"),
        ] {
            let error = choose(&named, &devices).expect_err(told).to_string();
            assert!(error.contains(told), "{error}");
        }
    }
}
