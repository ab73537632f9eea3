//! Words: a piece is a token, or unknown.

use std::sync::Arc;

use super::{Segment, unknown};
use crate::error::Result;
use crate::span::Span;
use crate::vocab::{TokenId, Vocab};

#[derive(Debug)]
pub struct Words {
    vocab: Arc<Vocab>,
    unk: Option<TokenId>,
}

impl Words {
    pub fn new(vocab: Arc<Vocab>, unk: Option<TokenId>) -> Self {
        Words { vocab, unk }
    }
}

impl Segment for Words {
    #[inline]
    fn segment(&self, piece: &str, mut emit: impl FnMut(TokenId, Span)) -> Result<()> {
        let id = match self.vocab.id(piece.as_bytes()) {
            Some(id) => id,
            None => unknown(self.unk, piece)?,
        };
        emit(id, Span::new(0, piece.len()));
        Ok(())
    }
}
