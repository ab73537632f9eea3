//! `decoder`.

use serde_json::{Value, json};

use super::super::json::Node;
use crate::decode::{Decoder, SPACING_PATTERN};
use crate::error::Result;

/// A prefix that no token has (a code point that is no character), so that the WordPiece decoder puts a space before every token but the
/// first and does nothing else.
const NO_PREFIX: &str = "\u{FFFF}";

pub fn read(node: Option<Node>) -> Result<Decoder> {
    let Some(node) = node else {
        return Ok(Decoder::Spaced);
    };
    let known = [Decoder::Concat, Decoder::Words].into_iter().find(|&decoder| write(decoder) == *node.value);
    known.ok_or_else(|| node.unsupported("this decoder"))
}

pub fn write(decoder: Decoder) -> Value {
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
