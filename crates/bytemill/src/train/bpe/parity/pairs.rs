//! PairTable: how often each pair of tokens stands in some words, in which of them, and which pair is the most frequent.
//!
//! Counts are sums of changes, as in the library: a pair that is too long is not counted where it comes about, and yet is counted down
//! where it goes. So counts may be below zero.

use std::collections::HashMap;

use super::super::inventory::TokenInventory;
use super::super::pairs::Postings;
use super::super::queue::{Candidate, Queue};
use super::super::rule::{MergeRules, PairKey};
use crate::vocab::hash::Quick;

#[derive(Debug, Default)]
pub(super) struct PairTable {
    pairs: HashMap<PairKey, PairState, Quick>,
    /// None where nobody asks for the most frequent pair.
    queue: Option<Queue>,
    /// Pairs that may have to wait with a higher count.
    grown: Vec<PairKey>,
}

#[derive(Debug, Default)]
struct PairState {
    count: i64,
    /// The count with which it waits, which is never below the one it has; 0 if it does not wait. Other entries of the queue are old.
    waits: i64,
    has_grown: bool,
    /// Where it came about.
    words: Vec<u32>,
}

impl PairTable {
    pub(super) fn ranked() -> Self {
        PairTable { queue: Some(Queue::default()), ..PairTable::default() }
    }

    pub(super) fn counts(&self) -> impl Iterator<Item = (PairKey, i64)> {
        self.pairs.iter().map(|(&key, state)| (key, state.count))
    }

    /// Counts a pair up or down; up in a word, if words matter.
    #[inline]
    pub(super) fn change(&mut self, key: PairKey, by: i64, word: Option<u32>) {
        let state = self.pairs.entry(key).or_default();
        state.count += by;
        if by <= 0 {
            return;
        }
        if let Some(word) = word.filter(|word| state.words.last() != Some(word)) {
            state.words.push(word);
        }
        if !state.has_grown && self.queue.is_some() {
            state.has_grown = true;
            self.grown.push(key);
        }
    }

    /// The words in which a pair came about since this was asked last, each of them once.
    pub(super) fn take_words(&mut self, key: PairKey) -> Vec<u32> {
        let mut words = self.pairs.get_mut(&key).map(|state| std::mem::take(&mut state.words)).unwrap_or_default();
        words.sort_unstable();
        words.dedup();
        words
    }

    /// Forgets the count of a pair. Gives what it was.
    pub(super) fn clear(&mut self, key: PairKey) -> i64 {
        self.pairs.get_mut(&key).map(|state| std::mem::take(&mut state.count)).unwrap_or(0)
    }

    /// Lets pairs wait with the counts that they have grown to.
    pub(super) fn settle(&mut self, tokens: &TokenInventory, rules: &MergeRules) {
        let Some(queue) = &mut self.queue else { return };
        for key in self.grown.drain(..) {
            let Some(state) = self.pairs.get_mut(&key) else { continue };
            state.has_grown = false;
            if state.count > state.waits {
                state.waits = state.count;
                queue.push(candidate(key, state.count), tokens, rules);
            }
        }
    }

    /// The most frequent pair, which does not wait any more; none if it is too rare.
    pub(super) fn best(&mut self, tokens: &TokenInventory, rules: &MergeRules) -> Option<PairKey> {
        let queue = self.queue.as_mut()?;
        while let Some(top) = queue.pop(tokens, rules) {
            let Some(state) = self.pairs.get_mut(&top.key).filter(|state| state.waits as u64 == top.count) else {
                continue;
            };
            state.waits = state.count.max(0);
            if state.waits as u64 != top.count {
                // Those that are gone leave; they come back when they have grown.
                if state.waits > 0 {
                    queue.push(candidate(top.key, state.waits), tokens, rules);
                }
                continue;
            }
            if top.count < rules.min_frequency {
                queue.push(top, tokens, rules);
                return None;
            }
            state.waits = 0;
            return Some(top.key);
        }
        None
    }
}

fn candidate(key: PairKey, count: i64) -> Candidate {
    Candidate { count: count as u64, key, place: 0, postings: Postings::default() }
}
