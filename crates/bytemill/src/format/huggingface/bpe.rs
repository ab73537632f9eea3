//! `model` of the type BPE. The tokens of a byte-level one are written in an alphabet of printable characters that stand for bytes.

use serde_json::{Map, Value, json};

use super::super::json::JsonNode;
use super::super::lexicon::append_token;
use super::ModelParts;
use super::file::Lists;
use crate::definition::{Definition, Merging, Outline, Symbols, Unit};
use crate::error::{Error, Result};
use crate::model::bpe::concatenations::make_every_token;
use crate::text::byte_alphabet::to_alphabet;
use crate::vocab::merges::Merges;
use crate::vocab::{TokenId, Vocab};

pub(super) fn read(node: &JsonNode, mut lists: Lists, unit: Unit) -> Result<ModelParts> {
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
    let flag = |key: &str| node.find(key)?.map_or(Ok(false), |node| node.bool());
    let lexicon = lists.lexicon(&node.get("vocab")?, unit)?;
    let mut symbols = Symbols {
        unit,
        prefix: mark(node, "continuing_subword_prefix", unit)?,
        suffix: mark(node, "end_of_word_suffix", unit)?,
        suffix_is_unit: false,
        fuse_unk: flag("fuse_unk")?,
        byte_fallback: flag("byte_fallback")?,
        dropout: node.find("dropout")?.map_or(Ok(0.0), |node| dropout(&node))?,
        // The library leaves out what is unknown and has no token.
        refuse_unknown: false,
        bytes_reserved: false,
    };
    let mut unk = None;
    if is_complete(&lexicon.vocab, &symbols) {
        // Every byte is a token, so nothing is unknown, whatever the file says of it.
        symbols = Symbols { dropout: symbols.dropout, ..Symbols::default() };
    } else if let Some(token) = node.find("unk_token")? {
        let name = token.string()?;
        unk = lexicon.id(name);
        if unk.is_none() && !lists.stands_apart() {
            return Err(token.error(format!("{name:?} is not in the vocabulary")));
        }
        // The library misses it where something is unknown, and not before.
        symbols.refuse_unknown = unk.is_none();
    }
    let pairs = lists.merges(&node.get("merges")?, &lexicon)?;
    let merges = Merges::of_pairs(&lexicon.vocab, &pairs, symbols.prefix.as_bytes())?;
    let whole_pieces = flag("ignore_merges")?;
    Ok(ModelParts { lexicon, unk, merges: Some(merges.into()), whole_pieces, symbols, subwords: None, scores: None })
}

/// The prefix or suffix under a key, as the vocabulary has it; empty text is as good as none.
fn mark(node: &JsonNode, key: &str, unit: Unit) -> Result<String> {
    let Some(node) = node.find(key)? else { return Ok(String::new()) };
    let mut bytes = Vec::new();
    let text = append_token(unit, node.string()?, &mut bytes).then(|| String::from_utf8(bytes).ok()).flatten();
    text.ok_or_else(|| node.unsupported("a mark that is not written in the alphabet of bytes"))
}

fn dropout(node: &JsonNode) -> Result<f32> {
    let number = node.value.as_f64().map(|number| number as f32);
    let valid = number.filter(|number| (0.0..=1.0).contains(number));
    valid.ok_or_else(|| node.error(format!("expected a number from 0 to 1, found {}", node.value)))
}

/// Whether every text has its tokens.
pub(crate) fn is_complete(vocab: &Vocab, symbols: &Symbols) -> bool {
    symbols.unit == Unit::Bytes && !symbols.are_marked() && (0..=255u8).all(|byte| vocab.id(&[byte]).is_some())
}

/// A token as the file writes it.
pub(crate) fn write_token(unit: Unit, id: TokenId, token: &[u8]) -> Result<String> {
    match unit {
        Unit::Bytes => Ok(to_alphabet(token)),
        Unit::Characters => super::text(id, token).map(str::to_string),
    }
}

/// The unknown token as the file writes it: it may be an added token, and no token of the model.
fn unknown(definition: &Definition, id: TokenId) -> Result<String> {
    match definition.vocab.token(id) {
        Some(token) => write_token(definition.outline.symbols.unit, id, token),
        None => super::text(id, definition.token(id).unwrap_or_default()).map(str::to_string),
    }
}

pub(crate) fn write(definition: &Definition, merges: &Merges, vocab: Map<String, Value>) -> Result<Value> {
    let Outline { symbols, unk, whole_pieces, merging, .. } = &definition.outline;
    if symbols.suffix_is_unit {
        return Err(Error::Inexpressible {
            format: super::NAME,
            feature: "an end of words that is a symbol of its own".into(),
            hint: "write .mill instead".into(),
        });
    }
    let token = |id| {
        let token = definition.vocab.token(id).ok_or_else(|| Error::Internal(format!("there is no token {id}")));
        write_token(symbols.unit, id, token?)
    };
    let mark = |mark: &str| match (mark, symbols.unit) {
        ("", _) => None,
        (mark, Unit::Bytes) => Some(to_alphabet(mark.as_bytes())),
        (mark, Unit::Characters) => Some(mark.to_string()),
    };
    // Special tokens are tokens of the model there. Where none but those are made by looking pieces up, none should be.
    let looked_up =
        *whole_pieces && (*merging != Merging::Concatenations || !make_every_token(&definition.vocab, merges));
    let pairs = merges.pairs().into_iter().map(|(left, right)| Ok([token(left)?, token(right)?]));
    Ok(json!({
        "type": "BPE",
        "dropout": (symbols.dropout > 0.0).then_some(symbols.dropout),
        "unk_token": unk.map(|id| unknown(definition, id)).transpose()?,
        "continuing_subword_prefix": mark(&symbols.prefix),
        "end_of_word_suffix": mark(&symbols.suffix),
        "fuse_unk": symbols.fuse_unk,
        "byte_fallback": symbols.byte_fallback,
        "ignore_merges": looked_up,
        "vocab": vocab,
        "merges": pairs.collect::<Result<Vec<_>>>()?,
    }))
}
