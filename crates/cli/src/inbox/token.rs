//! The secret of one run of the server: only who was given its address may send something.

use std::fmt;

use anyhow::{Context, Result};

/// 128 random bits, as 32 hexadecimal digits.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// A new one.
    ///
    /// # Errors
    /// When the system has no randomness.
    pub fn new() -> Result<Self> {
        let mut bits = [0; 16];
        getrandom::fill(&mut bits).context("the system gives no random bits for the token")?;
        Ok(Self(format!("{:032x}", u128::from_be_bytes(bits))))
    }

    /// For the address.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is the token. Takes as long for one wrong digit as for another.
    #[must_use]
    pub fn is(&self, other: &str) -> bool {
        self.0.len() == other.len() && self.0.bytes().zip(other.bytes()).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
    }
}

/// It must not get into a log.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_token_is_its_own_and_only_the_whole_one_counts() {
        let (one, another) = (Token::new().expect("random"), Token::new().expect("random"));
        assert!(one.as_str().len() == 32 && one.as_str().bytes().all(|digit| digit.is_ascii_hexdigit()), "{}", one.as_str());
        assert!(one.is(one.as_str()) && !one.is(another.as_str()));
        for wrong in ["", &one.as_str()[1..], &format!("{}0", one.as_str()), &one.as_str().to_uppercase().replace(char::is_numeric, "0")] {
            assert!(!one.is(wrong), "{wrong}");
        }
        assert!(!format!("{one:?}").contains(one.as_str()));
    }
}
