//! Long pieces: a heap of pairs with lazy deletion over a linked list of symbols, n·log n for any input.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::vocab::TokenId;
use crate::vocab::merges::{MergesView, NEVER, Rank};

const NONE: u32 = u32::MAX;

/// Reused from piece to piece.
#[derive(Debug, Default)]
pub(super) struct Heap {
    /// (order, position) of every pair that was mergeable when it came about; the lowest order first, then the leftmost.
    queue: BinaryHeap<Reverse<u64>>,
    links: Vec<Link>,
}

#[derive(Debug, Clone, Copy)]
struct Link {
    previous: u32,
    next: u32,
    /// The rank of the pair that starts here. An entry of the queue with another order is out of date.
    rank: Rank,
}

impl Heap {
    /// Merges `symbols`, which must be fewer than 2³² − 1.
    pub(super) fn merge(&mut self, merges: MergesView, symbols: &mut Vec<TokenId>) {
        self.merge_with(merges, symbols, || false, |_, _| {});
    }

    /// The same, where `drops` says of each pair that comes up whether it is not merged at all, as in SentencePiece, and `note` is told
    /// of every two neighbours that a merge would join, whether it does or not.
    pub(super) fn merge_noting(
        &mut self,
        merges: MergesView,
        symbols: &mut Vec<TokenId>,
        mut drops: impl FnMut() -> bool,
        mut note: impl FnMut(TokenId, (TokenId, TokenId)),
    ) {
        self.begin(merges, symbols, &mut note);
        while let Some(first) = self.queue.pop() {
            let (order, at) = ((first.0 >> 32) as Rank, first.0 as u32);
            let rank = self.links[at as usize].rank;
            if rank != NEVER && merges.order(rank) == order && !drops() {
                self.merge_at(merges, symbols, at, rank, &mut note);
            }
        }
        self.collect(symbols);
    }

    /// The same, where `passes` says of each pair that comes up whether it is passed over until another one is merged, and `each` is told
    /// the rank and the position of every merge.
    #[inline]
    pub(super) fn merge_with(
        &mut self,
        merges: MergesView,
        symbols: &mut Vec<TokenId>,
        mut passes: impl FnMut() -> bool,
        mut each: impl FnMut(Rank, u32),
    ) {
        self.begin(merges, symbols, &mut |_, _| {});
        let mut passed = Vec::new();
        while let Some(first) = self.queue.pop() {
            if passes() {
                passed.push(first);
                continue;
            }
            // Out of date or not: it ends the wait of the others, as in the library, whose chances are thereby ours.
            if !passed.is_empty() {
                self.queue.extend(passed.drain(..));
            }
            let (order, at) = ((first.0 >> 32) as Rank, first.0 as u32);
            let rank = self.links[at as usize].rank;
            if rank != NEVER && merges.order(rank) == order {
                each(rank, at);
                self.merge_at(merges, symbols, at, rank, &mut |_, _| {});
            }
        }
        self.collect(symbols);
    }

    /// Every pair that is there at first.
    fn begin(&mut self, merges: MergesView, symbols: &[TokenId], note: &mut impl FnMut(TokenId, (TokenId, TokenId))) {
        let count = symbols.len() as u32;
        let mut entries = std::mem::take(&mut self.queue).into_vec();
        entries.clear();
        self.links.clear();
        for i in 0..count {
            let rank = match symbols.get(i as usize + 1) {
                Some(&next) => merges.rank(symbols[i as usize], next),
                None => NEVER,
            };
            if rank != NEVER {
                entries.push(entry(merges.order(rank), i));
                note(merges.made(rank), (symbols[i as usize], symbols[i as usize + 1]));
            }
            let next = if i + 1 < count { i + 1 } else { NONE };
            self.links.push(Link { previous: i.wrapping_sub(1), next, rank });
        }
        // Building at once is linear; pushing one by one is not.
        self.queue = BinaryHeap::from(entries);
    }

    fn merge_at(
        &mut self,
        merges: MergesView,
        symbols: &mut [TokenId],
        at: u32,
        rank: Rank,
        note: &mut impl FnMut(TokenId, (TokenId, TokenId)),
    ) {
        let Link { previous, next: gone, .. } = self.links[at as usize];
        let next = self.links[gone as usize].next;
        symbols[at as usize] = merges.made(rank);
        self.links[gone as usize].rank = NEVER;
        self.links[at as usize].next = next;
        if next != NONE {
            self.links[next as usize].previous = at;
        }
        // The left one first, as in SentencePiece, where the last that is noted counts.
        if previous != NONE {
            self.renew(merges, symbols, previous, at, note);
        }
        self.renew(merges, symbols, at, next, note);
    }

    /// The pair of `at` and `next` has changed.
    fn renew(
        &mut self,
        merges: MergesView,
        symbols: &[TokenId],
        at: u32,
        next: u32,
        note: &mut impl FnMut(TokenId, (TokenId, TokenId)),
    ) {
        let rank = if next == NONE { NEVER } else { merges.rank(symbols[at as usize], symbols[next as usize]) };
        self.links[at as usize].rank = rank;
        if rank != NEVER {
            self.queue.push(entry(merges.order(rank), at));
            note(merges.made(rank), (symbols[at as usize], symbols[next as usize]));
        }
    }

    /// Closes the gaps.
    fn collect(&self, symbols: &mut Vec<TokenId>) {
        let mut kept = 0;
        for at in self.starts() {
            symbols[kept] = symbols[at];
            kept += 1;
        }
        symbols.truncate(kept);
    }

    /// After merging: where among the symbols before it each of those that are left began.
    pub(super) fn starts(&self) -> impl Iterator<Item = usize> {
        let first = (!self.links.is_empty()).then_some(0);
        std::iter::successors(first, |&at| Some(self.links[at].next as usize).filter(|&next| next < self.links.len()))
    }
}

fn entry(order: Rank, at: u32) -> Reverse<u64> {
    Reverse(u64::from(order) << 32 | u64::from(at))
}
