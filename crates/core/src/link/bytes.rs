//! Bytes as a link carries them: whole numbers of few bytes where they are small, texts with their length, all of it in base64url (RFC 4648)
//! without padding.

/// The digits of base64url.
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

pub(super) fn to_text(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 4 / 3 + 2);
    for three in bytes.chunks(3) {
        let bits = three.iter().fold(0, |bits, byte| bits << 8 | usize::from(*byte)) << (8 * (3 - three.len()));
        for digit in 0..=three.len() {
            text.push(char::from(DIGITS[bits >> (18 - 6 * digit) & 63]));
        }
    }
    text
}

/// None where it is no such text.
pub(super) fn from_text(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    for four in text.as_bytes().chunks(4) {
        let mut bits = 0;
        for digit in four {
            bits = bits << 6 | DIGITS.iter().position(|known| known == digit)?;
        }
        let bits = u32::try_from(bits << (6 * (4 - four.len()))).ok()?;
        bytes.extend(&bits.to_be_bytes()[1..four.len()]);
    }
    (text.len() % 4 != 1).then_some(bytes)
}

/// Writes from the beginning to the end.
#[derive(Default)]
pub(super) struct Writer(pub(super) Vec<u8>);

impl Writer {
    pub(super) fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    /// Seven bits a byte, the lowest first; the eighth says that another byte follows.
    pub(super) fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number.to_le_bytes()[0] | 0x80);
            number >>= 7;
        }
        self.0.push(number.to_le_bytes()[0]);
    }

    /// Small where its distance from zero is.
    pub(super) fn signed(&mut self, number: i64) {
        self.number((number.cast_unsigned() << 1) ^ (number >> 63).cast_unsigned());
    }

    /// A text, cut after so many bytes at most.
    pub(super) fn text(&mut self, text: &str, most: usize) {
        let end = text.char_indices().map(|(at, letter)| at + letter.len_utf8()).take_while(|end| *end <= most).last();
        let text = &text[..end.unwrap_or(0)];
        self.number(text.len() as u64);
        self.0.extend(text.as_bytes());
    }
}

/// Reads what a [`Writer`] wrote. None once there is no more, or something else.
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        Some(self.take(1)?[0])
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..63).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    pub(super) fn signed(&mut self) -> Option<i64> {
        let number = self.number()?;
        Some((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }

    /// A number of things, each of which takes a byte at least, so that no more is made room for than there can be.
    pub(super) fn count(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok().filter(|count| *count <= self.0.len())
    }

    pub(super) fn text(&mut self) -> Option<String> {
        let length = self.count()?;
        String::from_utf8(self.take(length)?.to_vec()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        // The examples of RFC 4648, section 10, without padding; then its two digits of its own.
        for (bytes, text) in
            [("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(to_text(bytes.as_bytes()), text);
            assert_eq!(from_text(text).as_deref(), Some(bytes.as_bytes()));
        }
        assert_eq!(to_text(&[0xfb, 0xff]), "-_8");
        for text in ["A", "AAAAA", "Zg==", "Z g", "+/+/", "é"] {
            assert_eq!(from_text(text), None, "{text}");
        }
    }

    #[test]
    fn what_was_written_is_read() {
        let mut writer = Writer::default();
        for number in [0, 1, 127, 128, 300, u64::from(u32::MAX)] {
            writer.number(number);
        }
        for number in [0, -1, 1, -64, 64, -1_000_000, i64::from(i32::MIN)] {
            writer.signed(number);
        }
        writer.text("größer", 3);
        let mut reader = Reader(&writer.0);
        for number in [0, 1, 127, 128, 300, u64::from(u32::MAX)] {
            assert_eq!(reader.number(), Some(number));
        }
        for number in [0, -1, 1, -64, 64, -1_000_000, i64::from(i32::MIN)] {
            assert_eq!(reader.signed(), Some(number));
        }
        assert_eq!(reader.text().as_deref(), Some("gr"));
        assert_eq!((reader.byte(), reader.number(), reader.text()), (None, None, None));
    }
}
