//! Characters: every code point is a token, or unknown.

use super::unknown;
use crate::error::{Error, Result};
use crate::vocab::{TokenId, Vocab};

const BLOCK: usize = 256;
const MISSING: TokenId = TokenId::MAX;

/// Code point → id in two steps, as in the class table: pages of 256, the empty ones shared.
#[derive(Debug)]
pub struct Chars {
    pages: Vec<u16>,
    blocks: Vec<[TokenId; BLOCK]>,
    unk: Option<TokenId>,
}

impl Chars {
    pub fn new(vocab: &Vocab, unk: Option<TokenId>) -> Result<Self> {
        let mut chars = Chars { pages: vec![0; char::MAX as usize / BLOCK + 1], blocks: vec![[MISSING; BLOCK]], unk };
        for (id, token) in vocab.tokens() {
            let code = single_character(token).ok_or_else(|| {
                let shown = String::from_utf8_lossy(token);
                Error::Spec(format!("token {id}, {shown:?}, of a character vocabulary is not one character"))
            })? as usize;
            let page = &mut chars.pages[code / BLOCK];
            if *page == 0 {
                // At most 4,352 pages: they fit.
                *page = chars.blocks.len() as u16;
                chars.blocks.push([MISSING; BLOCK]);
            }
            chars.blocks[usize::from(*page)][code % BLOCK] = id;
        }
        Ok(chars)
    }

    #[inline]
    pub fn segment(&self, piece: &str, ids: &mut Vec<TokenId>) -> Result<()> {
        for (at, c) in piece.char_indices() {
            let page = self.pages[c as usize / BLOCK];
            ids.push(match self.blocks[usize::from(page)][c as usize % BLOCK] {
                MISSING => unknown(self.unk, &piece[at..at + c.len_utf8()])?,
                id => id,
            });
        }
        Ok(())
    }
}

fn single_character(token: &[u8]) -> Option<char> {
    let mut characters = std::str::from_utf8(token).ok()?.chars();
    characters.next().filter(|_| characters.next().is_none())
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
        assert!(matches!(error, Error::UnknownPiece { piece } if piece == "x"));
    }

    #[test]
    fn a_token_of_two_characters_is_refused() {
        let vocab = Vocab::new([Some("ab")]).unwrap();
        assert!(Chars::new(&vocab, None).is_err());
    }
}
