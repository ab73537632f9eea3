//! `model` of the type BPE, byte-level: its tokens are written in an alphabet of printable characters that stand for bytes.

use std::collections::HashMap;

use super::super::json::Node;
use super::Model;
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

/// The byte that a character of the alphabet stands for: printable ones for themselves, the others moved up past 0xFF in their order.
pub fn byte_of(c: char) -> Option<u8> {
    match c as u32 {
        code @ (0x21..=0x7E | 0xA1..=0xAC | 0xAE..=0xFF) => Some(code as u8),
        code @ 0x100..=0x120 => Some((code - 0x100) as u8),
        code @ 0x121..=0x142 => Some((code - 0x121 + 0x7F) as u8),
        0x143 => Some(0xAD),
        _ => None,
    }
}

pub fn char_of(byte: u8) -> char {
    let code = match byte {
        0x21..=0x7E | 0xA1..=0xAC | 0xAE..=0xFF => u32::from(byte),
        0..=0x20 => 0x100 + u32::from(byte),
        0x7F..=0xA0 => 0x121 + u32::from(byte - 0x7F),
        0xAD => 0x143,
    };
    char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// A token's bytes; None for a token that is not written in the alphabet, and so never comes from a text.
pub fn from_alphabet(token: &str) -> Option<Vec<u8>> {
    token.chars().map(byte_of).collect()
}

pub fn to_alphabet(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| char_of(byte)).collect()
}

/// The merges as the library writes them now.
pub fn write_merges(vocab: &Vocab, merges: &Merges) -> Result<Vec<[String; 2]>> {
    let text = |id| {
        let token = vocab.token(id).ok_or_else(|| Error::Internal(format!("a merge of the missing token {id}")));
        token.map(to_alphabet)
    };
    merges.pairs().into_iter().map(|(left, right)| Ok([text(left)?, text(right)?])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_alphabet_is_a_bijection() {
        for byte in 0..=255 {
            assert_eq!(byte_of(char_of(byte)), Some(byte));
        }
        assert_eq!((char_of(b' '), char_of(b'\n'), char_of(b'a')), ('Ġ', 'Ċ', 'a'));
        assert_eq!(from_alphabet("Ġthe"), Some(b" the".to_vec()));
        assert_eq!(from_alphabet("▁the"), None);
    }
}
