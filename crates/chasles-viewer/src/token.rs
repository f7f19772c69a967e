//! Secrets that authenticate clients.

use std::fmt::{self, Write as _};

use subtle::ConstantTimeEq as _;

/// The minimum length of a chosen secret; a shorter one could be guessed.
const MIN_LENGTH: usize = 16;

/// The maximum length; a longer text is likely a mistake.
const MAX_LENGTH: usize = 256;

/// A secret. `Debug` does not show it.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// Generates a secret: 128 bits from the random number generator of the system, in hexadecimal.
    ///
    /// # Errors
    /// A message, if the system has no such generator.
    pub fn random() -> Result<Self, String> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)
            .map_err(|error| format!("no random numbers from the system for a token: {error}"))?;
        let mut text = String::new();
        for byte in bytes {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
        }
        Ok(Self(text))
    }

    /// Accepts a chosen secret: 16 to 256 letters, digits, or `-`, `.`, `_`, `~`, which need no escape in URLs.
    ///
    /// # Errors
    /// A message, if the text does not fit. It does not repeat the secret.
    pub fn from_text(text: &str) -> Result<Self, String> {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        if let Some(position) = text.bytes().position(|byte| !fits(byte)) {
            return Err(format!(
                "found another sign at byte {position} of the token, expected letters, digits, - . _ or ~"
            ));
        }
        if !(MIN_LENGTH..=MAX_LENGTH).contains(&text.len()) {
            return Err(format!(
                "found a token of {} signs, expected {MIN_LENGTH} to {MAX_LENGTH}: it must not be guessed",
                text.len()
            ));
        }
        Ok(Self(text.to_owned()))
    }

    /// Returns the secret.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether `found` equals the secret. The time of the comparison depends only on the lengths.
    #[must_use]
    pub fn is(&self, found: &[u8]) -> bool {
        self.0.as_bytes().ct_eq(found).into()
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn tokens_are_new_each_time_and_compared_as_a_whole() {
        let all: BTreeSet<String> = (0..100).map(|_| Token::random().unwrap().as_str().to_owned()).collect();
        assert_eq!(all.len(), 100);
        let token = Token::random().unwrap();
        let text = token.as_str().to_owned();
        assert!(text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit()));
        assert!(token.is(text.as_bytes()) && Token::from_text(&text).unwrap().is(text.as_bytes()));
        for end in 0..32 {
            assert!(!token.is(&text.as_bytes()[..end]));
            let mut other = text.clone().into_bytes();
            other[end] ^= 1;
            assert!(!token.is(&other), "{end}");
        }
        assert!(!token.is(format!("{text}0").as_bytes()) && !token.is(b""));
        assert_eq!(format!("{token:?}"), "Token(..)");
    }

    #[test]
    fn tokens_that_could_be_guessed_are_refused() {
        assert!(Token::from_text("0123456789-._~aZ").is_ok());
        let error = |text: &str| Token::from_text(text).unwrap_err();
        assert!(error("").starts_with("found a token of 0 signs"));
        assert!(error("0123456789abcde").starts_with("found a token of 15 signs"));
        assert!(error(&"a".repeat(257)).starts_with("found a token of 257 signs"));
        assert!(error("0123456789abcdef;").starts_with("found another sign at byte 16"));
        assert!(error("0123456789 abcdef").starts_with("found another sign at byte 10"));
    }
}
