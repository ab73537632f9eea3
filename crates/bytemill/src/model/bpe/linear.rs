//! Short pieces: the ranks of all pairs in an array on the stack, the lowest found by looking at each.

use super::merges::{NEVER, RANK_BITS, Rank, View};
use crate::vocab::TokenId;

/// Up to here looking at each pair beats keeping a heap.
pub const MOST: usize = 32;

/// A piece being merged: symbols that are gone stay where they were, and are stepped over.
pub struct Symbols {
    pub ids: [TokenId; MOST],
    /// For each symbol, the order of the pair that starts with it, below that its own place, and last the rank: the lowest is the first of
    /// the lowest order.
    pairs: [u64; MOST],
    next: [u8; MOST],
    previous: [u8; MOST],
}

const GONE: u64 = u64::MAX;
const RANK: Rank = (1 << RANK_BITS) - 1;

impl Symbols {
    /// So many symbols, at most `MOST`, with the ranks of their pairs.
    #[inline]
    pub fn new(merges: View, count: usize, ids: [TokenId; MOST], rank: impl Fn(usize) -> Rank) -> Self {
        let mut symbols = Symbols { ids, pairs: [GONE; MOST], next: [0; MOST], previous: [0; MOST] };
        for i in 0..count {
            symbols.next[i] = i as u8 + 1;
            symbols.previous[i] = (i as u8).wrapping_sub(1);
        }
        for i in 1..count {
            symbols.pairs[i - 1] = pair(merges, rank(i - 1), i - 1);
        }
        symbols
    }

    /// Merges until no pair has a rank, and appends what is left.
    #[inline]
    pub fn merge(mut self, merges: View, count: usize, ids: &mut Vec<TokenId>) {
        let pairs = count.saturating_sub(1);
        while let Some(&lowest) = self.pairs[..pairs].iter().min()
            && lowest != GONE
        {
            let (rank, at) = (lowest as Rank & RANK, (lowest >> RANK_BITS) as usize % MOST);
            let gone = usize::from(self.next[at]) % MOST;
            let (previous, next) = (usize::from(self.previous[at]), usize::from(self.next[gone]));
            let made = merges.made(rank);
            // Both pairs are new to the cache; what they need comes together.
            merges.prefetch(self.ids[previous % MOST], made);
            merges.prefetch(made, self.ids[next % MOST]);
            self.ids[at] = made;
            self.next[at] = next as u8;
            self.pairs[gone] = GONE;
            self.pairs[at] = if next < count {
                self.previous[next % MOST] = at as u8;
                pair(merges, merges.rank(made, self.ids[next % MOST]), at)
            } else {
                GONE
            };
            if previous < MOST {
                self.pairs[previous] = pair(merges, merges.rank(self.ids[previous], made), previous);
            }
        }
        let mut at = 0;
        while at < count {
            ids.push(self.ids[at]);
            at = usize::from(self.next[at]);
        }
    }
}

#[inline]
fn pair(merges: View, rank: Rank, at: usize) -> u64 {
    match rank {
        NEVER => GONE,
        rank => u64::from(merges.order(rank)) << (RANK_BITS + 8) | (at as u64) << RANK_BITS | u64::from(rank),
    }
}
