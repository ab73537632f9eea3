//! Unused pieces of SentencePiece: merging goes through them, and where one is left it falls apart into the two parts that were last seen to
//! make it anywhere in the text, and these in turn. So the ids of a word depend on the whole text, and nothing may be cut.

use std::collections::HashMap;

use crate::definition::SentencePieceModel;
use crate::vocab::TokenId;

#[derive(Debug)]
pub(super) struct Unused {
    /// For each token, whether it is one.
    is_unused: Vec<bool>,
}

/// The parts that were last seen of each, in one text.
pub(super) type Parts = HashMap<TokenId, (TokenId, TokenId)>;

impl Unused {
    pub(super) fn new(tokens: usize, model: &SentencePieceModel) -> Option<Self> {
        let mut is_unused = vec![false; tokens];
        model.unused.iter().for_each(|&id| is_unused[id as usize] = true);
        (!model.unused.is_empty()).then_some(Unused { is_unused })
    }

    /// Two neighbours may become a token.
    #[inline]
    pub(super) fn note(&self, parts: &mut Parts, made: TokenId, pair: (TokenId, TokenId)) {
        if self.is_unused[made as usize] {
            parts.insert(made, pair);
        }
    }
}

/// Gives what a token falls apart into; itself, if it is in use or was never made of two.
pub(super) fn each(id: TokenId, parts: &Parts, mut give: impl FnMut(TokenId)) {
    let mut waiting = vec![id];
    while let Some(id) = waiting.pop() {
        match parts.get(&id) {
            Some(&(left, right)) => waiting.extend([right, left]),
            None => give(id),
        }
    }
}
