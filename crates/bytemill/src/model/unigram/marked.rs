//! Words as they stand in a text, remembered with the ids of what the normalizer makes of them.

use super::{FEW, GROUP, Numbers, Row, Unigram, UnigramScratch};
use crate::model::NotAlone;
use crate::model::text_ends::TextEnds;
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
        (text, starts, ends): (&str, &[usize], &[usize]),
        (texts, row): (&mut TextEnds, &mut Row),
        mark: impl Fn(&str, &mut String) -> bool,
        scratch: &mut UnigramScratch,
        ids: &mut Vec<TokenId>,
    ) -> Result<(), NotAlone> {
        let mut done = 0;
        while done < starts.len() {
            // Of so many words, counting begins anew in none.
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
                self.segment_with_mark(word, row, &mark, scratch, ids).ok_or(NotAlone)?;
                done += 1;
                continue;
            };
            let (starts, ends) = (&starts[done..done + count], &ends[done..done + count]);
            done += count;
            let mut alone = true;
            self.recall_words(
                (text, starts, ends),
                (&mut *texts, &mut *row),
                |scratch| &mut scratch.marked,
                scratch,
                ids,
                |word, hashed, row, scratch, ids| {
                    let from = ids.len();
                    match self.segment_with_mark(word, row, &mark, scratch, ids) {
                        Some(true) if word.len() <= MOST_REMEMBERED => {
                            scratch.marked.remember(&hashed, word.as_bytes(), &ids[from..]);
                        }
                        Some(_) => {}
                        None => alone = false,
                    }
                },
            );
            if !alone {
                return Err(NotAlone);
            }
        }
        Ok(())
    }

    /// A word that is new, with an id for each unknown character: whether it is sure to be the same wherever it stands. None if it is not to
    /// be taken by itself.
    fn segment_with_mark(
        &self,
        word: &str,
        row: &mut Row,
        mark: impl Fn(&str, &mut String) -> bool,
        scratch: &mut UnigramScratch,
        ids: &mut Vec<TokenId>,
    ) -> Option<bool> {
        let Numbers::Single { cuts, .. } = &self.numbers else { return None };
        let mut buffer = std::mem::take(&mut scratch.buffer);
        scratch.unsure = false;
        let alone = mark(word, &mut buffer);
        if alone {
            cuts.split::<FEW>(buffer.as_bytes(), |part| self.segment_part(&buffer, part, row, scratch, ids));
        }
        let most = MOST_FOR_A_BYTE * word.len();
        let bounded = buffer.len() <= most || buffer.chars().count() <= most;
        scratch.buffer = buffer;
        alone.then_some(!scratch.unsure && bounded)
    }
}
