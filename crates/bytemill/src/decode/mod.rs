//! Decode: ids → bytes → text.

mod cleanup;
mod spacing;
mod stream;

use memchr::memmem;
use serde::{Deserialize, Serialize};

pub use cleanup::clean_up;
pub use spacing::{SPACING_PATTERN, Spacing};
pub use stream::{Stream, Utf8Tail};

/// How tokens are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decoder {
    /// One after the other.
    Concat,
    /// With a space between two, as `tokenizers` does where a file names no decoder.
    Spaced,
    /// With a space between two, less those that punctuation does not want: see `spacing`.
    Words,
    /// One after the other, `</w>` being a space, and nothing at the end.
    EndOfWord,
}

/// What marks the last token of a word.
pub const END_OF_WORD: &str = "</w>";

/// Joins tokens one by one: each call appends what is certain by then.
#[derive(Debug, Clone)]
pub struct Joiner {
    decoder: Decoder,
    spacing: Spacing,
    first: bool,
    /// A token with the end of a word in it, which is a space if another token follows.
    held: Vec<u8>,
}

impl Joiner {
    pub fn new(decoder: Decoder) -> Self {
        Joiner { decoder, spacing: Spacing::default(), first: true, held: Vec::new() }
    }

    pub fn push(&mut self, token: &[u8], out: &mut Vec<u8>) {
        let first = std::mem::take(&mut self.first);
        let space: &[u8] = if first { b"" } else { b" " };
        match self.decoder {
            Decoder::Concat => out.extend_from_slice(token),
            Decoder::Spaced => {
                out.extend_from_slice(space);
                out.extend_from_slice(token);
            }
            Decoder::Words => {
                self.spacing.push(space, out);
                self.spacing.push(token, out);
            }
            Decoder::EndOfWord => {
                self.release(b" ", out);
                if memmem::find(token, END_OF_WORD.as_bytes()).is_some() {
                    self.held.extend_from_slice(token);
                } else {
                    out.extend_from_slice(token);
                }
            }
        }
    }

    /// Gives the token that was held, each end of a word in it being `space`.
    fn release(&mut self, space: &[u8], out: &mut Vec<u8>) {
        let held = std::mem::take(&mut self.held);
        let mut from = 0;
        for at in memmem::find_iter(&held, END_OF_WORD.as_bytes()) {
            out.extend_from_slice(&held[from..at]);
            out.extend_from_slice(space);
            from = at + END_OF_WORD.len();
        }
        out.extend_from_slice(&held[from..]);
    }

    pub fn finish(&mut self, out: &mut Vec<u8>) {
        self.release(b"", out);
        self.spacing.finish(out);
    }
}
