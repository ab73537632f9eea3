//! Budget: what merging may take of the machine, and what follows from it.

use super::numbers::{AROUND, NumberArray};
use crate::error::Result;

#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    /// How many bytes of the cells may be in memory where they are in a file, and how many of the lists of places.
    cells: Option<usize>,
    lists: Option<usize>,
    /// The most pairs to remember.
    pub pairs: usize,
    threads: usize,
    /// As many positions of a merge are worth a thread, and as many cells that are read.
    pub worth_a_thread: usize,
    pub worth_a_reader: usize,
}

/// What training may take: bytes of memory, beyond which it works in files, and threads.
#[derive(Debug, Clone, Copy)]
pub struct Means {
    pub memory: Option<u64>,
    pub threads: usize,
}

/// Bytes for a cell, and for its places in lists in a usual training.
const CELL: u64 = 4;
const PLACES: u64 = 8;
/// Where lists are in a file, the first threshold lies below the most frequent pair by this factor: some hundred merges do without a
/// recount, and lists are written of few pairs.
const FIRST_STEP: u64 = 256;
/// Bytes for a pair: its slot, of which some are empty, and its place in the queue.
const PER_PAIR: u64 = 96;
/// To start threads takes as long as to visit some thousand positions.
const WORTH_A_THREAD: usize = 1 << 13;
/// A thread that reads has counters of its own, which are to take no more than the cells that it reads.
const WORTH_A_READER: usize = 1 << 20;
/// Each thread of a merge has notes by the ids of all tokens; with more threads these would take more than the gain is worth.
const MOST_SHARES: usize = 8;

impl Budget {
    /// Half is for cells and lists, of which the lists go to a file where both would take more, and the cells where they alone would; a
    /// quarter is for pairs.
    pub(super) fn new(Means { memory, threads }: Means, cells: usize) -> Self {
        let all = Budget {
            cells: None,
            lists: None,
            pairs: usize::MAX,
            threads,
            worth_a_thread: WORTH_A_THREAD,
            worth_a_reader: WORTH_A_READER,
        };
        let Some(memory) = memory else { return all };
        let window = Some((memory / 8) as usize);
        Budget {
            cells: window.filter(|_| cells as u64 * CELL > memory * 3 / 8),
            lists: window.filter(|_| cells as u64 * (CELL + PLACES) > memory / 2),
            pairs: (memory / 4 / PER_PAIR) as usize,
            ..all
        }
    }

    pub(super) fn lists(&self) -> Result<NumberArray> {
        NumberArray::new(self.lists)
    }

    pub(super) fn cells(&self, len: usize) -> Result<NumberArray> {
        NumberArray::zeros(self.cells, len)
    }

    /// From which count on pairs are remembered at first, for `wanted` merges; `most` is the count of the most frequent pair. The count of the
    /// n-th merge is seldom below the n-th part of the first, so that mostly nothing is counted again.
    pub(super) fn first_threshold(&self, most: u64, wanted: u64) -> u64 {
        match self.lists {
            None => most / wanted.saturating_mul(2).max(1),
            Some(_) => most / FIRST_STEP,
        }
    }

    /// How many of these positions to visit before the cells around them are let go of. Neighbours in the list are mostly neighbours in the
    /// file, too; a token can lie on both sides of a border.
    pub(super) fn visits(&self, positions: &[u32]) -> usize {
        let Some(window) = self.cells else { return positions.len() };
        let most = window / (2 * size_of::<u32>() * AROUND);
        let mut parts = 0;
        let mut last = usize::MAX;
        let is_too_far = |&at: &u32| {
            let part = at as usize / AROUND;
            parts += usize::from(part != last);
            last = part;
            parts > most
        };
        positions.iter().position(is_too_far).unwrap_or(positions.len()).max(1)
    }

    /// On how many threads to visit `positions` positions. One thread alone waits for what lies in files.
    pub(super) fn shares(&self, positions: usize) -> usize {
        self.threads(positions / self.worth_a_thread).min(MOST_SHARES)
    }

    /// On how many threads to read `cells` cells.
    pub(super) fn readers(&self, cells: usize) -> usize {
        self.threads(cells / self.worth_a_reader)
    }

    fn threads(&self, most: usize) -> usize {
        if self.lists.is_some() { 1 } else { self.threads.min(most).max(1) }
    }

    /// How many neighbours of a merge to note in memory, on each side.
    pub(super) fn notes(&self) -> usize {
        self.lists.map_or(usize::MAX, |window| (window / 4 / size_of::<(u32, u32)>()).max(1))
    }
}
