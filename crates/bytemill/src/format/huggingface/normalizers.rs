//! `normalizer`.

use serde_json::{Value, json};

use super::super::json::JsonNode;
use super::pretokenizers;
use crate::error::{Error, Result};
use crate::normalize::{Bert, Charsmap, Normalizer};

pub(super) fn read(node: &JsonNode) -> Result<Normalizer> {
    let kind = node.get("type")?.string()?;
    let keys: &[&str] = match kind {
        "BertNormalizer" => &["type", "clean_text", "handle_chinese_chars", "strip_accents", "lowercase"],
        "Strip" => &["type", "strip_left", "strip_right"],
        "Sequence" => &["type", "normalizers"],
        "Replace" => &["type", "pattern", "content"],
        "Prepend" => &["type", "prepend"],
        "Precompiled" => &["type", "precompiled_charsmap"],
        _ => &["type"],
    };
    let normalizer = match kind {
        "Lowercase" => Normalizer::Lowercase,
        "NFC" => Normalizer::Nfc,
        "NFD" => Normalizer::Nfd,
        "NFKC" => Normalizer::Nfkc,
        "NFKD" => Normalizer::Nfkd,
        "StripAccents" => Normalizer::StripAccents,
        "Strip" => Normalizer::Strip { left: node.get("strip_left")?.bool()?, right: node.get("strip_right")?.bool()? },
        "Replace" => Normalizer::Replace {
            pattern: pretokenizers::search(&node.get("pattern")?)?,
            content: node.get("content")?.string()?.into(),
        },
        "Prepend" => match node.get("prepend")?.string()? {
            // The library loses the place of the first character then.
            "" => return Err(node.get("prepend")?.unsupported("prepending nothing")),
            content => Normalizer::Prepend { content: content.into() },
        },
        "Nmt" => Normalizer::Nmt,
        "Precompiled" => {
            let node = node.get("precompiled_charsmap")?;
            let charsmap = Charsmap::try_from(node.string()?.to_string());
            Normalizer::Precompiled { charsmap: charsmap.map_err(|error| node.error(error.to_string()))? }
        }
        "ByteLevel" => Normalizer::ByteLevel,
        "BertNormalizer" => Normalizer::Bert(Bert {
            clean_text: node.get("clean_text")?.bool()?,
            split_cjk: node.get("handle_chinese_chars")?.bool()?,
            strip_accents: node.find("strip_accents")?.map(|node| node.bool()).transpose()?,
            lowercase: node.get("lowercase")?.bool()?,
        }),
        "Sequence" => Normalizer::Sequence {
            steps: node.get("normalizers")?.list()?.map(|node| read(&node)).collect::<Result<_>>()?,
        },
        other => return Err(node.get("type")?.unsupported(&format!("the normalizer {other}"))),
    };
    node.only(keys)?;
    Ok(normalizer)
}

pub(super) fn write(normalizer: &Normalizer) -> Result<Value> {
    Ok(match normalizer {
        Normalizer::Lowercase => json!({"type": "Lowercase"}),
        Normalizer::Nfc => json!({"type": "NFC"}),
        Normalizer::Nfd => json!({"type": "NFD"}),
        Normalizer::Nfkc => json!({"type": "NFKC"}),
        Normalizer::Nfkd => json!({"type": "NFKD"}),
        Normalizer::StripAccents => json!({"type": "StripAccents"}),
        Normalizer::Strip { left, right } => {
            json!({"type": "Strip", "strip_left": left, "strip_right": right})
        }
        Normalizer::Replace { pattern, content } => {
            json!({"type": "Replace", "pattern": pretokenizers::write_pattern(pattern.pattern()), "content": content})
        }
        Normalizer::Prepend { content } => json!({"type": "Prepend", "prepend": content}),
        Normalizer::Nmt => json!({"type": "Nmt"}),
        Normalizer::ByteLevel => json!({"type": "ByteLevel"}),
        Normalizer::Bert(bert) => json!({
            "type": "BertNormalizer",
            "clean_text": bert.clean_text,
            "handle_chinese_chars": bert.split_cjk,
            "strip_accents": bert.strip_accents,
            "lowercase": bert.lowercase,
        }),
        Normalizer::Sequence { steps } => {
            let steps: Vec<Value> = steps.iter().map(write).collect::<Result<_>>()?;
            json!({"type": "Sequence", "normalizers": steps})
        }
        Normalizer::Precompiled { charsmap } => {
            json!({"type": "Precompiled", "precompiled_charsmap": String::from(charsmap.clone())})
        }
        Normalizer::SentencePiece(_) => {
            return Err(Error::Inexpressible {
                format: super::NAME,
                feature: "the normalizer of SentencePiece".into(),
                hint: "write .mill or .model instead".into(),
            });
        }
    })
}
