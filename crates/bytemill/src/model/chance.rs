//! Chance: what a call leaves to it, for the models that know how.

use super::bpe::Dropout;
use super::unigram::RandomRows;

/// The randomness of one text, which goes on from piece to piece.
#[derive(Debug, Clone, Copy)]
pub enum Chance {
    Dropout(Dropout),
    Rows(RandomRows),
}

impl Chance {
    pub(super) fn dropout(&mut self) -> Option<&mut Dropout> {
        match self {
            Chance::Dropout(dropout) => Some(dropout),
            Chance::Rows(_) => None,
        }
    }

    pub(super) fn rows(&mut self) -> Option<&mut RandomRows> {
        match self {
            Chance::Rows(rows) => Some(rows),
            Chance::Dropout(_) => None,
        }
    }
}
