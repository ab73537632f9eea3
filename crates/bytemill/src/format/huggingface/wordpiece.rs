//! `model` of the type WordPiece.

use serde_json::{Map, Value, json};

use super::super::json::JsonNode;
use super::ModelParts;
use super::file::Lists;
use crate::definition::{Subwords, Symbols};
use crate::error::Result;

pub(super) fn read(node: &JsonNode, mut lists: Lists) -> Result<ModelParts> {
    node.only(&["type", "unk_token", "continuing_subword_prefix", "max_input_chars_per_word", "vocab"])?;
    let lexicon = super::read_texts(node, &mut lists)?;
    let subwords = Subwords {
        prefix: node.get("continuing_subword_prefix")?.string()?.into(),
        max_chars: node.get("max_input_chars_per_word")?.number()? as usize,
    };
    // One that is not in the vocabulary is missed where a word is unknown, and not before.
    let unk = lexicon.id(node.get("unk_token")?.string()?);
    let symbols = Symbols::default();
    Ok(ModelParts { lexicon, unk, merges: None, whole_pieces: false, symbols, subwords: Some(subwords), scores: None })
}

pub(super) fn write(subwords: &Subwords, vocab: Map<String, Value>, unk_token: &str) -> Value {
    json!({
        "type": "WordPiece",
        "unk_token": unk_token,
        "continuing_subword_prefix": subwords.prefix,
        "max_input_chars_per_word": subwords.max_chars,
        "vocab": vocab,
    })
}
