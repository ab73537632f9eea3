//! Words as they stand in a text, each of which has the mark of a space before it in what is segmented: remembered without that text.

use super::{GROUP, Numbers, Part, RESTART, Unigram, UnigramScratch};
use crate::normalize::MARK;
use crate::vocab::TokenId;

impl Unigram {
    /// Whether words of so many bytes with the mark of a space before each may be segmented one by one.
    pub fn takes_marked_words(&self, length: usize) -> bool {
        match &self.numbers {
            // No sum comes near the point of beginning anew: a mark and a byte are two characters.
            Numbers::Single { cuts, largest, .. } => 2.0 * length as f32 * largest < RESTART && cuts.are_before_marks(),
            Numbers::Double { .. } => false,
        }
    }

    /// Appends the ids of words of a text, as if each had the mark of a space before it. `sum` goes on from word to word; `first` is where
    /// the ids of the text begin.
    pub fn segment_marked(
        &self,
        text: &str,
        starts: &[usize],
        ends: &[usize],
        (sum, first): (&mut f32, usize),
        scratch: &mut UnigramScratch,
        ids: &mut Vec<TokenId>,
    ) {
        for (starts, ends) in starts.chunks(GROUP).zip(ends.chunks(GROUP)) {
            self.recall_words(
                (text, starts, ends),
                |scratch| &mut scratch.marked,
                sum,
                scratch,
                ids,
                |word, hashed, sum, scratch, ids| {
                    let from = ids.len();
                    if self.segment_with_mark(word, (sum, first), scratch, ids) {
                        scratch.marked.remember(&hashed, word.as_bytes(), &ids[from..]);
                    }
                },
            );
        }
    }

    /// A word that is new; whether it is sure to be the same wherever it stands.
    fn segment_with_mark(
        &self,
        word: &str,
        (sum, first): (&mut f32, usize),
        scratch: &mut UnigramScratch,
        ids: &mut Vec<TokenId>,
    ) -> bool {
        let Numbers::Single { cuts, characters, .. } = &self.numbers else { return false };
        let mut buffer = std::mem::take(&mut scratch.buffer);
        buffer.clear();
        buffer.push_str(MARK);
        buffer.push_str(word);
        (scratch.unsure, scratch.unknown) = (false, 0);
        let from = ids.len();
        cuts.split::<GROUP>(buffer.as_bytes(), |part| match part {
            Part::Words(starts, ends) => self.segment_words(&buffer, starts, ends, (sum, first), scratch, ids),
            Part::Alone(c, start, end) => {
                scratch.unknown += usize::from(characters.get(c).is_none());
                self.segment_alone(&buffer, (c, start, end), (sum, first), scratch, ids);
            }
        });
        scratch.buffer = buffer;
        !scratch.unsure && (scratch.unknown == 0 || self.stands_alone(&ids[from..], scratch.unknown))
    }

    /// Whether so many unknown characters have ids of their own, which go with none before: an unknown token stands for several in a row.
    fn stands_alone(&self, ids: &[TokenId], unknown: usize) -> bool {
        let each = ids.iter().filter(|&&id| Some(id) == self.unk).count();
        self.fallback.is_some() || each == unknown && ids.first().copied() != self.unk
    }
}
