//! A merge at its positions. Where these are many, threads share them: each has whole words for itself, and notes of its own, which are put
//! together in the order of the words. So the result is the same for any number of threads.

use super::budget::Budget;
use super::runs::CountRuns;
use super::side::NeighbourSide;
use super::words::{BORDER, INSIDE, WordCells};
use crate::error::Result;
use crate::machine::parallel::Team;
use crate::machine::simd::prefetch;

/// What lies anywhere is asked of the memory this many steps before it is wanted.
pub(super) const AHEAD: usize = 12;

/// The neighbours of a merge.
pub(super) struct Sides {
    pub left: NeighbourSide,
    pub right: NeighbourSide,
}

impl Sides {
    pub(super) fn new(budget: &Budget) -> Self {
        Sides { left: NeighbourSide::new(budget.notes()), right: NeighbourSide::new(budget.notes()) }
    }

    pub(super) fn make_room(&mut self, tokens: usize) {
        self.left.make_room(tokens);
        self.right.make_room(tokens);
    }
}

/// A token, and the pair that it is written over.
pub(super) struct Visit<'a> {
    pub left: u32,
    pub right: u32,
    pub made: u32,
    pub lengths: &'a [u32],
}

/// Some of the positions, and the cells of their words, from the border before the first one.
struct Share<'a> {
    positions: &'a [u32],
    first: usize,
    cells: &'a mut [u32],
    sides: &'a mut Sides,
}

impl Visit<'_> {
    /// Writes the token over its pair at those of the positions where it stands, and notes the neighbours; gives how often that is in the
    /// text. `others` are the notes of the other threads.
    pub(super) fn replace(
        &self,
        words: &mut WordCells,
        positions: &[u32],
        sides: &mut Sides,
        others: &mut Vec<Sides>,
        budget: &Budget,
    ) -> Result<u64> {
        let borders = borders(words, positions, budget);
        let WordCells { cells, runs } = words;
        let whole = Share { positions, first: 0, cells: cells.as_mut_slice(), sides };
        if borders.is_empty() {
            let own = self.replace_in(whole, runs)?;
            cells.visited(positions);
            return Ok(own);
        }
        others.resize_with(others.len().max(borders.len()), || Sides::new(budget));
        let others = &mut others[..borders.len()];
        others.iter_mut().for_each(|other| other.make_room(self.lengths.len()));
        let shares = shares(whole, &borders, others);
        let mut own = 0;
        let work = |_: &mut (), share| self.replace_in(share, runs);
        let sum = |times| {
            own += times;
            Ok(())
        };
        Team::new(borders.len() + 1, &mut || Ok(())).run(|| (), shares.into_iter().map(Ok), work, sum)?;
        for other in others {
            sides.left.absorb(&mut other.left);
            sides.right.absorb(&mut other.right);
        }
        Ok(own)
    }

    fn replace_in(&self, share: Share, runs: &CountRuns) -> Result<u64> {
        let Share { positions, first, cells, sides } = share;
        let &Visit { left, right, made, lengths } = self;
        let (left_length, length) = (lengths[left as usize] as usize, lengths[made as usize] as usize);
        let mut counts = runs.counts();
        let mut own = 0;
        for (i, &position) in positions.iter().enumerate() {
            if let Some(cell) =
                positions.get(i + AHEAD).and_then(|&soon| cells.get((soon as usize).wrapping_sub(first)))
            {
                prefetch(cell);
            }
            let at = position as usize - first;
            let middle = at + left_length;
            // A neighbour's merge has taken one of the two, or this one has.
            if cells[at] != left || cells.get(middle) != Some(&right) {
                continue;
            }
            let count = counts.at(position);
            let end = at + length;
            cells[middle - 1] = INSIDE;
            cells[middle] = INSIDE;
            cells[at] = made;
            cells[end - 1] = made;
            // The border after the last word is another's.
            let (before, after) = (cells[at - 1], cells.get(end).copied().unwrap_or(BORDER));
            if before != BORDER {
                sides.left.add(before, position - lengths[before as usize], count)?;
            }
            if after != BORDER {
                sides.right.add(after, position, count)?;
            }
            own += count;
        }
        Ok(own)
    }
}

/// The borders that part the words into shares with about as many of the positions each; none where one thread is enough. Positions of a
/// token with itself can be out of order, and then they are one share.
fn borders(words: &WordCells, positions: &[u32], budget: &Budget) -> Vec<usize> {
    let shares = budget.shares(positions.len());
    if shares < 2 || !positions.is_sorted() {
        return Vec::new();
    }
    let evenly = (1..shares).map(|share| positions[share * positions.len() / shares]);
    let mut borders: Vec<usize> = evenly.map(|position| words.start_of_word(position) as usize - 1).collect();
    borders.dedup();
    borders.retain(|&border| border > 0);
    borders
}

fn shares<'a>(whole: Share<'a>, borders: &[usize], others: &'a mut [Sides]) -> Vec<Share<'a>> {
    let mut shares = vec![whole];
    for (&border, sides) in borders.iter().zip(others) {
        let Some(Share { positions, first, cells, sides: earlier }) = shares.pop() else { break };
        let (before, positions) = positions.split_at(positions.partition_point(|&at| (at as usize) < border));
        let (words, cells) = cells.split_at_mut(border - first);
        shares.push(Share { positions: before, first, cells: words, sides: earlier });
        shares.push(Share { positions, first: border, cells, sides });
    }
    shares
}
