//! Decode: ids → bytes → text.

mod chain;
mod cleanup;
mod concat;
mod graphemes;
mod sentencepiece;
mod spacing;
mod stream;

use memchr::memmem;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

use chain::DecodeStage;
pub(crate) use chain::DecodeStep;
pub use cleanup::clean_up;
pub(crate) use concat::{ShortTokens, concat};
use sentencepiece::Joined;
pub(crate) use sentencepiece::{Leading, PieceText, SentencePieces};
pub(crate) use spacing::{Spacing, spacing_pattern};
pub use stream::Stream;

/// How tokens are joined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decoder {
    /// One after the other.
    Concat,
    /// One after the other, tokens `<0x41>` being that byte.
    Bytes,
    /// With a space between two, as `tokenizers` does where a file names no decoder.
    Spaced,
    /// With a space between two, less those that punctuation does not want: see `spacing`.
    Words,
    /// Bytes one after the other, `</w>` being a space, and nothing at the end.
    EndOfWord,
    /// Through one step after the other, then one after the other.
    Chain(Vec<DecodeStep>),
    /// By a decoder that sees byte-level tokens as tokenizer.json writes them, in the alphabet of bytes.
    Written(Box<Decoder>),
    /// As SentencePiece does.
    #[serde(rename = "sentencepiece")]
    SentencePiece(SentencePieces),
}

/// The most steps of a chain. A token goes from one to the next on the stack, which a thread may have little of.
const MOST_STEPS: usize = 64;

impl Decoder {
    /// Refuses what no token could go through.
    pub(crate) fn check(&self) -> Result<()> {
        match self {
            Decoder::Chain(steps) if steps.len() > MOST_STEPS => Err(Error::Spec(format!(
                "{} decoders one after the other are too many: at most {MOST_STEPS} are supported",
                steps.len()
            ))),
            Decoder::Written(decoder) => decoder.check(),
            _ => Ok(()),
        }
    }
}

/// What marks the last token of a word.
pub(crate) const END_OF_WORD: &str = "</w>";

/// Joins tokens one by one: each call appends what is certain by then.
#[derive(Debug, Clone)]
pub struct Joiner {
    joining: Joining,
    first: bool,
}

#[derive(Debug, Clone)]
enum Joining {
    Concat,
    Bytes,
    Spaced,
    Words(Spacing),
    /// The token before, which had the end of a word in it: a space, if another token follows.
    EndOfWord(Vec<u8>),
    Chain(Vec<DecodeStage>),
    SentencePiece(Joined),
}

impl Joiner {
    pub fn new(decoder: &Decoder) -> Self {
        let joining = match decoder {
            Decoder::Concat => Joining::Concat,
            Decoder::Bytes => Joining::Bytes,
            Decoder::Spaced => Joining::Spaced,
            Decoder::Words => Joining::Words(Spacing::default()),
            Decoder::EndOfWord => Joining::EndOfWord(Vec::new()),
            Decoder::Chain(steps) => Joining::Chain(chain::stages(steps)),
            // The caller that pushes tokens has written them.
            Decoder::Written(decoder) => return Joiner::new(decoder),
            Decoder::SentencePiece(how) => Joining::SentencePiece(Joined::new(how)),
        };
        Joiner { joining, first: true }
    }

    pub fn push(&mut self, token: &[u8], out: &mut Vec<u8>) {
        let first = std::mem::take(&mut self.first);
        let space: &[u8] = if first { b"" } else { b" " };
        match &mut self.joining {
            Joining::Concat => out.extend_from_slice(token),
            Joining::Bytes => match std::str::from_utf8(token).ok().and_then(chain::fallback_byte) {
                Some(byte) => out.push(byte),
                None => out.extend_from_slice(token),
            },
            Joining::Spaced => {
                out.extend_from_slice(space);
                out.extend_from_slice(token);
            }
            Joining::Words(spacing) => {
                spacing.push(space, out);
                spacing.push(token, out);
            }
            Joining::EndOfWord(held) => {
                release(held, b" ", out);
                let ends = memmem::find(token, END_OF_WORD.as_bytes()).is_some();
                if ends { held } else { out }.extend_from_slice(token);
            }
            Joining::Chain(stages) => chain::push(stages, String::from_utf8_lossy(token).into_owned(), out),
            Joining::SentencePiece(joined) => joined.push(token, out),
        }
    }

    /// Goes past a token that is not shown: for SentencePiece, bytes on both sides of it are no character together.
    pub fn pass(&mut self, out: &mut Vec<u8>) {
        if let Joining::SentencePiece(joined) = &mut self.joining {
            joined.finish(out);
        }
    }

    pub fn finish(&mut self, out: &mut Vec<u8>) {
        match &mut self.joining {
            Joining::Concat | Joining::Bytes | Joining::Spaced => {}
            Joining::Words(spacing) => spacing.finish(out),
            Joining::EndOfWord(held) => release(held, b"", out),
            Joining::Chain(stages) => chain::finish(stages, out),
            Joining::SentencePiece(joined) => joined.finish(out),
        }
    }
}

/// Gives the token that was held, each end of a word in it being `space`.
fn release(held: &mut Vec<u8>, space: &[u8], out: &mut Vec<u8>) {
    let held = std::mem::take(held);
    let mut from = 0;
    for at in memmem::find_iter(&held, END_OF_WORD.as_bytes()) {
        out.extend_from_slice(&held[from..at]);
        out.extend_from_slice(space);
        from = at + END_OF_WORD.len();
    }
    out.extend_from_slice(&held[from..]);
}
