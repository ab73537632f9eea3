//! Documents streamed from files. A text file is one document and comes in blocks; a record of any other
//! [`super::InputFormat`] is one document and comes whole. Memory is a few blocks however large the file, as long as it
//! can be cut.
//!
//! Reading has three parts. [`Chunks`] does what has to happen in order: it decompresses, and finds where records end.
//! [`Chunk::open`] makes blocks of text of what was read, on any thread. [`Tally`] is told what was found, in order again.
//! [`Blocks`] is all of it on one thread.

mod blocks;
mod chunk;
mod chunks;
mod options;
mod tally;
#[cfg(test)]
mod tests;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::records::Array;
use crate::code::Language;

pub use blocks::Blocks;
pub(crate) use chunk::{Chunk, OpenedChunk, PlacedBlock};
pub(crate) use chunks::Chunks;
pub use options::{BadRows, SkippedRows, SourceOptions};
pub(crate) use tally::{ChunkCount, Tally};

/// How far reading has come: the state it needs to continue after a chunk, in a listing that has not changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Position {
    /// The number of the file in the listing.
    pub file: usize,
    /// Bytes of the decompressed file; 0 if it was not begun.
    bytes: u64,
    /// The number of the latest record.
    number: u64,
    array: Array,
    /// What was read of the file.
    text: FileText,
    /// Documents left out so far.
    pub skipped: u64,
}

/// Where a text may be cut.
pub trait Cut: Sync {
    /// The last place at which a text that begins with `text` can be cut so that its two parts tokenize as the whole
    /// does, however it goes on. `None`, or at 0: nowhere that is known yet.
    fn last_cut(&self, text: &str) -> Option<Seam>;
}

/// Where a text is cut, both between characters: where the first part ends, and where the second begins. Mostly the same; but a space
/// between the two is left out where the start of a text stands for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seam {
    pub end: usize,
    pub start: usize,
}

impl Seam {
    pub fn at(place: usize) -> Self {
        Seam { end: place, start: place }
    }
}

/// Part of a document, or all of it. The last block of a document may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextBlock {
    pub text: String,
    pub ends_document: bool,
    /// For source code, by the name of the file.
    pub language: Option<Language>,
}

/// Where a block comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockPlace {
    path: Arc<Path>,
    /// If a document is one of several in its file: what it is called there, and its number.
    record: Option<(&'static str, u64)>,
    /// Bytes of the document's text before the block.
    pub before: u64,
    /// Whether the document begins with the block.
    pub begins: bool,
}

impl BlockPlace {
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// If a document is one of several in its file: `("line", 3)`.
    pub fn record(&self) -> Option<(&'static str, u64)> {
        self.record
    }
}

impl fmt::Display for BlockPlace {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.record {
            Some((unit, number)) => write!(f, "the text in {unit} {number} of {}", self.path.display()),
            None => write!(f, "{}", self.path.display()),
        }
    }
}

/// How much text a file holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileText {
    pub documents: u64,
    pub bytes: u64,
    /// Documents that were left out.
    pub skipped: u64,
    /// The checksum of the file on disk, once it was read: xxh3 of 128 bits.
    pub checksum: Option<u128>,
}

/// This many bytes of a text decide on which side of a split it is. Within the first block of every document.
const KEY_BYTES: usize = 1 << 16;

/// A number for a document, as good as drawn at random by the seed; the same wherever the document stands.
pub(crate) fn document_key(text: &str, seed: u64) -> u64 {
    xxh3_64_with_seed(&text.as_bytes()[..text.len().min(KEY_BYTES)], seed)
}
