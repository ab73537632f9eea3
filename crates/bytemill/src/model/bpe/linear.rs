//! Short pieces: the ranks of all pairs in an array on the stack, the lowest found by looking at each.

use super::merges::{NEVER, RANK_BITS, Rank, View};
use crate::vocab::TokenId;

/// Up to here looking at each pair beats keeping a heap.
pub const MOST: usize = 32;

/// A piece being merged: symbols that are gone stay where they were, and are stepped over.
pub struct Symbols {
    pub ids: [TokenId; MOST],
    /// For each symbol, the order of the pair that starts with it, and below that its own place: the lowest is the first of the lowest order.
    pairs: [i32; MOST],
    ranks: [Rank; MOST],
    next: [u8; MOST],
    previous: [u8; MOST],
}

const GONE: i32 = i32::MAX;
const PLACE_BITS: u32 = MOST.trailing_zeros();
/// As many as the machine compares at a time, or twice that.
const LANES: usize = 8;

const _: () = assert!(RANK_BITS + PLACE_BITS < 31 && MOST.is_power_of_two() && MOST.is_multiple_of(LANES));

impl Symbols {
    /// So many symbols, at most `MOST`, with the ranks of their pairs.
    #[inline]
    pub fn new(merges: View, count: usize, ids: [TokenId; MOST], rank: impl Fn(usize) -> Rank) -> Self {
        let mut symbols =
            Symbols { ids, pairs: [GONE; MOST], ranks: [NEVER; MOST], next: [0; MOST], previous: [0; MOST] };
        for i in 0..count {
            symbols.next[i] = i as u8 + 1;
            symbols.previous[i] = (i as u8).wrapping_sub(1);
        }
        for i in 1..count {
            symbols.set(merges, i - 1, rank(i - 1));
        }
        symbols
    }

    /// The pair that starts at a place has this rank.
    #[inline]
    fn set(&mut self, merges: View, at: usize, rank: Rank) -> i32 {
        self.ranks[at] = rank;
        let pair = match rank {
            NEVER => GONE,
            rank => (merges.order(rank) << PLACE_BITS) as i32 | at as i32,
        };
        self.pairs[at] = pair;
        pair
    }

    /// The lowest of the first pairs, `count` or some more.
    #[inline]
    fn lowest(&self, count: usize) -> i32 {
        let mut lowest = [GONE; LANES];
        for pairs in self.pairs[..count.next_multiple_of(LANES)].as_chunks::<LANES>().0 {
            for (lowest, &pair) in lowest.iter_mut().zip(pairs) {
                *lowest = pair.min(*lowest);
            }
        }
        lowest.into_iter().fold(GONE, i32::min)
    }

    /// Merges until no pair has a rank, and appends what is left.
    #[inline]
    pub fn merge(mut self, merges: View, count: usize, ids: &mut Vec<TokenId>) {
        let mut lowest = self.lowest(count);
        while lowest != GONE {
            let at = lowest as usize % MOST;
            let made = merges.made(self.ranks[at]);
            let gone = usize::from(self.next[at]) % MOST;
            let (previous, next) = (usize::from(self.previous[at]), usize::from(self.next[gone]));
            // Both pairs are new to the cache; what they need comes together.
            merges.prefetch(self.ids[previous % MOST], made);
            merges.prefetch(made, self.ids[next % MOST]);
            self.ids[at] = made;
            self.next[at] = next as u8;
            self.pairs[gone] = GONE;
            self.pairs[at] = GONE;
            if previous < MOST {
                self.pairs[previous] = GONE;
            }
            // While the memory looks for the new pairs, the lowest of the others.
            lowest = self.lowest(count);
            if next < count {
                self.previous[next % MOST] = at as u8;
                let rank = merges.rank(made, self.ids[next % MOST]);
                lowest = self.set(merges, at, rank).min(lowest);
            }
            if previous < MOST {
                let rank = merges.rank(self.ids[previous], made);
                lowest = self.set(merges, previous, rank).min(lowest);
            }
        }
        let mut at = 0;
        while at < count {
            ids.push(self.ids[at]);
            at = usize::from(self.next[at]);
        }
    }
}
