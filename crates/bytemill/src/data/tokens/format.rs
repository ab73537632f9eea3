//! The layouts of token files, and the width of an id in them.

use std::path::Path;

use super::super::decompress::has_extension;
use crate::error::{Error, Result};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenWidth {
    U16,
    U32,
}

impl TokenWidth {
    /// The narrowest width that holds every id of a vocabulary.
    pub fn for_vocab_size(size: usize) -> Self {
        if size <= 1 << 16 { TokenWidth::U16 } else { TokenWidth::U32 }
    }

    pub fn bytes(self) -> usize {
        match self {
            TokenWidth::U16 => 2,
            TokenWidth::U32 => 4,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            TokenWidth::U16 => "uint16",
            TokenWidth::U32 => "uint32",
        }
    }

    pub fn named(name: &str) -> Result<Self> {
        let known = [TokenWidth::U16, TokenWidth::U32];
        let found = known.into_iter().find(|width| width.name() == name);
        found.ok_or_else(|| Error::Spec(format!("unknown dtype {name:?} (known: uint16, uint32)")))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenFormat {
    /// The ids alone, little-endian; the offsets of the documents in a `.bin.docs` beside them.
    Bin,
    /// The same as an array of numpy.
    Npy,
    /// `.bin` and `.idx` of Megatron.
    Megatron,
    /// `.ds`, `.ds.index` and `.ds.metadata` of datatrove.
    Datatrove,
    /// `.bin` of llm.c: a header of 256 numbers, then the ids.
    LlmC,
    /// A line of JSON for each document.
    Jsonl,
    /// A list column; written by the caller that gave a [`Convert`](super::Convert).
    Parquet,
    /// The same as a file of Arrow's.
    Arrow,
}

impl TokenFormat {
    pub const ALL: [TokenFormat; 8] = [
        TokenFormat::Bin,
        TokenFormat::Npy,
        TokenFormat::Megatron,
        TokenFormat::Datatrove,
        TokenFormat::LlmC,
        TokenFormat::Jsonl,
        TokenFormat::Parquet,
        TokenFormat::Arrow,
    ];

    pub fn name(self) -> &'static str {
        match self {
            TokenFormat::Bin => "bin",
            TokenFormat::Npy => "npy",
            TokenFormat::Megatron => "megatron",
            TokenFormat::Datatrove => "datatrove",
            TokenFormat::LlmC => "llmc",
            TokenFormat::Jsonl => "jsonl",
            TokenFormat::Parquet => "parquet",
            TokenFormat::Arrow => "arrow",
        }
    }

    /// The ending of the file that holds the ids.
    pub fn extension(self) -> &'static str {
        match self {
            TokenFormat::Bin | TokenFormat::Megatron | TokenFormat::LlmC => "bin",
            TokenFormat::Npy => "npy",
            TokenFormat::Datatrove => "ds",
            TokenFormat::Jsonl => "jsonl",
            TokenFormat::Parquet => "parquet",
            TokenFormat::Arrow => "arrow",
        }
    }

    pub fn named(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|format| format.name() == name);
        found.ok_or_else(|| {
            let known = Self::ALL.map(Self::name).join(", ");
            Error::Spec(format!("unknown format {name:?} of a token file (known: {known})"))
        })
    }

    /// What the name of a file promises.
    pub fn of_name(path: &Path) -> Result<Self> {
        if has_extension(path, "idx") {
            return Ok(TokenFormat::Megatron);
        }
        // If several have the same ending, the first counts.
        let found = Self::ALL.into_iter().find(|format| has_extension(path, format.extension()));
        found.ok_or_else(|| {
            Error::Spec(format!(
                "{}: the name of a token file ends in .bin (bare ids), .npy (numpy), .idx (Megatron), .ds (datatrove), .jsonl, \
                 .parquet or .arrow; or name its format, as in format=\"llmc\"",
                path.display()
            ))
        })
    }

    /// Whether the offsets of the documents stay beside the ids as a file of numpy's.
    pub(super) fn keeps_offsets(self) -> bool {
        matches!(self, TokenFormat::Bin | TokenFormat::Npy | TokenFormat::LlmC)
    }

    /// Whether the file of the ids, as it grows, is the one that is wanted in the end.
    pub(super) fn keeps_ids(self) -> bool {
        !matches!(self, TokenFormat::Jsonl | TokenFormat::Parquet | TokenFormat::Arrow)
    }
}
