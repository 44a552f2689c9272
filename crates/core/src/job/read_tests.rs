use proptest::prelude::*;

use super::*;

#[test]
fn what_is_no_job_by_its_length_is_not_read() {
    let text = "x = 1\n".repeat(100_000);
    let Err(bad) = Job::from_toml(&text) else { panic!("too long") };
    assert!(bad.to_string().contains("may have 262144 B"), "{bad}");
}

const JOB: &str = r#"# A job with all kinds of mistakes.
name = "Own"
budget_s = "ten"
storage = "1 MiB"
sotrage = 3
bs = 4096

[[group]]
name = "blocks"
title = 7
rw = "trim"
bs = "4 KiX"
size = "64 KiB"
nrfiles = 1.5
iodepth = -1
numjobs = 0
io_depth = 4
budget_s = 3
open = "sometimes"
timing = "ops"
methods = [
  "worker/sync",
  "sync",
  3,
]

[[group]]
title = "Second"
rw = "read"
bs = "3 KiB"
size = "64 KiB"
open = "kept"
rate_iops = 200
baseline = "main/slice"
methods = "worker/sync"
"#;

const TOLD: &str = r#"job, title: is missing; allowed is text in quotes
line 2: job, name: "Own"; allowed are 1 to 64 lower-case letters, digits and hyphens
line 3: job, budget_s: "ten"; allowed are 1 to 86400
line 5: job, sotrage: there is no such field; did you mean storage? allowed are name, title, budget_s, storage, group
line 6: job, bs: stands outside the groups; it belongs to a group: write it below its [[group]]
line 8: group blocks, baseline: is missing; write thread/api
line 10: group blocks, title: 7; allowed is text in quotes
line 11: group blocks, rw: "trim"; allowed are `read`
line 12: group blocks, bs: `4 KiX` is not a size: write a whole number of bytes, or one with B, KiB
line 14: group blocks, nrfiles: 1.5; allowed are whole numbers from 1 to 10000
line 15: group blocks, iodepth: -1; allowed are whole numbers from 1 to
line 16: group blocks, numjobs: 0 workers; allowed are 1 to 128
line 17: group blocks, io_depth: there is no such field; did you mean iodepth? allowed are name, title, rw
line 18: group blocks, budget_s: stands in a group; it belongs to the job: write it above the first [[group]]
line 19: group blocks, open: "sometimes"; allowed are `each` or `kept`
line 23: group blocks, methods: `sync` is not a method's name
line 24: group blocks, methods: 3; allowed is text in quotes
line 27: group 2, name: is missing; allowed is text in quotes
line 30: group 2, bs: 3072 B do not divide a file of 65536 B into whole blocks
line 33: group 2, rate_iops: only ops that are timed one by one can be offered at a rate
line 35: group 2, methods: "worker/sync"; allowed is a list
"#;

/// Whether each line begins with what is wanted: lists of what there is grow.
fn assert_told(job: &str, wanted: &str) {
    let found = Job::from_toml(job).expect_err("mistakes").to_string();
    let (found, wanted): (Vec<&str>, Vec<&str>) = (found.lines().collect(), wanted.lines().collect());
    for (found, wanted) in found.iter().zip(&wanted) {
        assert!(found.starts_with(wanted), "wanted {wanted}\nfound {found}");
    }
    assert_eq!(found.len(), wanted.len(), "{found:#?}");
}

#[test]
fn every_mistake_is_told_at_once_with_its_line() {
    assert_told(JOB, TOLD);
}

#[test]
fn lines_that_are_no_toml_are_told_all_at_once() {
    assert_told("name = \"own\"\nbudget_s 10\nstorage = 4\n[[group]\n", "line 2: not TOML: \nline 4: not TOML: unclosed array table");
}

#[test]
fn groups_that_are_none_are_told() {
    const HEAD: &str = "name = 'a'\ntitle = ''\nbudget_s = 1\nstorage = 1\n";
    for (groups, told) in [
        ("", "job, group: 0 groups; allowed are 1 to 64, each starting with [[group]]"),
        ("[group]\nname = 'b'", "line 5: job, group: [group]; allowed is [[group]]"),
        ("group = 3", "line 5: job, group: 3; allowed is [[group]]"),
        ("group = ['a', 'b']", "line 5: job, group: ['a', 'b']; allowed is [[group]]"),
    ] {
        assert_told(&format!("{HEAD}{groups}"), told);
    }
}

#[test]
fn a_value_of_another_kind_is_told_what_the_field_may_be() {
    let rest = SMALLEST_JOB.replace("group = []", "[[group]]\nname = 'x'\ntitle = ''\nbaseline = 'main/slice'");
    for value in ["-1", "1.5", "nan", "1e400", "-9223372036854775809", "true", "[1, 2]", "[[]]", "{a = 1}", "{}", "1979-05-27"] {
        let wrong = format!("rw = {value}\nopen = {value}\nbs = {value}\nsize = 1\nmethods = {value}\nfsync = {value}\n");
        let told = Job::from_toml(&format!("{rest}\n{wrong}")).expect_err(value).to_string();
        for (line, field, allowed) in [
            (9, "rw", "allowed are `read`, `randread`"),
            (10, "open", "allowed are `each` or `kept`"),
            (11, "bs", "allowed is a size: a whole number of bytes, or text"),
            (14, "fsync", "allowed is a whole number"),
        ] {
            let wanted = format!("line {line}: group x, {field}: {value}; {allowed}");
            assert!(told.contains(&wanted), "wanted {wanted}\nin {told}");
        }
        assert!(told.contains("line 13: group x, methods: "), "{told}");
    }
}

#[test]
fn the_smallest_job_holds_the_fields_without_a_default() {
    fn required<T: DeserializeOwned>(smallest: &str) {
        let table = DeTable::parse(smallest).expect("TOML").into_inner();
        parse::<T>(&table).unwrap_or_else(|error| panic!("{error}"));
        for (key, _) in &table {
            let mut without = table.clone();
            let name: &str = key.as_ref();
            without.remove(name);
            parse::<T>(&without).map(|_| ()).expect_err(name);
        }
    }
    required::<Job>(SMALLEST_JOB);
    required::<Group>(SMALLEST_GROUP);
}

proptest! {
    /// Jobs come from strangers: whatever is cut out of one or put into it, it is a job or has mistakes with lines of its text.
    #[test]
    fn no_text_is_more_than_a_mistake(preset in 0_usize..4, at in 0_usize..1_000, cut in 0_usize..60, put in prop::sample::select(vec![
        "", "\n", "=", "[[group]]\n", "[group]\n", "'", "\"", "[", "]", "nan", "-1", "1e400", "99999999999999999999", "é", "\u{0}", "{a = 1}", "\niodepth = 1979-05-27",
        "\n[group.bs]\nx = 1\n", "\ngroup.name = 1", "''", "[]", "[[]]",
    ])) {
        let text = Job::preset(["quick", "latency", "parallel", "every-method"][preset]).expect("shipped");
        let letters: Vec<char> = text.chars().collect();
        let at = at % letters.len();
        let changed: String = letters[..at].iter().copied().chain(put.chars()).chain(letters[(at + cut).min(letters.len())..].iter().copied()).collect();
        if let Err(bad) = Job::from_toml(&changed) {
            let lines = changed.lines().count();
            prop_assert!(!bad.mistakes.is_empty() && bad.mistakes.iter().all(|mistake| mistake.line.is_none_or(|line| (1..=lines + 1).contains(&line))), "{bad}");
        }
    }
}
