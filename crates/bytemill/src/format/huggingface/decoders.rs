//! `decoder`.

use serde_json::{Value, json};

use super::super::json::JsonNode;
use super::pretokenizers;
use crate::decode::{DecodeStep, Decoder, END_OF_WORD, spacing_pattern};
use crate::definition::{Family, Outline, Unit};
use crate::error::{Error, Result};
use crate::pretokenize::{PreTokenizer, Prepend};
use crate::specials::AddedToken;
use crate::text::byte_alphabet::from_alphabet;

/// A prefix that no token has (a code point that is no character), so that the WordPiece decoder puts a space before every token but the
/// first and does nothing else.
const NO_PREFIX: &str = "\u{FFFF}";

/// The decoder of a model, of BPE with its unit.
pub(super) fn read(unit: Option<Unit>, root: &JsonNode, added: &[AddedToken]) -> Result<Decoder> {
    let node = root.find("decoder")?;
    if unit != Some(Unit::Bytes) {
        return read_any(node.as_ref());
    }
    if let Some(node) = node.as_ref().filter(|_| !added.iter().any(is_changed))
        && node.get("type")?.string()? == "ByteLevel"
    {
        // Its options are for other stages of the same name.
        node.only(&["type", "add_prefix_space", "trim_offsets", "use_regex"])?;
        return Ok(Decoder::Concat);
    }
    read_any(node.as_ref()).map(|decoder| Decoder::Written(Box::new(decoder)))
}

/// A decoder for tokens as the file writes them.
pub(super) fn read_any(node: Option<&JsonNode>) -> Result<Decoder> {
    node.map_or(Ok(Decoder::Spaced), read_chain)
}

/// The library decodes added tokens in the alphabet of bytes, too, where their text happens to be in it.
fn is_changed(token: &AddedToken) -> bool {
    from_alphabet(&token.content).is_some_and(|bytes| bytes != token.content.as_bytes())
}

/// Decoders for tokens that are text.
pub(super) fn read_chain(node: &JsonNode) -> Result<Decoder> {
    let known = [Decoder::Concat, Decoder::Words].into_iter().find(|known| write_known(known) == *node.value);
    if let Some(known) = known {
        return Ok(known);
    }
    let mut steps = Vec::new();
    read_steps(node, &mut steps)?;
    let chain = Decoder::Chain(steps);
    chain.check().map_err(|error| node.error(error.to_string()))?;
    Ok(chain)
}

fn read_steps(node: &JsonNode, steps: &mut Vec<DecodeStep>) -> Result<()> {
    let kind = node.get("type")?.string()?;
    let text = |key: &str| node.get(key)?.string().map(str::to_string);
    let cleanup = || node.get("cleanup")?.bool();
    let keys: &[&str] = match kind {
        "Sequence" => {
            node.only(&["type", "decoders"])?;
            return node.get("decoders")?.list()?.try_for_each(|node| read_steps(&node, steps));
        }
        "Replace" => &["type", "pattern", "content"],
        "Strip" => &["type", "content", "start", "stop"],
        "Metaspace" => &["type", "replacement", "prepend_scheme", "split", "add_prefix_space", "str_rep"],
        "CTC" => &["type", "pad_token", "word_delimiter_token", "cleanup"],
        "WordPiece" => &["type", "prefix", "cleanup"],
        "BPEDecoder" => &["type", "suffix"],
        "ByteLevel" => &["type", "add_prefix_space", "trim_offsets", "use_regex"],
        _ => &["type"],
    };
    steps.push(match kind {
        "Replace" => {
            DecodeStep::Replace { pattern: pretokenizers::search(&node.get("pattern")?)?, content: text("content")? }
        }
        "ByteFallback" => DecodeStep::ByteFallback,
        "Fuse" => DecodeStep::Fuse,
        "Strip" => {
            let content = pretokenizers::delimiter(&node.get("content")?)?;
            let (start, stop) = (node.get("start")?.number()? as usize, node.get("stop")?.number()? as usize);
            DecodeStep::Strip { content, start, stop }
        }
        "Metaspace" => match pretokenizers::metaspace(node)? {
            PreTokenizer::Metaspace { replacement, prepend, .. } => {
                DecodeStep::Metaspace { replacement, prepended: prepend != Prepend::Never }
            }
            _ => return Err(node.unsupported("this decoder")),
        },
        "CTC" => {
            DecodeStep::Ctc { pad: text("pad_token")?, delimiter: text("word_delimiter_token")?, cleanup: cleanup()? }
        }
        "WordPiece" => DecodeStep::WordPiece { prefix: text("prefix")?, cleanup: cleanup()? },
        "BPEDecoder" => DecodeStep::Suffix { suffix: text("suffix")? },
        "ByteLevel" => DecodeStep::ByteLevel,
        other => return Err(node.get("type")?.unsupported(&format!("the decoder {other}"))),
    });
    node.only(keys)
}

pub(super) fn write(outline: &Outline) -> Result<Value> {
    Ok(match (outline.family, outline.symbols.unit, &outline.decoder) {
        (Family::Bpe, Unit::Bytes, Decoder::Concat) => {
            json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": false, "use_regex": false})
        }
        (.., Decoder::Written(decoder)) => match &**decoder {
            Decoder::Chain(steps) => write_steps(steps),
            other => write_known(other),
        },
        (_, _, Decoder::Chain(steps)) => write_steps(steps),
        // A step on the alphabet would not see the end of a word, one before it would lose bytes.
        (.., Decoder::EndOfWord) => {
            return Err(Error::Spec(format!(
                "tokenizer.json cannot say that {END_OF_WORD} of byte-level tokens is a space"
            )));
        }
        (.., Decoder::Bytes) => {
            return Err(Error::Spec(
                "tokenizer.json cannot say that bytes which are no text are given as they are".into(),
            ));
        }
        (_, _, decoder) => write_known(decoder),
    })
}

fn write_steps(steps: &[DecodeStep]) -> Value {
    match steps {
        [step] => write_step(step),
        steps => json!({"type": "Sequence", "decoders": steps.iter().map(write_step).collect::<Vec<_>>()}),
    }
}

fn write_step(step: &DecodeStep) -> Value {
    match step {
        DecodeStep::Replace { pattern, content } => {
            json!({"type": "Replace", "pattern": pretokenizers::write_pattern(pattern.pattern()), "content": content})
        }
        DecodeStep::ByteFallback => json!({"type": "ByteFallback"}),
        DecodeStep::Fuse => json!({"type": "Fuse"}),
        DecodeStep::Strip { content, start, stop } => {
            json!({"type": "Strip", "content": content, "start": start, "stop": stop})
        }
        DecodeStep::Metaspace { replacement, prepended } => {
            let scheme = if *prepended { "always" } else { "never" };
            json!({"type": "Metaspace", "replacement": replacement, "prepend_scheme": scheme, "split": true})
        }
        DecodeStep::Ctc { pad, delimiter, cleanup } => {
            json!({"type": "CTC", "pad_token": pad, "word_delimiter_token": delimiter, "cleanup": cleanup})
        }
        DecodeStep::WordPiece { prefix, cleanup } => json!({"type": "WordPiece", "prefix": prefix, "cleanup": cleanup}),
        DecodeStep::Suffix { suffix } => json!({"type": "BPEDecoder", "suffix": suffix}),
        DecodeStep::ByteLevel => {
            json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": false, "use_regex": false})
        }
    }
}

/// Those that are one decoder here and several there.
fn write_known(decoder: &Decoder) -> Value {
    match decoder {
        Decoder::Bytes
        | Decoder::Spaced
        | Decoder::EndOfWord
        | Decoder::Chain(_)
        | Decoder::SentencePiece(_)
        | Decoder::Written(_) => Value::Null,
        Decoder::Concat => json!({"type": "Fuse"}),
        Decoder::Words => json!({
            "type": "Sequence",
            "decoders": [
                {"type": "WordPiece", "prefix": NO_PREFIX, "cleanup": false},
                {"type": "Fuse"},
                {"type": "Replace", "pattern": {"Regex": spacing_pattern()}, "content": ""},
            ],
        }),
    }
}
