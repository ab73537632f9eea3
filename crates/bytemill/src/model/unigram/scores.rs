//! What a model says of rows: its tokens in a lattice, the best of it, ids for a row, and a score for ids.

use super::lattice::Lattice;
use super::nbest::PathScore;
use super::{Numbers, Row, Segment, Unigram};
use crate::error::Result;
use crate::model::trie::NONE;
use crate::vocab::TokenId;

impl Unigram {
    /// Adds a piece to a lattice.
    pub fn add_to(&self, lattice: &mut Lattice, piece: &str) {
        lattice.add_piece(self.trie(), piece, |id| self.score(id));
    }

    /// In the arithmetic of the library that the model comes from.
    pub fn nbest(&self, lattice: &Lattice, n: usize) -> Vec<PathScore> {
        match self.numbers {
            Numbers::Single { .. } => lattice.nbest::<f32>(n),
            Numbers::Double { .. } => lattice.nbest::<f64>(n),
        }
    }

    /// Appends the ids of a row of a piece.
    pub fn emit_row(&self, piece: &str, row: &[Segment], ids: &mut Vec<TokenId>) -> Result<()> {
        let Numbers::Single { .. } = self.numbers else { return self.emit_pieces(piece, row, ids, |_| {}) };
        let first = ids.len();
        row.iter().for_each(|segment| self.emit(piece, *segment, ids, |_| {}));
        self.end_row(&Row::new(first), ids);
        Ok(())
    }

    /// The score of a token in a lattice, or of an unknown character.
    fn score(&self, id: TokenId) -> f64 {
        match &self.numbers {
            Numbers::Single { unknown, .. } if id == NONE => f64::from(*unknown),
            Numbers::Single { own, .. } if own.contains(&id) => {
                // By its characters here, and by its bytes in the one pass; the library has it so.
                let token = self.vocab.token(id).unwrap_or_default();
                let characters = token.iter().filter(|&&byte| !is_continuation(byte)).count();
                f64::from((0.1 * (characters as f64 - 1.0)) as f32)
            }
            Numbers::Single { scores, .. } => f64::from(scores[id as usize]),
            Numbers::Double { unknown, .. } if id == NONE => *unknown,
            Numbers::Double { scores, .. } => scores[id as usize],
        }
    }

    /// The sum of the scores of tokens. What stands for an unknown character, itself or by its bytes, has that score; what is no token of
    /// the model has none.
    pub fn score_of(&self, ids: &[TokenId]) -> f64 {
        let byte_of = |id| self.fallback.as_ref()?.iter().find_map(|(byte, token)| (token == id).then_some(byte));
        let score = |&id: &TokenId| match byte_of(id) {
            _ if Some(id) == self.unk => self.score(NONE),
            Some(byte) if is_continuation(byte) => 0.0,
            Some(_) => self.score(NONE),
            None if (id as usize) < self.vocab.len() => self.score(id),
            None => 0.0,
        };
        ids.iter().map(score).sum()
    }
}

/// Whether a byte goes on with a character that another one began.
pub(super) fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}
