//! WordCells: every distinct piece as a row of cells, one for each unit, and how often it occurs.
//!
//! A token has its id in the first and in the last cell of its span, and nothing in those between. So the token before a position and the
//! one after it are found without links, from the id and the length of tokens; a merge writes four cells, whatever the length of the word.

use std::ops::Range;

use super::numbers::NumberArray;
use super::pieces::Pause;
use super::runs::CountRuns;
use crate::error::Result;

/// Stands between words, before the first and after the last.
pub(super) const BORDER: u32 = u32::MAX;
/// The inside of a token.
pub(super) const INSIDE: u32 = u32::MAX - 1;

#[derive(Debug)]
pub(super) struct WordCells {
    pub cells: NumberArray,
    pub runs: CountRuns,
}

/// Cells that are read one after the other before they are let go of.
const STRETCH: usize = 1 << 20;

impl WordCells {
    /// The cells in `parts` parts, or fewer, each of whole words and about as long as the others.
    pub(super) fn parts(&self, parts: usize) -> Vec<Range<usize>> {
        let len = self.cells.len();
        let mut starts: Vec<usize> =
            (0..parts).map(|part| self.start_of_word((part * (len / parts)) as u32) as usize).collect();
        starts.dedup();
        let ends = starts.iter().skip(1).copied().chain([len]);
        starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
    }

    /// Every pair of neighbours in a part of the cells in the order of their positions, with the count of their word.
    pub(super) fn pairs(
        &self,
        part: Range<usize>,
        lengths: &[u32],
        pause: &mut Pause,
        mut give: impl FnMut(u32, u32, u32, u64),
    ) -> Result<()> {
        self.walk(part, lengths, pause, |at, left, right, count| {
            if right != BORDER {
                give(at, left, right, count);
            }
        })
    }

    /// How many tokens all words have together, each as often as it occurs.
    pub(super) fn tokens(&self, lengths: &[u32], pause: &mut Pause) -> Result<u64> {
        let mut total = 0;
        self.walk(0..self.cells.len(), lengths, pause, |_, _, _, count| total += count)?;
        Ok(total)
    }

    /// Every token with its position, what is after it, and the count of its word.
    #[inline]
    fn walk(
        &self,
        part: Range<usize>,
        lengths: &[u32],
        pause: &mut Pause,
        mut give: impl FnMut(u32, u32, u32, u64),
    ) -> Result<()> {
        let cells = self.cells.as_slice();
        let mut runs = self.runs.iter().peekable();
        let mut count = 0;
        let (mut at, mut seen) = (part.start.max(1), part.start);
        while at < part.end {
            let token = cells[at];
            if token == BORDER {
                at += 1;
                if at - seen >= STRETCH {
                    self.cells.release(seen..at);
                    seen = at;
                    pause()?;
                }
                continue;
            }
            while let Some(run) = runs.next_if(|run| run.start as usize <= at) {
                count = run.count;
            }
            let next = at + lengths[token as usize] as usize;
            give(at as u32, token, cells[next], count);
            at = next;
        }
        self.cells.release(seen..at);
        Ok(())
    }

    /// Wherever a token is: its position, what is before and after it, and the count of its word.
    pub(super) fn places(
        &self,
        token: u32,
        length: u32,
        mut give: impl FnMut(u32, u32, u32, u64) -> Result<()>,
    ) -> Result<()> {
        let cells = self.cells.as_slice();
        let mut counts = self.runs.counts();
        let (mut from, mut seen) = (0, 0);
        while from < cells.len() {
            let end = cells.len().min(seen + STRETCH).max(from);
            if let Some(found) = cells[from..end].iter().position(|&cell| cell == token) {
                let at = from + found;
                from = at + length as usize;
                give(at as u32, cells[at - 1], cells[from], counts.at(at as u32))?;
            } else {
                self.cells.release(seen..end);
                (from, seen) = (end, end);
            }
        }
        Ok(())
    }

    /// The first position of the word at a position.
    pub(super) fn start_of_word(&self, position: u32) -> u32 {
        let before = self.cells.as_slice()[..position as usize].iter().rposition(|&cell| cell == BORDER);
        before.map_or(0, |border| border as u32 + 1)
    }
}
