//! `pre_tokenizer`.

use serde_json::{Value, json};

use super::super::json::JsonNode;
use crate::definition::{Family, Outline, Unit};
use crate::error::{Error, Result};
use crate::pretokenize::gpt::{Scheme, deepseek};
use crate::pretokenize::{Behavior, PreTokenizer, Prepend};
use crate::text::pattern::{Pattern, Search};

const BEHAVIORS: [(&str, Behavior); 5] = [
    ("Removed", Behavior::Removed),
    ("Isolated", Behavior::Isolated),
    ("Contiguous", Behavior::Contiguous),
    ("MergedWithPrevious", Behavior::MergedWithPrevious),
    ("MergedWithNext", Behavior::MergedWithNext),
];

/// What the pieces of BPE start as: bytes where the last step of the pre-tokenizer writes them as such.
pub(super) fn unit(root: &JsonNode) -> Result<Unit> {
    let last = match root.find("pre_tokenizer")? {
        Some(node) => steps(&node)?.pop(),
        None => None,
    };
    match last {
        Some(last) if last.get("type")?.string()? == "ByteLevel" => Ok(Unit::Bytes),
        _ => Ok(Unit::Characters),
    }
}

fn steps<'a>(node: &JsonNode<'a>) -> Result<Vec<JsonNode<'a>>> {
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
pub(super) fn read_for(unit: Option<Unit>, root: &JsonNode) -> Result<Option<PreTokenizer>> {
    let Some(node) = root.find("pre_tokenizer")? else { return Ok(None) };
    let (mut steps, Some(Unit::Bytes)) = (steps(&node)?, unit) else { return read(&node).map(Some) };
    let Some(last) = steps.pop() else { return Ok(None) };
    let (prefix_space, splits) = byte_level(&last)?;
    let mut read_steps = known_together(steps.iter().map(read).collect::<Result<Vec<_>>>()?);
    read_steps.extend(prefix_space.then_some(PreTokenizer::PrefixSpace));
    read_steps.extend(splits.then_some(PreTokenizer::Gpt2));
    Ok(match read_steps.len() {
        0 => None,
        1 => read_steps.pop(),
        _ => Some(PreTokenizer::Sequence { steps: read_steps }),
    })
}

pub(super) fn read(node: &JsonNode) -> Result<PreTokenizer> {
    let kind = node.get("type")?.string()?;
    let keys: &[&str] = match kind {
        "Punctuation" => &["type", "behavior"],
        "Digits" => &["type", "individual_digits"],
        "CharDelimiterSplit" => &["type", "delimiter"],
        "FixedLength" => &["type", "length"],
        "Split" => &["type", "pattern", "behavior", "invert"],
        "ByteLevel" => &["type", "add_prefix_space", "trim_offsets", "use_regex"],
        "Metaspace" => &["type", "replacement", "prepend_scheme", "split", "add_prefix_space", "str_rep"],
        "Sequence" => &["type", "pretokenizers"],
        _ => &["type"],
    };
    let pretokenizer = match kind {
        "Whitespace" => PreTokenizer::Whitespace,
        "WhitespaceSplit" => PreTokenizer::WhitespaceSplit,
        "BertPreTokenizer" => PreTokenizer::Bert,
        "UnicodeScripts" => PreTokenizer::UnicodeScripts,
        "Punctuation" => PreTokenizer::Punctuation { behavior: behavior(node)? },
        "Digits" => PreTokenizer::Digits { individual: node.get("individual_digits")?.bool()? },
        "CharDelimiterSplit" => PreTokenizer::Delimiter { character: delimiter(&node.get("delimiter")?)? },
        "FixedLength" => PreTokenizer::FixedLength { length: node.get("length")?.number()? as usize },
        "Split" => split(node)?,
        "ByteLevel" => {
            let (prefix_space, split) = byte_level(node)?;
            PreTokenizer::ByteLevel { prefix_space, split }
        }
        "Metaspace" => metaspace(node)?,
        "Sequence" => {
            let steps = node.get("pretokenizers")?.list()?.map(|node| read(&node)).collect::<Result<_>>()?;
            PreTokenizer::Sequence { steps: known_together(steps) }
        }
        other => return Err(node.get("type")?.unsupported(&format!("the pre-tokenizer {other}"))),
    };
    node.only(keys)?;
    Ok(pretokenizer)
}

/// Whether it adds a space and whether it splits; the other option is for the post-processor of the same name.
fn byte_level(node: &JsonNode) -> Result<(bool, bool)> {
    node.only(&["type", "add_prefix_space", "trim_offsets", "use_regex"])?;
    let splits = node.find("use_regex")?.map_or(Ok(true), |node| node.bool())?;
    Ok((node.get("add_prefix_space")?.bool()?, splits))
}

/// Old files have a flag besides the scheme, which must not contradict it, and another spelling of the replacement, which is not read.
pub(super) fn metaspace(node: &JsonNode) -> Result<PreTokenizer> {
    let prepend = match node.find("prepend_scheme")?.map(|node| node.string()).transpose()? {
        Some("first") => Prepend::First,
        Some("never") => Prepend::Never,
        Some("always") | None => Prepend::Always,
        Some(other) => return Err(node.error(format!("{other:?} is not one of first, always, never"))),
    };
    if let Some(flag) = node.find("add_prefix_space")?
        && !flag.bool()?
        && prepend != Prepend::Never
    {
        return Err(flag.error("is false, and prepend_scheme is not \"never\""));
    }
    let split = node.find("split")?.map_or(Ok(true), |node| node.bool())?;
    Ok(PreTokenizer::Metaspace { replacement: delimiter(&node.get("replacement")?)?, prepend, split })
}

/// Steps that are run by code of their own where they follow one another.
fn known_together(mut steps: Vec<PreTokenizer>) -> Vec<PreTokenizer> {
    let known = deepseek();
    if let Some(at) = steps.windows(known.len()).position(|some| some == known) {
        steps.splice(at..at + known.len(), [PreTokenizer::DeepSeek]);
    }
    steps
}

fn deepseek() -> [PreTokenizer; 3] {
    deepseek::PATTERNS.map(|pattern| PreTokenizer::Split {
        pattern: Pattern::Regex(pattern.into()),
        behavior: Behavior::Isolated,
        invert: false,
    })
}

fn behavior(node: &JsonNode) -> Result<Behavior> {
    let node = node.get("behavior")?;
    let name = node.string()?;
    let known = BEHAVIORS.iter().find(|(known, _)| *known == name).map(|&(_, behavior)| behavior);
    known.ok_or_else(|| {
        let known: Vec<&str> = BEHAVIORS.iter().map(|&(name, _)| name).collect();
        node.error(format!("{name:?} is not one of {}", known.join(", ")))
    })
}

pub(super) fn delimiter(node: &JsonNode) -> Result<char> {
    let mut characters = node.string()?.chars();
    match (characters.next(), characters.next()) {
        (Some(character), None) => Ok(character),
        _ => Err(node.error("expected one character")),
    }
}

/// Some patterns are known by their exact text, and run by code of their own; others by the general engine.
fn split(node: &JsonNode) -> Result<PreTokenizer> {
    let (behavior, invert) = (behavior(node)?, node.get("invert")?.bool()?);
    let pattern = pattern(&node.get("pattern")?)?;
    let known = match &pattern {
        Pattern::Regex(regex) => PreTokenizer::of_pattern(regex),
        Pattern::Text(_) => None,
    };
    // These patterns match all of a text: to keep the matches and drop the rest is to keep everything.
    match known {
        Some(known) if behavior == Behavior::Isolated || behavior == Behavior::Removed && invert => Ok(known),
        _ => Ok(PreTokenizer::Split { pattern, behavior, invert }),
    }
}

/// What a `Split` or a `Replace` looks for, which must be something that we can look for.
pub(super) fn pattern(node: &JsonNode) -> Result<Pattern> {
    node.only(&["Regex", "String"])?;
    let (node, pattern) = match node.find("Regex")? {
        Some(regex) => (regex.clone(), Pattern::Regex(regex.string()?.into())),
        None => {
            let text = node.get("String")?;
            (text.clone(), Pattern::Text(text.string()?.into()))
        }
    };
    match pattern.compile() {
        Ok(_) => Ok(pattern),
        Err(Error::Spec(reason)) => Err(node.error(reason)),
        Err(other) => Err(other),
    }
}

/// A pattern to replace, which may not match nothing.
pub(super) fn search(node: &JsonNode) -> Result<Search> {
    pattern(node)?.try_into().map_err(|error: Error| node.error(error.to_string()))
}

pub(super) fn write_pattern(pattern: &Pattern) -> Value {
    match pattern {
        Pattern::Text(text) => json!({"String": text}),
        Pattern::Regex(regex) => json!({"Regex": regex}),
    }
}

pub(super) fn write_all(outline: &Outline) -> Result<Option<Value>> {
    let splitting = all(outline);
    if outline.family != Family::Bpe || outline.symbols.unit != Unit::Bytes {
        return splitting.as_ref().map(write).transpose();
    }
    let mut steps = match splitting {
        Some(PreTokenizer::Sequence { steps }) => steps,
        splitting => splitting.into_iter().collect(),
    };
    // The library puts the space, splits as GPT-2 and changes the alphabet in one step.
    let splits = steps.ends_with(&[PreTokenizer::PrefixSpace, PreTokenizer::Gpt2]) && steps.pop().is_some();
    let prefix_space = steps.last() == Some(&PreTokenizer::PrefixSpace) && steps.pop().is_some();
    let bytes = byte_level_step(prefix_space, splits);
    let mut written = write_steps(&steps)?;
    written.push(bytes);
    Ok(Some(json!({"type": "Sequence", "pretokenizers": written})))
}

fn byte_level_step(prefix_space: bool, splits: bool) -> Value {
    json!({"type": "ByteLevel", "add_prefix_space": prefix_space, "trim_offsets": false, "use_regex": splits})
}

/// All of the splitting that the library is to do: a character tokenizer is written as words of one character.
pub(super) fn all(outline: &Outline) -> Option<PreTokenizer> {
    let single = PreTokenizer::FixedLength { length: 1 };
    match (outline.family, &outline.pretokenizer) {
        (Family::Word | Family::Bpe | Family::WordPiece | Family::Unigram, pretokenizer) => pretokenizer.clone(),
        (Family::Char, None) => Some(single),
        (Family::Char, Some(first)) => Some(PreTokenizer::Sequence { steps: vec![first.clone(), single] }),
    }
}

fn write(pretokenizer: &PreTokenizer) -> Result<Value> {
    Ok(match pretokenizer {
        PreTokenizer::Whitespace => json!({"type": "Whitespace"}),
        PreTokenizer::WhitespaceSplit => json!({"type": "WhitespaceSplit"}),
        PreTokenizer::Bert => json!({"type": "BertPreTokenizer"}),
        PreTokenizer::UnicodeScripts => json!({"type": "UnicodeScripts"}),
        PreTokenizer::Punctuation { behavior } => json!({"type": "Punctuation", "behavior": name_of(*behavior)}),
        PreTokenizer::Split { pattern, behavior, invert } => {
            let pattern = write_pattern(pattern);
            json!({"type": "Split", "pattern": pattern, "behavior": name_of(*behavior), "invert": invert})
        }
        PreTokenizer::Digits { individual } => json!({"type": "Digits", "individual_digits": individual}),
        PreTokenizer::Delimiter { character } => json!({"type": "CharDelimiterSplit", "delimiter": character}),
        PreTokenizer::FixedLength { length } => json!({"type": "FixedLength", "length": length}),
        PreTokenizer::Gpt2 => split_by(Scheme::Gpt2),
        PreTokenizer::Cl100k => split_by(Scheme::Cl100k),
        PreTokenizer::O200k => split_by(Scheme::O200k),
        PreTokenizer::Qwen2 => split_by(Scheme::Qwen2),
        PreTokenizer::Tekken => split_by(Scheme::Tekken),
        PreTokenizer::Metaspace { replacement, prepend, split } => {
            json!({"type": "Metaspace", "replacement": replacement, "prepend_scheme": prepend, "split": split})
        }
        PreTokenizer::ByteLevel { prefix_space, split } => byte_level_step(*prefix_space, *split),
        PreTokenizer::Code(_) => {
            return Err(Error::Inexpressible {
                format: super::NAME,
                feature: "a pretokenizer that parses source code".into(),
                hint: "write .mill instead".into(),
            });
        }
        PreTokenizer::PrefixSpace => {
            return Err(Error::Inexpressible {
                format: super::NAME,
                feature: "a space before every piece, but as the last step of byte-level BPE".into(),
                hint: "write .mill instead".into(),
            });
        }
        PreTokenizer::Sequence { steps } => json!({"type": "Sequence", "pretokenizers": write_steps(steps)?}),
        PreTokenizer::DeepSeek => json!({"type": "Sequence", "pretokenizers": write_steps(&deepseek())?}),
    })
}

/// The library has several steps for some that are one here.
fn write_steps(steps: &[PreTokenizer]) -> Result<Vec<Value>> {
    let mut written = Vec::with_capacity(steps.len());
    for step in steps {
        match step {
            PreTokenizer::DeepSeek => written.extend(write_steps(&deepseek())?),
            step => written.push(write(step)?),
        }
    }
    Ok(written)
}

fn name_of(behavior: Behavior) -> Option<&'static str> {
    BEHAVIORS.iter().find(|&&(_, known)| known == behavior).map(|&(name, _)| name)
}

fn split_by(scheme: Scheme) -> Value {
    json!({"type": "Split", "pattern": {"Regex": scheme.pattern()}, "behavior": "Isolated", "invert": false})
}
