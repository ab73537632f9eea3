//! What a worker remembers of pieces: short ones as numbers in one table (`table`), long ones and long answers as records (`long`). Both
//! hold the pieces themselves, so that an answer is exact.

pub mod key;
mod long;
mod memory;
mod table;

use key::Hashed;
pub use memory::Memory;
use table::View;
pub use table::{GROUP, Words};

use crate::error::Result;
use crate::vocab::TokenId;

#[derive(Debug, Default)]
pub struct Remembered {
    memory: Memory,
    /// Pieces since the last group that the memory did not know.
    news: usize,
}

impl Remembered {
    pub fn clear(&mut self) {
        self.memory.clear();
    }

    /// Appends the ids of pieces of a text. What is not remembered is looked for in `words`, and else computed.
    #[inline]
    pub fn segment(
        &mut self,
        text: &[u8],
        starts: &[usize],
        ends: &[usize],
        words: &Words,
        ids: &mut Vec<TokenId>,
        mut compute: impl FnMut(&[u8], &mut Vec<TokenId>) -> Result<()>,
    ) -> Result<()> {
        for (starts, ends) in starts.chunks(GROUP).zip(ends.chunks(GROUP)) {
            self.segment_group(text, starts, ends, words.view(), ids, &mut compute)?;
        }
        Ok(())
    }

    /// First every key is hashed and its place in the memo asked for, then every one is looked up; by then the memory has answered.
    #[inline]
    fn segment_group(
        &mut self,
        text: &[u8],
        starts: &[usize],
        ends: &[usize],
        words: View,
        ids: &mut Vec<TokenId>,
        compute: &mut impl FnMut(&[u8], &mut Vec<TokenId>) -> Result<()>,
    ) -> Result<()> {
        let count = self.memory.hash(text, starts, ends);
        if std::mem::take(&mut self.news) > 0 {
            // Where some are new, others will be, and then it is the words that are asked.
            self.memory.keys()[..count].iter().for_each(|key| words.prefetch(*key));
        }
        let mut done = 0;
        loop {
            done += self.memory.look_up(done..count, ids);
            if done == count {
                return Ok(());
            }
            self.segment_new(self.memory.keys()[done], &text[starts[done]..ends[done]], words, ids, compute)?;
            done += 1;
        }
    }

    /// A piece that the memo has no answer for.
    #[cold]
    fn segment_new(
        &mut self,
        hashed: Hashed,
        piece: &[u8],
        words: View,
        ids: &mut Vec<TokenId>,
        compute: &mut impl FnMut(&[u8], &mut Vec<TokenId>) -> Result<()>,
    ) -> Result<()> {
        if let Some(known) = self.memory.recall(&hashed, piece) {
            ids.extend_from_slice(known);
            return Ok(());
        }
        self.news += 1;
        let from = ids.len();
        match words.get(&hashed) {
            Some(known) => ids.extend_from_slice(known.ids()),
            None => compute(piece, ids)?,
        }
        self.memory.remember(&hashed, piece, &ids[from..]);
        Ok(())
    }
}
