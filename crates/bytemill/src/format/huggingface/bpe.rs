//! `model` of the type BPE, byte-level: its tokens are written in an alphabet of printable characters that stand for bytes.

use std::collections::HashMap;

use super::super::json::Node;
use super::Model;
use crate::alphabet::{from_alphabet, to_alphabet};
use crate::error::{Error, Result};
use crate::model::bpe::merges::Merges;
use crate::vocab::{TokenId, Vocab};

pub fn read(node: &Node) -> Result<Model> {
    node.only(&[
        "type",
        "dropout",
        "unk_token",
        "continuing_subword_prefix",
        "end_of_word_suffix",
        "fuse_unk",
        "byte_fallback",
        "ignore_merges",
        "vocab",
        "merges",
    ])?;
    for key in ["dropout", "continuing_subword_prefix", "end_of_word_suffix"] {
        // Empty text is as good as none.
        if let Some(found) = node.find(key)?
            && found.value.as_str() != Some("")
        {
            return Err(found.unsupported(key));
        }
    }
    if let Some(fallback) = node.find("byte_fallback")?
        && fallback.bool()?
    {
        return Err(fallback.unsupported("byte_fallback"));
    }
    let ids = super::read_vocab(&node.get("vocab")?)?;
    let vocab = super::vocab_of(&node.get("vocab")?, &ids, from_alphabet)?;
    let pairs = node.get("merges")?.list()?.map(|merge| read_merge(&merge, &ids)).collect::<Result<Vec<_>>>()?;
    let merges = Merges::of_pairs(&vocab, &pairs)?;
    let whole_pieces = match node.find("ignore_merges")? {
        Some(flag) => flag.bool()?,
        None => false,
    };
    // Every byte is a token, so nothing is unknown.
    Ok(Model { vocab, ids, unk: None, merges: Some(merges.into()), whole_pieces })
}

/// Either "left right" or ["left", "right"].
fn read_merge(node: &Node, ids: &HashMap<String, TokenId>) -> Result<(TokenId, TokenId)> {
    let parts: Vec<&str> = match node.value.as_str() {
        Some(line) => line.split(' ').collect(),
        None => node.list()?.map(|part| part.string()).collect::<Result<_>>()?,
    };
    let &[left, right] = parts.as_slice() else {
        return Err(node.error(format!("has {} parts, expected 2", parts.len())));
    };
    let id =
        |token: &str| ids.get(token).copied().ok_or_else(|| node.error(format!("{token:?} is not in the vocabulary")));
    Ok((id(left)?, id(right)?))
}

/// The merges as the library writes them now.
pub fn write_merges(vocab: &Vocab, merges: &Merges) -> Result<Vec<[String; 2]>> {
    let text = |id| {
        let token = vocab.token(id).ok_or_else(|| Error::Internal(format!("a merge of the missing token {id}")));
        token.map(to_alphabet)
    };
    merges.pairs().into_iter().map(|(left, right)| Ok([text(left)?, text(right)?])).collect()
}
