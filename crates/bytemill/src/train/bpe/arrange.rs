//! From pieces to words: a counting sort. The first time that the pieces are gone through, the cells for each count are counted; the
//! second time every word is written where it belongs. So the pieces need not be in memory.

use std::collections::HashMap;

use super::budget::{Budget, Means};
use super::pieces::{Pause, TrainingPieces};
use super::runs::CountRuns;
use super::words::{BORDER, INSIDE, WordCells};
use crate::error::{Error, Result};

/// Words, what they may take, and how often a piece occurs that is a single token, and no word.
pub(super) struct Arranged {
    pub words: WordCells,
    pub budget: Budget,
    pub single: u64,
}

/// Calls back with the tokens of each word that a piece makes.
pub(super) trait Spell: FnMut(&[u8], &mut dyn FnMut(&[u32])) {}
impl<F: FnMut(&[u8], &mut dyn FnMut(&[u32]))> Spell for F {}

/// Cells that are written before they are let go of.
const STRETCH: usize = 1 << 20;

/// The words of all pieces, the most frequent first; or, of pieces that are in the order in which they were met, in that order.
pub(super) fn arrange(
    pieces: &TrainingPieces,
    lengths: &[u32],
    means: Means,
    pause: &mut Pause,
    mut spell: impl Spell,
) -> Result<Arranged> {
    let are_ordered = pieces.are_ordered();
    let mut sizes: HashMap<u64, u64> = HashMap::new();
    let mut single = 0;
    pieces.each(pause, |piece, count| {
        spell(piece, &mut |tokens| match tokens {
            [] => {}
            [_] => single += count,
            _ => *sizes.entry(count).or_default() += size(tokens, lengths),
        });
    })?;
    let cells = 1 + checked(sizes.values().sum())?;
    // What is held in the order of its appearance is in memory whatever the budget is.
    let budget = Budget::new(Means { memory: means.memory.filter(|_| !are_ordered), ..means }, cells);
    let mut words = WordCells { cells: budget.cells(cells)?, runs: CountRuns::default() };
    words.cells.as_mut_slice()[0] = BORDER;
    let starts = if are_ordered { Vec::new() } else { starts(&sizes) };
    starts.iter().for_each(|&(count, start)| words.runs.push(start, count));
    let mut next: HashMap<u64, u32> = starts.into_iter().collect();
    let mut end = 1;
    let mut written = 0;
    pieces.each(pause, |piece, count| {
        spell(piece, &mut |tokens| {
            if tokens.len() < 2 {
                return;
            }
            let at = match next.get_mut(&count) {
                Some(at) => at,
                None => {
                    words.runs.push(end, count);
                    &mut end
                }
            };
            let size = size(tokens, lengths) as usize;
            write(&mut words.cells.as_mut_slice()[*at as usize..][..size], tokens, lengths);
            *at += size as u32;
            written += size;
        });
        if written >= STRETCH {
            words.cells.release(0..cells);
            written = 0;
        }
    })?;
    words.cells.release(0..cells);
    Ok(Arranged { words, budget, single })
}

/// Where the words of each count begin, the greatest count first.
fn starts(sizes: &HashMap<u64, u64>) -> Vec<(u64, u32)> {
    let mut starts: Vec<(u64, u64)> = sizes.iter().map(|(&count, &size)| (count, size)).collect();
    starts.sort_unstable_by_key(|&(count, _)| std::cmp::Reverse(count));
    let mut start = 1;
    let begin = |(count, size)| {
        let at = start;
        start += size as u32;
        (count, at)
    };
    starts.into_iter().map(begin).collect()
}

/// The cells of a word and of the border after it.
fn size(tokens: &[u32], lengths: &[u32]) -> u64 {
    tokens.iter().map(|&token| u64::from(lengths[token as usize])).sum::<u64>() + 1
}

fn write(cells: &mut [u32], tokens: &[u32], lengths: &[u32]) {
    let mut at = 0;
    for &token in tokens {
        let end = at + lengths[token as usize] as usize;
        cells[at..end].fill(INSIDE);
        cells[at] = token;
        cells[end - 1] = token;
        at = end;
    }
    cells[at] = BORDER;
}

/// Positions are 32 bits.
fn checked(cells: u64) -> Result<usize> {
    const MOST: u64 = u32::MAX as u64 - 1;
    if cells > MOST {
        return Err(Error::Spec(format!(
            "the distinct pieces of the text are {cells} bytes long, and training takes at most {MOST}; train on a part of it, \
             or with a pretokenizer that gives shorter pieces"
        )));
    }
    Ok(cells as usize)
}
