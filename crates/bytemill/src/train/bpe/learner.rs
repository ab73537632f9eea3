//! Learner: the words as merged so far, and which pair goes next.

use std::collections::HashSet;

use super::arrange::Arranged;
use super::budget::Budget;
use super::counting::{CountedPairs, Reading};
use super::inventory::TokenInventory;
use super::pairs::{PairCounts, Postings};
use super::pieces::Pause;
use super::queue::{Candidate, Queue};
use super::rule::{MergeRules, PairKey, Ties, parts};
use super::visit::Sides;
use super::words::WordCells;
use crate::error::{Error, Result};

pub(super) struct Learner<'a> {
    pub words: WordCells,
    pub tokens: &'a mut TokenInventory,
    pub(super) rules: &'a MergeRules,
    pub(super) budget: Budget,
    pub(super) pairs: PairCounts,
    /// Pairs that more than one merge has brought about.
    pub(super) again: HashSet<PairKey>,
    queue: Queue,
    /// Pairs that occur so often are all in `pairs`; of others, some.
    pub threshold: u64,
    /// No pair was left that occurs so often.
    none_from: u64,
    pub(super) sides: Sides,
    /// Those of the other threads.
    pub(super) others: Vec<Sides>,
    pub(super) visited: Vec<u32>,
    waited: u64,
}

impl<'a> Learner<'a> {
    /// For `wanted` merges.
    pub(super) fn new(
        arranged: Arranged,
        tokens: &'a mut TokenInventory,
        rules: &'a MergeRules,
        wanted: u64,
        pause: &mut Pause,
    ) -> Result<Self> {
        let Arranged { words, budget, .. } = arranged;
        let mut learner = Learner {
            words,
            tokens,
            rules,
            budget,
            pairs: PairCounts::default(),
            again: HashSet::new(),
            queue: Queue::default(),
            threshold: 1,
            none_from: u64::MAX,
            sides: Sides::new(&budget),
            others: Vec::new(),
            visited: Vec::new(),
            waited: 0,
        };
        // Units have few pairs, so that all are counted.
        let counted = learner.count(pause)?;
        if rules.ties != Ties::HuggingFace {
            let most = counted.all.iter().map(|(_, entry)| entry.count as u64).max().unwrap_or(0);
            let first = budget.first_threshold(most, wanted);
            learner.threshold = first.max(rules.min_frequency).max(learner.threshold);
        }
        learner.locate(counted, pause)?;
        Ok(learner)
    }

    /// Looks for the pairs anew that occur so often, or, where those are too many to remember, for more frequent ones.
    pub(super) fn recount(&mut self, threshold: u64, pause: &mut Pause) -> Result<()> {
        self.none_from = self.none_from.min(self.threshold);
        self.threshold = threshold;
        self.restart(pause)
    }

    /// Goes on with more frequent pairs where those of now have become too many: with half as many, so that it is done seldom.
    pub(super) fn forget_rare(&mut self) {
        while self.pairs.len() > self.most_pairs() {
            self.threshold *= 2;
            let frequent = |threshold| self.pairs.iter().filter(|(_, entry)| entry.count >= threshold as i64).count();
            while frequent(self.threshold) > self.budget.pairs / 2 && self.most_pairs() < usize::MAX {
                self.threshold *= 2;
            }
            self.pairs.forget_below(self.threshold);
            self.queue.forget_below(self.threshold);
        }
    }

    fn restart(&mut self, pause: &mut Pause) -> Result<()> {
        let least = if self.rules.ties == Ties::HuggingFace { 1 } else { self.rules.min_frequency };
        self.threshold = self.threshold.max(least);
        self.pairs = PairCounts::default();
        self.queue.clear();
        let counted = self.count(pause)?;
        self.locate(counted, pause)
    }

    fn reading(&self) -> Reading<'_> {
        Reading::new(&self.words, self.tokens.lengths(), &self.budget)
    }

    fn count(&mut self, pause: &mut Pause) -> Result<CountedPairs> {
        loop {
            match self.reading().count(self.rules, self.threshold, self.most_pairs(), pause)? {
                Some(counted) => return Ok(counted),
                None => self.threshold *= 2,
            }
        }
    }

    /// The library remembers every pair, and so it is done under its rule. Otherwise the threshold can be raised, but not to where there is
    /// nothing.
    fn most_pairs(&self) -> usize {
        let can_rise = self.rules.ties != Ties::HuggingFace && self.threshold.saturating_mul(2) < self.none_from;
        if can_rise { self.budget.pairs } else { usize::MAX }
    }

    fn locate(&mut self, counted: CountedPairs, pause: &mut Pause) -> Result<()> {
        let positions = self.budget.lists()?;
        self.pairs = self.reading().locate(counted, self.threshold, positions, pause)?;
        let keys: Vec<PairKey> = self.pairs.iter().map(|(key, _)| key).collect();
        keys.into_iter().for_each(|key| self.enqueue(key));
        Ok(())
    }

    pub(super) fn enqueue(&mut self, key: PairKey) {
        let Some(entry) = self.pairs.get(key) else { return };
        let (count, postings) = (entry.count, entry.postings);
        if count > 0 && count as u64 >= self.threshold {
            let place = match self.rules.ties {
                Ties::HuggingFace => self.waited,
                _ => self.place(key, postings),
            };
            self.waited += 1;
            self.queue.push(Candidate { count: count as u64, key, place, postings }, self.tokens, self.rules);
        }
    }

    /// Where a pair is met first, if that matters.
    fn place(&self, key: PairKey, postings: Postings) -> u64 {
        if self.rules.ties != Ties::Tiktoken {
            return 0;
        }
        let (left, right) = parts(key);
        let first = self.pairs.positions(postings).iter().find(|&&at| self.stands(left, right, at));
        first.map_or(u64::MAX, |&at| u64::from(at))
    }

    #[inline]
    pub(super) fn stands(&self, left: u32, right: u32, at: u32) -> bool {
        let after = at as usize + self.tokens.length(left) as usize;
        let cells = self.words.cells.as_slice();
        cells[at as usize] == left && cells[after] == right
    }

    /// The pair that goes next; none if those that are left are rarer than the threshold.
    pub(super) fn best(&mut self) -> Result<Option<Candidate>> {
        while let Some(mut top) = self.queue.pop(self.tokens, self.rules) {
            let Some(entry) = self.pairs.get(top.key) else { continue };
            let count = entry.count.max(0) as u64;
            if self.rules.ties != Ties::HuggingFace {
                top.postings = entry.postings;
            } else if count > i32::MAX as u64 {
                return Err(Error::Spec(format!(
                    "a pair of tokens occurs {count} times, and tokenizers counts in 32 bits, so that what it would do with \
                     this text is left to chance; train with another ties="
                )));
            }
            let place = if self.rules.ties == Ties::Tiktoken { self.place(top.key, top.postings) } else { top.place };
            if (count, place) == (top.count, top.place) {
                let (left, right) = parts(top.key);
                if self.tokens.is_passed_over(left, right, self.rules) {
                    continue;
                }
                return Ok(Some(top).filter(|_| count >= self.threshold.max(self.rules.min_frequency)));
            }
            if count >= self.threshold {
                self.queue.push(Candidate { count, place, ..top }, self.tokens, self.rules);
            }
        }
        Ok(None)
    }
}
