//! A table from code points to ids.

use crate::vocab::TokenId;

const BLOCK: usize = 256;
const MISSING: TokenId = TokenId::MAX;

/// Code point → id in two steps, as in the class table: pages of 256, the empty ones shared.
#[derive(Debug)]
pub struct CodePoints {
    pages: Vec<u16>,
    blocks: Vec<[TokenId; BLOCK]>,
}

impl Default for CodePoints {
    fn default() -> Self {
        CodePoints { pages: vec![0; char::MAX as usize / BLOCK + 1], blocks: vec![[MISSING; BLOCK]] }
    }
}

impl CodePoints {
    pub fn insert(&mut self, c: char, id: TokenId) {
        let code = c as usize;
        let page = &mut self.pages[code / BLOCK];
        if *page == 0 {
            // At most 4,352 pages: they fit.
            *page = self.blocks.len() as u16;
            self.blocks.push([MISSING; BLOCK]);
        }
        self.blocks[usize::from(*page)][code % BLOCK] = id;
    }

    #[inline]
    pub fn get(&self, c: char) -> Option<TokenId> {
        self.get_code(c as usize)
    }

    /// The same of a number, which need not be that of a character.
    #[inline]
    pub fn get_code(&self, code: usize) -> Option<TokenId> {
        let page = *self.pages.get(code / BLOCK)?;
        match self.blocks[usize::from(page)][code % BLOCK] {
            MISSING => None,
            id => Some(id),
        }
    }
}

/// The character that a text is, if it is one.
#[inline]
pub fn single_character(token: &[u8]) -> Option<char> {
    match token {
        [byte] if byte.is_ascii() => return Some((*byte).into()),
        [] | [_, _, _, _, _, ..] => return None,
        _ => {}
    }
    let mut characters = std::str::from_utf8(token).ok()?.chars();
    characters.next().filter(|_| characters.next().is_none())
}
