//! Words: a piece is a token, or unknown.

use std::sync::{Arc, OnceLock};

use super::memo;
use super::{PieceModel, PieceSpan, unknown};
use crate::error::Result;
use crate::pretokenize::stretches::Stretches;
use crate::text::span::Span;
use crate::vocab::{TokenId, Vocab};

#[derive(Debug)]
pub struct Words {
    vocab: Arc<Vocab>,
    unk: Option<TokenId>,
    /// Made when the first text comes.
    known: OnceLock<memo::KnownWords>,
}

impl Words {
    pub fn new(vocab: Arc<Vocab>, unk: Option<TokenId>) -> Self {
        Words { vocab, unk, known: OnceLock::new() }
    }

    #[inline]
    pub fn segment(&self, piece: &str, ids: &mut Vec<TokenId>) -> Result<()> {
        self.compute(piece.as_bytes(), ids)
    }
}

impl PieceModel for Words {
    fn known(&self) -> &memo::KnownWords {
        self.known.get_or_init(|| memo::KnownWords::of(&self.vocab, Stretches::keeps))
    }

    #[inline]
    fn compute(&self, piece: &[u8], ids: &mut Vec<TokenId>) -> Result<()> {
        ids.push(match self.vocab.id(piece) {
            Some(id) => id,
            None => unknown(self.unk, &String::from_utf8_lossy(piece))?,
        });
        Ok(())
    }

    fn compute_placed(&self, piece: &str, ids: &mut Vec<TokenId>, spans: &mut Vec<PieceSpan>) -> Result<()> {
        spans.push(PieceSpan::Inside(Span::new(0, piece.len())));
        self.segment(piece, ids)
    }

    #[inline]
    fn widths(&self, piece: &[u8], _: &[TokenId], mut each: impl FnMut(usize)) -> usize {
        each(piece.len());
        1
    }

    /// A piece is one token in any case.
    fn unk_is_a_word(&self) -> bool {
        false
    }
}
