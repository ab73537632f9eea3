//! What a worker remembers of pieces: short ones as numbers in one table (`table`), long ones and long answers as records (`long`). Both
//! hold the pieces themselves, so that an answer is exact.

pub mod key;
mod long;
mod table;

use key::Hashed;
use long::LongMemo;
pub use table::Words;
use table::{Entry, GROUP, Memo, View};

use crate::error::Result;
use crate::vocab::TokenId;

#[derive(Debug, Default)]
pub struct Remembered {
    memo: Memo,
    long: LongMemo,
    keys: Box<[Hashed; GROUP]>,
    /// Pieces since the last group that the memo did not know.
    news: usize,
}

impl Remembered {
    pub fn clear(&mut self) {
        self.memo.clear();
        self.long.clear();
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
        let count = self.memo.view().hash(text, starts, ends, &self.long, &mut self.keys);
        if std::mem::take(&mut self.news) > 0 {
            // Where some are new, others will be, and then it is the words that are asked.
            self.keys[..count].iter().for_each(|key| words.prefetch(*key));
        }
        let mut done = 0;
        loop {
            done += self.memo.view().look_up(&self.keys[done..count], ids);
            if done == count {
                return Ok(());
            }
            self.segment_new(self.keys[done], &text[starts[done]..ends[done]], words, ids, compute)?;
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
        let Remembered { memo, long, news, .. } = self;
        let short = piece.len() <= key::MOST_BYTES;
        if short {
            if let Some(place) = memo.view().get(&hashed).and_then(Entry::place) {
                ids.extend_from_slice(long.ids(place));
                return Ok(());
            }
        } else if let Some(known) = long.get(piece, hashed.long_hash()) {
            ids.extend_from_slice(known);
            return Ok(());
        }
        *news += 1;
        let from = ids.len();
        match words.get(&hashed) {
            Some(known) => ids.extend_from_slice(known.ids()),
            None => compute(piece, ids)?,
        }
        let ids = &ids[from..];
        if short && memo.insert(&hashed, ids) {
            return Ok(());
        }
        if long.is_full() {
            // The places that the memo holds go with it.
            memo.clear();
            long.clear();
        }
        let hash = if short { LongMemo::hash(piece) } else { hashed.long_hash() };
        if let Some(place) = long.insert(piece, hash, ids).filter(|_| short) {
            memo.insert_place(&hashed, place);
        }
        Ok(())
    }
}
