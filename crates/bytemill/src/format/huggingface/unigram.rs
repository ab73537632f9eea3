//! `model` of the type Unigram: a list of tokens with their scores.

use serde_json::{Value, json};

use super::super::json::JsonNode;
use super::ModelParts;
use super::file::Lists;
use crate::definition::{Definition, Outline};
use crate::error::{Error, Result};
use crate::vocab::TokenId;

pub(super) fn read(node: &JsonNode, mut lists: Lists) -> Result<ModelParts> {
    node.only(&["type", "unk_id", "vocab", "byte_fallback"])?;
    let (lexicon, scores) = lists.scored_lexicon(&node.get("vocab")?)?;
    let unk = node.find("unk_id")?.map(|node| node.number()).transpose()?;
    if unk.is_some_and(|unk| unk as usize >= scores.len()) {
        return Err(node.get("unk_id")?.error("is no token's id"));
    }
    let byte_fallback = node.find("byte_fallback")?.map_or(Ok(false), |node| node.bool())?;
    let Outline { symbols, .. } = Outline::unigram(unk, byte_fallback);
    Ok(ModelParts { lexicon, unk, merges: None, whole_pieces: false, symbols, subwords: None, scores: Some(scores) })
}

pub(super) fn write(definition: &Definition) -> Result<Value> {
    let scores = definition.scores.as_deref().unwrap_or_default();
    // The place of a token in the list is its id. An added token that has the id of none is listed: it is found before the model.
    let tokens =
        (0..).zip(scores).map(|(id, score)| match definition.vocab.token(id).or_else(|| definition.token(id)) {
            Some(token) => Ok((super::text(id, token)?, score)),
            None => Err(without_a_token(id)),
        });
    // The library numbers the added tokens after the list on from its end.
    let mut beyond: Vec<TokenId> = definition.outline.added.iter().map(|token| token.id).collect();
    beyond.retain(|&id| id as usize >= scores.len());
    beyond.sort_unstable();
    if let Some((gap, _)) = (scores.len()..).zip(&beyond).find(|&(next, &id)| next != id as usize) {
        return Err(without_a_token(gap as TokenId));
    }
    Ok(json!({
        "type": "Unigram",
        "unk_id": definition.outline.unk,
        "vocab": tokens.collect::<Result<Vec<_>>>()?,
        "byte_fallback": definition.outline.symbols.byte_fallback,
    }))
}

fn without_a_token(id: TokenId) -> Error {
    Error::Inexpressible {
        format: super::NAME,
        feature: format!("a Unigram vocabulary without a token for the id {id}"),
        hint: "write .mill instead, or close the gaps with bytemill.surgery.compact".into(),
    }
}
