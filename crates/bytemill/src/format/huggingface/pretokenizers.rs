//! `pre_tokenizer`.

use serde_json::{Value, json};

use super::super::json::Node;
use crate::definition::{Family, Outline, Unit};
use crate::error::Result;
use crate::pretokenize::gpt::Scheme;
use crate::pretokenize::{Behavior, PreTokenizer};

const BEHAVIORS: [(&str, Behavior); 5] = [
    ("Removed", Behavior::Removed),
    ("Isolated", Behavior::Isolated),
    ("Contiguous", Behavior::Contiguous),
    ("MergedWithPrevious", Behavior::MergedWithPrevious),
    ("MergedWithNext", Behavior::MergedWithNext),
];

const SCHEMES: [(Scheme, PreTokenizer); 5] = [
    (Scheme::Gpt2, PreTokenizer::Gpt2),
    (Scheme::Cl100k, PreTokenizer::Cl100k),
    (Scheme::O200k, PreTokenizer::O200k),
    (Scheme::Qwen2, PreTokenizer::Qwen2),
    (Scheme::Tekken, PreTokenizer::Tekken),
];

/// What the pieces of BPE start as: bytes where the last step of the pre-tokenizer writes them as such.
pub fn unit(root: &Node) -> Result<Unit> {
    let last = match root.find("pre_tokenizer")? {
        Some(node) => steps(&node)?.pop(),
        None => None,
    };
    match last {
        Some(last) if last.get("type")?.string()? == "ByteLevel" => Ok(Unit::Bytes),
        _ => Ok(Unit::Characters),
    }
}

fn steps<'a>(node: &Node<'a>) -> Result<Vec<Node<'a>>> {
    match node.get("type")?.string()? {
        "Sequence" => {
            node.only(&["type", "pretokenizers"])?;
            Ok(node.get("pretokenizers")?.list()?.collect())
        }
        _ => Ok(vec![node.clone()]),
    }
}

/// The pre-tokenizer of a model, of BPE with its unit. Byte-level BPE has a last step that only changes the alphabet, or also splits as
/// GPT-2 does.
pub fn read_for(unit: Option<Unit>, root: &Node) -> Result<Option<PreTokenizer>> {
    let Some(node) = root.find("pre_tokenizer")? else { return Ok(None) };
    let (mut steps, Some(Unit::Bytes)) = (steps(&node)?, unit) else { return read(&node).map(Some) };
    let Some(last) = steps.pop() else { return Ok(None) };
    last.only(&["type", "add_prefix_space", "trim_offsets", "use_regex"])?;
    let prefix = last.get("add_prefix_space")?;
    if prefix.bool()? {
        return Err(prefix.unsupported("add_prefix_space"));
    }
    let splits = last.find("use_regex")?.map_or(Ok(true), |node| node.bool())?;
    let mut read_steps = steps.iter().map(read).collect::<Result<Vec<_>>>()?;
    read_steps.extend(splits.then_some(PreTokenizer::Gpt2));
    Ok(match read_steps.len() {
        0 => None,
        1 => read_steps.pop(),
        _ => Some(PreTokenizer::Sequence { steps: read_steps }),
    })
}

pub fn read(node: &Node) -> Result<PreTokenizer> {
    let kind = node.get("type")?.string()?;
    let keys: &[&str] = match kind {
        "Punctuation" => &["type", "behavior"],
        "Digits" => &["type", "individual_digits"],
        "CharDelimiterSplit" => &["type", "delimiter"],
        "FixedLength" => &["type", "length"],
        "Split" => &["type", "pattern", "behavior", "invert"],
        "Sequence" => &["type", "pretokenizers"],
        _ => &["type"],
    };
    let pretokenizer = match kind {
        "Whitespace" => PreTokenizer::Whitespace,
        "WhitespaceSplit" => PreTokenizer::WhitespaceSplit,
        "BertPreTokenizer" => PreTokenizer::Bert,
        "Punctuation" => PreTokenizer::Punctuation { behavior: behavior(node)? },
        "Digits" => PreTokenizer::Digits { individual: node.get("individual_digits")?.bool()? },
        "CharDelimiterSplit" => PreTokenizer::Delimiter { character: delimiter(&node.get("delimiter")?)? },
        "FixedLength" => PreTokenizer::FixedLength { length: node.get("length")?.number()? as usize },
        "Split" => split(node)?,
        "Sequence" => PreTokenizer::Sequence {
            steps: node.get("pretokenizers")?.list()?.map(|node| read(&node)).collect::<Result<_>>()?,
        },
        other => return Err(node.get("type")?.unsupported(&format!("the pre-tokenizer {other}"))),
    };
    node.only(keys)?;
    Ok(pretokenizer)
}

fn behavior(node: &Node) -> Result<Behavior> {
    let node = node.get("behavior")?;
    let name = node.string()?;
    let known = BEHAVIORS.iter().find(|(known, _)| *known == name).map(|&(_, behavior)| behavior);
    known.ok_or_else(|| {
        let known: Vec<&str> = BEHAVIORS.iter().map(|&(name, _)| name).collect();
        node.error(format!("{name:?} is not one of {}", known.join(", ")))
    })
}

fn delimiter(node: &Node) -> Result<char> {
    let mut characters = node.string()?.chars();
    match (characters.next(), characters.next()) {
        (Some(character), None) => Ok(character),
        _ => Err(node.error("expected one character")),
    }
}

/// Patterns are known by their exact text.
fn split(node: &Node) -> Result<PreTokenizer> {
    let pattern = node.get("pattern")?;
    pattern.only(&["Regex", "String"])?;
    let text = pattern.find("Regex")?.map(|node| node.string()).transpose()?;
    let known = SCHEMES.into_iter().find(|(scheme, _)| Some(scheme.pattern()) == text);
    // The patterns match all of a text: to keep the matches and drop the rest is to keep everything.
    let behavior = (behavior(node)?, node.get("invert")?.bool()?);
    let plain = matches!(behavior, (Behavior::Isolated, _) | (Behavior::Removed, true));
    match known {
        Some((_, pretokenizer)) if plain => Ok(pretokenizer),
        _ => Err(pattern.unsupported("this way of splitting")),
    }
}

pub fn write_all(outline: &Outline) -> Option<Value> {
    let splitting = all(outline);
    if outline.family != Family::Bpe || outline.symbols.unit != Unit::Bytes {
        return splitting.as_ref().map(write);
    }
    let bytes = json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": false, "use_regex": false});
    let steps: Vec<Value> = splitting.iter().map(write).chain([bytes]).collect();
    Some(json!({"type": "Sequence", "pretokenizers": steps}))
}

/// All of the splitting that the library is to do: a character tokenizer is written as words of one character.
pub fn all(outline: &Outline) -> Option<PreTokenizer> {
    let single = PreTokenizer::FixedLength { length: 1 };
    match (outline.family, &outline.pretokenizer) {
        (Family::Word | Family::Bpe, pretokenizer) => pretokenizer.clone(),
        (Family::Char, None) => Some(single),
        (Family::Char, Some(first)) => Some(PreTokenizer::Sequence { steps: vec![first.clone(), single] }),
    }
}

fn write(pretokenizer: &PreTokenizer) -> Value {
    match pretokenizer {
        PreTokenizer::Whitespace => json!({"type": "Whitespace"}),
        PreTokenizer::WhitespaceSplit => json!({"type": "WhitespaceSplit"}),
        PreTokenizer::Bert => json!({"type": "BertPreTokenizer"}),
        PreTokenizer::Punctuation { behavior } => {
            let name = BEHAVIORS.iter().find(|(_, known)| known == behavior).map(|&(name, _)| name);
            json!({"type": "Punctuation", "behavior": name})
        }
        PreTokenizer::Digits { individual } => json!({"type": "Digits", "individual_digits": individual}),
        PreTokenizer::Delimiter { character } => json!({"type": "CharDelimiterSplit", "delimiter": character}),
        PreTokenizer::FixedLength { length } => json!({"type": "FixedLength", "length": length}),
        PreTokenizer::Gpt2 => split_by(Scheme::Gpt2),
        PreTokenizer::Cl100k => split_by(Scheme::Cl100k),
        PreTokenizer::O200k => split_by(Scheme::O200k),
        PreTokenizer::Qwen2 => split_by(Scheme::Qwen2),
        PreTokenizer::Tekken => split_by(Scheme::Tekken),
        PreTokenizer::Sequence { steps } => {
            let steps: Vec<Value> = steps.iter().map(write).collect();
            json!({"type": "Sequence", "pretokenizers": steps})
        }
    }
}

fn split_by(scheme: Scheme) -> Value {
    json!({"type": "Split", "pattern": {"Regex": scheme.pattern()}, "behavior": "Isolated", "invert": false})
}
