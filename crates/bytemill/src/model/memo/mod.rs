//! What a worker remembers of pieces: short ones as numbers in one table (`table`), long ones and long answers as records (`long`). Both
//! hold the pieces themselves, so that an answer is exact.

mod long;
mod memory;
mod news;
mod row;
mod table;

use std::ops::Range;

use crate::text::short_key::Hashed;
pub(crate) use memory::Memory;
pub(crate) use news::News;
pub(crate) use table::{GROUP, KnownWords};

use crate::error::Result;
use crate::model::text_ends::TextEnds;
use crate::vocab::TokenId;

/// Of so many new pieces in a group some are words, and wait for the memory together longer than it takes to ask it for all.
const WORTH_ASKING: usize = GROUP / 10;

#[derive(Debug, Default)]
pub struct Remembered {
    memory: Memory,
    /// Pieces of the last group that the memory did not know.
    missed: usize,
    /// What was computed since it was last told; None where there is nobody to tell.
    untold: Option<News>,
}

impl Remembered {
    pub fn clear(&mut self) {
        self.memory.clear();
    }

    /// Appends the ids of pieces. What is not remembered is looked for in `words`, and else computed. Where texts end is noted on the way.
    #[inline]
    pub fn segment<E>(
        &mut self,
        (text, starts, ends): (&[u8], &[usize], &[usize]),
        texts: &mut TextEnds,
        words: &KnownWords,
        ids: &mut Vec<TokenId>,
        mut compute: impl FnMut(&[u8], &mut Vec<TokenId>) -> Result<(), E>,
    ) -> Result<(), E> {
        for (starts, ends) in starts.chunks(GROUP).zip(ends.chunks(GROUP)) {
            let count = self.hash(text, starts, ends, words);
            let mut done = 0;
            while done < count {
                let until = done + texts.pieces_of_next(&starts[done..]);
                self.segment_hashed((text, starts, ends), done..until, words, ids, &mut compute)?;
                done = if until < count { until + texts.end(ids) } else { until };
            }
        }
        Ok(())
    }

    /// Hashes a group and asks for the place of every key in the memo; when the first is looked up, the memory has answered.
    #[inline]
    fn hash(&mut self, text: &[u8], starts: &[usize], ends: &[usize], words: &KnownWords) -> usize {
        let count = self.memory.hash(text, starts, ends);
        if std::mem::take(&mut self.missed) > WORTH_ASKING {
            // Where many are new, others will be, and then it is the words that are asked.
            self.memory.keys()[..count].iter().for_each(|key| words.prefetch(key));
        }
        count
    }

    /// Some pieces of a group that was hashed.
    #[inline]
    fn segment_hashed<E>(
        &mut self,
        (text, starts, ends): (&[u8], &[usize], &[usize]),
        pieces: Range<usize>,
        words: &KnownWords,
        ids: &mut Vec<TokenId>,
        compute: &mut impl FnMut(&[u8], &mut Vec<TokenId>) -> Result<(), E>,
    ) -> Result<(), E> {
        let Range { start: mut done, end } = pieces;
        loop {
            done += self.memory.look_up(done..end, ids);
            if done == end {
                return Ok(());
            }
            self.segment_new(self.memory.keys()[done], &text[starts[done]..ends[done]], words, ids, compute)?;
            done += 1;
        }
    }

    /// A piece that the memo has no answer for.
    #[cold]
    fn segment_new<E>(
        &mut self,
        hashed: Hashed,
        piece: &[u8],
        words: &KnownWords,
        ids: &mut Vec<TokenId>,
        compute: &mut impl FnMut(&[u8], &mut Vec<TokenId>) -> Result<(), E>,
    ) -> Result<(), E> {
        if let Some(known) = self.memory.recall(&hashed, piece) {
            ids.extend_from_slice(known);
            return Ok(());
        }
        self.missed += 1;
        let from = ids.len();
        match words.get_hashed(&hashed) {
            Some(known) => ids.extend_from_slice(known),
            None => {
                compute(piece, ids)?;
                let kept = piece.len() <= long::MOST_BYTES;
                self.untold.iter_mut().filter(|_| kept).for_each(|untold| untold.push(piece, &ids[from..]));
            }
        }
        self.memory.remember(&hashed, piece, &ids[from..]);
        Ok(())
    }

    /// From now on keeps what is computed until `news` is asked, or no longer.
    pub fn keep_news(&mut self, keep: bool) {
        self.untold = keep.then(News::default);
    }

    /// What was computed since the last time.
    pub fn news(&mut self) -> Option<News> {
        self.untold.as_mut().filter(|untold| !untold.is_empty()).map(std::mem::take)
    }

    /// Remembers what another worker of the same tokenizer has computed.
    pub fn learn(&mut self, news: &News) {
        let mut ids = Vec::new();
        let groups = news.starts.chunks(GROUP).zip(news.ends.chunks(GROUP)).enumerate();
        for (group, (starts, ends)) in groups {
            self.memory.hash(&news.text, starts, ends);
            for (i, (&start, &end)) in starts.iter().zip(ends).enumerate() {
                ids.clear();
                let hashed = self.memory.keys()[i];
                let piece = &news.text[start..end];
                if self.memory.look_up(i..i + 1, &mut ids) == 0 && self.memory.recall(&hashed, piece).is_none() {
                    self.memory.remember(&hashed, piece, news.ids(group * GROUP + i));
                }
            }
        }
    }
}
