//! Queue: pairs that may merge, the best one first. Counts change while pairs wait; who takes one looks whether it is still what it was.

use std::cmp::Ordering;

use super::inventory::Inventory;
use super::pairs::Postings;
use super::rule::{Key, Rules};

#[derive(Debug, Clone, Copy)]
pub struct Candidate {
    pub count: u64,
    pub key: Key,
    /// What else the rule asks for: see `Rules::order`.
    pub place: u64,
    /// The positions that the library would merge, if the rule is the library's.
    pub postings: Postings,
}

/// A binary heap by hand, because the order of two pairs may depend on the tokens, which the queue does not hold.
#[derive(Debug, Default)]
pub struct Queue {
    heap: Vec<Candidate>,
}

impl Queue {
    fn before(a: &Candidate, b: &Candidate, tokens: &Inventory, rules: &Rules) -> bool {
        let by_count = b.count.cmp(&a.count);
        by_count.then_with(|| rules.order(tokens, (a.key, a.place), (b.key, b.place))) == Ordering::Less
    }

    pub fn push(&mut self, candidate: Candidate, tokens: &Inventory, rules: &Rules) {
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

    pub fn pop(&mut self, tokens: &Inventory, rules: &Rules) -> Option<Candidate> {
        let last = self.heap.pop()?;
        let Some(&top) = self.heap.first() else { return Some(last) };
        let mut at = 0;
        loop {
            let mut child = 2 * at + 1;
            if child >= self.heap.len() {
                break;
            }
            let other = child + 1;
            if other < self.heap.len() && Self::before(&self.heap[other], &self.heap[child], tokens, rules) {
                child = other;
            }
            if !Self::before(&self.heap[child], &last, tokens, rules) {
                break;
            }
            self.heap[at] = self.heap[child];
            at = child;
        }
        self.heap[at] = last;
        Some(top)
    }

    pub fn clear(&mut self) {
        self.heap.clear();
    }
}
