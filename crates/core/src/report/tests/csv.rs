//! The CSV, read back as RFC 4180 has it.

use std::fs;
use std::path::Path;

use crate::report::csv;
use crate::report::tests::samples;
use crate::result::{GroupResult, RunResult};

/// The golden files of simulated runs: all their rounds are in them. The report's own samples have estimates alone.
fn runs() -> Vec<(String, RunResult)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/simulate");
    let files = fs::read_dir(&folder).expect("the golden files").map(|entry| entry.expect("readable").path());
    files
        .map(|file| (file.display().to_string(), RunResult::from_json(&fs::read_to_string(&file).expect("text")).expect("a result")))
        .collect()
}

/// The rows of a CSV, each a list of fields.
fn parsed(text: &str) -> Vec<Vec<String>> {
    let mut rows = vec![vec![String::new()]];
    let mut letters = text.chars().peekable();
    let mut quoted = false;
    while let Some(letter) = letters.next() {
        let fields = rows.last_mut().expect("at least one");
        let field = fields.last_mut().expect("at least one");
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => field.push(letters.next().expect("peeked")),
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            '\r' if !quoted => {
                assert_eq!(letters.next(), Some('\n'), "a line ends with CR LF");
                rows.push(vec![String::new()]);
            }
            '\n' if !quoted => panic!("a line's end without CR"),
            other => field.push(other),
        }
    }
    assert_eq!(rows.pop(), Some(vec![String::new()]), "the last line ends too");
    rows
}

#[test]
fn every_sample_has_a_row() {
    let runs = runs();
    assert!(runs.len() > 1 && runs.iter().any(|(_, run)| !run.superseded.is_empty() || run.groups.len() > 1));
    for (name, run) in runs {
        let rows = parsed(&csv(&run));
        assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{name}");
        let place = |column: &str| rows[0].iter().position(|found| found == column).expect(column);
        let records = run.groups.iter().chain(&run.superseded).flat_map(GroupResult::records);
        let samples =
            records.flat_map(|(record, _)| record.warm_up.rounds.iter().chain(&record.rounds)).flat_map(|round| &round.elapsed_ns);
        let samples: Vec<u64> = samples.flatten().map(|elapsed| elapsed.0).collect();
        let number = |row: &Vec<String>, column| row[place(column)].parse::<u64>().unwrap_or_else(|_| panic!("{name}: {row:?}"));
        assert_eq!(rows.len() - 1, samples.len(), "{name}");
        assert!(samples.len() > 10, "{name}");
        let sum: u64 = rows[1..].iter().map(|row| number(row, "elapsed_ns")).sum();
        assert_eq!(sum, samples.iter().sum::<u64>(), "{name}");
        for row in &rows[1..] {
            let wanted = if row[place("role")] == "empty" { 0 } else { number(row, "n") * number(row, "bs") };
            assert_eq!(number(row, "bytes"), wanted, "{name}");
        }
    }
}

#[test]
fn text_from_outside_is_neither_a_field_nor_a_formula() {
    let mut told = 0;
    for (name, mut run) in runs() {
        run.environment.browser = "=HYPERLINK(\"http://x\",\"a\")".into();
        run.started = "-1+1".into();
        for group in run.groups.iter_mut().chain(&mut run.superseded) {
            group.record.group.name = "a,\"b\"\r\n@c".into();
        }
        for row in &parsed(&csv(&run))[1..] {
            assert_eq!(row[..4], ["'-1+1", "'=HYPERLINK(\"http://x\",\"a\")", run.job.name.as_str(), "a,\"b\"\r\n@c"], "{name}");
            told += 1;
        }
    }
    assert!(told > 10, "{told} samples");
}

#[test]
fn a_run_without_samples_has_a_header() {
    assert_eq!(csv(&samples::chromium()).lines().count(), 1);
}
