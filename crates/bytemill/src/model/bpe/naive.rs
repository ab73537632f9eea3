//! The slow twin: look at every pair, merge the first of the lowest order, begin again.

use crate::vocab::TokenId;
use crate::vocab::merges::{MergesView, NEVER};

pub(super) fn merge(merges: MergesView, symbols: &mut Vec<TokenId>) {
    loop {
        let ranks = symbols.windows(2).map(|pair| merges.rank(pair[0], pair[1]));
        // The first of the lowest: `min_by_key` keeps the earlier of two equals.
        match ranks.enumerate().min_by_key(|&(_, rank)| merges.order(rank)) {
            Some((at, rank)) if rank != NEVER => {
                symbols[at] = merges.made(rank);
                symbols.remove(at + 1);
            }
            _ => return,
        }
    }
}
