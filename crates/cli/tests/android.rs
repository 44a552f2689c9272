//! `serve --android` with an adb that only writes down what it was asked.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

use tempfile::TempDir;

struct Fake {
    folder: TempDir,
}

impl Fake {
    /// An adb that lists these devices, and does this for each further call.
    fn new(devices: &str, script: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir_all(folder.path().join("www/pkg")).expect("writable");
        fs::create_dir(folder.path().join("bin")).expect("writable");
        for file in ["www/index.html", "www/pkg/opfs_bench_bg.wasm"] {
            fs::write(folder.path().join(file), "").expect("writable");
        }
        fs::write(folder.path().join("devices"), devices).expect("writable");
        let text = format!(
            "#!/bin/sh\nFOLDER='{}'\nfor word in \"$@\"; do printf '[%s]' \"$word\"; done >> \"$FOLDER/calls\"; echo >> \"$FOLDER/calls\"\n\
             case \"$*\" in\nstart-server) exit 0;;\ndevices) echo 'List of devices attached'; cat \"$FOLDER/devices\"; exit 0;;\nesac\n{script}",
            folder.path().display()
        );
        // Another process writes it: a file that this one has open for writing may be open in a child too, and cannot be run then.
        let write = r#"printf '%s\n' "$2" > "$1" && chmod 755 "$1""#;
        let status = Command::new("sh").args(["-c", write, "sh"]).arg(folder.path().join("bin/adb")).arg(text).status();
        assert!(status.expect("a POSIX system").success());
        Self { folder }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_opfs-bench"));
        command.args(["serve", "--android", "--port", "0", "--out"]).arg(self.folder.path().join("results"));
        command.arg("--www").arg(self.folder.path().join("www")).args(arguments);
        let path = std::env::var("PATH").expect("there is one");
        command.env("PATH", format!("{}:{path}", self.folder.path().join("bin").display())).env_remove("ANDROID_SERIAL");
        command.stdin(Stdio::null());
        command
    }

    fn calls(&self) -> Vec<String> {
        fs::read_to_string(self.folder.path().join("calls")).unwrap_or_default().lines().map(str::to_owned).collect()
    }

    fn start(&self, arguments: &[&str]) -> Serving {
        let error = fs::File::create(self.folder.path().join("stderr")).expect("writable");
        let mut child = self.command(arguments).stdout(Stdio::piped()).stderr(error).spawn().expect("starts");
        let mut address = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut address).expect("text");
        let address = address.trim().to_owned();
        let (_, rest) = address.split_once("http://localhost:").expect("an address");
        let port = rest.split_once('/').expect("a port").0.to_owned();
        Serving { child, address, port, error: self.folder.path().join("stderr") }
    }
}

struct Serving {
    child: Child,
    address: String,
    port: String,
    error: PathBuf,
}

impl Serving {
    fn wait_for(&self, words: &str) -> String {
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
        loop {
            let mut text = String::new();
            fs::File::open(&self.error).expect("there").read_to_string(&mut text).expect("text");
            if text.contains(words) {
                return text;
            }
            assert!(std::time::Instant::now() < deadline, "waited for {words:?}: {text}");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }

    /// Presses Ctrl-C as a terminal does: for the whole group of processes.
    fn interrupt(mut self) -> Option<i32> {
        let status = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().expect("a POSIX system");
        assert!(status.success());
        self.child.wait().expect("its parent's").code()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn the_page_is_opened_on_the_phone_and_all_is_undone_at_the_end() {
    let fake = Fake::new("emulator-5554\tdevice\n", "echo Starting: Intent");
    let serving = fake.start(&[]);
    serving.wait_for("emulator-5554: the page is open on the phone");
    let (port, address) = (serving.port.clone(), serving.address.clone());
    // The quotes are for the phone's own shell.
    let open = format!("[-s][emulator-5554][shell][am][start][-a][android.intent.action.VIEW][-d]['{address}']");
    let reverse = format!("[-s][emulator-5554][reverse][tcp:{port}][tcp:{port}]");
    assert_eq!(fake.calls(), ["[start-server]", "[devices]", &reverse, &open]);
    assert!(address.contains("/#token="), "{address}");
    assert_eq!(serving.interrupt(), Some(0));
    assert_eq!(fake.calls()[4..], [format!("[-s][emulator-5554][reverse][--remove][tcp:{port}]")]);
}

#[test]
fn several_phones_are_named() {
    let fake = Fake::new("A\tdevice\nB\tdevice\nC\tunauthorized\n", "");
    let output = fake.command(&[]).output().expect("starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(
        told(&output).contains("name those that you mean with --serial, as often as there are: A, B, C (unauthorized)"),
        "{}",
        told(&output)
    );
    let output = fake.command(&["--serial", "A", "--serial", "C"]).output().expect("starts");
    assert!(output.status.code() == Some(2) && told(&output).contains("C has not allowed this computer yet"), "{}", told(&output));
    assert!(fake.calls().iter().all(|call| !call.contains("reverse")), "{:?}", fake.calls());

    let serving = fake.start(&["--serial", "A", "--serial", "B"]);
    serving.wait_for("B: the page is open on the phone");
    assert_eq!(serving.interrupt(), Some(0));
    for serial in ["A", "B"] {
        let count = |words: &str| fake.calls().iter().filter(|call| call.starts_with(&format!("[-s][{serial}]{words}"))).count();
        assert_eq!((count("[reverse][tcp:"), count("[shell]"), count("[reverse][--remove]")), (1, 1, 1), "{:?}", fake.calls());
    }
}

#[test]
fn adbs_own_variable_names_a_phone_too() {
    let fake = Fake::new("A\tdevice\nB\tdevice\n", "");
    let output = fake.command(&[]).env("ANDROID_SERIAL", "X").output().expect("starts");
    assert!(told(&output).contains("there is no device X; connected: A, B"), "{}", told(&output));
}

#[test]
fn a_phone_that_fails_leaves_none_connected() {
    let fake = Fake::new("A\tdevice\nB\tdevice\n", "case \"$*\" in *B*reverse*) echo 'error: closed' >&2; exit 1;; esac");
    let output = fake.command(&["--serial", "A", "--serial", "B"]).output().expect("starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(told(&output).contains("-s B reverse tcp:") && told(&output).contains("error: closed"), "{}", told(&output));
    let last = fake.calls().pop().expect("calls");
    assert!(last.starts_with("[-s][A][reverse][--remove][tcp:"), "{last}");
}

#[test]
fn a_phone_that_cannot_open_the_page_is_told_of_and_stays_connected() {
    let fake = Fake::new("A\tdevice\n", "case \"$*\" in *shell*) echo 'Error: Activity not started, unable to resolve Intent';; esac");
    let serving = fake.start(&[]);
    let text = serving.wait_for("Activity not started");
    assert!(text.contains(&format!("open {} in its browser", serving.address)), "{text}");
    assert_eq!(serving.interrupt(), Some(0));
    assert!(fake.calls().last().expect("calls").contains("--remove"));
}

#[test]
fn without_adb_or_phone_a_person_is_told_what_to_do() {
    let fake = Fake::new("", "");
    let output = fake.command(&[]).output().expect("starts");
    assert!(
        output.status.code() == Some(2) && told(&output).contains("there is no phone: on the phone turn on USB debugging"),
        "{}",
        told(&output)
    );
    let output = fake.command(&[]).env("PATH", fake.folder.path().join("www")).output().expect("starts");
    assert!(output.status.code() == Some(2) && told(&output).contains("install Android's platform-tools"), "{}", told(&output));
    let output = Command::new(env!("CARGO_BIN_EXE_opfs-bench")).args(["serve", "--serial", "A"]).output().expect("starts");
    assert!(output.status.code() == Some(2) && told(&output).contains("--android"), "{}", told(&output));
}
