//! `decoder`.

use serde_json::{Value, json};

use super::super::json::Node;
use crate::decode::{Decoder, SPACING_PATTERN};
use crate::definition::{Family, Outline};
use crate::error::Result;

/// A prefix that no token has (a code point that is no character), so that the WordPiece decoder puts a space before every token but the
/// first and does nothing else.
const NO_PREFIX: &str = "\u{FFFF}";

pub fn read(family: Family, root: &Node) -> Result<Decoder> {
    match (family, root.find("decoder")?) {
        (Family::Bpe, Some(node)) if node.get("type")?.string()? == "ByteLevel" => {
            // Its options are for other stages of the same name.
            node.only(&["type", "add_prefix_space", "trim_offsets", "use_regex"])?;
            Ok(Decoder::Concat)
        }
        (Family::Bpe, node) => {
            Err(node.unwrap_or(root.get("model")?).unsupported("BPE with another decoder than ByteLevel"))
        }
        (_, None) => Ok(Decoder::Spaced),
        (_, Some(node)) => {
            let known = [Decoder::Concat, Decoder::Words].into_iter().find(|&known| write_words(known) == *node.value);
            known.ok_or_else(|| node.unsupported("this decoder"))
        }
    }
}

pub fn write(outline: &Outline) -> Value {
    match (outline.family, outline.decoder) {
        (Family::Bpe, Decoder::Concat) => {
            json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": false, "use_regex": false})
        }
        (_, decoder) => write_words(decoder),
    }
}

fn write_words(decoder: Decoder) -> Value {
    match decoder {
        Decoder::Spaced => Value::Null,
        Decoder::Concat => json!({"type": "Fuse"}),
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
