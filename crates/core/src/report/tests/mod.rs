//! The report's tests: golden files for every format, and what must hold of all of them.
//!
//! `BLESS=1 cargo test` writes the golden files anew; read the difference before committing it.

mod answers;
mod builder;
mod csv;
mod doubts;
mod findings;
mod own;
pub(super) mod samples;

use std::path::PathBuf;
use std::{env, fs};

use super::table::Table;
use super::{environment, fragments, group_fragment, group_text, html, markdown, page, text};
use crate::result::RunResult;

/// Compares with the golden file, or writes it where `BLESS` is set.
fn golden(name: &str, found: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/report").join(name);
    if env::var_os("BLESS").is_some() {
        fs::create_dir_all(path.parent().expect("has a folder")).expect("the folder can be made");
        fs::write(&path, found).expect("the golden file can be written");
        return;
    }
    let expected = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}; write it with BLESS=1", path.display()));
    let line = expected.lines().zip(found.lines()).position(|(expected, found)| expected != found);
    let line = line.unwrap_or(expected.lines().count().min(found.lines().count()));
    let of = |text: &str| text.lines().nth(line).unwrap_or("(the end)").to_owned();
    assert!(
        expected == found,
        "{name}, line {}: expected\n  {}\nfound\n  {}\nIf that is right, BLESS=1 cargo test",
        line + 1,
        of(&expected),
        of(found)
    );
}

/// A page with a tag to a line, so that differences can be read, and without the style sheet, which has its own history.
fn readable(page: &str) -> String {
    page.replace(html::STYLE, "").replace("><", ">\n<") + "\n"
}

#[test]
fn every_format_is_what_its_golden_file_says() {
    for (name, run) in samples::all() {
        golden(&format!("{name}.txt"), &text(&run));
        golden(&format!("{name}.md"), &markdown(&run));
        golden(&format!("{name}.html"), &readable(&page(&run)));
    }
}

#[test]
fn a_page_holds_its_style_and_no_script() {
    assert!(!html::STYLE.contains("</"), "the style sheet would end its own element");
    for (name, run) in samples::all() {
        let page = page(&run);
        assert!(page.contains(html::STYLE), "{name}");
        for forbidden in ["<script", "javascript:", " style=", " onload=", "http-equiv=\"refresh\"", "src=", "href=", "\u{1b}", "\u{202e}"]
        {
            // The one link is the project's own.
            let page = page.replace(html::STYLE, "").replace(&format!("href=\"{}\"", environment::METHOD), "");
            let found = page.to_lowercase().contains(forbidden);
            assert!(!found, "{name} contains {forbidden}");
        }
    }
}

#[test]
fn tags_are_balanced() {
    for (name, run) in samples::all() {
        let page = page(&run).replace(html::STYLE, "");
        let mut open: Vec<&str> = Vec::new();
        for tag in page.split('<').skip(1) {
            let tag = tag.split('>').next().expect("split gives one");
            let element = tag.trim_start_matches('/').split([' ', '\n']).next().expect("split gives one");
            if tag.starts_with('/') {
                assert_eq!(open.pop(), Some(element), "{name}");
            } else if !matches!(element, "!DOCTYPE" | "meta") {
                open.push(element);
            }
        }
        assert!(open.is_empty(), "{name}: {open:?}");
    }
}

#[test]
fn a_group_on_its_own_is_the_group_of_the_whole() {
    for (_, run) in samples::all() {
        let fragments = fragments(&run);
        assert_eq!(fragments.groups, run.groups.iter().map(group_fragment).collect::<String>());
        for piece in [&fragments.answer, &fragments.doubts, &fragments.groups, &fragments.environment] {
            assert!(page(&run).contains(piece.as_str()));
        }
        for group in &run.groups {
            assert!(text(&run).contains(group_text(group).split("\nLegend\n").next().expect("split gives one")));
        }
    }
}

#[test]
fn markdown_from_outside_stays_in_its_cell() {
    let markdown = markdown(&samples::hostile());
    assert!(!markdown.contains("<script>") && markdown.contains("&lt;script&gt;"));
    let lines: Vec<&str> = markdown.lines().collect();
    let tables: Vec<&[&str]> =
        lines.chunk_by(|one, next| one.starts_with('|') == next.starts_with('|')).filter(|lines| lines[0].starts_with('|')).collect();
    let bars = |line: &str| line.replace("\\|", "").matches('|').count();
    assert!(tables.len() >= 2 && tables.iter().all(|table| table.iter().all(|line| bars(line) == bars(table[0]))), "{tables:#?}");
    assert!(!markdown.lines().any(|line| line.starts_with("# heading")));
}

#[test]
fn terminal_lines_are_short_and_hold_no_control_characters() {
    for (name, run) in samples::all() {
        for line in text(&run).lines() {
            // The longest is that of all samples' figures, which other tools give as many columns too.
            assert!(line.chars().count() <= 126, "{name}: {line}");
            assert!(!line.chars().any(char::is_control), "{name}: {line:?}");
        }
    }
}

/// Units of values; a count stands in a column that says of what.
const UNITS: [&str; 13] = ["ns", "µs", "ms", "s", "B/s", "KiB/s", "MiB/s", "GiB/s", "B", "KiB", "MiB", "Wasm", "%"];

#[test]
fn every_number_has_a_unit_an_interval_or_words() {
    for (name, run) in samples::all() {
        let (tables, findings): (Vec<Table>, Vec<_>) = (run.groups.iter().map(Table::of).collect(), super::findings::of(&run));
        let details = tables.iter().flat_map(|table| &table.details).chain(findings.iter().flat_map(|finding| &finding.details));
        let details = details.map(|detail| (&detail.columns, &detail.rows));
        for (columns, rows) in details.chain(tables.iter().map(|table| (&table.columns, &table.rows))) {
            {
                for row in rows {
                    // A mark in the row leads to the reason why it has no verdict, and with it no interval.
                    let marked = row.cells.iter().any(|cell| cell.value == "no verdict");
                    for (cell, column) in row.cells.iter().zip(columns).filter(|(_, column)| column.number) {
                        let unit = cell.value.rsplit_once(' ').is_some_and(|(_, unit)| UNITS.contains(&unit)) || cell.value.ends_with('×');
                        let said = ["", "—", "nothing", "contained"].contains(&cell.value.as_str()) || column.text == "ops" || marked;
                        assert!(unit || cell.interval.is_some() || said, "{name}, {}: {cell:?}", column.text);
                        let digits: String = cell.value.chars().filter(char::is_ascii_digit).collect();
                        assert!(digits.is_empty() || digits.contains(['1', '2', '3', '4', '5', '6', '7', '8', '9']), "{name}: {cell:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn lists_that_do_not_fit_together_do_not_panic() {
    for (_, whole) in samples::all() {
        let mut run = whole.clone();
        for group in &mut run.groups {
            group.estimates.arms.truncate(1);
        }
        everything(&run);
        let mut run = whole.clone();
        for group in &mut run.groups {
            group.record.arms.clear();
            group.record.group.nrfiles = 0;
            group.record.group.methods.clear();
            group.record.group.title = String::new();
        }
        everything(&run);
        let mut run = whole;
        for arm in run.groups.iter_mut().flat_map(|group| &mut group.estimates.arms) {
            if let Some(ratio) = &mut arm.ratio {
                ratio.log = 1e6;
                ratio.log_interval = Some((f64::NEG_INFINITY, 1e300));
            }
            if let Some(per_op) = &mut arm.per_op {
                (per_op.median_ns, per_op.interval_ns, per_op.bytes_per_s) = (-1.0, Some((f64::MAX, 0.0)), Some(f64::MAX));
            }
        }
        everything(&run);
    }
}

fn everything(run: &RunResult) {
    assert!(!text(run).is_empty() && !markdown(run).is_empty() && !page(run).is_empty());
}

#[test]
#[ignore = "writes pages and terminal text for a person to look at, into the folder that REPORT_PAGES names"]
fn pages_to_look_at() {
    let folder = PathBuf::from(env::var_os("REPORT_PAGES").expect("REPORT_PAGES names a folder"));
    fs::create_dir_all(&folder).expect("the folder can be made");
    for (name, run) in samples::all() {
        fs::write(folder.join(format!("{name}.html")), page(&run)).expect("the page can be written");
        fs::write(folder.join(format!("{name}.txt")), text(&run)).expect("the text can be written");
    }
}
