//! The options of byte-pair encoding, as the user says them.

use serde::Deserialize;

use super::rule::{MergeRules, PairScore, Ties};
use crate::decode::{DecodeStep, Decoder, END_OF_WORD};
use crate::definition::{Merging, Symbols, Unit};
use crate::error::{Error, Result};
use crate::pretokenize::{PreTokenizer, Prepend};

/// What the mark at the end of a word is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndOfWord {
    /// The ending of the last unit, as in `tokenizers`.
    #[default]
    Suffix,
    /// A unit of its own, as in the papers: it is counted and merged like any other.
    Symbol,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BpeOptions {
    pub ties: Ties,
    /// For WordPiece, which learns in the same way.
    #[serde(skip)]
    pub score: PairScore,
    pub max_token_length: Option<usize>,
    /// Characters that are tokens even if they do not occur; None for all bytes, or none.
    pub initial_alphabet: Option<Vec<String>>,
    pub limit_alphabet: Option<usize>,
    pub end_of_word_suffix: Option<String>,
    #[serde(default)]
    pub end_of_word: EndOfWord,
    pub continuing_subword_prefix: Option<String>,
    pub byte_level: bool,
    pub byte_fallback: bool,
    /// Whether a vocabulary that does not hold what merging begins with is as large as that, as in `tokenizers`.
    #[serde(default)]
    pub may_exceed: bool,
}

impl BpeOptions {
    /// Refuses options that contradict one another.
    pub fn check(&self, unk_token: Option<&str>) -> Result<()> {
        let refuse = |message: &str| Err(Error::Spec(message.into()));
        let tiktoken = self.ties == Ties::Tiktoken;
        let suffix = self.end_of_word_suffix.as_deref();
        if self.byte_level {
            if unk_token.is_some() && self.initial_alphabet.is_none() {
                return refuse(
                    "with byte_level=True nothing is unknown; leave unk_token out, or put it into special_tokens if something else needs it",
                );
            }
            if self.limit_alphabet.is_some() {
                return refuse("limit_alphabet goes with byte_level=False: there are only 256 bytes");
            }
            if self.byte_fallback {
                return refuse("byte_fallback goes with byte_level=False: bytes are tokens already");
            }
            if self.continuing_subword_prefix.is_some() {
                return refuse("continuing_subword_prefix goes with byte_level=False");
            }
            if suffix.is_some_and(|suffix| suffix != END_OF_WORD) {
                return refuse("with byte_level=True the end_of_word_suffix can only be \"</w>\"");
            }
        }
        if tiktoken && (!self.byte_level || self.initial_alphabet.is_some() || suffix.is_some()) {
            return refuse(
                "ties=\"tiktoken\" trains on all 256 bytes, without marks; leave byte_level, initial_alphabet and end_of_word_suffix as they are",
            );
        }
        if suffix.is_some() && self.continuing_subword_prefix.is_some() {
            return refuse(
                "end_of_word_suffix and continuing_subword_prefix both mark where words end; leave one of them out",
            );
        }
        if suffix == Some("") || self.continuing_subword_prefix.as_deref() == Some("") {
            return refuse("a mark cannot be empty; None leaves it out");
        }
        Ok(())
    }

    pub fn rules(&self, min_frequency: u64) -> MergeRules {
        let prefix = self.prefix().as_bytes().to_vec();
        MergeRules {
            ties: self.ties,
            min_frequency: min_frequency.max(1),
            max_token_length: self.max_token_length,
            prefix,
        }
    }

    fn prefix(&self) -> &str {
        self.continuing_subword_prefix.as_deref().unwrap_or_default()
    }

    fn suffix(&self) -> &str {
        self.end_of_word_suffix.as_deref().unwrap_or_default()
    }

    fn is_marked(&self) -> bool {
        !self.prefix().is_empty() || !self.suffix().is_empty()
    }

    /// Whether the first or the last unit of a piece is written differently.
    pub fn marks_units(&self) -> bool {
        self.is_marked() && self.end_symbol().is_none()
    }

    /// The unit after the last one of every piece, if there is one.
    pub fn end_symbol(&self) -> Option<&str> {
        self.end_of_word_suffix.as_deref().filter(|_| self.end_of_word == EndOfWord::Symbol)
    }

    /// The bytes or characters of a piece, and whether each is the first or the last.
    pub fn units<'p>(&self, piece: &'p [u8]) -> impl Iterator<Item = (&'p [u8], bool, bool)> + use<'p> {
        let is_start = if self.byte_level { |_: u8| true } else { |byte: u8| byte & 0xC0 != 0x80 };
        let mut start = 0;
        std::iter::from_fn(move || {
            let rest = piece.get(start..).filter(|rest| !rest.is_empty())?;
            let length = 1 + rest[1..].iter().position(|&byte| is_start(byte)).unwrap_or(rest.len() - 1);
            let first = start == 0;
            start += length;
            Some((&rest[..length], first, start == piece.len()))
        })
    }

    /// A unit as the vocabulary writes it.
    pub fn written(&self, unit: &[u8], first: bool, last: bool) -> Vec<u8> {
        let prefix = if first { "" } else { self.prefix() };
        let suffix = if last && self.end_symbol().is_none() { self.suffix() } else { "" };
        [prefix.as_bytes(), unit, suffix.as_bytes()].concat()
    }

    pub fn symbols(&self) -> Symbols {
        Symbols {
            unit: if self.byte_level { Unit::Bytes } else { Unit::Characters },
            prefix: self.prefix().into(),
            suffix: self.suffix().into(),
            suffix_is_unit: self.end_symbol().is_some(),
            byte_fallback: self.byte_fallback,
            ..Symbols::default()
        }
    }

    /// Whether a text may hold a unit that no token stands for.
    pub fn may_miss_units(&self) -> bool {
        !self.byte_fallback && (!self.byte_level || self.initial_alphabet.is_some())
    }

    pub fn merging(&self) -> Merging {
        match self.ties {
            Ties::Tiktoken => Merging::Concatenations,
            _ => Merging::Pairs,
        }
    }

    /// Whether special tokens have the last ids, as where there is no room for them before the bytes.
    pub fn specials_last(&self) -> bool {
        matches!(self.ties, Ties::Tiktoken | Ties::RustBpe)
    }

    /// How text is split if the user does not say.
    pub fn pretokenizer(&self) -> PreTokenizer {
        match (self.byte_level, self.is_marked()) {
            (true, _) => PreTokenizer::O200k,
            (false, true) => PreTokenizer::Bert,
            (false, false) => PreTokenizer::Metaspace { replacement: '▁', prepend: Prepend::Always, split: true },
        }
    }

    /// Undoes the marks and what the pretokenizer has changed.
    pub fn decoder(&self, pretokenizer: Option<&PreTokenizer>) -> Decoder {
        let mut steps = Vec::new();
        if self.byte_fallback {
            steps.push(DecodeStep::ByteFallback);
        }
        if let Some(prefix) = &self.continuing_subword_prefix {
            steps.push(DecodeStep::WordPiece { prefix: prefix.clone(), cleanup: false });
        }
        match (&self.end_of_word_suffix, pretokenizer) {
            (Some(_), _) if self.byte_level => return Decoder::EndOfWord,
            (Some(suffix), _) => steps.push(DecodeStep::Suffix { suffix: suffix.clone() }),
            (None, Some(PreTokenizer::Metaspace { replacement, prepend, .. })) => {
                steps.push(DecodeStep::Metaspace { replacement: *replacement, prepended: *prepend != Prepend::Never });
            }
            (None, _) => {}
        }
        if steps.is_empty() { Decoder::Concat } else { Decoder::Chain(steps) }
    }
}
