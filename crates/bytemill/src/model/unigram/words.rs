//! A piece of `tokenizers` word by word: the same row as that of the whole piece, of which most words were met before.

use super::margin;
use super::viterbi::ScoredTrie;
use super::{FEW, NONE, Numbers, Part, Segment, Unigram, UnigramScratch, character};
use crate::error::Result;
use crate::vocab::TokenId;

/// How far a piece is done.
struct Progress {
    /// That of the scores so far; None where nobody has asked for it. Few do, and then the piece is begun again.
    sum: Option<f64>,
    /// Where the characters begin that are unknown, up to here.
    unknown: Option<usize>,
    /// Whether somebody has asked in vain.
    missed: bool,
}

impl Progress {
    #[inline]
    fn add(&mut self, scores: impl IntoIterator<Item = f64>) {
        if let Some(sum) = &mut self.sum {
            scores.into_iter().for_each(|score| *sum += score);
        }
    }
}

impl Unigram {
    /// Appends the ids of a piece that is not remembered, or elsewhere.
    pub fn segment_new(&self, piece: &str, scratch: &mut UnigramScratch, ids: &mut Vec<TokenId>) -> Result<()> {
        let first = ids.len();
        if self.segment_from(piece, None, scratch, ids)? {
            return Ok(());
        }
        ids.truncate(first);
        self.segment_from(piece, Some(0.0), scratch, ids).map(|_| ())
    }

    /// False if it needs a sum and there is none; then what was appended is of no use.
    fn segment_from(
        &self,
        piece: &str,
        sum: Option<f64>,
        scratch: &mut UnigramScratch,
        ids: &mut Vec<TokenId>,
    ) -> Result<bool> {
        let Numbers::Double { scores, unknown, cuts, characters: known } = &self.numbers else { return Ok(true) };
        let mut progress = Progress { sum, unknown: None, missed: false };
        let mut result = Ok(());
        cuts.split::<FEW>(piece.as_bytes(), |part| match part {
            _ if result.is_err() || progress.missed => {}
            Part::Words(starts, ends) => result = self.words_of(piece, starts, ends, &mut progress, scratch, ids),
            Part::Alone(mut start, end) => {
                while start < end && result.is_ok() {
                    let strangers = self.strangers.run(&piece.as_bytes()[start..end]);
                    if strangers > 0 {
                        progress.add((0..strangers).map(|_| *unknown));
                        progress.unknown.get_or_insert(start);
                        start += 3 * strangers;
                        continue;
                    }
                    let (c, width) = character(piece.as_bytes(), start);
                    match known.get(c) {
                        Some(id) => {
                            progress.add([scores[id as usize]]);
                            result = self.token(piece, start, id, &mut progress, ids);
                        }
                        None => {
                            progress.add([*unknown]);
                            progress.unknown.get_or_insert(start);
                        }
                    }
                    start += width;
                }
            }
        });
        result?;
        if progress.missed {
            return Ok(false);
        }
        self.end_unknown(piece, piece.len(), &mut progress, ids).map(|()| true)
    }

    fn words_of(
        &self,
        piece: &str,
        starts: &[usize],
        ends: &[usize],
        progress: &mut Progress,
        scratch: &mut UnigramScratch,
        ids: &mut Vec<TokenId>,
    ) -> Result<()> {
        let Numbers::Double { scores, unknown, .. } = &self.numbers else { return Ok(()) };
        let model = ScoredTrie { trie: &self.trie, scores, unknown: *unknown };
        let UnigramScratch { words, wide_two, double, row, .. } = scratch;
        let count = words.hash(piece.as_bytes(), starts, ends);
        let mut done = 0;
        while done < count {
            // Words that are remembered have no unknown characters.
            if progress.unknown.is_some() && words.knows(done, &piece.as_bytes()[starts[done]..ends[done]]) {
                self.end_unknown(piece, starts[done], progress, ids)?;
            }
            let from = ids.len();
            done += words.look_up(done..count, ids);
            progress.add(ids[from..].iter().map(|&id| scores[id as usize]));
            if done == count {
                break;
            }
            let (start, word) = (starts[done], &piece[starts[done]..ends[done]]);
            let hashed = words.keys()[done];
            row.clear();
            if let Some(known) = words.recall(&hashed, word.as_bytes()) {
                self.end_unknown(piece, start, progress, ids)?;
                ids.extend_from_slice(known);
                progress.add(known.iter().map(|&id| scores[id as usize]));
            } else if margin::is_sure(&model, word, wide_two, row) && row.iter().all(|it| Some(it.id) != self.unk) {
                self.end_unknown(piece, start, progress, ids)?;
                let from = ids.len();
                ids.extend(row.iter().map(|segment| segment.id));
                words.remember(&hashed, word.as_bytes(), &ids[from..]);
                progress.add(ids[from..].iter().map(|&id| scores[id as usize]));
            } else {
                row.clear();
                let Some(sum) = progress.sum else {
                    progress.missed = true;
                    return Ok(());
                };
                progress.sum = Some(model.best(word, sum, double, row));
                row.iter().try_for_each(|it| self.token(piece, start + it.start, it.id, progress, ids))?;
            }
            done += 1;
        }
        Ok(())
    }

    /// A token that begins at a place, or an unknown character.
    fn token(
        &self,
        piece: &str,
        start: usize,
        id: TokenId,
        progress: &mut Progress,
        ids: &mut Vec<TokenId>,
    ) -> Result<()> {
        if id == NONE || Some(id) == self.unk {
            progress.unknown.get_or_insert(start);
            return Ok(());
        }
        self.end_unknown(piece, start, progress, ids)?;
        ids.push(id);
        Ok(())
    }

    /// What stands for the unknown characters that end at a place.
    fn end_unknown(&self, piece: &str, end: usize, progress: &mut Progress, ids: &mut Vec<TokenId>) -> Result<()> {
        match progress.unknown.take() {
            Some(start) => self.emit_pieces(piece, &[Segment { start, end, id: NONE }], ids, |_| {}),
            None => Ok(()),
        }
    }
}
