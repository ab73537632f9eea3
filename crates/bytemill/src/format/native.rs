//! `.mill.json`: our own format for people to read. Checked by a checksum over its content, however it is laid out.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::self_test::{self, SelfTest};
use super::sentencepiece;
use crate::definition::{Definition, Merging, Outline};
use crate::encode::tokenizer::Tokenizer;
use crate::error::{Error, Result};
use crate::model::bpe::concatenations::of_concatenations;
use crate::vocab::merges::Merges;
use crate::vocab::{TokenId, Vocab};

/// The newest version of this format that this code writes and reads.
pub(super) const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    /// The version, under a key by which the format is known.
    bytemill: u32,
    /// Of the document without this field, written compactly. May be left out by people who edit the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    checksum: Option<String>,
    definition: Outline,
    self_test: Vec<SelfTest>,
    /// The token of each id; null where the model has none.
    vocab: Vec<Option<TokenText>>,
    /// The pairs of ids that become one, in the order of their priority.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    merges: Option<Vec<(TokenId, TokenId)>>,
    /// The score of each token, in decimal: as text, which loses nothing on the way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scores: Option<Vec<String>>,
}

/// Text where a token is text, else its bytes in hexadecimal.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum TokenText {
    Text(String),
    Bytes { hex: String },
}

pub(super) fn write(tokenizer: &Tokenizer) -> Result<Vec<u8>> {
    let definition = tokenizer.definition();
    let mut document = Document {
        bytemill: VERSION,
        checksum: None,
        definition: definition.outline.clone(),
        self_test: self_test::make(tokenizer),
        vocab: (0..definition.vocab.len() as u32).map(|id| definition.vocab.token(id).map(TokenText::new)).collect(),
        merges: match (definition.outline.merging, &definition.merges) {
            (Merging::Pairs, Some(merges)) => Some(merges.pairs()),
            // The other rule follows from the vocabulary.
            _ => None,
        },
        scores: definition.scores.as_ref().map(|scores| scores.iter().map(f64::to_string).collect()),
    };
    document.checksum = Some(document.sum()?);
    // No line end at the end: a file that lost its last byte must not look whole.
    serde_json::to_vec_pretty(&document).map_err(internal)
}

pub(super) fn read(bytes: &[u8]) -> Result<Tokenizer> {
    #[derive(Deserialize)]
    struct Version {
        bytemill: u32,
    }
    let invalid = |error: serde_json::Error| Error::format("the file", error.to_string());
    let Version { bytemill: version } = serde_json::from_slice(bytes).map_err(invalid)?;
    if version != VERSION {
        return Err(wrong_version(version));
    }
    let mut document: Document = serde_json::from_slice(bytes).map_err(invalid)?;
    if let Some(stated) = document.checksum.take() {
        let found = document.sum()?;
        if stated != found {
            return Err(Error::format(
                "checksum",
                format!(
                    "{stated} is stated and {found} found: the file was changed. \
                         If that was on purpose, remove the line \"checksum\""
                ),
            ));
        }
    }
    let tokens = document.vocab.into_iter().map(|token| token.map(TokenText::bytes).transpose());
    let vocab = Vocab::new(tokens.collect::<Result<Vec<_>>>()?)?;
    let scores =
        document.scores.map(|scores| scores.iter().map(|score| read_score(score)).collect::<Result<Arc<[f64]>>>());
    let scores = scores.transpose()?;
    let merges = match (document.definition.merging, &document.merges) {
        (Merging::Scores, _) => match (&document.definition.sentencepiece, &scores) {
            (Some(pieces), Some(scores)) if scores.len() == vocab.len() => {
                sentencepiece::merges_of(document.definition.family, &vocab, scores, pieces)?
            }
            _ => return Err(Error::format("scores", "this way of merging needs the score of every token")),
        },
        (Merging::Concatenations, _) => Some(of_concatenations(&vocab)?),
        (Merging::Pairs, Some(pairs)) => {
            Some(Merges::of_pairs(&vocab, pairs, document.definition.symbols.prefix.as_bytes())?)
        }
        (Merging::Pairs, None) => None,
    };
    let merges = merges.map(Arc::new);
    let definition = Definition { outline: document.definition, vocab: vocab.into(), merges, scores };
    self_test::verify(Tokenizer::new(definition)?, &document.self_test)
}

fn read_score(text: &str) -> Result<f64> {
    text.parse().map_err(|_| Error::format("scores", format!("{text:?} is no number")))
}

/// What to say of a version that this code does not know.
pub(super) fn wrong_version(version: u32) -> Error {
    let reason = match version {
        0 => "version 0 does not exist".to_string(),
        _ => format!("version {version} is newer than {VERSION}, the newest that is known here: upgrade bytemill"),
    };
    Error::format("the file", reason)
}

fn internal(error: serde_json::Error) -> Error {
    Error::Internal(error.to_string())
}

impl Document {
    fn sum(&self) -> Result<String> {
        Ok(format!("{:016x}", xxh3_64(&serde_json::to_vec(self).map_err(internal)?)))
    }
}

impl TokenText {
    pub(crate) fn new(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => TokenText::Text(text.to_string()),
            Err(_) => TokenText::Bytes { hex: bytes.iter().map(|byte| format!("{byte:02x}")).collect() },
        }
    }

    fn bytes(self) -> Result<Vec<u8>> {
        let hex = match self {
            TokenText::Text(text) => return Ok(text.into_bytes()),
            TokenText::Bytes { hex } => hex,
        };
        let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
        let (pairs, rest) = hex.as_bytes().as_chunks::<2>();
        let bytes: Option<Vec<u8>> = pairs.iter().map(|&[high, low]| Some(digit(high)? << 4 | digit(low)?)).collect();
        bytes
            .filter(|_| rest.is_empty())
            .ok_or_else(|| Error::format("vocab", format!("{hex:?} is not a token's bytes in hexadecimal")))
    }
}
