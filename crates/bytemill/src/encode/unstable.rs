//! What the end of a text may become when the text goes on, by the rule of `tiktoken`: the ids that stay whatever follows, and every row of
//! ids that the rest may begin with. The places at which a text is split may move in more ways than this rule knows.

use std::collections::BTreeSet;

use super::bytes::{NO_SPECIALS, Settled};
use super::call::Call;
use super::scratch::Scratch;
use super::tokenizer::Tokenizer;
use crate::error::{Error, Result};
use crate::model::bpe::Bpe;
use crate::vocab::TokenId;

/// A text that goes on.
#[derive(Debug, Default)]
pub struct Unstable {
    /// The ids that stay.
    pub stable: Vec<TokenId>,
    /// What may follow them: each reaches at least to the end of the text.
    pub completions: BTreeSet<Vec<TokenId>>,
}

impl Tokenizer {
    pub fn encode_unstable<'c>(
        &self,
        text: &str,
        call: impl Into<Call<'c>>,
        scratch: &mut Scratch,
    ) -> Result<Unstable> {
        let model = self.byte_model().ok_or_else(|| {
            Error::Spec("only byte-pair encoding of bytes knows what the end of a text may become".into())
        })?;
        let Settled { ids: stable, open } = self.settled(text, call.into(), scratch)?;
        let mut completions = BTreeSet::new();
        for (at, token) in (0..open.len()).flat_map(|at| self.beginning_with(&open[at..]).map(move |token| (at, token)))
        {
            completions.insert(self.completion(model, &open, (at, token), scratch)?);
        }
        completions.extend(split_at_white_space(model, &open, scratch));
        Ok(Unstable { stable, completions })
    }

    /// What the open bytes become if a token stands across their end: up to the token that reaches there.
    fn completion(
        &self,
        model: &Bpe,
        open: &[u8],
        (at, token): (usize, TokenId),
        scratch: &mut Scratch,
    ) -> Result<Vec<TokenId>> {
        if at == 0 {
            return Ok(vec![token]);
        }
        let vocab = &self.definition().vocab;
        let possible = [&open[..at], vocab.token(token).unwrap_or_default()].concat();
        let mut ids = Vec::new();
        match std::str::from_utf8(&possible) {
            Ok(text) => self.encode(text, &NO_SPECIALS, scratch, &mut ids)?,
            Err(_) => model.merge_bytes(&possible, &mut scratch.model.bpe, &mut ids),
        }
        let mut reached = 0;
        let reaches = |id: &TokenId| {
            reached += vocab.token(*id).map_or(0, <[u8]>::len);
            reached >= open.len()
        };
        let needed = ids.iter().position(reaches).map_or(ids.len(), |last| last + 1);
        ids.truncate(needed);
        Ok(ids)
    }

    /// The tokens of the model that begin with these bytes.
    fn beginning_with<'a>(&'a self, bytes: &'a [u8]) -> impl Iterator<Item = TokenId> + 'a {
        let sorted = self.sorted_tokens();
        let token = |&id: &TokenId| self.definition().vocab.token(id).unwrap_or_default();
        let from = sorted.partition_point(|id| token(id) < bytes);
        sorted[from..].iter().copied().take_while(move |id| token(id).starts_with(bytes))
    }
}

/// White space before more text may be split off from what is before it (`\s+(?!\S)`).
fn split_at_white_space(model: &Bpe, open: &[u8], scratch: &mut Scratch) -> Option<Vec<TokenId>> {
    let widths = 1..=open.len().min(4);
    let last = widths.into_iter().find_map(|width| std::str::from_utf8(&open[open.len() - width..]).ok())?;
    if last.len() == open.len() || !last.starts_with(char::is_whitespace) {
        return None;
    }
    let mut ids = Vec::new();
    let (before, last) = open.split_at(open.len() - last.len());
    model.merge_bytes(before, &mut scratch.model.bpe, &mut ids);
    model.merge_bytes(last, &mut scratch.model.bpe, &mut ids);
    Some(ids)
}
