//! Short pieces: the ranks of all pairs in an array on the stack, the lowest found by looking at each.

use super::merges::{NEVER, Rank, View};
use crate::vocab::TokenId;

/// Up to here looking at each pair beats keeping a heap.
pub const MOST: usize = 32;

/// Merges in place and gives the number of symbols that are left. There are at most `MOST`.
#[inline]
pub fn merge(merges: View, symbols: &mut [TokenId; MOST], mut count: usize) -> usize {
    let mut ranks: [Rank; MOST] = [NEVER; MOST];
    for i in 1..count {
        ranks[i - 1] = merges.rank(symbols[i - 1], symbols[i]);
    }
    while count > 1 {
        let (mut at, mut lowest) = (0, NEVER);
        for (i, &rank) in ranks[..count - 1].iter().enumerate() {
            if rank < lowest {
                (at, lowest) = (i, rank);
            }
        }
        if lowest == NEVER {
            break;
        }
        symbols[at] = merges.made(lowest);
        symbols.copy_within(at + 2..count, at + 1);
        ranks.copy_within(at + 1..count - 1, at);
        count -= 1;
        ranks[count - 1] = NEVER;
        if at > 0 {
            ranks[at - 1] = merges.rank(symbols[at - 1], symbols[at]);
        }
        if at + 1 < count {
            ranks[at] = merges.rank(symbols[at], symbols[at + 1]);
        }
    }
    count
}
