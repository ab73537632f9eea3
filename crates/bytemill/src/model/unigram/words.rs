//! A piece of `tokenizers` word by word: the same row as that of the whole piece, of which most words were met before.

use super::margin;
use super::viterbi::Scored;
use super::{FEW, NONE, Numbers, Part, Segment, Unigram, UnigramScratch, character};
use crate::error::Result;
use crate::vocab::TokenId;

/// How far a piece is done.
struct Progress {
    /// That of the scores so far.
    sum: f64,
    /// Where the characters begin that are unknown, up to here.
    unknown: Option<usize>,
}

impl Unigram {
    /// Appends the ids of a piece that is not remembered, or elsewhere.
    pub fn segment_new(&self, piece: &str, scratch: &mut UnigramScratch, ids: &mut Vec<TokenId>) -> Result<()> {
        let Numbers::Double { scores, unknown, cuts, characters: known } = &self.numbers else { return Ok(()) };
        let mut progress = Progress { sum: 0.0, unknown: None };
        let mut result = Ok(());
        cuts.split::<FEW>(piece.as_bytes(), |part| match part {
            _ if result.is_err() => {}
            Part::Words(starts, ends) => result = self.words_of(piece, starts, ends, &mut progress, scratch, ids),
            Part::Alone(mut start, end) => {
                while start < end && result.is_ok() {
                    let strangers = self.strangers.run(&piece.as_bytes()[start..end]);
                    if strangers > 0 {
                        progress.sum = (0..strangers).fold(progress.sum, |sum, _| sum + unknown);
                        progress.unknown.get_or_insert(start);
                        start += 3 * strangers;
                        continue;
                    }
                    let (c, width) = character(piece.as_bytes(), start);
                    match known.get(c) {
                        Some(id) => {
                            progress.sum += scores[id as usize];
                            result = self.token(piece, start, id, &mut progress, ids);
                        }
                        None => {
                            progress.sum += unknown;
                            progress.unknown.get_or_insert(start);
                        }
                    }
                    start += width;
                }
            }
        });
        result?;
        self.end_unknown(piece, piece.len(), &mut progress, ids)
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
        let model = Scored { trie: &self.trie, scores, unknown: *unknown };
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
            ids[from..].iter().for_each(|&id| progress.sum += scores[id as usize]);
            if done == count {
                break;
            }
            let (start, word) = (starts[done], &piece[starts[done]..ends[done]]);
            let hashed = words.keys()[done];
            row.clear();
            if let Some(known) = words.recall(&hashed, word.as_bytes()) {
                self.end_unknown(piece, start, progress, ids)?;
                ids.extend_from_slice(known);
                known.iter().for_each(|&id| progress.sum += scores[id as usize]);
            } else if margin::is_sure(&model, word, wide_two, row) && row.iter().all(|it| Some(it.id) != self.unk) {
                self.end_unknown(piece, start, progress, ids)?;
                let from = ids.len();
                ids.extend(row.iter().map(|segment| segment.id));
                words.remember(&hashed, word.as_bytes(), &ids[from..]);
                ids[from..].iter().for_each(|&id| progress.sum += scores[id as usize]);
            } else {
                row.clear();
                progress.sum = model.best(word, progress.sum, double, row);
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
