//! `decoder`.

use serde_json::{Value, json};

use super::super::json::Node;
use crate::decode::{Decoder, END_OF_WORD, SPACING_PATTERN};
use crate::definition::{Family, Outline, Unit};
use crate::error::Result;

/// A prefix that no token has (a code point that is no character), so that the WordPiece decoder puts a space before every token but the
/// first and does nothing else.
const NO_PREFIX: &str = "\u{FFFF}";

pub fn read(unit: Option<Unit>, root: &Node) -> Result<Decoder> {
    match (unit, root.find("decoder")?) {
        (Some(Unit::Bytes), Some(node)) if node.get("type")?.string()? == "ByteLevel" => {
            // Its options are for other stages of the same name.
            node.only(&["type", "add_prefix_space", "trim_offsets", "use_regex"])?;
            Ok(Decoder::Concat)
        }
        (Some(Unit::Bytes), node) => {
            let node = node.unwrap_or(root.get("model")?);
            Err(node.unsupported("byte-level BPE with another decoder than ByteLevel"))
        }
        (_, None) => Ok(Decoder::Spaced),
        (_, Some(node)) => {
            let known = [Decoder::Concat, Decoder::Words, Decoder::EndOfWord]
                .into_iter()
                .find(|&known| write_words(known) == *node.value);
            known.ok_or_else(|| node.unsupported("this decoder"))
        }
    }
}

pub fn write(outline: &Outline) -> Value {
    match (outline.family, outline.symbols.unit, outline.decoder) {
        (Family::Bpe, Unit::Bytes, Decoder::Concat) => {
            json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": false, "use_regex": false})
        }
        (_, _, decoder) => write_words(decoder),
    }
}

fn write_words(decoder: Decoder) -> Value {
    match decoder {
        Decoder::Spaced => Value::Null,
        Decoder::Concat => json!({"type": "Fuse"}),
        Decoder::EndOfWord => json!({"type": "BPEDecoder", "suffix": END_OF_WORD}),
        Decoder::Words => json!({
            "type": "Sequence",
            "decoders": [
                {"type": "WordPiece", "prefix": NO_PREFIX, "cleanup": false},
                {"type": "Fuse"},
                {"type": "Replace", "pattern": {"Regex": SPACING_PATTERN}, "content": ""},
            ],
        }),
    }
}
