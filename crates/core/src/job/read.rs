//! Reads a job's TOML, and finds all that is wrong with its shape at once: a value of the wrong type is told, and then stands as if the
//! smallest job's had been written there, so that reading can go on.

use std::ops::Range;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use toml::Spanned;
use toml::de::{DeArray, DeString, DeTable, DeValue, Error};

use super::check;
use super::mistake::{BadJob, Mistake, Problem};
use super::names::{nearest, written_fields};
use super::{Group, Job};
use crate::json;

/// The fields that have no default, each with a value that is allowed. Nothing of it is ever measured.
const SMALLEST_JOB: &str = "name = 'x'\ntitle = ''\nbudget_s = 1\nstorage = 1\ngroup = []";
const SMALLEST_GROUP: &str =
    "name = 'x'\ntitle = ''\nrw = 'read'\nbs = 1\nsize = 1\nopen = 'each'\nbaseline = 'main/slice'\nmethods = ['worker/sync']";
/// The longest text of a job, in bytes: room for 64 groups with 50 methods each. Mistakes are told one by one, each with its line.
const LONGEST_TEXT: usize = 256 << 10;
/// As much of what was found is shown.
const LONGEST_SHOWN: usize = 40;

/// A job's text, read as far as it goes.
pub(super) struct Read {
    /// The job, with values of the smallest one where its own are of no use.
    pub job: Job,
    /// What is wrong so far.
    pub mistakes: Vec<Mistake>,
    job_place: Place,
    group_places: Vec<Place>,
}

/// A table of the text: the job itself or a group.
struct Place {
    name: String,
    /// Where it begins.
    line: Option<usize>,
    /// The line of each field that it has, and of each text in its lists, which are no fields' names.
    lines: Vec<(String, usize)>,
    /// Fields whose value is of no use, so that nothing more is said of them.
    unusable: Vec<String>,
}

impl Read {
    /// # Errors
    /// When the text is too long for a job, or is no TOML, with every line that is none.
    pub fn new(text: &str) -> Result<Self, BadJob> {
        if text.len() > LONGEST_TEXT {
            let problem = format!("it has {} B, and may have {LONGEST_TEXT} B: is it the file that was meant?", text.len());
            return Err(BadJob { mistakes: vec![Mistake { line: None, place: "job".into(), field: None, problem }] });
        }
        let (document, errors) = DeTable::parse_recoverable(text);
        if !errors.is_empty() {
            return Err(no_toml(text, &errors));
        }
        let mut mistakes = Vec::new();
        let mut table = document.into_inner();
        let tables = groups(text, table.remove("group"), &mut mistakes);
        table.insert(Spanned::new(0..0, DeString::Borrowed("group")), Spanned::new(0..0, DeValue::Array(DeArray::new())));
        let (mut job, mut job_place): (Job, _) =
            Reader::new(text, "job".into(), None, written_fields::<Group>()).read(table, SMALLEST_JOB, &mut mistakes);
        let mut group_places = Vec::new();
        match tables {
            Some(tables) => {
                for (number, (line, table)) in tables.into_iter().enumerate() {
                    let name = table.get("name").and_then(|name| name.as_ref().as_str());
                    let name = name.map_or_else(|| format!("group {}", number + 1), |name| format!("group {name}"));
                    let reader = Reader::new(text, name, Some(line), written_fields::<Job>());
                    let (group, place) = reader.read(table, SMALLEST_GROUP, &mut mistakes);
                    job.groups.push(group);
                    group_places.push(place);
                }
            }
            None => job_place.unusable.push("group".into()),
        }
        Ok(Self { job, mistakes, job_place, group_places })
    }

    /// Takes in what is wrong with a group, or with none of them but the job, unless it follows from what is wrong already.
    pub fn add(&mut self, group: Option<usize>, mut problems: Vec<Problem>) {
        let place = group.map_or(&mut self.job_place, |number| &mut self.group_places[number]);
        problems.retain(|problem| place.is_usable(problem.field));
        for problem in problems.iter().filter(|problem| problem.with.is_empty()) {
            place.unusable.push(problem.field.to_owned());
        }
        for Problem { field, method, with, text } in problems {
            if with.is_empty() || (place.is_usable(field) && with.iter().all(|field| place.is_usable(field))) {
                let mistake = place.mistake(field, text);
                // An entry of a list may stand on a line of its own.
                let line = method.and_then(|method| place.line_of(&method)).or(mistake.line);
                self.mistakes.push(Mistake { line, ..mistake });
            }
        }
    }

    /// The job, if nothing is wrong with it.
    ///
    /// # Errors
    /// With all that is wrong.
    pub fn finish(self) -> Result<Job, BadJob> {
        if self.mistakes.is_empty() {
            return Ok(self.job);
        }
        let mut mistakes: Vec<Mistake> = Vec::new();
        for mistake in self.mistakes {
            // In their order, which is nearly that of the lines; the standard library's sort is large, as code for a phone goes.
            let place = mistakes.iter().rposition(|earlier| earlier.line <= mistake.line).map_or(0, |place| place + 1);
            mistakes.insert(place, mistake);
        }
        Err(BadJob { mistakes })
    }
}

impl Place {
    fn is_usable(&self, field: &str) -> bool {
        !self.unusable.iter().any(|unusable| unusable == field)
    }

    fn line_of(&self, name: &str) -> Option<usize> {
        self.lines.iter().find(|(other, _)| other == name).map(|(_, line)| *line)
    }

    fn mistake(&self, field: &str, problem: String) -> Mistake {
        let line = self.line_of(field).or(self.line);
        Mistake { line, place: self.name.clone(), field: Some(field.into()), problem }
    }
}

fn no_toml(text: &str, errors: &[Error]) -> BadJob {
    let mistake = |error: &Error| Mistake {
        line: error.span().map(|span| line(text, span.start)),
        place: "not TOML".into(),
        field: None,
        problem: error.message().into(),
    };
    let mut mistakes: Vec<Mistake> = errors.iter().map(mistake).collect();
    // One slip can confuse the parser more than once; the first says most.
    mistakes.dedup_by_key(|mistake| mistake.line);
    BadJob { mistakes }
}

/// The groups' tables, each with its first line. None where `group` is something else.
fn groups<'t>(text: &str, group: Option<Spanned<DeValue<'t>>>, mistakes: &mut Vec<Mistake>) -> Option<Vec<(usize, DeTable<'t>)>> {
    let Some(group) = group else { return Some(Vec::new()) };
    let span = group.span();
    let table = |group: Spanned<DeValue<'t>>| {
        let first = line(text, group.span().start);
        if let DeValue::Table(table) = group.into_inner() { Some((first, table)) } else { None }
    };
    let tables: Option<Vec<_>> = if let DeValue::Array(array) = group.into_inner() { array.into_iter().map(table).collect() } else { None };
    if tables.is_none() {
        let problem = format!("{}; allowed is [[group]] before the fields of each group", shown(text, &span));
        mistakes.push(Mistake { line: Some(line(text, span.start)), place: "job".into(), field: Some("group".into()), problem });
    }
    tables
}

/// Reads one table.
struct Reader<'t> {
    text: &'t str,
    place: Place,
    /// The fields of the other kind of table: where one of them stands here, it is in the wrong place.
    elsewhere: &'static [&'static str],
}

impl<'t> Reader<'t> {
    fn new(text: &'t str, name: String, line: Option<usize>, elsewhere: &'static [&'static str]) -> Self {
        Self { text, place: Place { name, line, lines: Vec::new(), unusable: Vec::new() }, elsewhere }
    }

    fn read<T: DeserializeOwned>(mut self, mut table: DeTable<'t>, smallest: &'t str, mistakes: &mut Vec<Mistake>) -> (T, Place) {
        self.mend(&mut table, smallest, written_fields::<T>(), &|table| parse::<T>(table).err(), mistakes);
        (parse(&table).expect("nothing wrong is left"), self.place)
    }

    /// Tells what is wrong with a table and takes it out. Code that is there once for all types, since each copy is a part of the page.
    fn mend(&mut self, table: &mut DeTable<'t>, smallest: &'t str, fields: &[&str], parse: &Parse, mistakes: &mut Vec<Mistake>) {
        for (key, value) in table.iter().filter(|(key, _)| !key.span().is_empty()) {
            self.place.lines.push((key.as_ref().to_string(), line(self.text, key.span().start)));
            for entry in value.as_ref().as_array().into_iter().flatten() {
                if let Some(text) = entry.as_ref().as_str() {
                    self.place.lines.push((text.to_owned(), line(self.text, entry.span().start)));
                }
            }
        }
        let smallest = DeTable::parse(smallest).expect("a constant that a test reads").into_inner();
        self.unknown(table, fields, mistakes);
        self.missing(table, &smallest, parse, mistakes);
        if parse(table).is_some() {
            self.wrong(table, &smallest, parse, mistakes);
        }
    }

    /// Tells fields that there are none of, and takes them out.
    fn unknown(&self, table: &mut DeTable<'t>, fields: &[&str], mistakes: &mut Vec<Mistake>) {
        let names: Vec<String> = table.keys().map(|key| key.as_ref().to_string()).collect();
        for name in names.iter().map(String::as_str).filter(|name| !fields.contains(name)) {
            let problem = if self.elsewhere.contains(&name) && self.place.line.is_some() {
                "stands in a group; it belongs to the job: write it above the first [[group]]".to_owned()
            } else if self.elsewhere.contains(&name) {
                "stands outside the groups; it belongs to a group: write it below its [[group]]".to_owned()
            } else {
                let meant = nearest(name, fields).map_or_else(String::new, |meant| format!("did you mean {meant}? "));
                format!("there is no such field; {meant}allowed are {}", fields.join(", "))
            };
            mistakes.push(self.place.mistake(name, problem));
            table.remove(name);
        }
    }

    /// Tells fields that must be there, and puts them in.
    fn missing(&mut self, table: &mut DeTable<'t>, smallest: &DeTable<'t>, parse: &Parse, mistakes: &mut Vec<Mistake>) {
        for (key, value) in smallest {
            let name: &str = key.as_ref();
            if !table.contains_key(name) {
                // What a text of nothing is told, which is no value of most fields.
                let mut probe = smallest.clone();
                probe.insert(key.clone(), Spanned::new(0..0, DeValue::String(DeString::Borrowed(""))));
                let allowed = match parse(&probe) {
                    None => is_allowed("text in quotes"),
                    Some(error) if expected(&error).is_some() => is_allowed(&allowed(name, &error)),
                    // Types of our own say what was found first.
                    Some(error) => error.split_once(": ").map_or("it has no default", |(_, allowed)| allowed).to_owned(),
                };
                mistakes.push(self.place.mistake(name, format!("is missing; {allowed}")));
                self.replace(table, name, Some((key, value)));
            }
        }
    }

    /// Tells what is wrong with each value that is, and takes it out: of a list, the entries that are wrong. A value is wrong where the
    /// smallest job is none with it.
    fn wrong(&mut self, table: &mut DeTable<'t>, smallest: &DeTable<'t>, parse: &Parse, mistakes: &mut Vec<Mistake>) {
        for (key, value) in table.clone() {
            let name: &str = key.as_ref();
            let alone = |value: DeValue<'t>| {
                let mut table = smallest.clone();
                table.insert(key.clone(), Spanned::new(0..0, value));
                parse(&table)
            };
            let Some(error) = alone(value.as_ref().clone()) else { continue };
            // Where it should be one of several words, that is what anything else is told.
            let error =
                alone(DeValue::String(DeString::Borrowed(""))).filter(|error| error.starts_with("unknown variant")).unwrap_or(error);
            let is_list = alone(DeValue::Array(DeArray::new())).is_none();
            let mistake = |span: Range<usize>, error: &str| Mistake {
                line: Some(line(self.text, span.start)),
                ..self.place.mistake(name, told(name, &shown(self.text, &span), error))
            };
            let span = value.span();
            let before = mistakes.len();
            let mut rest = DeArray::new();
            if let (true, DeValue::Array(entries)) = (is_list, value.into_inner()) {
                for entry in entries {
                    match alone(DeValue::Array(DeArray::from_iter([entry.clone()]))) {
                        None => rest.push(entry),
                        Some(error) => mistakes.push(mistake(entry.span(), &error)),
                    }
                }
            }
            if mistakes.len() == before {
                mistakes.push(mistake(span, &error));
            } else if !rest.is_empty() {
                table.insert(key, Spanned::new(span, DeValue::Array(rest)));
                continue;
            }
            self.replace(table, name, smallest.get_key_value(name));
        }
    }

    /// Puts the smallest job's value in place of one, or none where there is a default.
    fn replace(&mut self, table: &mut DeTable<'t>, name: &str, by: Option<(&Spanned<DeString<'t>>, &Spanned<DeValue<'t>>)>) {
        table.remove(name);
        if let Some((key, value)) = by {
            table.insert(key.clone(), value.clone());
        }
        self.place.unusable.push(name.to_owned());
    }
}

/// What is wrong with a table as a job's or a group's, if anything.
type Parse = dyn Fn(&DeTable) -> Option<String>;

/// By way of JSON's text, so that one reader serves jobs and results.
fn parse<T: DeserializeOwned>(table: &DeTable) -> Result<T, String> {
    serde_json::from_str(&json_of(table).to_string()).map_err(|error| message(&error))
}

fn json_of(table: &DeTable) -> Value {
    table.iter().map(|(key, value)| (key.as_ref().to_string(), json_of_value(value.as_ref()))).collect::<Map<_, _>>().into()
}

/// What JSON has no word for (a date, a number that is none or out of all ranges) becomes an empty object: no field may be one, and its
/// type then says what it may be.
fn json_of_value(value: &DeValue) -> Value {
    let word = match value {
        DeValue::String(text) => Some(text.as_ref().into()),
        DeValue::Boolean(truth) => Some((*truth).into()),
        DeValue::Integer(number) => {
            let (digits, radix) = (number.as_str(), number.radix());
            let unsigned = || u64::from_str_radix(digits, radix).ok().map(Value::from);
            i64::from_str_radix(digits, radix).ok().map(Value::from).or_else(unsigned)
        }
        DeValue::Float(number) => json::number(number.as_str()).map(Value::from),
        DeValue::Datetime(_) => None,
        DeValue::Array(entries) => Some(entries.iter().map(|entry| json_of_value(entry.as_ref())).collect()),
        DeValue::Table(table) => Some(json_of(table)),
    };
    word.unwrap_or_else(|| Map::new().into())
}

/// Without its place, which is one in JSON's text.
fn message(error: &serde_json::Error) -> String {
    let told = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    told.strip_suffix(&place).unwrap_or(&told).to_owned()
}

/// What was found and what is allowed.
fn told(field: &str, found: &str, error: &str) -> String {
    if expected(error).is_some() || check::range(field).is_some() {
        format!("{found}; {}", is_allowed(&allowed(field, error)))
    } else {
        // Types of our own say both by themselves.
        error.to_owned()
    }
}

fn is_allowed(allowed: &str) -> String {
    let several = !allowed.starts_with("a ") && [" or ", " to ", "`, `"].iter().any(|sign| allowed.contains(sign));
    if several { format!("allowed are {allowed}") } else { format!("allowed is {allowed}") }
}

fn allowed(field: &str, error: &str) -> String {
    let expected = expected(error).unwrap_or(error);
    let kind = match expected {
        "a string" => "text in quotes",
        "a sequence" => "a list: [\"one\", \"another\"]",
        "u32" | "u64" => "a whole number",
        "f64" => "a number",
        other => other,
    };
    match check::range(field) {
        Some((least, most)) if kind == "a whole number" => format!("whole numbers from {least} to {most}"),
        Some((least, most)) => format!("{least} to {most}"),
        None => kind.to_owned(),
    }
}

/// What serde says that it expected.
fn expected(error: &str) -> Option<&str> {
    let (found, expected) = error.split_once(", expected ")?;
    (found.starts_with("invalid ") || found.starts_with("unknown ")).then_some(expected.trim_start_matches("one of "))
}

/// What stands there, on one line.
fn shown(text: &str, span: &Range<usize>) -> String {
    let words: Vec<&str> = text.get(span.clone()).unwrap_or_default().split_whitespace().collect();
    let found = words.join(" ");
    match found.char_indices().nth(LONGEST_SHOWN) {
        Some((end, _)) => format!("{}…", &found[..end]),
        None => found,
    }
}

fn line(text: &str, at: usize) -> usize {
    1 + text.bytes().take(at).filter(|byte| *byte == b'\n').count()
}

#[cfg(test)]
#[path = "read_tests.rs"]
mod tests;
