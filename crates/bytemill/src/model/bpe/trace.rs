//! Trace: how a piece became its tokens, merge by merge. For people; encoding does not use it.

use super::{Bpe, BpeScratch};
use crate::vocab::TokenId;
use crate::vocab::merges::Rank;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trace {
    /// What the piece was before anything was merged.
    pub symbols: Vec<TokenId>,
    pub merges: Vec<Merge>,
    /// What was left.
    pub ids: Vec<TokenId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Merge {
    pub rank: Rank,
    pub left: TokenId,
    pub right: TokenId,
    pub made: TokenId,
    /// How many of the symbols before any merging stand to its left.
    pub position: usize,
}

impl Bpe {
    /// How a piece becomes its tokens. Where it is a token as a whole, and that decides, there is nothing before that.
    pub fn trace(&self, piece: &[u8], scratch: &mut BpeScratch) -> Trace {
        if let Some(id) = self.vocab.id(piece).filter(|_| self.whole_pieces) {
            return Trace { ids: vec![id], ..Trace::default() };
        }
        let work = &mut scratch.work;
        self.start(piece, work);
        let view = self.merges.view();
        let mut order = Vec::new();
        let symbols = work.symbols.clone();
        work.heap.merge_with(view, &mut work.symbols, || false, |rank, at| order.push((rank, at as usize)));
        // The merges tell what stood where: the symbols that are left at each step, by where they began, and where each is followed.
        let mut now = symbols.clone();
        let mut next: Vec<usize> = (1..=now.len()).collect();
        let mut merges = Vec::with_capacity(order.len());
        for (rank, position) in order {
            let right = next[position];
            let made = view.made(rank);
            merges.push(Merge { rank, left: now[position], right: now[right], made, position });
            now[position] = made;
            next[position] = next[right];
        }
        // Those that fall apart again are told by what was merged on the way, which encoding notes.
        let mut ids = Vec::new();
        match &self.unused {
            Some(_) => self.merge(piece, work, &mut ids),
            None => ids.clone_from(&work.symbols),
        }
        Trace { symbols, merges, ids }
    }
}
