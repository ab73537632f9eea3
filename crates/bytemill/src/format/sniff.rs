//! Which format is it? By content when reading, by name when writing.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use flate2::read::MultiGzDecoder;
use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::binary::MAGIC;
use super::huggingface;
use super::sentencepiece;
use super::vocab_merges::is_named_so;
use super::vocab_txt;
use crate::error::{Error, Result};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Our compact binary.
    Mill,
    /// Our readable JSON.
    MillJson,
    /// tokenizer.json of the `tokenizers` library.
    HuggingFace,
    /// The rank file of `tiktoken`.
    Tiktoken,
    /// tekken.json of Mistral.
    Tekken,
    /// vocab.json and merges.txt, side by side.
    VocabMerges,
    /// vocab.txt of WordPiece.
    VocabTxt,
    /// .model of SentencePiece.
    SentencePiece,
}

/// No tokenizer is larger; a compressed file that claims to be is an accident or an attack.
const MOST_INFLATED: u64 = 1 << 31;

impl Format {
    pub const ALL: [Format; 8] = [
        Format::Mill,
        Format::MillJson,
        Format::HuggingFace,
        Format::Tiktoken,
        Format::Tekken,
        Format::VocabMerges,
        Format::VocabTxt,
        Format::SentencePiece,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Format::Mill => "mill",
            Format::MillJson => "mill.json",
            Format::HuggingFace => "tokenizer.json",
            Format::Tiktoken => "tiktoken",
            Format::Tekken => "tekken.json",
            Format::VocabMerges => "vocab.json",
            Format::VocabTxt => "vocab.txt",
            Format::SentencePiece => "model",
        }
    }

    pub fn named(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name).ok_or_else(|| {
            let known = Self::ALL.map(Self::name);
            let message = format!("there is no format named {name:?} (known: {})", known.join(", "));
            Error::UnknownName { message, name: name.into(), known: known.map(String::from).into() }
        })
    }

    /// The format that a file of this name holds.
    pub fn of_name(path: &Path) -> Result<Self> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        match name.as_str() {
            _ if name.ends_with(".mill") => Ok(Format::Mill),
            _ if name.ends_with(".mill.json") => Ok(Format::MillJson),
            "tekken.json" => Ok(Format::Tekken),
            _ if is_named_so(Path::new(&name)) => Ok(Format::VocabMerges),
            _ if name.ends_with(".json") => Ok(Format::HuggingFace),
            _ if name.ends_with(".tiktoken") => Ok(Format::Tiktoken),
            _ if vocab_txt::is_named_so(&name) => Ok(Format::VocabTxt),
            _ if name.ends_with(".model") => Ok(Format::SentencePiece),
            _ => Err(Error::Spec(format!(
                "the name {name:?} does not say which format to write: end it in .mill (compact), .mill.json (readable) or \
                 tokenizer.json (for the tokenizers library), or pass format="
            ))),
        }
    }
}

/// The format of a file's content.
pub fn sniff(bytes: &[u8]) -> Result<Format> {
    if bytes.starts_with(&MAGIC[..5]) {
        return Ok(Format::Mill);
    }
    match bytes.trim_ascii_start().first() {
        Some(b'{') => sniff_json(bytes),
        _ if bytes.starts_with(b"#version") => Ok(Format::VocabMerges),
        _ if sentencepiece::is_model(bytes) => Ok(Format::SentencePiece),
        _ if is_rank_file(bytes) => Ok(Format::Tiktoken),
        _ if vocab_txt::is_vocab_txt(bytes) => Ok(Format::VocabTxt),
        _ => Err(Error::format("the file", UNKNOWN)),
    }
}

fn sniff_json(bytes: &[u8]) -> Result<Format> {
    if huggingface::begins_like_one(bytes) {
        return Ok(Format::HuggingFace);
    }
    // The values are passed over: building those of a large vocabulary would take as long as reading it.
    let value: BTreeMap<String, ValueKind> =
        serde_json::from_slice(bytes).map_err(|error| Error::format("the file", format!("not valid JSON: {error}")))?;
    // Any word may be a token, these keys among them, but then all values are numbers. One alone is the version of a damaged file of ours.
    if value.len() > 1 && value.values().all(|&kind| kind == ValueKind::Number) {
        return Ok(Format::VocabMerges);
    }
    if value.contains_key("bytemill") {
        return Ok(Format::MillJson);
    }
    if value.contains_key("model") {
        return Ok(Format::HuggingFace);
    }
    if value.contains_key("config") && value.contains_key("vocab") {
        return Ok(Format::Tekken);
    }
    let keys: Vec<&str> = value.keys().take(6).map(String::as_str).collect();
    Err(Error::format(
        "the file",
        format!("JSON, but of no tokenizer format that is known here (its keys: {})", keys.join(", ")),
    ))
}

/// What a value is, without looking into it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ValueKind {
    Number,
    Other,
}

impl<'de> Deserialize<'de> for ValueKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_any(KindVisitor)
    }
}

struct KindVisitor;

impl<'de> Visitor<'de> for KindVisitor {
    type Value = ValueKind;

    fn expecting(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        formatter.write_str("any value")
    }

    fn visit_u64<E>(self, _: u64) -> std::result::Result<ValueKind, E> {
        Ok(ValueKind::Number)
    }

    fn visit_i64<E>(self, _: i64) -> std::result::Result<ValueKind, E> {
        Ok(ValueKind::Other)
    }

    fn visit_f64<E>(self, _: f64) -> std::result::Result<ValueKind, E> {
        Ok(ValueKind::Other)
    }

    fn visit_bool<E>(self, _: bool) -> std::result::Result<ValueKind, E> {
        Ok(ValueKind::Other)
    }

    fn visit_unit<E>(self) -> std::result::Result<ValueKind, E> {
        Ok(ValueKind::Other)
    }

    fn visit_str<E>(self, _: &str) -> std::result::Result<ValueKind, E> {
        Ok(ValueKind::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> std::result::Result<ValueKind, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(ValueKind::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<ValueKind, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(ValueKind::Other)
    }
}

/// Whether the first line is a token in base64 and a number.
fn is_rank_file(bytes: &[u8]) -> bool {
    let line = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let mut parts = line.trim_ascii_end().split(|&byte| byte == b' ');
    let (Some(token), Some(rank), None) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let base64 = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=".contains(byte);
    let is_token = !token.is_empty() && token.len() % 4 == 0 && token.iter().all(base64);
    is_token && !rank.is_empty() && rank.iter().all(u8::is_ascii_digit)
}

const UNKNOWN: &str = "of no tokenizer format that is known here (known: .mill, .mill.json, tokenizer.json, .tiktoken, tekken.json, \
                       vocab.json with merges.txt, vocab.txt, .model)";

/// The content of a gzipped file; None for any other.
pub(super) fn inflate(bytes: &[u8]) -> Result<Option<Vec<u8>>> {
    if !bytes.starts_with(&[0x1F, 0x8B]) {
        return Ok(None);
    }
    let mut inflated = Vec::new();
    let read = MultiGzDecoder::new(bytes).take(MOST_INFLATED).read_to_end(&mut inflated);
    match read {
        Ok(size) if size as u64 == MOST_INFLATED => {
            Err(Error::format("the gzip stream", "inflates to more than 2 GiB"))
        }
        Ok(_) => Ok(Some(inflated)),
        Err(error) if error.kind() == std::io::ErrorKind::OutOfMemory => Err(Error::Memory),
        Err(error) => Err(Error::format("the gzip stream", error.to_string())),
    }
}
