//! The joining of SentencePiece: marks are spaces, the one that was put before the text goes, bytes become characters.

use serde::{Deserialize, Serialize};

use super::chain::fallback_byte;
use crate::normalize::MARK;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SentencePieces {
    /// The token for what is unknown, and what it becomes.
    pub unk: String,
    pub unk_surface: String,
    pub byte_fallback: bool,
    pub leading: Leading,
}

/// What becomes of marks before the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Leading {
    Kept,
    /// One goes.
    One,
    /// One of each token goes, until there is text.
    Each,
}

/// On the way through tokens.
#[derive(Debug, Clone)]
pub(super) struct Joined {
    how: SentencePieces,
    /// Whether a mark would be before the text.
    at_start: bool,
    bytes: Vec<u8>,
}

impl Joined {
    pub(super) fn new(how: &SentencePieces) -> Self {
        Joined { how: how.clone(), at_start: how.leading != Leading::Kept, bytes: Vec::new() }
    }

    pub(super) fn push(&mut self, token: &[u8], out: &mut Vec<u8>) {
        let token = String::from_utf8_lossy(token);
        if let Some(byte) = fallback_byte(&token).filter(|_| self.how.byte_fallback) {
            return self.bytes.push(byte);
        }
        self.finish(out);
        if token == self.how.unk {
            self.at_start &= self.how.unk_surface.is_empty();
            return out.extend_from_slice(self.how.unk_surface.as_bytes());
        }
        let stripped = token.strip_prefix(MARK).filter(|_| self.at_start);
        let text = stripped.unwrap_or(&token);
        self.at_start &= text.is_empty() && (stripped.is_none() || self.how.leading == Leading::Each);
        out.extend_from_slice(text.replace(MARK, " ").as_bytes());
    }

    /// The characters that bytes are, and for each that is part of none U+FFFD.
    pub(super) fn finish(&mut self, out: &mut Vec<u8>) {
        if self.bytes.is_empty() {
            return;
        }
        self.at_start = false;
        for chunk in self.bytes.utf8_chunks() {
            out.extend_from_slice(chunk.valid().as_bytes());
            chunk.invalid().iter().for_each(|_| out.extend_from_slice("\u{FFFD}".as_bytes()));
        }
        self.bytes.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(leading: Leading, tokens: &[&str]) -> String {
        let how = SentencePieces { unk: "<unk>".into(), unk_surface: " ⁇ ".into(), byte_fallback: true, leading };
        let (mut joined, mut out) = (Joined::new(&how), Vec::new());
        tokens.iter().for_each(|token| joined.push(token.as_bytes(), &mut out));
        joined.finish(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn marks_before_the_text() {
        assert_eq!(joined(Leading::One, &["▁", "▁a▁b", "▁c"]), " a b c");
        assert_eq!(joined(Leading::Each, &["▁", "▁▁a", "▁c"]), " a c");
        assert_eq!(joined(Leading::Kept, &["▁a"]), " a");
        assert_eq!(joined(Leading::One, &["<unk>", "▁a"]), " ⁇  a");
    }

    #[test]
    fn bytes_are_characters_or_replaced_one_by_one() {
        assert_eq!(joined(Leading::One, &["▁a", "<0xC3>", "<0xA9>", "<0xE2>", "<0x96>", "b"]), "aé\u{FFFD}\u{FFFD}b");
    }
}
