//! Bytes that need not be text, for models that start from bytes.

use super::{Bpe, BpeScratch};
use crate::vocab::TokenId;

impl Bpe {
    /// Whether a piece may be any bytes.
    pub fn takes_bytes(&self) -> bool {
        self.units.is_none() && self.unused.is_none()
    }

    /// The place of the first byte that is no token. No text has such a byte.
    pub fn unknown_byte(&self, bytes: &[u8]) -> Option<usize> {
        bytes.iter().position(|&byte| matches!(byte, 0xC0 | 0xC1 | 0xF5..) && self.vocab.id(&[byte]).is_none())
    }

    /// Appends what one piece becomes: the token that it is, or what merging makes of it.
    pub fn segment_bytes(&self, piece: &[u8], scratch: &mut BpeScratch, ids: &mut Vec<TokenId>) {
        match self.vocab.id(piece) {
            Some(id) if self.whole_pieces => ids.push(id),
            _ => self.merge_bytes(piece, scratch, ids),
        }
    }

    /// Appends what merging makes of a piece, even where it is a token.
    pub fn merge_bytes(&self, piece: &[u8], scratch: &mut BpeScratch, ids: &mut Vec<TokenId>) {
        if !piece.is_empty() {
            self.merge(piece, &mut scratch.work, ids);
        }
    }
}
