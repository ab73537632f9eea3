//! Words as they stand in a text, remembered with the ids of what the normalizer makes of them.

use super::{FEW, GROUP, Numbers, Row, Unigram, UnigramScratch};
use crate::model::NotAlone;
use crate::model::memo::{Memory, NewPiece, Recall};
use crate::model::text_ends::TextEnds;
use crate::text::span::Spans;
use crate::vocab::TokenId;

/// A word that is remembered has no more characters for each of its bytes.
const MOST_FOR_A_BYTE: usize = 2;
/// Longer ones seldom come again.
const MOST_REMEMBERED: usize = 48;

impl Unigram {
    /// Whether words that have the mark of a space before them may be segmented one by one.
    pub fn takes_marked_words(&self) -> bool {
        match &self.numbers {
            Numbers::Single { cuts, .. } => cuts.are_before_marks(),
            Numbers::Double { .. } => false,
        }
    }

    /// Whether pieces are segmented each by itself.
    pub fn takes_pieces(&self) -> bool {
        matches!(self.numbers, Numbers::Double { .. })
    }

    /// Appends the ids of words; `mark` writes what is segmented for one that is new. The row goes on from word to word of a text; that of the
    /// last text is still to be ended. Where a word is not to be taken by itself, what was appended is of no use.
    pub fn segment_marked(
        &self,
        words: Spans,
        (texts, row): (&mut TextEnds, &mut Row),
        mark: impl Fn(&str, &mut String) -> bool,
        scratch: &mut UnigramScratch,
        ids: &mut Vec<TokenId>,
    ) -> Result<(), NotAlone> {
        let Spans { text, starts, ends } = words;
        let mut done = 0;
        while done < words.len() {
            // Counting begins anew in none of the first `count` words.
            let goes_on = |&count: &usize| {
                let most = MOST_FOR_A_BYTE * (ends[done + count - 1] - starts[done]);
                row.room(most, self, ids) >= most
            };
            let left = starts.len() - done;
            let Some(count) = [GROUP.min(left), FEW.min(left), 1].into_iter().find(goes_on) else {
                let word = &text[starts[done]..ends[done]];
                if texts.ends_before(starts[done]) {
                    self.end_row(row, ids);
                    texts.end_before(starts[done], ids);
                    *row = Row::new(ids.len());
                    continue;
                }
                self.segment_with_mark(word, row, &mark, scratch, ids)?;
                done += 1;
                continue;
            };
            let group = words.some(done..done + count).bytes();
            RowWords { model: self, text, row, scratch, mark: &mark }.recall(group, texts, ids)?;
            done += count;
        }
        Ok(())
    }

    /// A word that is new, with an id for each unknown character: whether it is sure to be the same wherever it stands.
    fn segment_with_mark(
        &self,
        word: &str,
        row: &mut Row,
        mark: impl Fn(&str, &mut String) -> bool,
        scratch: &mut UnigramScratch,
        ids: &mut Vec<TokenId>,
    ) -> Result<bool, NotAlone> {
        let Numbers::Single { cuts, .. } = &self.numbers else { return Err(NotAlone) };
        let mut buffer = std::mem::take(&mut scratch.buffer);
        scratch.unsure = false;
        let alone = mark(word, &mut buffer);
        if alone {
            cuts.split::<FEW>(buffer.as_bytes(), |part| self.segment_part(&buffer, part, row, scratch, ids));
        }
        let most = MOST_FOR_A_BYTE * word.len();
        let bounded = buffer.len() <= most || buffer.chars().count() <= most;
        scratch.buffer = buffer;
        if alone { Ok(!scratch.unsure && bounded) } else { Err(NotAlone) }
    }
}

/// Words of texts whose rows go on from word to word.
struct RowWords<'a, F> {
    model: &'a Unigram,
    text: &'a str,
    row: &'a mut Row,
    scratch: &'a mut UnigramScratch,
    mark: F,
}

impl<F: Fn(&str, &mut String) -> bool> Recall for RowWords<'_, F> {
    type Error = NotAlone;

    #[inline]
    fn memory(&mut self) -> &mut Memory {
        &mut self.scratch.marked
    }

    fn compute(&mut self, piece: NewPiece, ids: &mut Vec<TokenId>) -> Result<(), NotAlone> {
        let RowWords { model, text, row, scratch, mark } = self;
        let from = ids.len();
        let is_sure = model.segment_with_mark(&text[piece.range()], row, &*mark, scratch, ids)?;
        if is_sure && piece.bytes.len() <= MOST_REMEMBERED {
            scratch.marked.remember(&piece.hashed, piece.bytes, &ids[from..]);
        }
        Ok(())
    }

    fn end_text(&mut self, texts: &mut TextEnds, ids: &mut Vec<TokenId>) -> usize {
        self.model.end_row(self.row, ids);
        let passed_over = texts.end(ids);
        *self.row = Row::new(ids.len());
        passed_over
    }
}
