//! The documents of a listing, block by block, on one thread.

use std::path::Path;
use std::sync::Arc;

use super::super::Listing;
use super::chunk::PlacedBlock;
use super::chunks::Chunks;
use super::tally::Tally;
use super::{BlockPlace, Cut, FileText, SkippedRows, SourceOptions, TextBlock};
use crate::error::{Error, Result};
use crate::machine::pool::Pool;

/// After an error there is nothing more.
pub struct Blocks<'a> {
    chunks: Chunks<'a>,
    spare: Arc<Pool<Vec<u8>>>,
    tally: Tally,
    /// The blocks of the latest chunk, and the error that follows them.
    waiting: std::vec::IntoIter<PlacedBlock>,
    failed: Option<Error>,
    ended: bool,
    /// Of the latest block.
    place: BlockPlace,
    /// On-disk bytes before the latest chunk, and bytes of text in it: of those that were handed out, and of all.
    read_before: u64,
    handed_out: u64,
    in_chunk: u64,
}

impl<'a> Blocks<'a> {
    pub fn open(listing: &Listing, options: SourceOptions, cut: &'a dyn Cut) -> Self {
        let chunks = Chunks::open(listing, options, cut);
        Blocks {
            spare: chunks.spare(),
            chunks,
            tally: Tally::default(),
            waiting: Vec::new().into_iter(),
            failed: None,
            ended: false,
            place: BlockPlace { path: Path::new("").into(), record: None, before: 0, begins: true },
            read_before: 0,
            handed_out: 0,
            in_chunk: 0,
        }
    }

    /// On-disk bytes consumed so far, of the listing's `total_bytes`; within a chunk, as large a part as of its text.
    pub fn bytes_read(&self) -> u64 {
        let of_chunk = u128::from(self.chunks.bytes_read().saturating_sub(self.read_before));
        let (handed_out, all) = (u128::from(self.handed_out), u128::from(self.in_chunk));
        self.read_before + (of_chunk * handed_out).checked_div(all).unwrap_or(of_chunk) as u64
    }

    /// Where the latest block comes from.
    pub fn place(&self) -> BlockPlace {
        self.place.clone()
    }

    /// How much text each file held that was read so far, and which documents were left out.
    pub fn into_files(self) -> (Vec<FileText>, SkippedRows) {
        self.tally.into_files()
    }

    fn next_block(&mut self) -> Result<Option<TextBlock>> {
        loop {
            if let Some(PlacedBlock { block, place }) = self.waiting.next() {
                self.place = place;
                self.handed_out += block.text.len() as u64;
                return Ok(Some(block));
            }
            if let Some(error) = self.failed.take() {
                return Err(error);
            }
            (self.read_before, self.handed_out, self.in_chunk) = (self.chunks.bytes_read(), 0, 0);
            let Some(chunk) = self.chunks.next().transpose()? else { return Ok(None) };
            let opened = chunk.open(&self.spare);
            self.tally.add(&opened.count);
            self.in_chunk = opened.blocks.iter().map(|placed| placed.block.text.len() as u64).sum();
            (self.waiting, self.failed) = (opened.blocks.into_iter(), opened.failed);
        }
    }
}

impl Iterator for Blocks<'_> {
    type Item = Result<TextBlock>;

    fn next(&mut self) -> Option<Result<TextBlock>> {
        if self.ended {
            return None;
        }
        let block = self.next_block();
        self.ended = !matches!(block, Ok(Some(_)));
        block.transpose()
    }
}
