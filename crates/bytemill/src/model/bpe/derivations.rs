//! Derivations: tokens that merging makes of their own bytes, found from how their parts are made instead of by merging.
//!
//! A token has a derivation if it is one byte, or if some pair makes it whose parts have derivations that end before it, and if nothing
//! merges across the border of the two meanwhile. Ranks then only rise on the way from bytes to the token, so that the lowest rank first
//! means all merges in the order of their ranks. At any time two symbols meet at the border: from the whole parts down to two bytes, the
//! one that was made last falls apart first. A pair that meets there merges if its turn comes before one of the two is gone; that of equal
//! ranks, which are of equal pairs, the leftmost goes first decides the rest.
//!
//! What has no derivation may still be made, where ranks fall on the way; that is told by merging.

use crate::vocab::merges::{Merges, MergesView, NEVER, Rank};
use crate::vocab::{TokenId, Vocab};

/// The last step by which each token is made.
pub(super) struct Derivations(Vec<Step>);

#[derive(Clone, Copy)]
struct Step {
    left: TokenId,
    right: TokenId,
    /// The rank plus one; 0 for a byte, which is there from the beginning.
    time: u32,
}

const UNKNOWN: Step = Step { left: 0, right: 0, time: u32::MAX };

impl Derivations {
    /// For merges that are a list: no two pairs share a rank. Pieces start as their bytes.
    pub(super) fn new(vocab: &Vocab, merges: &Merges) -> Self {
        let view = merges.view();
        let lengths = vocab.view().ends.iter().scan(0, |last, &end| Some(end - std::mem::replace(last, end)));
        let steps = lengths.map(|length| if length == 1 { Step { time: 0, ..UNKNOWN } } else { UNKNOWN });
        let mut derivations = Derivations(steps.collect());
        for (rank, pair) in (0..).zip(merges.by_rank()) {
            let Some((left, right)) = pair else { continue };
            let made = view.made(rank);
            if !derivations.has(made) && derivations.are_apart(view, left, right, rank) {
                derivations.0[made as usize] = Step { left, right, time: rank + 1 };
            }
        }
        derivations
    }

    pub(super) fn has(&self, id: TokenId) -> bool {
        self.0[id as usize].time != UNKNOWN.time
    }

    /// Whether two tokens have derivations, and nothing merges across their border before the rank at which they merge.
    fn are_apart(&self, merges: MergesView, mut left: TokenId, mut right: TokenId, rank: Rank) -> bool {
        if !self.has(left) || !self.has(right) {
            return false;
        }
        let (mut left_ends, mut right_ends) = (rank + 1, rank + 1);
        loop {
            let (left_step, right_step) = (self.0[left as usize], self.0[right as usize]);
            if left_step.time > right_step.time {
                (left, left_ends) = (left_step.right, left_step.time);
            } else if right_step.time > 0 {
                (right, right_ends) = (right_step.left, right_step.time);
            } else {
                return true;
            }
            let across = merges.rank(left, right);
            // What ends the left one is left of the pair that meets, and so goes first if it is equal; what ends the right one does not.
            if across != NEVER && across + 1 < left_ends && across < right_ends {
                return false;
            }
        }
    }
}
