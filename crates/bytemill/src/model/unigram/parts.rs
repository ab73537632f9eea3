//! A text of SentencePiece part by part: words that share no token, most of which were met before, and characters that stand alone. The sum
//! of the scores goes on from part to part, in the order in which the library adds; but it is added up only where somebody asks for it, and in
//! most texts nobody does.

use std::convert::Infallible;

use super::super::code_points::single_character;
use super::super::cuts::{Cuts, character};
use super::super::memo::{Memory, NewPiece, Recall};
use super::viterbi::ScoredTrie;
use super::{GROUP, NONE, Numbers, Part, RESTART, Segment, Unigram, UnigramScratch, margin};
use crate::model::text_ends::TextEnds;
use crate::text::short_key::Hashed;
use crate::text::span::{Span, Spans};
use crate::vocab::TokenId;

/// A sum from which on the next ones are looked at one by one: as far below `RESTART` as rounding could ever lead beyond what is computed.
const NEARLY: f32 = 0.999 * RESTART;

/// The row of a text so far.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// Where its ids begin.
    first: usize,
    /// That of the scores of its first ids, and where the others begin.
    sum: f32,
    summed: usize,
}

impl Row {
    /// One that begins after `first` ids.
    pub fn new(first: usize) -> Self {
        Row { first, sum: 0.0, summed: first }
    }

    /// The sum of all of it. Each unknown character has an id of its own, or the ids of its bytes, so that it is that of their scores.
    #[inline]
    fn sum(&mut self, scores: &[f32], ids: &[TokenId]) -> f32 {
        let sum = ids[self.summed..].iter().fold(self.sum, |sum, &id| sum + scores[id as usize]);
        self.set(sum, ids);
        sum
    }

    fn set(&mut self, sum: f32, ids: &[TokenId]) {
        (self.sum, self.summed) = (sum, ids.len());
    }

    /// In how many characters counting begins anew in none, where at least `wanted` are needed.
    #[inline]
    pub(super) fn room(&mut self, wanted: usize, model: &Unigram, ids: &[TokenId]) -> usize {
        let Numbers::Single { scores, largest, .. } = &model.numbers else { return 0 };
        // No sum is further from zero than if every score were the largest.
        let most = (NEARLY / largest) as usize;
        let room = |row: &Row| most.saturating_sub((row.sum.abs() / largest) as usize + 1 + ids.len() - row.summed);
        // To know the sum would not help where `most` is not more than `wanted`.
        if room(self) < wanted && (wanted < most || room(self) == 0) {
            self.sum(scores, ids);
        }
        room(self)
    }
}

impl Unigram {
    /// Appends the ids of a whole text.
    pub(super) fn segment_parts(&self, text: &str, cuts: &Cuts, scratch: &mut UnigramScratch, ids: &mut Vec<TokenId>) {
        let mut row = Row::new(ids.len());
        cuts.split::<GROUP>(text.as_bytes(), |part| self.segment_part(text, part, &mut row, scratch, ids));
        self.end_row(&row, ids);
    }

    /// A part of a text; the row goes on from part to part. Each unknown character has an id of its own.
    #[inline]
    pub(super) fn segment_part(
        &self,
        text: &str,
        part: Part,
        row: &mut Row,
        scratch: &mut UnigramScratch,
        ids: &mut Vec<TokenId>,
    ) {
        match part {
            Part::Words(starts, ends) => self.segment_words(Spans::new(text, starts, ends), row, scratch, ids),
            Part::Alone(start, end) => self.segment_alone(text, Span::new(start, end), row, scratch, ids),
        }
    }

    /// Ends the row of a text: of unknown tokens that follow one another, one is left.
    #[inline]
    pub fn end_row(&self, row: &Row, ids: &mut Vec<TokenId>) {
        let Some(unk) = self.unk.filter(|_| self.fallback.is_none()) else { return };
        let is_second = |pair: &[TokenId]| pair == [unk, unk];
        let Some(at) = ids[row.first..].windows(2).position(is_second) else { return };
        let (mut kept, mut at) = (row.first + at + 1, row.first + at + 1);
        while at < ids.len() {
            at += ids[at..].iter().take_while(|&&id| id == unk).count();
            // Up to the next of several, which is the first of these.
            let others = ids[at..].windows(2).position(is_second).map_or(ids.len() - at, |others| others + 1);
            ids.copy_within(at..at + others, kept);
            (kept, at) = (kept + others, at + others);
        }
        ids.truncate(kept);
    }

    /// Words, none of which shares a token with the next.
    fn segment_words(&self, words: Spans, row: &mut Row, scratch: &mut UnigramScratch, ids: &mut Vec<TokenId>) {
        let length = words.covered();
        if row.room(length, self, ids) < length {
            // Somewhere here counting may begin anew, and it does so in the middle of a word.
            return words.iter().for_each(|word| self.segment_word(word, row, None, scratch, ids));
        }
        let mut parts = PartWords { model: self, text: words.text, row, scratch };
        // Most are alone between characters that are.
        if let (&[start], &[end]) = (words.starts, words.ends) {
            let bytes = words.text.as_bytes();
            let (hashed, is_known) = parts.scratch.memory.get(bytes, start, end, ids);
            if !is_known {
                let Ok(()) = parts.compute(NewPiece { hashed, bytes: &bytes[start..end], start }, ids);
            }
            return;
        }
        let Ok(()) = parts.recall(words.bytes(), &mut TextEnds::none(), ids);
    }

    /// Characters that share no token with their neighbours.
    fn segment_alone(
        &self,
        text: &str,
        Span { mut start, end }: Span,
        row: &mut Row,
        scratch: &mut UnigramScratch,
        ids: &mut Vec<TokenId>,
    ) {
        let Numbers::Single { characters: known, .. } = &self.numbers else { return };
        let unk = self.unk.filter(|_| self.fallback.is_none());
        while start < end {
            // They have two bytes at least.
            let room = row.room((end - start) / 2, self, ids);
            if room == 0 {
                let (_, width) = character(text.as_bytes(), start);
                self.segment_word(&text[start..start + width], row, None, scratch, ids);
                start += width;
                continue;
            }
            let until = end.min(start + 2 * room);
            while start < until {
                if let Some(unk) = unk {
                    let strangers = self.strangers.run(&text.as_bytes()[start..until]);
                    ids.extend(std::iter::repeat_n(unk, strangers));
                    start += 3 * strangers;
                    if start >= until {
                        break;
                    }
                }
                let (c, width) = character(text.as_bytes(), start);
                match known.get(c) {
                    Some(id) => ids.push(id),
                    None => self.emit_unknown(&text[start..start + width], row, ids),
                }
                start += width;
            }
        }
    }

    /// One of these words. With a key it is remembered, if it is sure to be the same wherever it stands.
    fn segment_word(
        &self,
        word: &str,
        row: &mut Row,
        hashed: Option<&Hashed>,
        scratch: &mut UnigramScratch,
        ids: &mut Vec<TokenId>,
    ) {
        let from = ids.len();
        if let Some(hashed) = hashed.filter(|_| self.segment_sure(word, scratch, ids)) {
            return scratch.memory.remember(hashed, word.as_bytes(), &ids[from..]);
        }
        let Some(model) = self.single() else { return };
        let UnigramScratch { single, row: segments, unsure, .. } = scratch;
        *unsure = true;
        segments.clear();
        let after = model.best(word, row.sum(model.scores, ids), single, segments);
        segments.iter().for_each(|segment| self.emit(word, *segment, ids, |_| {}));
        row.set(after, ids);
    }

    /// A word that is sure to be the same wherever it stands, if it is.
    #[inline]
    fn segment_sure(&self, word: &str, scratch: &mut UnigramScratch, ids: &mut Vec<TokenId>) -> bool {
        let (UnigramScratch { two, row, .. }, Some(model)) = (scratch, self.single()) else { return false };
        row.clear();
        let is_sure = margin::is_sure(&model, word, two, row);
        if is_sure {
            ids.extend(row.iter().map(|segment| segment.id));
        }
        is_sure
    }

    /// What stands for a character that is no token.
    #[inline]
    fn emit_unknown(&self, character: &str, row: &mut Row, ids: &mut Vec<TokenId>) {
        let Numbers::Single { scores, unknown, .. } = &self.numbers else { return };
        if self.unk.is_some() && self.fallback.is_none() {
            return ids.extend(self.unk);
        }
        // A damaged file may have no token for it, or not for all of its bytes.
        let sum = row.sum(scores, ids);
        self.emit(character, Segment { start: 0, end: character.len(), id: NONE }, ids, |_| {});
        row.set(sum + unknown, ids);
    }

    /// A token of SentencePiece, or what stands for an unknown character; `place` is told the place of each id.
    pub(super) fn emit(&self, text: &str, segment: Segment, ids: &mut Vec<TokenId>, mut place: impl FnMut(Span)) {
        let Segment { start, end, id } = segment;
        let Some(tokens) = self.fallback.as_ref().filter(|_| id == NONE) else {
            ids.extend(if id == NONE { self.unk } else { Some(id) });
            return place(Span::new(start, end));
        };
        tokens.each(&text.as_bytes()[start..end], Span::new(start, end), self.unk, |id, span| {
            ids.extend(id);
            place(span);
        });
    }

    pub(super) fn single(&self) -> Option<ScoredTrie<'_, f32>> {
        match &self.numbers {
            Numbers::Single { scores, unknown, .. } => {
                Some(ScoredTrie { trie: self.trie(), scores, unknown: *unknown })
            }
            Numbers::Double { .. } => None,
        }
    }
}

/// Words between which no token lies across, in the middle of a row.
struct PartWords<'a> {
    model: &'a Unigram,
    text: &'a str,
    row: &'a mut Row,
    scratch: &'a mut UnigramScratch,
}

impl Recall for PartWords<'_> {
    type Error = Infallible;

    #[inline]
    fn memory(&mut self) -> &mut Memory {
        &mut self.scratch.memory
    }

    fn compute(&mut self, piece: NewPiece, ids: &mut Vec<TokenId>) -> Result<(), Infallible> {
        let PartWords { model, text, row, scratch } = self;
        let word = &text[piece.range()];
        match (&model.numbers, single_character(piece.bytes)) {
            // Nothing is remembered of a character that is unknown, so that it would be computed each time.
            (Numbers::Single { characters, .. }, Some(c)) if characters.get(c).is_none() => {
                model.emit_unknown(word, row, ids);
            }
            _ => model.segment_word(word, row, Some(&piece.hashed), scratch, ids),
        }
        Ok(())
    }
}
