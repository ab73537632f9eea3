//! Model: a piece of text → ids. One module a family.

pub mod bpe;
pub mod chars;
mod scratch;
pub mod words;

use crate::error::{Error, Result};
use crate::pipeline::Pieces;
use crate::vocab::TokenId;

use bpe::{Bpe, BpeScratch};
use chars::Chars;
pub use scratch::{Pool, Scratch};
use words::Words;

/// A trained model: immutable, shared by all threads.
#[derive(Debug)]
pub enum Model {
    Chars(Chars),
    Words(Words),
    Bpe(Box<Bpe>),
}

impl Model {
    /// Appends the ids of pieces. The tokens' bytes concatenate to the piece, or stand for what is unknown; never panics; the same answer
    /// from every implementation of a family.
    #[inline]
    pub fn segment(&self, pieces: &Pieces, scratch: &mut BpeScratch, ids: &mut Vec<TokenId>) -> Result<()> {
        match self {
            Model::Chars(chars) => pieces.iter().try_for_each(|piece| chars.segment(piece.text, ids)),
            Model::Words(words) => pieces.iter().try_for_each(|piece| words.segment(piece.text, ids)),
            Model::Bpe(bpe) => {
                if pieces.text().len() >= u32::MAX as usize
                    && pieces.spans().any(|span| span.end - span.start >= u32::MAX as usize)
                {
                    return Err(Error::Spec("a piece of 4 GiB or more cannot be encoded; split the text".into()));
                }
                bpe.segment(pieces.text().as_bytes(), pieces.starts, pieces.ends, scratch, ids);
                Ok(())
            }
        }
    }

    /// How many bytes of a piece the token covers that starts at `at`.
    pub fn width(&self, piece: &str, at: usize, id: TokenId) -> usize {
        match self {
            Model::Chars(_) => piece[at..].chars().next().map_or(0, char::len_utf8),
            Model::Words(_) => piece.len(),
            Model::Bpe(bpe) => bpe.token_width(id),
        }
    }

    /// Whether a piece may be cut anywhere with the same ids for both parts as for the whole.
    pub fn is_indifferent_to_cuts(&self) -> bool {
        matches!(self, Model::Chars(_))
    }
}

/// The id for a piece that is not in the vocabulary.
#[cold]
fn unknown(unk: Option<TokenId>, piece: &str) -> Result<TokenId> {
    unk.ok_or_else(|| Error::UnknownPiece { piece: piece.to_string() })
}
