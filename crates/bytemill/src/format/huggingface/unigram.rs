//! `model` of the type Unigram: a list of tokens with their scores.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::super::json::JsonNode;
use super::ModelParts;
use crate::definition::{Definition, Outline};
use crate::error::Result;
use crate::vocab::{TokenId, Vocab};

pub(super) fn read(node: &JsonNode) -> Result<ModelParts> {
    node.only(&["type", "unk_id", "vocab", "byte_fallback"])?;
    let mut ids = HashMap::new();
    let (mut tokens, mut scores) = (Vec::new(), Vec::new());
    for (id, entry) in node.get("vocab")?.list()?.enumerate() {
        let parts: Vec<JsonNode> = entry.list()?.collect();
        let [token, score] = parts.as_slice() else {
            return Err(entry.error(format!("has {} parts, expected 2", parts.len())));
        };
        // As the library reads it, which rounds some of them otherwise than a careful reader would.
        scores.push(score.value.as_f64().ok_or_else(|| score.error("expected a number"))?);
        tokens.push(token.string()?);
        ids.insert(token.string()?.to_string(), id as TokenId);
    }
    let unk = node.find("unk_id")?.map(|node| node.number()).transpose()?;
    if unk.is_some_and(|unk| unk as usize >= tokens.len()) {
        return Err(node.get("unk_id")?.error("is no token's id"));
    }
    let byte_fallback = node.find("byte_fallback")?.map_or(Ok(false), |node| node.bool())?;
    let Outline { symbols, .. } = Outline::unigram(unk, byte_fallback);
    let vocab = Vocab::new(tokens.into_iter().map(Some))?;
    Ok(ModelParts {
        vocab,
        ids,
        unk,
        merges: None,
        whole_pieces: false,
        symbols,
        subwords: None,
        scores: Some(scores.into()),
    })
}

pub(super) fn write(definition: &Definition) -> Result<Value> {
    let scores = definition.scores.as_deref().unwrap_or_default();
    let tokens = definition.vocab.tokens().map(|(id, token)| Ok((super::text(id, token)?, scores[id as usize])));
    Ok(json!({
        "type": "Unigram",
        "unk_id": definition.outline.unk,
        "vocab": tokens.collect::<Result<Vec<_>>>()?,
        "byte_fallback": definition.outline.symbols.byte_fallback,
    }))
}
