//! Lexicon: a vocabulary by the tokens as a file writes them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use super::json::JsonNode;
use crate::definition::Unit;
use crate::error::Result;
use crate::text::byte_alphabet::{push_from_alphabet, to_alphabet};
use crate::vocab::hash::hash;
use crate::vocab::{MAX_ID, TokenId, Vocab};

/// Tokens that are looked up at a time.
const TOGETHER: usize = 32;

#[derive(Debug, Clone)]
pub(super) struct Lexicon {
    pub vocab: Arc<Vocab>,
    /// What the tokens are written in: themselves, or the alphabet of bytes.
    unit: Unit,
    /// The tokens that are not written in that alphabet, and so stand for no text. The vocabulary has holes for them.
    foreign: HashMap<String, TokenId>,
}

impl Lexicon {
    /// Of tokens with their ids; `node` is where the file has them.
    pub(super) fn new<'a>(
        node: &JsonNode,
        entries: impl Iterator<Item = (&'a str, TokenId)> + Clone,
        unit: Unit,
    ) -> Result<Self> {
        let (count, last) = entries.clone().fold((0, None), |(count, last), (_, id)| (count + 1, last.max(Some(id))));
        // Holes are allowed; a number that is out of all proportion is a mistake, and would fill the memory.
        if last.is_some_and(|last| last >= MAX_ID || last as usize > 64 * count + (1 << 20)) {
            return Err(node.error(format!("the id {} is too large for {count} tokens", last.unwrap_or(0))));
        }
        let mut tokens: Vec<Option<&str>> = vec![None; last.map_or(0, |last| last as usize + 1)];
        for (token, id) in entries {
            if let Some(other) = tokens[id as usize].replace(token) {
                let mut both = [other, token];
                both.sort_unstable();
                return Err(node.error(format!("{:?} and {:?} share the id {id}", both[0], both[1])));
            }
        }
        let vocab = Vocab::of_written(tokens.iter().copied(), |token, arena| append_token(unit, token, arena))?;
        let mut foreign = HashMap::new();
        for &id in vocab.holes() {
            if let Some(token) = tokens[id as usize]
                && foreign.insert(token.to_string(), id).is_some()
            {
                return Err(node.error(format!("{token:?} is there twice")));
            }
        }
        Ok(Lexicon { vocab: vocab.into(), unit, foreign })
    }

    /// A vocabulary whose tokens are written as they are.
    pub(super) fn of_texts(vocab: Vocab) -> Self {
        Lexicon { vocab: vocab.into(), unit: Unit::Characters, foreign: HashMap::new() }
    }

    pub(super) fn id(&self, token: &str) -> Option<TokenId> {
        let mut bytes = Vec::new();
        match append_token(self.unit, token, &mut bytes) {
            true => self.vocab.id(&bytes),
            false => self.foreign.get(token).copied(),
        }
    }

    /// The ids of many tokens, or None if one has none.
    pub(super) fn ids<'a>(&self, mut tokens: impl Iterator<Item = &'a str>) -> Option<Vec<TokenId>> {
        let vocab = self.vocab.view();
        let mut ids = Vec::with_capacity(tokens.size_hint().0);
        let (mut bytes, mut group) = (Vec::new(), Vec::with_capacity(TOGETHER));
        loop {
            bytes.clear();
            // Each has its place far from the others; asked for together, they come in the time of one.
            group.extend(tokens.by_ref().take(TOGETHER).map(|token| {
                let start = bytes.len();
                if !append_token(self.unit, token, &mut bytes) {
                    return Err(token);
                }
                let hash = hash(&bytes[start..]);
                vocab.prefetch(hash);
                Ok((start..bytes.len(), hash))
            }));
            if group.is_empty() {
                return Some(ids);
            }
            for token in group.drain(..) {
                ids.push(match token {
                    Ok((range, hash)) => vocab.id_of_hashed(&bytes[range], hash)?,
                    Err(foreign) => *self.foreign.get(foreign)?,
                });
            }
        }
    }

    /// How many tokens the file has.
    pub(super) fn len(&self) -> usize {
        self.vocab.len() - self.vocab.holes().len() + self.foreign.len()
    }

    /// Every token as the file writes it, in the order of the ids.
    pub(super) fn written(&self) -> impl Iterator<Item = (Cow<'_, str>, TokenId)> {
        let foreign: HashMap<TokenId, &str> = self.foreign.iter().map(|(token, &id)| (id, token.as_str())).collect();
        (0..self.vocab.len() as TokenId).filter_map(move |id| {
            let known = self.vocab.token(id).map(|token| written(self.unit, token));
            known.or_else(|| foreign.get(&id).map(|&token| token.into())).map(|token| (token, id))
        })
    }

    /// One of them.
    pub(super) fn written_token(&self, id: TokenId) -> Option<Cow<'_, str>> {
        let foreign = || self.foreign.iter().find(|&(_, &other)| other == id).map(|(token, _)| token.as_str().into());
        self.vocab.token(id).map(|token| written(self.unit, token)).or_else(foreign)
    }

    /// A token that stands for no text, and that is not one of these either: the one with the lowest id.
    pub(super) fn lost(&self, is_added: impl Fn(&str) -> bool) -> Option<(&str, TokenId)> {
        let lost = self.foreign.iter().filter(|(token, _)| !is_added(token));
        lost.map(|(token, &id)| (token.as_str(), id)).min_by_key(|&(_, id)| id)
    }
}

/// A token as a file writes it.
fn written(unit: Unit, token: &[u8]) -> Cow<'_, str> {
    match unit {
        Unit::Bytes => to_alphabet(token).into(),
        Unit::Characters => String::from_utf8_lossy(token),
    }
}

/// Appends the bytes of a token that a file writes so, or says that it stands for none.
pub(super) fn append_token(unit: Unit, token: &str, bytes: &mut Vec<u8>) -> bool {
    match unit {
        Unit::Bytes => push_from_alphabet(token, bytes),
        Unit::Characters => {
            bytes.extend_from_slice(token.as_bytes());
            true
        }
    }
}
