//! Characters: every code point is a token, or unknown.

use super::code_points::{CodePoints, single_character};
use super::unknown;
use crate::error::{Error, Result};
use crate::vocab::{TokenId, Vocab};

#[derive(Debug)]
pub struct Chars {
    ids: CodePoints,
    unk: Option<TokenId>,
}

impl Chars {
    pub fn new(vocab: &Vocab, unk: Option<TokenId>) -> Result<Self> {
        let mut ids = CodePoints::default();
        for (id, token) in vocab.tokens() {
            let character = single_character(token).ok_or_else(|| {
                let shown = String::from_utf8_lossy(token);
                Error::Spec(format!("token {id}, {shown:?}, of a character vocabulary is not one character"))
            })?;
            ids.insert(character, id);
        }
        Ok(Chars { ids, unk })
    }

    #[inline]
    pub fn segment(&self, piece: &str, ids: &mut Vec<TokenId>) -> Result<()> {
        for (at, c) in piece.char_indices() {
            ids.push(match self.ids.get(c) {
                Some(id) => id,
                None => unknown(self.unk, &piece[at..at + c.len_utf8()])?,
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_of_every_width() {
        let tokens = ["a", "é", "中", "🙂"];
        let vocab = Vocab::new(tokens.map(Some)).unwrap();
        let mut found = Vec::new();
        Chars::new(&vocab, Some(9)).unwrap().segment("中a🙂xé", &mut found).unwrap();
        assert_eq!(found, [2, 0, 3, 9, 1]);
        let error = Chars::new(&vocab, None).unwrap().segment("ax", &mut found).unwrap_err();
        assert!(matches!(error, Error::UnknownPiece { piece, .. } if piece == "x"));
    }

    #[test]
    fn a_token_of_two_characters_is_refused() {
        let vocab = Vocab::new([Some("ab")]).unwrap();
        assert!(Chars::new(&vocab, None).is_err());
    }
}
