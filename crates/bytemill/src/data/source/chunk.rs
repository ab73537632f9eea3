//! Some of a file as it was read, and the blocks of text in it: what any thread can do.

use std::path::Path;
use std::sync::Arc;

use super::super::foreign::{OpenedRows, RowChunk, TableRow, checksum_of};
use super::super::kept::KeptRows;
use super::super::records::{FoundDocument, FoundRecord, RawRecords};
use super::{BadRows, BlockPlace, ChunkCount, Position, SkippedRows, SourceOptions, TextBlock};
use crate::error::Error;
use crate::machine::pool::Pool;

pub(crate) struct Chunk {
    pub(super) options: Arc<SourceOptions>,
    pub(super) path: Arc<Path>,
    /// The number of the file in the listing.
    pub(super) file: usize,
    pub(super) content: Content,
    /// The checksum of the file, if it ends here.
    pub(super) checksum: Option<u128>,
    pub(super) after: Option<Position>,
}

pub(super) enum Content {
    Text {
        block: TextBlock,
        place: BlockPlace,
        /// The bytes of the block and those after it that the cut dropped.
        bytes: u64,
    },
    Records(RawRecords),
    /// With the number of the first.
    Rows(Box<dyn RowChunk>, u64),
    /// The end of a table, of which nobody has a checksum yet.
    TableEnd,
    /// The end of a file; or all of it, if it is left out for this reason.
    End(Option<Error>),
}

pub(crate) struct PlacedBlock {
    pub block: TextBlock,
    pub place: BlockPlace,
}

pub(crate) struct OpenedChunk {
    pub blocks: Vec<PlacedBlock>,
    /// What is kept of each document, if there are columns to keep: then every block is one.
    pub kept: KeptRows,
    /// The error that ends reading after these blocks.
    pub failed: Option<Error>,
    pub count: ChunkCount,
}

impl Chunk {
    /// About as many bytes as it holds.
    pub(crate) fn bytes(&self) -> usize {
        match &self.content {
            Content::Text { block, .. } => block.text.len(),
            Content::Records(records) => records.len(),
            Content::Rows(rows, _) => rows.bytes(),
            Content::TableEnd | Content::End(_) => 0,
        }
    }

    /// The blocks in it. Memory that is done with is given to `spare`.
    pub(crate) fn open(self, spare: &Pool<Vec<u8>>) -> OpenedChunk {
        let Chunk { options, path, file, content, checksum, after } = self;
        let mut opened = Opening { options: &options, path, opened: OpenedChunk::new(file, checksum, after) };
        match content {
            Content::Text { block, place, bytes } => opened.push(block, place, bytes),
            Content::Records(records) => {
                let unit = records.unit();
                for (number, found) in records.documents(&options) {
                    if !opened.found(found, (unit, number)) {
                        break;
                    }
                }
                spare.give(records.into_bytes());
            }
            Content::Rows(rows, first) => opened.rows(rows, first),
            Content::TableEnd => match checksum_of(&opened.path) {
                Ok(checksum) => opened.opened.count.text.checksum = checksum,
                Err(error) => opened.opened.failed = Some(error),
            },
            Content::End(reason) => reason.iter().for_each(|reason| opened.opened.count.skipped.push(reason)),
        }
        opened.opened
    }
}

impl OpenedChunk {
    fn new(file: usize, checksum: Option<u128>, after: Option<Position>) -> Self {
        let mut count = ChunkCount { file, skipped: SkippedRows::default(), after, ..ChunkCount::default() };
        count.text.checksum = checksum;
        OpenedChunk { blocks: Vec::new(), kept: KeptRows::default(), failed: None, count }
    }
}

/// A chunk whose blocks are being found.
struct Opening<'o> {
    options: &'o SourceOptions,
    path: Arc<Path>,
    opened: OpenedChunk,
}

impl Opening<'_> {
    fn push(&mut self, block: TextBlock, place: BlockPlace, bytes: u64) {
        self.opened.count.text.bytes += bytes;
        self.opened.count.text.documents += u64::from(block.ends_document);
        self.opened.blocks.push(PlacedBlock { block, place });
    }

    /// Whether reading goes on after a record.
    fn found(&mut self, found: FoundRecord, record: (&'static str, u64)) -> bool {
        let FoundDocument { text, kept } = match found {
            Ok(found) => found,
            Err(error) if self.options.bad_rows == BadRows::Skip => {
                self.opened.count.skipped.push(&error);
                return true;
            }
            Err(error) => {
                self.opened.failed = Some(error);
                return false;
            }
        };
        if let Some(kept) = kept {
            self.opened.kept.push(kept.as_bytes());
        }
        let place = BlockPlace { path: self.path.clone(), record: Some(record), before: 0, begins: true };
        let bytes = text.len() as u64;
        self.push(TextBlock { text, ends_document: true, language: None }, place, bytes);
        true
    }

    fn rows(&mut self, rows: Box<dyn RowChunk>, first: u64) {
        let rows = match rows.open() {
            Ok(rows) => rows,
            Err(error) => {
                self.opened.failed = Some(error);
                return;
            }
        };
        let OpenedRows { texts, kept } = rows;
        let mut kept_rows = Vec::new();
        for ((row, text), number) in texts.into_iter().enumerate().zip(first..) {
            let found = match text {
                TableRow::Text(text) => Ok(FoundDocument { text, kept: None }),
                TableRow::Bad(_) if self.options.bad_rows == BadRows::Replace => Ok(FoundDocument::default()),
                TableRow::Bad(reason) => Err(Error::format(format!("{}, row {number}", self.path.display()), reason)),
            };
            let is_kept = found.is_ok();
            if !self.found(found, ("row", number)) {
                return;
            }
            kept_rows.extend(is_kept.then_some(row));
        }
        if self.options.keep.is_some() {
            self.opened.kept.extend(&kept, kept_rows);
        }
    }
}
