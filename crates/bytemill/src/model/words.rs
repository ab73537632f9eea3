//! Words: a piece is a token, or unknown.

use std::sync::Arc;

use super::unknown;
use crate::error::Result;
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

    #[inline]
    pub fn segment(&self, piece: &str, ids: &mut Vec<TokenId>) -> Result<()> {
        ids.push(match self.vocab.id(piece.as_bytes()) {
            Some(id) => id,
            None => unknown(self.unk, piece)?,
        });
        Ok(())
    }
}
