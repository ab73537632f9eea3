//! A table from code points to ids.

use crate::vocab::TokenId;

/// The characters of the Basic Multilingual Plane.
const BASIC: usize = 1 << 16;
const BLOCK: usize = 256;
const MISSING: TokenId = TokenId::MAX;

/// Code point → id: in one step up to 2¹⁶ (in two, as for the others, a Japanese text takes an eighth longer), and beyond in two: pages of 256,
/// the empty ones shared.
#[derive(Debug, Clone)]
pub(crate) struct CodePoints {
    basic: Box<[TokenId; BASIC]>,
    pages: Vec<u16>,
    blocks: Vec<[TokenId; BLOCK]>,
}

impl Default for CodePoints {
    fn default() -> Self {
        CodePoints {
            basic: all_missing(),
            pages: vec![0; (char::MAX as usize + 1 - BASIC) / BLOCK],
            blocks: vec![[MISSING; BLOCK]],
        }
    }
}

fn all_missing() -> Box<[TokenId; BASIC]> {
    let basic = vec![MISSING; BASIC].into_boxed_slice();
    basic.try_into().unwrap_or_else(|_| Box::new([MISSING; BASIC]))
}

impl CodePoints {
    pub(crate) fn insert(&mut self, c: char, id: TokenId) {
        let code = c as usize;
        if let Some(place) = self.basic.get_mut(code) {
            *place = id;
            return;
        }
        let page = &mut self.pages[(code - BASIC) / BLOCK];
        if *page == 0 {
            // At most 4,096 pages: they fit.
            *page = self.blocks.len() as u16;
            self.blocks.push([MISSING; BLOCK]);
        }
        self.blocks[usize::from(*page)][code % BLOCK] = id;
    }

    #[inline]
    pub(crate) fn get(&self, c: char) -> Option<TokenId> {
        match u16::try_from(c as u32) {
            Ok(code) => self.get_basic(code),
            Err(_) => self.get_other(c as usize),
        }
    }

    /// Of a number below 2¹⁶, which need not be that of a character.
    #[inline]
    pub(crate) fn get_basic(&self, code: u16) -> Option<TokenId> {
        present(self.basic[usize::from(code)])
    }

    fn get_other(&self, code: usize) -> Option<TokenId> {
        let page = self.pages[(code - BASIC) / BLOCK];
        present(self.blocks[usize::from(page)][code % BLOCK])
    }
}

#[inline]
fn present(id: TokenId) -> Option<TokenId> {
    (id != MISSING).then_some(id)
}

/// The character that a text is, if it is one.
#[inline]
pub(crate) fn single_character(token: &[u8]) -> Option<char> {
    match token {
        [byte] if byte.is_ascii() => return Some((*byte).into()),
        [] | [_, _, _, _, _, ..] => return None,
        _ => {}
    }
    let mut characters = std::str::from_utf8(token).ok()?.chars();
    characters.next().filter(|_| characters.next().is_none())
}
