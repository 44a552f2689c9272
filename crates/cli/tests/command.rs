//! The command without a browser: what it prints, and its exit codes.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use opfs_bench_core::estimate::estimate;
use opfs_bench_core::job::Job;
use opfs_bench_core::protocol;
use opfs_bench_core::result::{
    Arm, Batch, Ended, EndsUp, Environment, FORMAT, GroupRecord, GroupResult, Outcome, Role, Round, RunResult, Sentinels, Verification,
    WarmUp, When,
};
use opfs_bench_core::seed::Seed;
use opfs_bench_core::units::Nanos;
use tempfile::TempDir;

fn opfs_bench(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_opfs-bench"));
    command.args(arguments).stdin(Stdio::null());
    command
}

fn output(arguments: &[&str]) -> Output {
    opfs_bench(arguments).output().expect("starts")
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A finished run of one group, with three arms and 20 rounds.
fn result() -> RunResult {
    let job = Job::from_toml(Job::preset("quick").expect("shipped")).expect("valid");
    let group = job.groups[1].clone();
    let seed = Seed(7);
    let arm = |role, method: &str| Arm {
        method: method.parse().expect("a name"),
        role,
        ends_up: EndsUp::MainBuffer,
        writes: false,
        iodepth: 1,
        tick_ns: Nanos(5_000),
        first_touch_ns: Some(Nanos(1_000_000)),
        pilot: vec![],
        n: 10,
        batch: Batch::Shared,
        bytes: 20 * 10 * 4096,
        latencies: None,
        stages: Vec::new(),
        allocated: None,
        verifications: [When::Before, When::After]
            .map(|when| Verification { when, ops: 1, expected: "a".into(), found: "a".into() })
            .to_vec(),
        failure: None,
        absent: None,
    };
    let round = |number: u32| Round {
        number,
        at_ns: Nanos(u64::from(number) * 20_000_000),
        order: vec![0, 1, 2],
        elapsed_ns: [6_000_000, 6_000_500, 3_000_000].map(|time| Some(Nanos(time + u64::from(number * number % 7) * 10_000))).to_vec(),
        dropped: None,
        sentinels: Sentinels::default(),
    };
    let record = GroupRecord {
        index: 1,
        arms: vec![arm(Role::Baseline, "main/slice"), arm(Role::Null, "main/slice"), arm(Role::Contender, "worker/sync")],
        warm_up: WarmUp { rounds: vec![], steady: true },
        rounds: (0..20).map(round).collect(),
        ended: Ended::Width,
        incidents: vec![],
        cool_downs: vec![],
        wash_out: None,
        budget_ns: Nanos(1_000_000_000),
        elapsed_ns: Nanos(400_000_000),
        group,
    };
    RunResult {
        format: FORMAT.to_owned(),
        protocol: protocol::NUMBER,
        version: "0.1.0".to_owned(),
        seed,
        started: "2026-08-31T12:34:56.789Z".to_owned(),
        elapsed_ns: Nanos(1_000_000_000),
        outcome: Outcome::Finished,
        job,
        environment: Environment { browser: "Browser 1".to_owned(), ..Environment::default() },
        ticks: None,
        fixtures: vec![],
        groups: vec![GroupResult::new(record.clone(), estimate(&record, seed))],
        superseded: vec![],
        skipped: vec![],
        polls: 0,
    }
}

fn write(folder: &TempDir, name: &str, text: &str) -> PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, text).expect("writable");
    path
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a plain name")
}

#[test]
fn a_report_shows_a_file_in_each_format() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = write(&folder, "a.json", &result().to_json());
    for (format, shown) in
        [("text", "worker/sync"), ("markdown", "|"), ("html", "<svg"), ("csv", ",worker/sync,contender,"), ("fio-json", "\"clat_ns\"")]
    {
        let output = output(&["report", "--format", format, text(&file)]);
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
        assert!(String::from_utf8_lossy(&output.stdout).contains(shown), "{format}");
        assert_eq!(errors(&output), "");
    }
}

#[test]
fn several_results_are_one_table() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let files = ["a.json", "b.json"].map(|name| write(&folder, name, &result().to_json()));
    let output = output(&["report", "--format", "csv", text(&files[0]), text(&files[1])]);
    let table = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!((table.lines().count(), table.matches("started,").count()), (1 + 2 * 3 * 20, 1), "{table}");
}

#[test]
fn a_job_file_of_fio_s_becomes_a_job_that_can_be_kept() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = write(&folder, "Random 4k.fio", "[global]\ndirect=1\n[a]\nrw=randread\nsize=1m\n[b]\nrw=randread\nverify=md5\nsize=1m\n");
    let refused = output(&["job", "--from-fio", text(&file)]);
    assert_eq!(refused.status.code(), Some(2));
    let told = errors(&refused);
    assert!(told.contains("Random 4k.fio") && told.contains("\nline 8: verify=md5: would be"), "{told}");
    let output = output(&["job", "--from-fio", text(&file), "--section", "a", "--methods", "worker/sync,main/slice"]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert!(errors(&output).contains("Random 4k.fio, line 2: direct=1: not used"), "{}", errors(&output));
    let job = Job::from_toml(&String::from_utf8_lossy(&output.stdout)).expect("a job");
    assert_eq!((job.name.as_str(), job.groups.len(), job.groups[0].baseline.to_string()), ("random-4k", 1, "worker/sync".into()));
}

#[test]
fn estimates_that_do_not_follow_from_the_samples_are_told() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let honest = result();
    let mut forged = honest.clone();
    let ratio = forged.groups[0].estimates.arms[2].ratio.as_mut().expect("20 rounds give one");
    ratio.log = f64::from_bits(ratio.log.to_bits() + 1);
    let mut superseded = honest.clone();
    superseded.superseded = forged.groups.clone();
    for (name, result, place) in [
        ("forged.json", forged, "group random-4k.arms[2].ratio.log"),
        ("first.json", superseded, "first attempt of group random-4k.arms[2].ratio.log"),
    ] {
        let files = [write(&folder, "honest.json", &honest.to_json()), write(&folder, name, &result.to_json())];
        let output = output(&["report", text(&files[0]), text(&files[1])]);
        assert_eq!(output.status.code(), Some(1));
        let errors = errors(&output);
        assert!(errors.starts_with("WARNING: ") && errors.contains(name) && errors.contains(place), "{errors}");
        assert!(!errors.contains("honest.json"), "{errors}");
    }
}

#[test]
fn a_file_that_is_no_result_is_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let newer = result().to_json().replace(FORMAT, "opfs-bench result 99");
    for (name, text_of_file, told) in [("bad.json", "{}", "not a result"), ("newer.json", newer.as_str(), "opfs-bench result 99")] {
        let file = write(&folder, name, text_of_file);
        let output = output(&["report", text(&file)]);
        assert_eq!(output.status.code(), Some(2));
        assert!(errors(&output).contains(name) && errors(&output).contains(told), "{}", errors(&output));
    }
    let missing = output(&["report", "/nowhere/a.json"]);
    assert!(missing.status.code() == Some(2) && errors(&missing).contains("/nowhere/a.json"), "{}", errors(&missing));
}

#[test]
fn a_report_into_a_closed_pipe_is_no_error() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = write(&folder, "a.json", &result().to_json());
    let mut child = opfs_bench(&["report", text(&file)]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("its parent's");
    assert_eq!((output.status.code(), errors(&output)), (Some(0), String::new()));
}

#[test]
fn wrong_arguments_are_told_before_anything_starts() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let job = write(&folder, "job.toml", "name = 'a'");
    let list = write(&folder, "list.json", "[]");
    for (arguments, told) in [
        (&["run", "--preset", "slow"][..], "there are: crystaldiskmark, every-method, file-operations, "),
        (&["run", "--preset", "quick", "--job", "a.toml"], "cannot be used with"),
        (&["run", "--job", "/nowhere/job.toml"], "/nowhere/job.toml"),
        (&["run", "--job", text(&job)], "job, budget_s: is missing; allowed are 1 to 86400\n"),
        (&["run", "--seed", "xyz"], "`xyz` is not a seed"),
        (&["run", "--browser", "lynx"], "lynx"),
        (&["run", "--capabilities", text(&list)], "is no JSON object"),
        (&["run", "--webdriver", "localhost:4444"], "starts with http://"),
        (&["run", "--driver", "/nowhere/chromedriver"], "/nowhere/chromedriver"),
        (&["run", "--driver", "/a", "--webdriver", "http://b"], "cannot be used with"),
        (&["run", "--open", "sh", "--browser", "firefox"], "cannot be used with"),
        (&["run", "--open-arg=--headless"], "--open <PROGRAM>"),
        (&["run", "--open", "/nowhere/browser", "--out", text(folder.path())], "there is no program /nowhere/browser"),
        (&["run", "--open", "a-browser-that-nobody-has"], "there is no program a-browser-that-nobody-has on PATH"),
        (&["validate", "--runs", "0"], "--runs"),
        (&["validate", "--budget-s", "0", "--out", text(folder.path())], "allowed are 1 to 3600 seconds"),
        (&["validate", "--simulated", "--browser", "firefox"], "cannot be used with"),
        (&["validate", "--trials", "5"], "--simulated"),
        (&["validate", "--driver", "/nowhere/chromedriver", "--out", text(folder.path())], "/nowhere/chromedriver"),
        (&["serve", "--www", "/nowhere"], "/nowhere"),
        (&["report"], "FILES"),
        (&["job"], "--from-fio"),
        (&["run", "--fio", "/nowhere/a.fio"], "/nowhere/a.fio"),
        (&["run", "--fio", "a.fio", "--preset", "quick"], "cannot be used with"),
        (&["report", "--format", "html", "a.json", "b.json"], "one result"),
        (&[], "Usage"),
    ] {
        let output = output(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(errors(&output).contains(told), "{arguments:?}: {}", errors(&output));
    }
}

#[test]
fn simulated_devices_need_no_browser_and_give_a_table() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let output = output(&["validate", "--simulated", "--trials", "2", "--out", text(folder.path())]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let file = folder.path().join("validation-simulated.md");
    let table = fs::read_to_string(&file).expect("there");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(printed.contains(table.trim_end()) && printed.contains(text(&file)), "{printed}");
    for told in ["| noise | trials | false alarms | found +3 % |", "\n| phone | 8 |", "\n| tick 1 ms | 8 |"] {
        assert!(table.contains(told), "{told}: {table}");
    }
}

fn page() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir(folder.path().join("pkg")).expect("writable");
    for file in ["index.html", "pkg/opfs_bench_bg.wasm"] {
        fs::write(folder.path().join(file), "the page").expect("writable");
    }
    folder
}

#[cfg(unix)]
#[test]
fn a_program_that_ends_before_its_result_is_told_with_its_last_lines() {
    let folder = page();
    let arguments = ["run", "--out", text(folder.path()), "--www", text(folder.path()), "--open", "sh"];
    let script = ["--open-arg=-c", "--open-arg=echo no display >&2; exit 3"];
    let output = output(&[&arguments[..], &script].concat());
    assert_eq!(output.status.code(), Some(1));
    let told = errors(&output);
    assert!(told.contains("ended before a result came: exit status: 3") && told.contains("'s output:\nno display"), "{told}");
}

#[cfg(unix)]
#[test]
fn serve_prints_its_address_and_ends_with_ctrl_c() {
    let folder = page();
    let mut child = opfs_bench(&["serve", "--no-open", "--port", "0", "--out", text(folder.path()), "--www", text(folder.path())])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("starts");
    let mut address = String::new();
    BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut address).expect("text");
    let (host, token) = address.trim().strip_prefix("http://").and_then(|rest| rest.split_once("/#token=")).expect("an address");
    assert_eq!(token.len(), 32);
    let mut stream = TcpStream::connect(host).expect("listens");
    write!(stream, "GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").expect("connected");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("text");
    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.ends_with("the page"), "{answer}");
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("a POSIX system").success());
    assert_eq!(child.wait().expect("its parent's").code(), Some(0));
}

#[test]
fn serve_tells_of_a_port_in_use() {
    let folder = page();
    let taken = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let port = taken.local_addr().expect("bound").port().to_string();
    let output = output(&["serve", "--no-open", "--port", &port, "--out", text(folder.path()), "--www", text(folder.path())]);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).contains(&format!("cannot serve on port {port}")), "{}", errors(&output));
}
