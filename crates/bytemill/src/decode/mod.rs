//! Decode: ids → bytes → text.

mod spacing;
mod stream;

use serde::{Deserialize, Serialize};

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
}

/// Joins tokens one by one: each call appends what is certain by then.
#[derive(Debug, Clone)]
pub struct Joiner {
    decoder: Decoder,
    spacing: Spacing,
    first: bool,
}

impl Joiner {
    pub fn new(decoder: Decoder) -> Self {
        Joiner { decoder, spacing: Spacing::default(), first: true }
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
        }
    }

    pub fn finish(&mut self, out: &mut Vec<u8>) {
        self.spacing.finish(out);
    }
}
