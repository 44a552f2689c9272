//! The names that a type's fields have in a file, asked of the type itself: serde hands them to whoever reads one.

use serde::de::value::Error;
use serde::de::{Deserialize, Deserializer, Error as _, Visitor};
use serde::forward_to_deserialize_any;

/// The names of a struct's fields, in their order.
fn fields_of<'de, T: Deserialize<'de>>() -> &'static [&'static str] {
    let mut names: &'static [&'static str] = &[];
    // It ends with an error, once it has the names.
    let _ = T::deserialize(Asked(&mut names));
    names
}

/// Fields that results have and no file of a person's: what was made of own files.
const RECORDED: [&str; 2] = ["left_out", "own"];

/// The names that a struct's fields may have in a job's file: those at the end that are recorded only are not among them.
pub(super) fn written_fields<'de, T: Deserialize<'de>>() -> &'static [&'static str] {
    let fields = fields_of::<T>();
    let recorded = fields.iter().rev().take_while(|field| RECORDED.contains(field)).count();
    &fields[..fields.len() - recorded]
}

struct Asked<'a>(&'a mut &'static [&'static str]);

impl<'de> Deserializer<'de> for Asked<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("only a struct has fields"))
    }

    fn deserialize_struct<V: Visitor<'de>>(self, _: &'static str, names: &'static [&'static str], visitor: V) -> Result<V::Value, Error> {
        *self.0 = names;
        self.deserialize_any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct seq tuple
        tuple_struct map enum identifier ignored_any
    }
}

/// The name that was probably meant: the one that is the fewest changes away, and not more than a third of it.
pub(super) fn nearest<'a>(found: &str, names: &[&'a str]) -> Option<&'a str> {
    let found = found.to_ascii_lowercase().replace('-', "_");
    let (name, changes) = names.iter().map(|name| (*name, changes(&found, name))).min_by_key(|(_, changes)| *changes)?;
    (changes <= 1 + name.len() / 4).then_some(name)
}

/// Levenshtein's distance: how many letters must be put in, taken out or replaced.
fn changes(from: &str, to: &str) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in to.bytes().enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{Group, Job, Rw};

    #[test]
    fn a_struct_says_what_its_fields_are_called_in_a_file() {
        assert_eq!(written_fields::<Job>(), ["name", "title", "budget_s", "storage", "group"]);
        assert!(written_fields::<Group>().contains(&"iodepth"));
        assert!(fields_of::<Group>().ends_with(&["methods", "own"]) && written_fields::<Group>().ends_with(&["methods"]));
        assert!(fields_of::<Rw>().is_empty());
    }

    #[test]
    fn a_name_with_few_changes_was_meant() {
        let names = fields_of::<Group>();
        for (found, meant) in [
            ("io_depth", Some("iodepth")),
            ("iodpeth", Some("iodepth")),
            ("Size", Some("size")),
            ("nr-files", Some("nrfiles")),
            ("method", Some("methods")),
            ("speed", None),
            ("", None),
        ] {
            assert_eq!(nearest(found, names), meant, "{found}");
        }
        for (from, to, few) in [("", "abc", 3), ("kitten", "sitting", 3), ("same", "same", 0), ("ab", "ba", 2)] {
            assert_eq!((changes(from, to), changes(to, from)), (few, few), "{from} {to}");
        }
    }
}
