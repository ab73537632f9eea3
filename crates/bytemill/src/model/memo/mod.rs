//! What a worker remembers of pieces: short ones as numbers in one table (`table`), long ones and long answers as records (`long`). Both
//! hold the pieces themselves, so that an answer is exact.

mod long;
mod memory;
mod news;
mod recall;
mod row;
mod table;

pub(crate) use memory::Memory;
pub(crate) use news::News;
pub(crate) use recall::{NewPiece, Recall};
pub(crate) use table::{GROUP, KnownWords};

use crate::error::Result;
use crate::model::text_ends::TextEnds;
use crate::text::span::Spans;
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
        for (number, group) in Spans::new(&news.text[..], &news.starts, &news.ends).groups(GROUP).enumerate() {
            self.memory.hash(group);
            for (i, piece) in group.iter().enumerate() {
                ids.clear();
                let hashed = self.memory.keys()[i];
                if self.memory.look_up(i..i + 1, &mut ids) == 0 && self.memory.recall(&hashed, piece).is_none() {
                    self.memory.remember(&hashed, piece, news.ids(number * GROUP + i));
                }
            }
        }
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
        let Remembered { memory, missed, untold } = &mut *self.remembered;
        *missed += 1;
        let from = ids.len();
        match self.words.get_hashed(&piece.hashed) {
            Some(known) => ids.extend_from_slice(known),
            None => {
                (self.compute)(piece.bytes, ids)?;
                let kept = piece.bytes.len() <= long::MOST_BYTES;
                untold.iter_mut().filter(|_| kept).for_each(|untold| untold.push(piece.bytes, &ids[from..]));
            }
        }
        memory.remember(&piece.hashed, piece.bytes, &ids[from..]);
        Ok(())
    }
}
