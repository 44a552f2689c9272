//! Pieces of sentences: counts with their nouns, capitals, and text from outside made harmless.

use std::iter;

/// A count with its noun: `1 round`, `2 rounds`.
pub(super) fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Text from outside on one line: line breaks, control characters and those that change the direction of what follows
/// become spaces, so that an error or a user agent cannot redraw a terminal or reorder a table.
#[must_use]
pub fn one_line(text: &str) -> String {
    let reorders = |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let words = text.split(|c: char| c.is_whitespace() || c.is_control() || reorders(c)).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// A space that no line is broken at.
pub(super) const UNBROKEN: char = '\u{a0}';

/// Text in which a number and its unit stay on one line.
pub(super) fn unbroken(text: &str) -> String {
    const UNITS: [&str; 12] = ["B", "KiB", "MiB", "GiB", "KiB/s", "MiB/s", "GiB/s", "ns", "µs", "ms", "s", "%"];
    let mut unbroken = String::with_capacity(text.len());
    for word in text.split(' ') {
        let bare = word.trim_end_matches([',', ';', '.', ':', ')', '?']);
        let after_number = unbroken.ends_with(|last: char| last.is_ascii_digit());
        unbroken.push(if after_number && UNITS.contains(&bare) { UNBROKEN } else { ' ' });
        unbroken += word;
    }
    unbroken.split_off(1)
}

/// Text with its first letter in upper case where that is a letter of English, for a heading or the beginning of a sentence.
pub(super) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| iter::once(first.to_ascii_uppercase()).chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_outside_stays_on_its_line() {
        assert_eq!(one_line("a\n b\u{1b}[31mred\u{202e}x\0"), "a b [31mred x");
        assert_eq!(one_line(""), "");
    }

    #[test]
    fn a_number_keeps_its_unit() {
        assert_eq!(
            unbroken("in order by 1 MiB; and 99 % of 4 s), a 3 mild"),
            "in order by 1\u{a0}MiB; and 99\u{a0}% of 4\u{a0}s), a 3 mild"
        );
        assert_eq!(unbroken(""), "");
        assert_eq!(unbroken(" s "), " s ");
    }

    #[test]
    fn words_join_into_sentences() {
        assert_eq!(capitalised("random"), "Random");
        assert_eq!(capitalised("50 files"), "50 files");
        assert_eq!(capitalised(""), "");
        assert_eq!([count(0, "round"), count(1, "round"), count(2, "round")], ["0 rounds", "1 round", "2 rounds"]);
    }
}
