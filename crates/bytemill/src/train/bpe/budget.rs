//! Budget: what merging may hold in memory, and what follows from it.

use super::numbers::{AROUND, Numbers};
use crate::error::Result;

#[derive(Debug, Clone, Copy)]
pub struct Budget {
    /// How many bytes of each file may be in memory; None where there are no files.
    window: Option<usize>,
    /// The most pairs to remember.
    pub pairs: usize,
}

/// Bytes for a cell and its places in lists, in a usual training.
const PER_CELL: u64 = 12;
/// Bytes for a pair: its slot, of which some are empty, and its place in the queue.
const PER_PAIR: u64 = 96;

impl Budget {
    pub const NONE: Budget = Budget { window: None, pairs: usize::MAX };

    /// Half is for cells and lists, which go to files where they would take more; a quarter is for pairs.
    pub fn new(memory: Option<u64>, cells: usize) -> Self {
        let Some(memory) = memory else { return Budget::NONE };
        let window = (cells as u64 * PER_CELL > memory / 2).then_some((memory / 8) as usize);
        Budget { window, pairs: (memory / 4 / PER_PAIR) as usize }
    }

    pub fn numbers(&self) -> Result<Numbers> {
        Numbers::new(self.window)
    }

    pub fn zeros(&self, len: usize) -> Result<Numbers> {
        Numbers::zeros(self.window, len)
    }

    /// How many of these positions to visit before the cells around them are let go of. Neighbours in the list are mostly neighbours in the
    /// file, too; a token can lie on both sides of a border.
    pub fn visits(&self, positions: &[u32]) -> usize {
        let Some(window) = self.window else { return positions.len() };
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

    /// How many neighbours of a merge to note in memory, on each side.
    pub fn notes(&self) -> usize {
        self.window.map_or(usize::MAX, |window| (window / 4 / size_of::<(u32, u32)>()).max(1))
    }
}
