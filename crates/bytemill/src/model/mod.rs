//! Model: a piece of text → ids. One module a family.

pub mod chars;
pub mod words;

use crate::error::{Error, Result};
use crate::pretokenize::runs::Borders;
use crate::span::Span;
use crate::vocab::TokenId;

use chars::Chars;
use words::Words;

/// Cuts a piece into tokens: the contract of every model.
///
/// `emit` receives the tokens in order, each with its span in the piece; the spans cover the piece. Never panics; the same answer from every
/// implementation of a family.
pub trait Segment {
    fn segment(&self, piece: &str, emit: impl FnMut(TokenId, Span)) -> Result<()>;
}

/// A trained model: immutable, shared by all threads.
#[derive(Debug)]
pub enum Model {
    Chars(Chars),
    Words(Words),
}

impl Segment for Model {
    #[inline]
    fn segment(&self, piece: &str, emit: impl FnMut(TokenId, Span)) -> Result<()> {
        match self {
            Model::Chars(chars) => chars.segment(piece, emit),
            Model::Words(words) => words.segment(piece, emit),
        }
    }
}

/// Every buffer that encoding reuses; one for each worker.
#[derive(Debug, Default)]
pub struct Scratch {
    pub borders: Borders,
}

/// The id for a piece that is not in the vocabulary.
#[cold]
fn unknown(unk: Option<TokenId>, piece: &str) -> Result<TokenId> {
    unk.ok_or_else(|| Error::UnknownPiece { piece: piece.to_string() })
}
