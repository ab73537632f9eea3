//! Queue: pairs that may merge, the best one first. Counts change while pairs wait; the caller that takes one looks whether it still holds.

use std::cmp::Ordering;

use super::inventory::TokenInventory;
use super::pairs::Postings;
use super::rule::{MergeRules, PairKey};

#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub count: u64,
    pub key: PairKey,
    /// What else the rule asks for: see `MergeRules::order`.
    pub place: u64,
    /// The positions that the library would merge, if the rule is the library's.
    pub postings: Postings,
}

/// Counts below this have a list each.
const LEVELS: usize = 1 << 10;

/// A binary heap of the frequent pairs, and lists of the rare ones by their counts: a list becomes the heap when its turn comes, and most
/// never do. By hand because the order of two pairs may depend on the tokens, which the queue does not hold.
#[derive(Debug)]
pub(super) struct Queue {
    heap: Vec<Candidate>,
    later: Vec<Vec<Candidate>>,
    /// The heap has what counts as much or more.
    level: usize,
}

impl Default for Queue {
    fn default() -> Self {
        Queue { heap: Vec::new(), later: vec![Vec::new(); LEVELS], level: LEVELS }
    }
}

impl Queue {
    fn before(a: &Candidate, b: &Candidate, tokens: &TokenInventory, rules: &MergeRules) -> bool {
        let by_count = b.count.cmp(&a.count);
        by_count.then_with(|| rules.order(tokens, (a.key, a.place), (b.key, b.place))) == Ordering::Less
    }

    pub(super) fn push(&mut self, candidate: Candidate, tokens: &TokenInventory, rules: &MergeRules) {
        if candidate.count < self.level as u64 {
            return self.later[candidate.count as usize].push(candidate);
        }
        let mut at = self.heap.len();
        self.heap.push(candidate);
        while at > 0 {
            let parent = (at - 1) / 2;
            if !Self::before(&candidate, &self.heap[parent], tokens, rules) {
                break;
            }
            self.heap[at] = self.heap[parent];
            at = parent;
        }
        self.heap[at] = candidate;
    }

    pub(super) fn pop(&mut self, tokens: &TokenInventory, rules: &MergeRules) -> Option<Candidate> {
        while self.heap.is_empty() && self.level > 0 {
            self.level -= 1;
            self.heap = std::mem::take(&mut self.later[self.level]);
            (0..self.heap.len() / 2).rev().for_each(|at| self.sift_down(at, tokens, rules));
        }
        let last = self.heap.pop()?;
        let Some(top) = self.heap.first_mut() else { return Some(last) };
        let top = std::mem::replace(top, last);
        self.sift_down(0, tokens, rules);
        Some(top)
    }

    fn sift_down(&mut self, mut at: usize, tokens: &TokenInventory, rules: &MergeRules) {
        let moved = self.heap[at];
        loop {
            let mut child = 2 * at + 1;
            if child >= self.heap.len() {
                break;
            }
            let other = child + 1;
            if other < self.heap.len() && Self::before(&self.heap[other], &self.heap[child], tokens, rules) {
                child = other;
            }
            if !Self::before(&self.heap[child], &moved, tokens, rules) {
                break;
            }
            self.heap[at] = self.heap[child];
            at = child;
        }
        self.heap[at] = moved;
    }

    /// Leaves out those of the rare pairs that occur less often.
    pub(super) fn forget_below(&mut self, threshold: u64) {
        let last = self.level.min(threshold as usize);
        self.later[..last].iter_mut().for_each(|later| *later = Vec::new());
    }

    pub(super) fn clear(&mut self) {
        self.heap.clear();
        self.later.iter_mut().for_each(Vec::clear);
        self.level = LEVELS;
    }
}
