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
        // Nearly every token is text, and most are text without a mark but at the start.
        let token = String::from_utf8_lossy(token);
        if self.how.byte_fallback
            && let Some(byte) = fallback_byte(&token)
        {
            return self.bytes.push(byte);
        }
        self.finish(out);
        if token == self.how.unk {
            self.at_start &= self.how.unk_surface.is_empty();
            return out.extend_from_slice(self.how.unk_surface.as_bytes());
        }
        let stripped = token.strip_prefix(MARK).filter(|_| self.at_start);
        let mut text = stripped.unwrap_or(&token).as_bytes();
        self.at_start &= text.is_empty() && (stripped.is_none() || self.how.leading == Leading::Each);
        let mark = MARK.as_bytes();
        while let Some(at) = memchr::memchr(mark[0], text) {
            // Other characters begin with the same byte.
            let (kept, width) = if text[at..].starts_with(mark) { (at, mark.len()) } else { (at + 1, 0) };
            out.extend_from_slice(&text[..kept]);
            if width > 0 {
                out.push(b' ');
            }
            text = &text[kept + width..];
        }
        out.extend_from_slice(text);
    }

    /// The characters that bytes are, and for each that is part of none U+FFFD.
    pub(super) fn finish(&mut self, out: &mut Vec<u8>) {
        self.finish_bytes(out, |_, _| {});
    }

    /// The same. `each` is told how many bytes have become a character that ends at a place.
    fn finish_bytes(&mut self, out: &mut Vec<u8>, mut each: impl FnMut(usize, usize)) {
        if self.bytes.is_empty() {
            return;
        }
        self.at_start = false;
        for chunk in self.bytes.utf8_chunks() {
            for character in chunk.valid().chars() {
                out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                each(character.len_utf8(), out.len());
            }
            for _ in chunk.invalid() {
                out.extend_from_slice("\u{FFFD}".as_bytes());
                each(1, out.len());
            }
        }
        self.bytes.clear();
    }
}

/// What a piece is to decoding.
#[derive(Debug, Clone, Copy)]
pub(crate) enum PieceText<'a> {
    /// A control symbol.
    Hidden,
    Token(&'a [u8]),
    /// No piece of the model: itself.
    Verbatim(&'a [u8]),
}

impl SentencePieces {
    /// The text of pieces, and where the part of each ends. If several bytes are one character, the last one has it.
    pub(crate) fn placed<'a>(&self, pieces: impl IntoIterator<Item = PieceText<'a>>) -> (Vec<u8>, Vec<usize>) {
        let (mut joined, mut out, mut ends) = (Joined::new(self), Vec::new(), Vec::new());
        let finish = |joined: &mut Joined, out: &mut Vec<u8>, ends: &mut Vec<usize>| {
            joined.finish_bytes(out, |bytes, end| {
                let before = ends.last().copied().unwrap_or(0);
                ends.extend(std::iter::repeat_n(before, bytes - 1).chain([end]));
            });
        };
        for piece in pieces {
            if let PieceText::Token(token) = piece
                && let Some(byte) = fallback_byte(&String::from_utf8_lossy(token)).filter(|_| self.byte_fallback)
            {
                joined.bytes.push(byte);
                continue;
            }
            finish(&mut joined, &mut out, &mut ends);
            match piece {
                PieceText::Hidden => {}
                PieceText::Token(token) => joined.push(token, &mut out),
                PieceText::Verbatim(text) => {
                    joined.at_start &= text.is_empty();
                    out.extend_from_slice(text);
                }
            }
            ends.push(out.len());
        }
        finish(&mut joined, &mut out, &mut ends);
        (out, ends)
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
