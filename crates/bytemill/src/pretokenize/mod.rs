//! Pretokenize: normalized text → the spans that the model sees one at a time.
//!
//! `PreTokenizer` is the plain data that files hold; `Splitter` is the same thing ready to run.

mod behavior;
mod blocks;
pub mod code;
mod cuts;
pub mod gpt;
pub mod marked;
mod naive;
pub mod pieces;
mod rewrite;
pub mod runs;
mod script_table;
mod scripts;
pub mod spaced;
pub mod spaces;
mod splitter;
pub mod stretches;

use serde::{Deserialize, Serialize};

pub use behavior::Behavior;
pub use code::{CodeOptions, Reserved};
use gpt::Scheme;
pub use rewrite::Prepend;
pub use scripts::{COMMON, INHERITED, script};
pub use splitter::Splitter;

use crate::error::Result;
use crate::text::pattern::Pattern;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum PreTokenizer {
    /// `\w+|[^\w\s]+`
    Whitespace,
    /// Whatever stands between white space.
    WhitespaceSplit,
    /// Whatever stands between white space, each punctuation character by itself.
    Bert,
    Punctuation {
        behavior: Behavior,
    },
    /// Numbers apart from the rest.
    Digits {
        individual: bool,
    },
    /// One character separates and is dropped.
    Delimiter {
        character: char,
    },
    /// Between scripts, with Japanese as one; what belongs to none goes with what is before it, and at the start with nothing.
    UnicodeScripts,
    /// Pieces of `length` characters.
    FixedLength {
        length: usize,
    },
    /// By the matches of a pattern, or by what lies between them if `invert`.
    Split {
        pattern: Pattern,
        behavior: Behavior,
        invert: bool,
    },
    #[serde(rename = "gpt2")]
    Gpt2,
    #[serde(rename = "cl100k")]
    Cl100k,
    #[serde(rename = "o200k")]
    O200k,
    #[serde(rename = "qwen2")]
    Qwen2,
    Tekken,
    /// Three patterns, each splitting the pieces of the one before: see `gpt::deepseek`.
    DeepSeek,
    /// A space before every piece that does not start with one.
    PrefixSpace,
    /// Spaces become a visible mark, which is put before pieces too; `split` makes pieces begin with it.
    Metaspace {
        replacement: char,
        prepend: Prepend,
        split: bool,
    },
    /// Bytes become characters of the alphabet of byte-level tokens, after `PrefixSpace` and `Gpt2` where they are wanted. For models
    /// whose tokens are text: those that know bytes do without it.
    ByteLevel {
        prefix_space: bool,
        split: bool,
    },
    /// Source code, by its syntax tree.
    Code(CodeOptions),
    /// Each step splits the pieces of the one before.
    Sequence {
        steps: Vec<PreTokenizer>,
    },
}

/// Those that are one pattern, known by its exact text.
const SCHEMES: [(Scheme, PreTokenizer); 5] = [
    (Scheme::Gpt2, PreTokenizer::Gpt2),
    (Scheme::Cl100k, PreTokenizer::Cl100k),
    (Scheme::O200k, PreTokenizer::O200k),
    (Scheme::Qwen2, PreTokenizer::Qwen2),
    (Scheme::Tekken, PreTokenizer::Tekken),
];

impl PreTokenizer {
    /// The matches of a pattern that is run by code of its own, and leaves nothing between them.
    pub fn of_pattern(pattern: &str) -> Option<Self> {
        SCHEMES.into_iter().find(|(scheme, _)| scheme.pattern() == pattern).map(|(_, known)| known)
    }

    /// The matches of a pattern of `tiktoken`, and nothing of what lies between them.
    pub fn of_matches(pattern: &str) -> Result<Self> {
        let matches = |pattern| PreTokenizer::Split { pattern, behavior: Behavior::Removed, invert: true };
        Self::of_pattern(pattern).map_or_else(|| Pattern::of_tiktoken(pattern).map(matches), Ok)
    }

    /// The text of that pattern.
    pub fn pattern(&self) -> Option<&'static str> {
        SCHEMES.iter().find(|(_, known)| known == self).map(|(scheme, _)| scheme.pattern())
    }

    /// Whether the pieces cover the text, so that joining them gives it back.
    pub fn covers(&self) -> bool {
        match self {
            PreTokenizer::Whitespace
            | PreTokenizer::WhitespaceSplit
            | PreTokenizer::Bert
            | PreTokenizer::UnicodeScripts
            | PreTokenizer::Delimiter { .. } => false,
            PreTokenizer::Punctuation { behavior } => *behavior != Behavior::Removed,
            PreTokenizer::Digits { .. } | PreTokenizer::FixedLength { .. } => true,
            PreTokenizer::Gpt2 | PreTokenizer::Cl100k | PreTokenizer::O200k => true,
            PreTokenizer::Qwen2 | PreTokenizer::Tekken | PreTokenizer::DeepSeek => true,
            PreTokenizer::PrefixSpace | PreTokenizer::Metaspace { .. } | PreTokenizer::ByteLevel { .. } => false,
            PreTokenizer::Split { behavior, .. } => *behavior != Behavior::Removed,
            PreTokenizer::Code(_) => true,
            PreTokenizer::Sequence { steps } => steps.iter().all(Self::covers),
        }
    }

    pub fn parses_code(&self) -> bool {
        match self {
            PreTokenizer::Code(_) => true,
            PreTokenizer::Sequence { steps } => steps.iter().any(Self::parses_code),
            _ => false,
        }
    }

    /// The tokens that it puts itself, without a model; as a step among others it puts none.
    pub fn reserved(&self) -> Result<Vec<Reserved>> {
        match self {
            PreTokenizer::Code(options) => options.reserved(),
            _ => Ok(Vec::new()),
        }
    }
}

#[cfg(test)]
mod tests;
