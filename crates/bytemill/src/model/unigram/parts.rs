//! A text of SentencePiece part by part: words that share no token, most of which were met before, and characters that stand alone. The sum
//! of the scores goes on from part to part, in the order in which the library adds.

use super::super::code_points::single_character;
use super::super::cuts::{Cuts, character};
use super::super::memo::Memory;
use super::super::memo::key::Hashed;
use super::viterbi::Scored;
use super::{GROUP, NONE, Numbers, Part, RESTART, Segment, Unigram, UnigramScratch, margin};
use crate::short_texts::TextEnds;
use crate::span::Span;
use crate::vocab::TokenId;

/// A sum from which on the next ones are looked at one by one: as far below `RESTART` as rounding could ever lead beyond what is computed.
const NEARLY: f32 = 0.999 * RESTART;

/// The row of a text so far.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// That of its scores.
    pub sum: f32,
    /// Where its ids begin.
    pub first: usize,
}

impl Unigram {
    /// Appends the ids of a whole text.
    pub(super) fn segment_parts(&self, text: &str, cuts: &Cuts, scratch: &mut UnigramScratch, ids: &mut Vec<TokenId>) {
        let (mut sum, first) = (0.0, ids.len());
        cuts.split::<GROUP>(text.as_bytes(), |part| {
            let from = ids.len();
            self.segment_part(text, part, &mut sum, scratch, ids);
            self.fuse(first, from, ids);
        });
    }

    /// A part of a text; `sum` goes on from part to part. Each unknown character has an id of its own.
    #[inline]
    pub(super) fn segment_part(
        &self,
        text: &str,
        part: Part,
        sum: &mut f32,
        scratch: &mut UnigramScratch,
        ids: &mut Vec<TokenId>,
    ) {
        match part {
            Part::Words(starts, ends) => self.segment_words((text, starts, ends), sum, scratch, ids),
            Part::Alone(start, end) => self.segment_alone(text, start, end, sum, scratch, ids),
        }
    }

    /// Makes one of unknown tokens that follow one another, from a place on, in the row of a text that begins at `first`.
    #[inline]
    pub(super) fn fuse(&self, first: usize, from: usize, ids: &mut Vec<TokenId>) {
        let Some(unk) = self.unk.filter(|_| self.fallback.is_none()) else { return };
        let Some(mut at) = ids[from..].iter().position(|&id| id == unk).map(|at| from + at) else { return };
        let mut kept = at;
        while at < ids.len() {
            let unknown = ids[at..].iter().take_while(|&&id| id == unk).count();
            if kept == first || ids[kept - 1] != unk {
                ids[kept] = unk;
                kept += 1;
            }
            at += unknown;
            let others = ids[at..].iter().take_while(|&&id| id != unk).count();
            ids.copy_within(at..at + others, kept);
            kept += others;
            at += others;
        }
        ids.truncate(kept);
    }

    /// Words, none of which shares a token with the next.
    fn segment_words(
        &self,
        (text, starts, ends): (&str, &[usize], &[usize]),
        sum: &mut f32,
        scratch: &mut UnigramScratch,
        ids: &mut Vec<TokenId>,
    ) {
        let Numbers::Single { largest, characters, unknown, scores, .. } = &self.numbers else { return };
        let length = ends.last().unwrap_or(&0) - starts.first().unwrap_or(&0);
        if sum.abs() + length as f32 * largest >= RESTART {
            // Somewhere here counting may begin anew, and it does so in the middle of a word.
            let words = starts.iter().zip(ends).map(|(&start, &end)| &text[start..end]);
            return words.for_each(|word| *sum = self.segment_word(word, *sum, None, scratch, ids));
        }
        let segment_new = |word: &str, hashed: Hashed, sum: f32, scratch: &mut _, ids: &mut Vec<TokenId>| {
            match single_character(word.as_bytes()) {
                // Nothing is remembered of a character that is unknown, so that it would be computed each time.
                Some(c) if characters.get(c).is_none() => {
                    self.emit(word, Segment { start: 0, end: word.len(), id: NONE }, ids, |_| {});
                    sum + unknown
                }
                _ => self.segment_word(word, sum, Some(&hashed), scratch, ids),
            }
        };
        // Most are alone between characters that are.
        if let (&[start], &[end]) = (starts, ends) {
            let from = ids.len();
            let (hashed, is_known) = scratch.memory.get(text.as_bytes(), start, end, ids);
            match is_known {
                true => ids[from..].iter().for_each(|&id| *sum += scores[id as usize]),
                false => *sum = segment_new(&text[start..end], hashed, *sum, scratch, ids),
            }
            return;
        }
        let mut row = Row { sum: *sum, first: ids.len() };
        self.recall_words::<false>(
            (text, starts, ends),
            (&mut TextEnds::none(), &mut row),
            |scratch| &mut scratch.memory,
            scratch,
            ids,
            |word, hashed, row, scratch, ids| row.sum = segment_new(word, hashed, row.sum, scratch, ids),
        );
        *sum = row.sum;
    }

    /// Appends the ids of a group of words: those that are remembered, and between them what `segment_new` makes of the others. Where they
    /// are all of a text, unknown tokens are fused.
    #[inline]
    pub(super) fn recall_words<const FUSE: bool>(
        &self,
        (text, starts, ends): (&str, &[usize], &[usize]),
        (texts, row): (&mut TextEnds, &mut Row),
        memory: impl Fn(&mut UnigramScratch) -> &mut Memory,
        scratch: &mut UnigramScratch,
        ids: &mut Vec<TokenId>,
        mut segment_new: impl FnMut(&str, Hashed, &mut Row, &mut UnigramScratch, &mut Vec<TokenId>),
    ) {
        let Numbers::Single { scores, .. } = &self.numbers else { return };
        let count = memory(scratch).hash(text.as_bytes(), starts, ends);
        let mut done = 0;
        while done < count {
            let until = done + texts.pieces_of_next(&starts[done..count]);
            let of_text = ids.len();
            loop {
                let from = ids.len();
                done += memory(scratch).look_up(done..until, ids);
                ids[from..].iter().for_each(|&id| row.sum += scores[id as usize]);
                if done == until {
                    break;
                }
                let (word, hashed) = (&text[starts[done]..ends[done]], memory(scratch).keys()[done]);
                if let Some(known) = memory(scratch).recall(&hashed, word.as_bytes()) {
                    ids.extend_from_slice(known);
                    known.iter().for_each(|&id| row.sum += scores[id as usize]);
                } else {
                    segment_new(word, hashed, row, scratch, ids);
                }
                done += 1;
            }
            if FUSE {
                self.fuse(row.first, of_text, ids);
            }
            if until < count {
                done += texts.end(ids);
                *row = Row { sum: 0.0, first: ids.len() };
            }
        }
    }

    /// Characters that share no token with their neighbours.
    fn segment_alone(
        &self,
        text: &str,
        start: usize,
        end: usize,
        sum: &mut f32,
        scratch: &mut UnigramScratch,
        ids: &mut Vec<TokenId>,
    ) {
        let Numbers::Single { scores, unknown, characters: known, largest, .. } = &self.numbers else { return };
        let unk = self.unk.filter(|_| self.fallback.is_none());
        let mut start = start;
        while start < end {
            // In so many characters, which have two bytes at least, counting begins anew in none.
            let room = ((NEARLY - sum.abs()) / largest) as usize;
            if room == 0 {
                let (_, width) = character(text.as_bytes(), start);
                *sum = self.segment_word(&text[start..start + width], *sum, None, scratch, ids);
                start += width;
                continue;
            }
            let until = end.min(start + 2 * room);
            while start < until {
                if let Some(unk) = unk {
                    let strangers = self.strangers.run(&text.as_bytes()[start..until]);
                    *sum = (0..strangers).fold(*sum, |sum, _| sum + unknown);
                    ids.extend(std::iter::repeat_n(unk, strangers));
                    start += 3 * strangers;
                    if start >= until {
                        break;
                    }
                }
                let (c, width) = character(text.as_bytes(), start);
                match known.get(c) {
                    Some(id) => {
                        *sum += scores[id as usize];
                        ids.push(id);
                    }
                    None => {
                        *sum += unknown;
                        self.emit(text, Segment { start, end: start + width, id: NONE }, ids, |_| {});
                    }
                }
                start += width;
            }
        }
    }

    /// One of these words; gives the sum behind it. With a key it is remembered, if it is sure to be the same wherever it stands.
    fn segment_word(
        &self,
        word: &str,
        sum: f32,
        hashed: Option<&Hashed>,
        scratch: &mut UnigramScratch,
        ids: &mut Vec<TokenId>,
    ) -> f32 {
        let from = ids.len();
        if let Some((hashed, after)) = hashed.and_then(|key| Some((key, self.segment_sure(word, sum, scratch, ids)?))) {
            scratch.memory.remember(hashed, word.as_bytes(), &ids[from..]);
            return after;
        }
        let Some(model) = self.single() else { return sum };
        let UnigramScratch { single, row, unsure, .. } = scratch;
        *unsure = true;
        row.clear();
        let after = model.best(word, sum, single, row);
        row.iter().for_each(|segment| self.emit(word, *segment, ids, |_| {}));
        after
    }

    /// A word that is sure to be the same wherever it stands, if it is; gives the sum behind it.
    #[inline]
    fn segment_sure(&self, word: &str, sum: f32, scratch: &mut UnigramScratch, ids: &mut Vec<TokenId>) -> Option<f32> {
        let UnigramScratch { two, row, .. } = scratch;
        let model = self.single()?;
        row.clear();
        let is_sure = margin::is_sure(&model, word, two, row);
        is_sure.then(|| {
            ids.extend(row.iter().map(|segment| segment.id));
            row.iter().fold(sum, |sum, segment| sum + model.scores[segment.id as usize])
        })
    }

    /// A token of SentencePiece, or what stands for an unknown character; `place` is told the place of each id.
    pub(super) fn emit(&self, text: &str, segment: Segment, ids: &mut Vec<TokenId>, mut place: impl FnMut(Span)) {
        let Segment { start, end, id } = segment;
        let Some(tokens) = self.fallback.as_ref().filter(|_| id == NONE) else {
            ids.extend(if id == NONE { self.unk } else { Some(id) });
            return place(Span::new(start, end));
        };
        let bytes = text.as_bytes()[start..end].iter();
        for (left, byte) in (0..end - start).rev().zip(bytes) {
            ids.extend(tokens[usize::from(*byte)].or(self.unk));
            // The last stands for the character, the others for nothing.
            place(Span::new(start, if left == 0 { end } else { start }));
        }
    }

    pub(super) fn single(&self) -> Option<Scored<'_, f32>> {
        match &self.numbers {
            Numbers::Single { scores, unknown, .. } => Some(Scored { trie: &self.trie, scores, unknown: *unknown }),
            Numbers::Double { .. } => None,
        }
    }
}
