//! A piece of `tokenizers` word by word: the same row as that of the whole piece, of which most words were met before.

use std::ops::Range;

use super::margin;
use super::viterbi::ScoredTrie;
use super::{CodePoints, FEW, NONE, Numbers, Part, Segment, Unigram, UnigramScratch, character};
use crate::error::{Error, Result};
use crate::model::memo::{Memory, NewPiece, Recall};
use crate::model::text_ends::TextEnds;
use crate::text::span::Spans;
use crate::vocab::TokenId;

/// A piece, as far as it is done.
struct Progress<'a> {
    model: &'a Unigram,
    scores: ScoredTrie<'a, f64>,
    piece: &'a str,
    /// That of the scores of the first ids; None where nobody has asked for it. Few do, and then the piece is begun again.
    sum: Option<f64>,
    /// Where the ids begin that are not in the sum yet.
    summed: usize,
    /// Where the characters begin that are unknown, up to here. All ids before them are in the sum.
    unknown: Option<usize>,
    scratch: &'a mut UnigramScratch,
}

/// Why a piece is given up.
enum Stop {
    /// Somebody has asked for the sum, and there is none.
    NoSum,
    Failed(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Stop::Failed(error)
    }
}

impl Unigram {
    /// Appends the ids of a piece that is not remembered, or elsewhere.
    pub(crate) fn segment_new(&self, piece: &str, scratch: &mut UnigramScratch, ids: &mut Vec<TokenId>) -> Result<()> {
        let first = ids.len();
        match self.segment_from(piece, None, scratch, ids) {
            Err(Stop::NoSum) => ids.truncate(first),
            Err(Stop::Failed(error)) => return Err(error),
            Ok(()) => return Ok(()),
        }
        match self.segment_from(piece, Some(0.0), scratch, ids) {
            Err(Stop::Failed(error)) => Err(error),
            Ok(()) | Err(Stop::NoSum) => Ok(()),
        }
    }

    /// Where it stops, what was appended is of no use.
    fn segment_from(
        &self,
        piece: &str,
        sum: Option<f64>,
        scratch: &mut UnigramScratch,
        ids: &mut Vec<TokenId>,
    ) -> Result<(), Stop> {
        let Numbers::Double { scores, unknown, cuts, characters } = &self.numbers else { return Ok(()) };
        let scores = ScoredTrie { trie: self.trie(), scores, unknown: *unknown };
        let mut progress = Progress { model: self, scores, piece, sum, summed: ids.len(), unknown: None, scratch };
        let mut result = Ok(());
        cuts.split::<FEW>(piece.as_bytes(), |part| match part {
            _ if result.is_err() => {}
            Part::Words(starts, ends) => {
                result = progress.recall(Spans::new(piece.as_bytes(), starts, ends), &mut TextEnds::none(), ids);
            }
            Part::Alone(start, end) => result = progress.alone(start, end, characters, ids).map_err(Stop::Failed),
        });
        result?;
        Ok(progress.end_unknown(piece.len(), ids)?)
    }
}

impl Progress<'_> {
    /// Characters that share no token with their neighbours.
    fn alone(&mut self, mut start: usize, end: usize, known: &CodePoints, ids: &mut Vec<TokenId>) -> Result<()> {
        let bytes = self.piece.as_bytes();
        while start < end {
            let strangers = self.model.strangers.run(&bytes[start..end]);
            if strangers > 0 {
                self.begin_unknown(start, strangers, ids);
                start += 3 * strangers;
                continue;
            }
            let (c, width) = character(bytes, start);
            match known.get(c) {
                Some(id) if Some(id) == self.model.unk => {
                    self.sum_up(ids);
                    self.sum = self.sum.map(|sum| sum + self.scores.scores[id as usize]);
                    self.unknown.get_or_insert(start);
                }
                Some(id) => {
                    self.end_unknown(start, ids)?;
                    ids.push(id);
                }
                None => self.begin_unknown(start, 1, ids),
            }
            start += width;
        }
        Ok(())
    }

    /// Brings all ids into the sum, in their order.
    #[inline]
    fn sum_up(&mut self, ids: &[TokenId]) {
        let new = &ids[self.summed..];
        self.sum = self.sum.map(|sum| new.iter().fold(sum, |sum, &id| sum + self.scores.scores[id as usize]));
        self.summed = ids.len();
    }

    /// `count` unknown characters from a place on.
    #[inline]
    fn begin_unknown(&mut self, start: usize, count: usize, ids: &[TokenId]) {
        self.sum_up(ids);
        self.sum = self.sum.map(|sum| (0..count).fold(sum, |sum, _| sum + self.scores.unknown));
        self.unknown.get_or_insert(start);
    }

    /// What stands for the unknown characters that end at a place.
    #[inline]
    fn end_unknown(&mut self, end: usize, ids: &mut Vec<TokenId>) -> Result<()> {
        let Some(start) = self.unknown.take() else { return Ok(()) };
        self.model.emit_pieces(self.piece, &[Segment { start, end, id: NONE }], ids, |_| {})?;
        self.summed = ids.len();
        Ok(())
    }

    /// A word whose row depends on the sum before it.
    fn segment_summed(&mut self, word: &str, start: usize, ids: &mut Vec<TokenId>) -> Result<(), Stop> {
        self.sum_up(ids);
        let sum = self.sum.ok_or(Stop::NoSum)?;
        let mut row = std::mem::take(&mut self.scratch.row);
        row.clear();
        self.sum = Some(self.scores.best(word, sum, &mut self.scratch.double, &mut row));
        for segment in &row {
            let start = start + segment.start;
            if segment.id == NONE || Some(segment.id) == self.model.unk {
                self.unknown.get_or_insert(start);
                continue;
            }
            self.end_unknown(start, ids)?;
            ids.push(segment.id);
        }
        self.summed = ids.len();
        self.scratch.row = row;
        Ok(())
    }
}

impl Recall for Progress<'_> {
    type Error = Stop;

    #[inline]
    fn memory(&mut self) -> &mut Memory {
        &mut self.scratch.words
    }

    /// Words that are remembered have no unknown characters.
    #[inline]
    fn look_up(&mut self, group: Spans<[u8]>, words: Range<usize>, ids: &mut Vec<TokenId>) -> Result<usize, Stop> {
        let mut done = words.start;
        // All of them: the word at which this stops may come from the memory of long ones, which does not know of what is unknown before it.
        while self.unknown.is_some() && done < words.end {
            let (start, bytes) = (group.starts[done], group.get(done));
            if self.scratch.words.knows(done, bytes) {
                self.end_unknown(start, ids)?;
                break;
            }
            // Not looked up after that: another worker may have remembered it meanwhile.
            let hashed = self.scratch.words.keys()[done];
            self.compute(NewPiece { hashed, bytes, start }, ids)?;
            done += 1;
        }
        Ok(done - words.start + self.scratch.words.look_up(done..words.end, ids))
    }

    fn compute(&mut self, piece: NewPiece, ids: &mut Vec<TokenId>) -> Result<(), Stop> {
        let word = &self.piece[piece.range()];
        let UnigramScratch { wide_two, row, .. } = &mut *self.scratch;
        row.clear();
        if !margin::is_sure(&self.scores, word, wide_two, row) || row.iter().any(|it| Some(it.id) == self.model.unk) {
            return self.segment_summed(word, piece.start, ids);
        }
        self.end_unknown(piece.start, ids)?;
        let from = ids.len();
        let UnigramScratch { words, row, .. } = &mut *self.scratch;
        ids.extend(row.iter().map(|segment| segment.id));
        words.remember(&piece.hashed, piece.bytes, &ids[from..]);
        Ok(())
    }
}
