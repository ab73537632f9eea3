//! A tokenizer that gives some of its pieces only: those that a model was trained with, or that are frequent enough to be learned.

use std::collections::HashSet;

use crate::definition::{Definition, Family};
use crate::error::{Error, Result};
use crate::model::single_character;
use crate::vocab::TokenId;

/// The same pieces with the same ids, of which texts are given those that `wanted` has, single characters, and the user's own symbols.
pub fn restricted(definition: &Definition, wanted: &HashSet<&[u8]>) -> Result<Definition> {
    let mut definition = definition.clone();
    let family = definition.outline.family;
    let by_parts = matches!(family, Family::Unigram | Family::Bpe);
    let Some(pieces) = definition.outline.sentencepiece.as_mut().filter(|_| by_parts) else {
        let name = family.name();
        return Err(Error::Spec(format!(
            "restricting is of Unigram and BPE models of SentencePiece, and this is a {name} tokenizer"
        )));
    };
    let free = |id: TokenId| pieces.reserved.binary_search(&id).is_err() && !pieces.user_defined.contains(&id);
    let is_left_out = |token: &[u8]| !wanted.contains(token) && single_character(token).is_none();
    let unused = definition.vocab.tokens().filter(|&(id, token)| free(id) && is_left_out(token));
    pieces.unused = unused.map(|(id, _)| id).collect();
    // Its texts have other pieces now.
    pieces.self_test_data = None;
    Ok(definition)
}
