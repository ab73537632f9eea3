//! Short pieces: the ranks of all pairs in an array on the stack, the lowest found by looking at each.

use std::hint::select_unpredictable;

use super::pairs::Pairs;
use crate::vocab::TokenId;
use crate::vocab::merges::{MergesView, NEVER, RANK_BITS, Rank};

/// Up to here looking at each pair beats keeping a heap.
pub(super) const MOST: usize = 32;

/// A piece being merged: symbols that are gone stay where they were, and are stepped over.
struct LinearSymbols {
    ids: [TokenId; MOST],
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

/// The places of neighbours as long as nothing is merged.
const NEXT: [u8; MOST] = places(1);
const PREVIOUS: [u8; MOST] = places(u8::MAX);

const fn places(mut first: u8) -> [u8; MOST] {
    let mut places = [0; MOST];
    let mut i = 0;
    while i < MOST {
        places[i] = first;
        first = first.wrapping_add(1);
        i += 1;
    }
    places
}

const _: () = assert!(RANK_BITS + PLACE_BITS < 31 && MOST.is_power_of_two() && MOST.is_multiple_of(LANES));

/// Merges a piece of at most `MOST` bytes, each of which starts as a token: what is certain at once, then the rest.
#[inline]
pub(super) fn merge_bytes(
    merges: MergesView,
    pairs: &Pairs,
    tokens: &[TokenId; 256],
    piece: &[u8],
    ids: &mut Vec<TokenId>,
) {
    let mut of_bytes = [NEVER; MOST];
    let certain = pairs.certain(piece, |at, rank| of_bytes[at % MOST] = rank);
    // The rank of the pair that each symbol starts, where both are bytes; and which symbols are more than one.
    let (mut symbols, mut ranks, mut merged, mut count) = ([0; MOST], [NEVER; MOST], 0u64, 0);
    let mut starts = !(certain << 1) & ((1 << piece.len()) - 1);
    let mut last = 0;
    while starts != 0 {
        let at = starts.trailing_zeros() as usize % MOST;
        let is_merged = certain >> at & 1;
        let id = merges.made_or(is_merged == 1, of_bytes[at], tokens[usize::from(piece[at])]);
        merges.prefetch(std::mem::replace(&mut last, id), id);
        symbols[count % MOST] = id;
        ranks[count % MOST] = of_bytes[at];
        merged |= is_merged << count;
        count += 1;
        starts &= starts - 1;
    }
    if count < 2 {
        return ids.extend_from_slice(&symbols[..count]);
    }
    ranks[count - 1] = NEVER;
    let mut symbols = LinearSymbols::new(merges, symbols, ranks);
    // Pairs of which one is more than a byte.
    let mut unknown = (merged | merged >> 1) & ((1 << count) - 1) >> 1;
    while unknown != 0 {
        let at = unknown.trailing_zeros() as usize % (MOST - 1);
        symbols.set(merges, at, merges.rank(symbols.ids[at], symbols.ids[at + 1]));
        unknown &= unknown - 1;
    }
    symbols.merge(merges, count, ids);
}

/// Merges at most `MOST` symbols.
pub(super) fn merge(merges: MergesView, symbols: &mut Vec<TokenId>) {
    let (mut few, mut ranks, count) = ([0; MOST], [NEVER; MOST], symbols.len());
    few[..count].copy_from_slice(symbols);
    for (rank, pair) in ranks.iter_mut().zip(symbols.windows(2)) {
        *rank = merges.rank(pair[0], pair[1]);
    }
    symbols.clear();
    LinearSymbols::new(merges, few, ranks).merge(merges, count, symbols);
}

impl LinearSymbols {
    /// Symbols with the ranks of their pairs; those after the last have none.
    #[inline]
    fn new(merges: MergesView, ids: [TokenId; MOST], ranks: [Rank; MOST]) -> Self {
        let mut pairs = [GONE; MOST];
        for (at, (pair, rank)) in pairs.iter_mut().zip(ranks).enumerate() {
            // As a row of numbers, which is faster than to look which of them there are.
            *pair = if rank == NEVER { GONE } else { in_order(rank, at) };
        }
        if merges.has_orders() {
            pairs = std::array::from_fn(|at| pair(merges, at, ranks[at]));
        }
        LinearSymbols { ids, pairs, ranks, next: NEXT, previous: PREVIOUS }
    }

    /// The pair that starts at a place has this rank.
    #[inline]
    fn set(&mut self, merges: MergesView, at: usize, rank: Rank) -> i32 {
        self.ranks[at] = rank;
        self.pairs[at] = pair(merges, at, rank);
        self.pairs[at]
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
    fn merge(mut self, merges: MergesView, count: usize, ids: &mut Vec<TokenId>) {
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

/// What the pair at a place is in the order of all.
#[inline]
fn pair(merges: MergesView, at: usize, rank: Rank) -> i32 {
    select_unpredictable(rank == NEVER, GONE, in_order(merges.order(rank), at))
}

#[inline]
fn in_order(order: Rank, at: usize) -> i32 {
    (order << PLACE_BITS) as i32 | at as i32
}
