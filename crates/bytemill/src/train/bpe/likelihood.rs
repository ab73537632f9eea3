//! The other score of pairs: how often two tokens stand side by side, divided by how often each of them occurs. It is what a merge adds to
//! the likelihood of the text under a model that draws tokens one by one.
//!
//! Every merge makes its two tokens rarer, and so changes the score of every pair that has one of them. These are entered into the queue
//! again; what is taken from it counts only if it is still what it was.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};

use super::inventory::TokenInventory;
use super::merging::{LearnedMerge, MergeWatch};
use super::rule::{MergeRules, PairKey, key, parts};
use crate::error::Result;

/// Words as their tokens, each with its count.
#[derive(Debug, Clone, Default)]
pub(super) struct Spelled {
    tokens: Vec<u32>,
    words: Vec<SpelledWord>,
}

#[derive(Debug, Clone, Copy)]
struct SpelledWord {
    start: usize,
    length: u32,
    count: u64,
}

impl Spelled {
    pub(super) fn push(&mut self, tokens: &[u32], count: u64) {
        self.words.push(SpelledWord { start: self.tokens.len(), length: tokens.len() as u32, count });
        self.tokens.extend_from_slice(tokens);
    }

    fn get(&self, number: u32) -> (&[u32], u64) {
        let SpelledWord { start, length, count } = self.words[number as usize];
        (&self.tokens[start..start + length as usize], count)
    }

    /// Writes a token over its pair, leftmost first. Gives how often.
    fn replace(&mut self, number: u32, left: u32, right: u32, made: u32) -> u64 {
        let SpelledWord { start, length, .. } = self.words[number as usize];
        let tokens = &mut self.tokens[start..start + length as usize];
        let (mut from, mut to, mut times) = (0, 0, 0);
        while from < tokens.len() {
            let is_pair = tokens[from] == left && tokens.get(from + 1) == Some(&right);
            tokens[to] = if is_pair { made } else { tokens[from] };
            times += u64::from(is_pair);
            from += 1 + usize::from(is_pair);
            to += 1;
        }
        self.words[number as usize].length = to as u32;
        times
    }
}

/// A pair that may merge. The greatest has the best score, then the highest count, then the smallest pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct LikelyPair {
    count: u64,
    /// How often its tokens occur, multiplied.
    chances: u128,
    key: PairKey,
}

impl Ord for LikelyPair {
    fn cmp(&self, other: &Self) -> Ordering {
        // a/b against c/d is a·d against c·b, for which 128 bits are not enough.
        let product = |count: u64, chances: u128| {
            let low = u128::from(count) * (chances & u128::from(u64::MAX));
            (u128::from(count) * (chances >> 64) + (low >> 64), low as u64)
        };
        let score = product(self.count, other.chances).cmp(&product(other.count, self.chances));
        score.then(self.count.cmp(&other.count)).then(other.key.cmp(&self.key))
    }
}

impl PartialOrd for LikelyPair {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[derive(Debug, Default)]
struct SpelledPair {
    count: u64,
    /// The words that it stands in, or stood in.
    words: Vec<u32>,
}

struct LikelihoodLearner<'a> {
    spelled: Spelled,
    tokens: &'a mut TokenInventory,
    rules: &'a MergeRules,
    /// How often each token occurs.
    frequency: Vec<u64>,
    pairs: HashMap<PairKey, SpelledPair>,
    /// The pairs that have each token, or had it.
    partners: Vec<Vec<PairKey>>,
    queue: BinaryHeap<LikelyPair>,
}

/// What waits in the queue beyond four times the pairs that there are is worth a new one.
const MOST_STALE: usize = 1 << 16;

/// Merges between two looks at whether to stop.
const PATIENCE: usize = 64;

/// Makes tokens until there are `room` of them, or no pair is frequent enough. Gives the merges, and how many tokens the text is by then.
pub(super) fn learn(
    spelled: Spelled,
    tokens: &mut TokenInventory,
    rules: &MergeRules,
    room: usize,
    watch: &mut MergeWatch,
) -> Result<(Vec<LearnedMerge>, u64)> {
    let (first, total) = (tokens.len(), room.saturating_sub(tokens.len()) as u64);
    let mut learner = LikelihoodLearner::new(spelled, tokens, rules);
    let mut merges = Vec::new();
    while learner.tokens.len() < room {
        if merges.len() % PATIENCE == 0 {
            watch((learner.tokens.len() - first) as u64, total)?;
        }
        let Some(best) = learner.best() else { break };
        merges.push(learner.merge(best));
    }
    let tokens_in_text = learner.frequency.iter().sum();
    Ok((merges, tokens_in_text))
}

impl<'a> LikelihoodLearner<'a> {
    fn new(spelled: Spelled, tokens: &'a mut TokenInventory, rules: &'a MergeRules) -> Self {
        let mut learner = LikelihoodLearner {
            frequency: vec![0; tokens.len()],
            partners: vec![Vec::new(); tokens.len()],
            pairs: HashMap::new(),
            queue: BinaryHeap::new(),
            spelled,
            tokens,
            rules,
        };
        for number in 0..learner.spelled.words.len() as u32 {
            let (word, count) = learner.spelled.get(number);
            word.iter().for_each(|&token| learner.frequency[token as usize] += count);
            learner.enter(number);
        }
        let keys: Vec<PairKey> = learner.pairs.keys().copied().collect();
        learner.enqueue(&keys);
        learner
    }

    /// Counts the pairs of a word.
    fn enter(&mut self, number: u32) {
        let (word, count) = self.spelled.get(number);
        for pair in word.windows(2) {
            let key = key(pair[0], pair[1]);
            let entry = self.pairs.entry(key).or_default();
            if entry.count == 0 {
                self.partners[pair[0] as usize].push(key);
                self.partners[pair[1] as usize].push(key);
            }
            entry.count += count;
            if entry.words.last() != Some(&number) {
                entry.words.push(number);
            }
        }
    }

    /// The opposite.
    fn leave(&mut self, number: u32) {
        let (word, count) = self.spelled.get(number);
        for pair in word.windows(2) {
            if let Some(entry) = self.pairs.get_mut(&key(pair[0], pair[1])) {
                entry.count -= count;
            }
        }
    }

    fn candidate(&self, key: PairKey) -> Option<LikelyPair> {
        let count = self.pairs.get(&key)?.count;
        let (left, right) = parts(key);
        let length = self.tokens.length(left) + self.tokens.length(right);
        let chances = u128::from(self.frequency[left as usize]) * u128::from(self.frequency[right as usize]);
        (count >= self.rules.min_frequency && self.rules.allows(length)).then_some(LikelyPair { count, chances, key })
    }

    fn enqueue(&mut self, keys: &[PairKey]) {
        let candidates: Vec<LikelyPair> = keys.iter().filter_map(|&key| self.candidate(key)).collect();
        self.queue.extend(candidates);
        if self.queue.len() > 4 * self.pairs.len() + MOST_STALE {
            // Most of it is not what it was any more.
            self.queue = self.pairs.keys().filter_map(|&key| self.candidate(key)).collect();
        }
    }

    fn best(&mut self) -> Option<LikelyPair> {
        loop {
            let best = self.queue.pop()?;
            if self.candidate(best.key) == Some(best) {
                return Some(best);
            }
        }
    }

    fn merge(&mut self, best: LikelyPair) -> LearnedMerge {
        let (left, right) = parts(best.key);
        let made = self.tokens.join(left, right, self.rules);
        self.frequency.resize(self.tokens.len(), 0);
        self.partners.resize(self.tokens.len(), Vec::new());
        let mut words = self.pairs.remove(&best.key).map(|pair| pair.words).unwrap_or_default();
        words.sort_unstable();
        words.dedup();
        let mut changed = Vec::new();
        for number in words {
            let (word, count) = self.spelled.get(number);
            if !word.windows(2).any(|pair| pair == [left, right]) {
                continue;
            }
            changed.extend(word.windows(2).map(|pair| key(pair[0], pair[1])));
            self.leave(number);
            let times = self.spelled.replace(number, left, right, made) * count;
            self.frequency[left as usize] -= times;
            self.frequency[right as usize] -= times;
            self.frequency[made as usize] += times;
            self.enter(number);
        }
        for token in [left, right, made] {
            let mut partners = std::mem::take(&mut self.partners[token as usize]);
            partners.sort_unstable();
            partners.dedup();
            partners.retain(|key| self.pairs.get(key).is_some_and(|pair| pair.count > 0));
            changed.extend_from_slice(&partners);
            self.partners[token as usize] = partners;
        }
        changed.sort_unstable();
        changed.dedup();
        self.enqueue(&changed);
        for key in changed {
            if self.pairs.get(&key).is_some_and(|pair| pair.count == 0) {
                self.pairs.remove(&key);
            }
        }
        LearnedMerge { left, right, made, count: best.count }
    }
}
