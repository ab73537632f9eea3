//! BatchReader: batches, counted as they are read. It tells how far it has read, and skips to where an earlier one stopped.

use xxhash_rust::xxh3::Xxh3;

use super::checkpoint::Reached;
use crate::data::{Batch, TextBlock};
use crate::error::Result;
use crate::machine::parallel::Watch;

/// After each document: no byte of a text, so that it matters where documents end.
const END: [u8; 1] = [0xff];

pub(super) struct BatchReader<I> {
    batches: I,
    /// What was read and skipped only in part.
    rest: Option<Batch>,
    documents: u64,
    /// Of the document that has not ended.
    bytes: u64,
    hash: Xxh3,
}

impl<I: Iterator<Item = Result<Batch>>> BatchReader<I> {
    pub(super) fn new(batches: I) -> Self {
        BatchReader { batches, rest: None, documents: 0, bytes: 0, hash: Xxh3::new() }
    }

    /// How far it is in the document that has not ended, and the hash of all text up to there.
    pub(super) fn place(&self) -> (u64, u64) {
        (self.bytes, self.hash.digest())
    }

    /// Reads up to a place, `documents` whole documents on and then some bytes. Whether the text up to there is the same.
    pub(super) fn go_to(&mut self, documents: u64, to: &Reached, watch: &mut Watch) -> Result<bool> {
        let target = (documents, to.bytes);
        while (self.documents, self.bytes) < target {
            watch()?;
            let Some(batch) = self.batches.next() else { return Ok(false) };
            let rest: Batch = batch?.into_iter().filter_map(|block| self.skip_in(block, target)).collect();
            self.rest = (!rest.is_empty()).then_some(rest);
        }
        // A text that changed may have no such place; then it was passed.
        Ok((self.documents, self.bytes) == target && self.hash.digest() == to.hash)
    }

    /// The part of a block that is after the place.
    fn skip_in(&mut self, mut block: TextBlock, target: (u64, u64)) -> Option<TextBlock> {
        if (self.documents, self.bytes) >= target {
            return Some(block);
        }
        let until = usize::try_from(target.1.saturating_sub(self.bytes)).unwrap_or(usize::MAX);
        if self.documents < target.0 || until > block.text.len() || !block.text.is_char_boundary(until) {
            self.pass(&block);
            return None;
        }
        let rest = TextBlock {
            text: block.text.split_off(until),
            ends_document: block.ends_document,
            language: block.language,
        };
        self.pass(&TextBlock { ends_document: false, ..block });
        (!rest.text.is_empty() || rest.ends_document).then_some(rest)
    }

    fn pass(&mut self, block: &TextBlock) {
        self.hash.update(block.text.as_bytes());
        self.bytes += block.text.len() as u64;
        if block.ends_document {
            self.hash.update(&END);
            self.documents += 1;
            self.bytes = 0;
        }
    }
}

impl<I: Iterator<Item = Result<Batch>>> Iterator for BatchReader<I> {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Result<Batch>> {
        let batch = self.rest.take().map_or_else(|| self.batches.next(), |rest| Some(Ok(rest)));
        if let Some(Ok(batch)) = &batch {
            batch.iter().for_each(|block| self.pass(block));
        }
        batch
    }
}
