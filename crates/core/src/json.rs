//! Numbers as JSON spells them.

/// A number as JSON spells it, but that a plus may stand before it. None for all else: `inf`, `nan`, what is beyond an [`f64`].
///
/// Results are read with this reader of numbers, to the last bit too. The standard library's would be a second one in the page, with a table
/// of ten kilobytes that no compression makes smaller.
#[must_use]
pub(crate) fn number(text: &str) -> Option<f64> {
    serde_json::from_str(text.strip_prefix('+').unwrap_or(text)).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_no_number_is_none() {
        assert_eq!(["+1.5", "2", "1E3", "-0.25"].map(number), [Some(1.5), Some(2.0), Some(1000.0), Some(-0.25)]);
        for text in ["", "+", "++1", "inf", "nan", "1e400", "1 s", "0x10", "[1]", "null"] {
            assert_eq!(number(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn it_reads_what_the_standard_library_reads(bits: u64) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            for text in [format!("{value}"), format!("{value:?}"), format!("{value:.9e}")] {
                prop_assert_eq!(number(&text).map(f64::to_bits), text.parse().ok().map(f64::to_bits), "{}", text);
            }
        }
    }
}
