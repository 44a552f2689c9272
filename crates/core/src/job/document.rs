//! What a job may say, for people and for editors: `docs/job.schema.json` and the tables of `docs/jobs.md`, both made from the types.
//!
//! `BLESS=1 cargo test -p opfs-bench-core --lib` writes them anew; without it, this fails where they are not what the types say.

use std::borrow::Cow;
use std::fmt::Write;
use std::path::PathBuf;
use std::{env, fs};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema, schema_for};
use serde_json::{Map, Value, json};

use super::check;
use super::names::written_fields;
use super::{BadJob, Group, Job, MethodName};
use crate::units::Bytes;

/// In `docs/jobs.md`, the tables stand between these two lines.
const BEGIN: &str = "<!-- These tables are made from the types: BLESS=1 cargo test -p opfs-bench-core --lib -->\n";
const END: &str = "<!-- The end of what is made from the types. -->\n";

impl JsonSchema for Bytes {
    fn schema_name() -> Cow<'static, str> {
        "Bytes".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A whole number of bytes, or one with a unit: \"4 KiB\", \"1 MB\", fio's \"4k\".",
            "anyOf": [
                { "type": "integer", "minimum": 0 },
                { "type": "string", "pattern": "^\\s*[0-9]+\\s*([bB]|[kKmMgG]([iI]?[bB])?)?\\s*$" }
            ]
        })
    }
}

impl JsonSchema for MethodName {
    fn schema_name() -> Cow<'static, str> {
        "MethodName".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A method's name: thread/api. docs/methods.md lists all.",
            "type": "string",
            "pattern": "^[a-z]+/"
        })
    }
}

/// The schema, with what the types alone do not say: limits and defaults.
fn schema() -> Value {
    let mut schema = schema_for!(Job).to_value();
    schema["title"] = json!("A job of opfs-bench");
    complete(&mut schema["properties"], true);
    complete(&mut schema["$defs"]["Group"]["properties"], false);
    // In one order, whether or not another crate of the build has serde_json keep that in which fields were put in.
    schema.sort_all_objects();
    schema
}

fn complete(properties: &mut Value, of_job: bool) {
    for (field, property) in properties.as_object_mut().expect("a struct has properties") {
        let property = property.as_object_mut().expect("each is described");
        if let Some((least, most)) = limits(field) {
            property.insert("minimum".into(), least.into());
            property.insert("maximum".into(), most.into());
        }
        if matches!(field.as_str(), "group" | "methods") {
            property.insert("minItems".into(), 1.into());
            property.insert("maxItems".into(), check::MOST_ENTRIES.into());
        }
        if field == "name" {
            property.insert("pattern".into(), "^[a-z0-9-]{1,64}$".into());
        }
        // TOML has no null: what is not there is left out.
        if let Some(Value::Array(types)) = property.get("type") {
            let kind = types[0].clone();
            property.insert("type".into(), kind);
        }
        property.remove("format");
        property.remove("default");
        if let Some(default) = default(field, property, of_job).filter(|default| !default.is_null()) {
            property.insert("default".into(), default);
        }
        if let Some(Value::String(text)) = property.get_mut("description") {
            *text = plain(text);
        }
    }
}

/// A doc comment without the links to code that it may hold in parentheses.
fn plain(comment: &str) -> String {
    let mut text = comment.split_whitespace().collect::<Vec<_>>().join(" ");
    while let Some((before, after)) = text.split_once(" ([`") {
        text = format!("{before}{}", after.split_once(')').map_or("", |(_, rest)| rest));
    }
    text
}

fn limits(field: &str) -> Option<(u64, u64)> {
    match field {
        "bs" => Some((1, check::LARGEST_BLOCK.0)),
        "size" => Some((1, check::LARGEST_SIZE.0)),
        other => check::range(other),
    }
}

/// A job in which one field is another, as a file says it.
fn job_with(field: &str, value: Option<&Value>, of_job: bool) -> Result<Job, BadJob> {
    let mut group = json!({
        "name": "g", "title": "", "rw": "randread", "bs": 1, "size": 4096, "open": "each", "baseline": "main/slice", "methods": ["worker/sync"]
    });
    let mut job = json!({"name": "j", "title": "", "budget_s": 1, "storage": 1_u64 << 41});
    let changed = if of_job { &mut job } else { &mut group };
    match value {
        Some(value) => changed[field] = value.clone(),
        None => _ = changed.as_object_mut().expect("it is one").remove(field),
    }
    let text = toml::to_string(&job).expect("plain data");
    Job::from_toml(&format!("{text}\n[[group]]\n{}", toml::to_string(&group).expect("plain data")))
}

/// What a field is where a file leaves it out: the value that makes no difference. Null where it is then absent; none where it must stand there.
fn default(field: &str, property: &Map<String, Value>, of_job: bool) -> Option<Value> {
    let without = job_with(field, None, of_job).ok().filter(|_| field != "group")?;
    let choices = choices(property).into_iter().map(Value::from);
    let numbers = (0..=1024).map(Value::from);
    let others = [json!(false), json!(true), json!("")];
    Some(
        choices
            .chain(numbers)
            .chain(others)
            .find(|value| job_with(field, Some(value), of_job).is_ok_and(|with| with == without))
            .unwrap_or_default(),
    )
}

/// What a reference leads to.
fn resolved(property: &Map<String, Value>) -> Value {
    let definitions = schema_for!(Job).to_value();
    let name = property.get("$ref").and_then(Value::as_str).and_then(|path| path.rsplit('/').next());
    name.map_or_else(|| Value::Object(property.clone()), |name| definitions["$defs"][name].clone())
}

/// The words that a field may be. None for all other kinds.
fn choices(property: &Map<String, Value>) -> Vec<String> {
    words(property).into_iter().map(|(word, _)| word).collect()
}

/// The same, each with what it means.
fn words(property: &Map<String, Value>) -> Vec<(String, String)> {
    let schema = resolved(property);
    let one_of = schema["oneOf"].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let listed = schema["enum"].as_array().cloned().unwrap_or_default();
    let listed = listed.iter().filter(|value| value.is_string()).map(|value| (text(value), String::new()));
    one_of.iter().map(|one| (text(&one["const"]), plain(&text(&one["description"])))).chain(listed).collect()
}

fn allowed(property: &Map<String, Value>) -> String {
    let number = |name: &str| property.get(name).and_then(Value::as_u64);
    let limits = number("minimum").zip(number("maximum"));
    let kind = |name: &str| resolved(property)["type"].as_str() == Some(name);
    let words = words(property);
    if !words.is_empty() {
        return words
            .iter()
            .map(|(word, meaning)| format!("`\"{word}\"`: {}", meaning.trim_end_matches('.')))
            .collect::<Vec<_>>()
            .join("; ");
    }
    if property.get("$ref").is_some_and(|to| to == "#/$defs/Bytes") {
        return limits.map_or_else(|| "a size".into(), |(least, most)| format!("a size, {} to {}", Bytes(least), Bytes(most)));
    }
    if property.get("$ref").is_some_and(|to| to == "#/$defs/MethodName") {
        return "a method's name".into();
    }
    if kind("array") {
        let of = if property["items"]["$ref"] == "#/$defs/Group" { "tables, `[[group]]` each" } else { "methods' names" };
        return format!("{} to {} {of}", property["minItems"], property["maxItems"]);
    }
    if kind("integer") || kind("number") {
        let whole = if kind("integer") { "a whole number" } else { "a number" };
        return limits.map_or_else(|| whole.into(), |(least, most)| format!("{whole}, {least} to {most}"));
    }
    if kind("boolean") {
        return "`true` or `false`".into();
    }
    if property.contains_key("pattern") { "1 to 64 lower-case letters, digits and hyphens".into() } else { "text".into() }
}

/// A table of a struct's fields, in the order in which the type has them.
fn table(properties: &Value, fields: &[&str], of_job: bool) -> String {
    let mut table = "| field | default | allowed | |\n|---|---|---|---|\n".to_owned();
    for field in fields {
        let property = properties[*field].as_object().unwrap_or_else(|| panic!("{field} is not in the schema"));
        let default = match default(field, property, of_job) {
            None => "must be given".to_owned(),
            Some(Value::Null) => "none".to_owned(),
            Some(value) => format!("`{value}`"),
        };
        let says = property.get("description").and_then(Value::as_str).unwrap_or_default();
        let _ = writeln!(table, "| `{field}` | {default} | {} | {says} |", allowed(property));
    }
    table
}

fn tables(schema: &Value) -> String {
    format!(
        "\n### The job\n\n{}\n### A group: `[[group]]`\n\n{}\n",
        table(&schema["properties"], written_fields::<Job>(), true),
        table(&schema["$defs"]["Group"]["properties"], written_fields::<Group>(), false)
    )
}

fn documents() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

#[test]
fn the_schema_and_the_tables_are_what_the_types_say() {
    let schema = schema();
    let text = serde_json::to_string_pretty(&schema).expect("plain data") + "\n";
    let (schema_file, document) = (documents().join("job.schema.json"), documents().join("jobs.md"));
    let read = |path: &PathBuf| fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let page = read(&document);
    let (before, rest) = page.split_once(BEGIN).expect("docs/jobs.md holds the line before its tables");
    let (_, after) = rest.split_once(END).expect("docs/jobs.md holds the line after its tables");
    let wanted = format!("{before}{BEGIN}{}{END}{after}", tables(&schema));
    if env::var_os("BLESS").is_some() {
        fs::write(&schema_file, &text).expect("the schema can be written");
        fs::write(&document, &wanted).expect("the document can be written");
    }
    for (path, wanted) in [(schema_file, text), (document, wanted)] {
        let found = read(&path);
        let differs = found.lines().zip(wanted.lines()).find(|(found, wanted)| found != wanted);
        assert!(found == wanted, "{}: {differs:#?}\nIf the types are right, BLESS=1 cargo test", path.display());
    }
}

/// A number within the schema's limits is none that the check refuses by itself, and beside them it is one; where the schema has none, so has
/// the check. What the check says of several fields together is no limit of one.
#[test]
fn the_limits_of_the_schema_are_those_of_the_check() {
    let schema = schema();
    for (properties, of_job) in [(&schema["properties"], true), (&schema["$defs"]["Group"]["properties"], false)] {
        for (field, property) in properties.as_object().expect("properties") {
            let property = property.as_object().expect("described");
            let kind = allowed(property);
            if !["a whole number", "a number", "a size"].iter().any(|number| kind.starts_with(number)) {
                continue;
            }
            let refused = |value: u64| {
                let mistakes = job_with(field, Some(&value.into()), of_job).map_or_else(|bad| bad.mistakes, |_| Vec::new());
                mistakes.into_iter().any(|mistake| mistake.field.as_deref() == Some(field) && mistake.problem.contains("; allowed are"))
            };
            let limit = |name| property.get(name).and_then(Value::as_u64);
            match limit("minimum").zip(limit("maximum")) {
                Some((least, most)) => {
                    assert_eq!([least - 1, least, most, most + 1].map(refused), [true, false, false, true], "{field}: {least} to {most}");
                }
                None => assert_eq!([0, u32::MAX.into()].map(refused), [false, false], "{field} has limits: add them to check::range"),
            }
        }
    }
}
