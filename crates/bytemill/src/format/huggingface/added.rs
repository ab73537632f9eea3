//! `added_tokens`. The library pays no heed to the ids that a file states: a token that the model knows keeps the model's id, the others are
//! numbered on from the model's size. So do we.

use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};

use super::super::json::JsonNode;
use super::super::lexicon::Lexicon;
use crate::error::{Error, Result};
use crate::specials::AddedToken;
use crate::vocab::TokenId;

/// Whose ids added tokens have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AddedNumbers {
    /// Those that the library gives them when it reads a file.
    OfLibrary,
    /// Those that are stated: of a tokenizer in memory, in which they may have been added in any order.
    Stated,
}

pub(super) fn read(node: &JsonNode, model: &Lexicon, numbers: AddedNumbers) -> Result<Vec<AddedToken>> {
    let mut ids = AddedIds::new(model.len(), |content| model.id(content));
    let mut tokens: Vec<AddedToken> = Vec::new();
    let mut seen: HashSet<String> = HashSet::new();
    for node in node.list()? {
        node.only(&["id", "content", "single_word", "lstrip", "rstrip", "normalized", "special"])?;
        let stated = node.get("id")?.number()?;
        let flag = |key: &str| node.get(key)?.bool();
        let content = node.get("content")?.string()?.to_string();
        if content.is_empty() {
            continue;
        }
        if !seen.insert(content.clone()) {
            return Err(node.error(format!("{content:?} is there twice")));
        }
        tokens.push(AddedToken {
            stands_for: None,
            id: if numbers == AddedNumbers::Stated { stated } else { ids.of(&content) },
            single_word: flag("single_word")?,
            lstrip: flag("lstrip")?,
            rstrip: flag("rstrip")?,
            normalized: flag("normalized")?,
            special: flag("special")?,
            content,
        });
    }
    Ok(tokens)
}

/// Puts into the model's vocabulary those added tokens that would not get their ids otherwise, and the unknown token, which the library
/// looks for there.
pub(super) fn settle(tokens: &[AddedToken], unk: Option<TokenId>, model: &mut HashMap<String, TokenId>) -> Result<()> {
    let mut by_id: Vec<&AddedToken> = tokens.iter().collect();
    by_id.sort_by_key(|token| token.id);
    let is_elsewhere = |token: &&&AddedToken| model.get(&token.content).is_some_and(|&id| id != token.id);
    if let Some(token) = by_id.iter().find(is_elsewhere) {
        return Err(Error::Inexpressible {
            format: super::NAME,
            feature: format!("the added token {:?} under an id of its own", token.content),
            hint: "write .mill instead".into(),
        });
    }
    by_id.retain(|token| !model.contains_key(&token.content));
    // The library numbers the others on from the size of the model. One that is put into the model moves the numbers of all others up by
    // one, so that those before it must be put there as well, and the numbers after it stay.
    let size = model.len();
    let belongs_there = |&i: &usize| by_id[i].id as usize != size + i || Some(by_id[i].id) == unk;
    let put = (0..by_id.len()).rev().find(belongs_there).map_or(0, |last| last + 1);
    for token in &by_id[..put] {
        model.insert(token.content.clone(), token.id);
    }
    Ok(())
}

pub(super) fn write(tokens: &[AddedToken]) -> Value {
    // The library numbers them in the order of the list.
    let mut tokens: Vec<&AddedToken> = tokens.iter().collect();
    tokens.sort_by_key(|token| token.id);
    let entry = |token: &&AddedToken| {
        json!({
            "id": token.id,
            "content": token.content,
            "single_word": token.single_word,
            "lstrip": token.lstrip,
            "rstrip": token.rstrip,
            "normalized": token.normalized,
            "special": token.special,
        })
    };
    tokens.iter().map(entry).collect()
}

/// The library's numbering.
struct AddedIds<F> {
    /// The id of a token of the model.
    known: F,
    next: usize,
}

impl<F: Fn(&str) -> Option<TokenId>> AddedIds<F> {
    /// For a model with `size` tokens.
    fn new(size: usize, known: F) -> Self {
        AddedIds { known, next: size }
    }

    fn of(&mut self, content: &str) -> TokenId {
        (self.known)(content).unwrap_or_else(|| {
            self.next += 1;
            (self.next - 1) as TokenId
        })
    }
}
