//! What the workers of a tokenizer remember of pieces: short ones as numbers in one table (`table`), long ones and long answers as records (`long`). Both
//! hold the pieces themselves, so that an answer is exact.

mod long;
mod memory;
mod recall;
mod row;
mod table;

pub(crate) use memory::{Memory, SharedMemory};
pub(crate) use recall::{NewPiece, Recall};
pub(crate) use table::{GROUP, KnownWords};

use std::sync::Arc;

use crate::error::Result;
use crate::model::text_ends::TextEnds;
use crate::text::span::Spans;
use crate::vocab::TokenId;

/// Among this many new pieces in a group some are words, and wait for the memory together longer than it takes to ask it for all.
const WORTH_ASKING: usize = GROUP / 10;

#[derive(Debug, Default)]
pub struct Remembered {
    memory: Memory,
    /// Pieces that the memory did not know: of all, and of the last group.
    new: usize,
    missed: usize,
}

impl Remembered {
    /// From now on remembers what others do that have joined the same.
    pub fn join(&mut self, shared: &Arc<SharedMemory>) {
        self.memory.join(shared);
    }

    /// Pieces that were new so far.
    #[inline]
    pub(crate) fn new_pieces(&self) -> usize {
        self.new
    }

    /// Appends the ids of pieces. What is not remembered is looked for in `words`, and else computed. Where texts end is noted on the way.
    #[inline]
    pub(crate) fn segment<E>(
        &mut self,
        pieces: Spans<[u8]>,
        texts: &mut TextEnds,
        words: &KnownWords,
        ids: &mut Vec<TokenId>,
        compute: impl FnMut(&[u8], &mut Vec<TokenId>) -> Result<(), E>,
    ) -> Result<(), E> {
        AskedFor { remembered: self, words, compute }.recall(pieces, texts, ids)
    }
}

/// What is remembered, with what to ask for the rest.
struct AskedFor<'a, F> {
    remembered: &'a mut Remembered,
    words: &'a KnownWords,
    compute: F,
}

impl<E, F: FnMut(&[u8], &mut Vec<TokenId>) -> Result<(), E>> Recall for AskedFor<'_, F> {
    type Error = E;

    #[inline]
    fn memory(&mut self) -> &mut Memory {
        &mut self.remembered.memory
    }

    #[inline]
    fn hash(&mut self, group: Spans<[u8]>) -> usize {
        let Remembered { memory, missed, .. } = &mut *self.remembered;
        let count = memory.hash(group);
        if std::mem::take(missed) > WORTH_ASKING {
            // Where many are new, others will be, and then it is the words that are asked.
            memory.keys()[..count].iter().for_each(|key| self.words.prefetch(key));
        }
        count
    }

    fn compute(&mut self, piece: NewPiece, ids: &mut Vec<TokenId>) -> Result<(), E> {
        let Remembered { memory, new, missed } = &mut *self.remembered;
        *new += 1;
        *missed += 1;
        let from = ids.len();
        match self.words.get_hashed(&piece.hashed) {
            Some(known) => known.append_wide(ids),
            None => (self.compute)(piece.bytes, ids)?,
        }
        memory.remember(&piece.hashed, piece.bytes, &ids[from..]);
        Ok(())
    }
}
