//! vocab.json and merges.txt: the tokens of a BPE model with their ids, and its merges in their order, in two files side by side. They hold
//! neither the stages around the model nor whether its tokens are written in the alphabet of bytes; what they hold tells most of that, and
//! the caller the rest.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::json::JsonNode;
use super::lexicon::Lexicon;
use super::{Given, huggingface, sniff};
use crate::data::write_atomically;
use crate::decode::{DecodeStep, Decoder, END_OF_WORD};
use crate::definition::{Definition, Family, Merging, Outline, Symbols, Unit};
use crate::error::{Error, Result};
use crate::model::bpe::concatenations::make_every_token;
use crate::pretokenize::PreTokenizer;
use crate::specials::AddedToken;
use crate::text::byte_alphabet::{byte_of, char_of};
use crate::vocab::TokenId;
use crate::vocab::merges::Merges;

pub(super) const NAME: &str = "vocab.json with merges.txt";
const VOCAB: &str = "vocab.json";
const MERGES: &str = "merges.txt";
/// What stands for the unknown in vocabularies of characters that have it.
const UNKNOWN: &str = "<unk>";

/// Reads one of the two files and the other beside it.
pub(super) fn read(bytes: &[u8], path: &Path, given: &Given) -> Result<Definition> {
    let [vocab, merges] = both(path)?;
    let is_vocab = bytes.trim_ascii_start().starts_with(b"{");
    let other = if is_vocab { &merges } else { &vocab };
    let content = std::fs::read(other).map_err(|error| Error::io(other, error))?;
    let content = sniff::inflate(&content)?.unwrap_or(content);
    let (vocab, merges) = if is_vocab { (bytes, content.as_slice()) } else { (content.as_slice(), bytes) };
    let ids = read_vocab(vocab)?;
    let merges = read_merges(merges)?;
    let unit = unit(&ids, given)?;
    let marked = |suffix: &str| merges.iter().any(|[_, right]| right.ends_with(suffix));
    let suffix = if marked(END_OF_WORD) { END_OF_WORD } else { "" };
    let pretokenizer = match (given.pretokenizer(), unit, suffix) {
        (Some(given), ..) => given,
        (None, Unit::Bytes, "") => PreTokenizer::Gpt2,
        (None, ..) => {
            let reason = "a vocabulary like this does not say how text is split before it; pass pattern=";
            return Err(Error::format(VOCAB, reason));
        }
    };
    define(ids, &merges, Symbols { unit, suffix: suffix.into(), ..Symbols::default() }, pretokenizer, given)
}

fn define(
    ids: HashMap<String, TokenId>,
    merges: &[[String; 2]],
    mut symbols: Symbols,
    pretokenizer: PreTokenizer,
    given: &Given,
) -> Result<Definition> {
    let added = given.special_tokens.iter().flatten().cloned();
    let added: Vec<AddedToken> = added.map(|(content, id)| AddedToken::special(id, content)).collect();
    let root = Value::Null;
    let node = JsonNode::root(&root).at("vocab", &root);
    let entries = ids.iter().map(|(token, &id)| (token.as_str(), id));
    let lexicon = Lexicon::new(&node, entries, symbols.unit)?;
    let names: HashSet<&str> = added.iter().map(|token| token.content.as_str()).collect();
    if let Some((token, id)) = lexicon.lost(|token| names.contains(token)) {
        return Err(Error::format(VOCAB, format!("token {id}, {token:?}, is not byte-level")));
    }
    let vocab = lexicon.vocab;
    let pair = |number: usize, [left, right]: &[String; 2]| {
        let id = |token: &String| {
            let missing = || Error::format(MERGES, format!("merge {number}: {token:?} is not in the vocabulary"));
            ids.get(token).copied().ok_or_else(missing)
        };
        Ok((id(left)?, id(right)?))
    };
    let pairs = (1..).zip(merges).map(|(number, merge)| pair(number, merge)).collect::<Result<Vec<_>>>()?;
    let table = Merges::of_pairs(&vocab, &pairs, b"")?;
    let complete = huggingface::bpe::is_complete(&vocab, &symbols);
    let unk = match given.unk_token.as_deref() {
        Some(name) => Some(
            *ids.get(name)
                .ok_or_else(|| Error::Spec(format!("unk_token is {name:?}, which is not in the vocabulary")))?,
        ),
        None => ids.get(UNKNOWN).copied(),
    };
    let decoder = match (symbols.suffix.as_str(), symbols.unit) {
        ("", _) => Decoder::Concat,
        (_, Unit::Bytes) => Decoder::EndOfWord,
        (suffix, Unit::Characters) => Decoder::Chain(vec![DecodeStep::Suffix { suffix: suffix.into() }]),
    };
    if complete {
        symbols = Symbols::default();
    }
    let outline = Outline {
        normalizer: given.normalizer.clone(),
        pretokenizer: Some(pretokenizer),
        unk: unk.filter(|_| !complete),
        added,
        decoder,
        ..Outline::bpe(symbols)
    };
    Ok(Definition { outline, vocab, merges: Some(table.into()), scores: None })
}

/// Whether the vocabulary is written in the alphabet of bytes: yes if it has all of it and nothing else, no if it has characters that are
/// not of it, or none but ASCII. Anything between could be either.
fn unit(ids: &HashMap<String, TokenId>, given: &Given) -> Result<Unit> {
    if let Some(byte_level) = given.byte_level {
        return Ok(if byte_level { Unit::Bytes } else { Unit::Characters });
    }
    let special = |token: &str| given.special_tokens.iter().flatten().any(|(name, _)| name == token);
    let has_all = (0..=255).all(|byte| ids.contains_key(char_of(byte).encode_utf8(&mut [0; 4]) as &str));
    let is_foreign = |token: &String| !token.chars().all(|c| byte_of(c).is_some()) && !special(token);
    match (has_all, ids.keys().any(is_foreign)) {
        (true, false) => Ok(Unit::Bytes),
        (false, true) => Ok(Unit::Characters),
        (false, false) if ids.keys().all(|token| token.is_ascii()) => Ok(Unit::Characters),
        (has_all, _) => Err(Error::format(
            VOCAB,
            format!(
                "has {} of the characters by which byte-level BPE writes bytes and {}, so that it could be byte-level or not; \
                 pass byte_level=True or byte_level=False",
                if has_all { "all" } else { "some" },
                if has_all { "others, too" } else { "no others" },
            ),
        )),
    }
}

/// Values that are no numbers are passed over, as by the library.
fn read_vocab(bytes: &[u8]) -> Result<HashMap<String, TokenId>> {
    let value: Value =
        serde_json::from_slice(bytes).map_err(|error| Error::format(VOCAB, format!("not valid JSON: {error}")))?;
    let root = JsonNode::root(&value);
    let numbers = root.map()?.iter().filter(|(_, id)| id.is_number());
    numbers.map(|(token, id)| Ok((token.clone(), root.at(token, id).number()?))).collect()
}

/// Two parts a line with one space between them; lines that begin with `#version` are passed over, wherever they stand.
fn read_merges(bytes: &[u8]) -> Result<Vec<[String; 2]>> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| Error::format(MERGES, format!("byte {} is not valid UTF-8 there", error.valid_up_to())))?;
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.starts_with("#version"));
    let merge = |(number, line): (usize, &str)| {
        let parts: Vec<&str> = line.split(' ').collect();
        match parts.as_slice() {
            &[left, right] => Ok([left.to_string(), right.to_string()]),
            parts => {
                let reason = format!("{line:?} has {} parts, expected 2", parts.len());
                Err(Error::format(format!("{MERGES} line {number}"), reason))
            }
        }
    };
    lines.map(merge).collect()
}

/// The paths of both files, given one of them: `name-vocab.json` goes with `name-merges.txt`, and each may be gzipped.
fn both(path: &Path) -> Result<[PathBuf; 2]> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let bare = name.trim_end_matches(".gz");
    let stem = bare.strip_suffix(VOCAB).or_else(|| bare.strip_suffix(MERGES));
    let Some(stem) = stem.filter(|stem| stem.is_empty() || stem.ends_with(['-', '.', '_'])) else {
        let reason = format!("these are two files, named {VOCAB} and {MERGES}, and {name:?} is neither");
        return Err(Error::format("the file", reason));
    };
    Ok([VOCAB, MERGES].map(|end| {
        let plain = path.with_file_name(format!("{stem}{end}"));
        let packed = path.with_file_name(format!("{stem}{end}.gz"));
        if !plain.is_file() && packed.is_file() { packed } else { plain }
    }))
}

/// Whether a path is that of one of the two files.
pub(super) fn is_named_so(path: &Path) -> bool {
    both(path).is_ok()
}

pub(super) fn is_merges(name: &str) -> bool {
    name.ends_with(MERGES)
}

/// Writes both files, into a folder or beside one another where one of them is named.
pub(super) fn save(definition: &Definition, path: &Path) -> Result<()> {
    let (vocab, merges) = write(definition)?;
    let paths = if path.is_dir() { [VOCAB, MERGES].map(|name| path.join(name)) } else { both(path)? };
    write_atomically(&paths[0], &vocab)?;
    write_atomically(&paths[1], &merges)
}

fn write(definition: &Definition) -> Result<(Vec<u8>, Vec<u8>)> {
    let Outline { family, merging, symbols, whole_pieces, .. } = &definition.outline;
    if symbols.suffix_is_unit {
        return Err(Error::Inexpressible {
            format: NAME,
            feature: "an end of words that is a symbol of its own".into(),
            hint: "write .mill instead".into(),
        });
    }
    let inexpressible = |feature: String| Error::Inexpressible {
        format: NAME,
        feature,
        hint: "write tokenizer.json or .mill instead".into(),
    };
    let merges = definition.merges.as_ref().filter(|_| *merging != Merging::Scores && *family == Family::Bpe);
    let Some(merges) = merges.filter(|merges| merges.are_a_list()) else {
        return Err(inexpressible("anything but a list of merges".into()));
    };
    if *whole_pieces && !make_every_token(&definition.vocab, merges) {
        return Err(inexpressible("that a piece which is a token is that token, whatever its merges make".into()));
    }
    if !symbols.prefix.is_empty() || !["", END_OF_WORD].contains(&symbols.suffix.as_str()) || symbols.byte_fallback {
        return Err(inexpressible("a prefix, a suffix other than </w>, or byte_fallback".into()));
    }
    let token = |id| huggingface::bpe::write_token(symbols.unit, id, definition.vocab.token(id).unwrap_or_default());
    let mut vocab = Map::new();
    let added = definition.added_by_id();
    let beyond = added.keys().copied().max().map_or(0, |id| id + 1);
    for id in 0..beyond.max(definition.vocab.len() as TokenId) {
        match definition.vocab.token(id) {
            Some(_) => drop(vocab.insert(token(id)?, id.into())),
            None => {
                // A special token that is not written in the alphabet, or comes after the tokens of the model.
                let special = added.get(&id);
                special.map(|special| vocab.insert(special.content.clone(), id.into()));
            }
        }
    }
    let mut lines = String::from("#version: 0.2\n");
    for (left, right) in merges.pairs() {
        let line = format!("{} {}", token(left)?, token(right)?);
        if line.matches(' ').count() != 1 || line.contains('\n') || line.ends_with('\r') || line.starts_with("#version")
        {
            return Err(inexpressible(format!("the merge {line:?}, which a line of merges.txt cannot hold")));
        }
        lines.push_str(&line);
        lines.push('\n');
    }
    let vocab = serde_json::to_vec(&vocab).map_err(|error| Error::Internal(error.to_string()))?;
    Ok((vocab, lines.into_bytes()))
}
