//! Learning the merges: the most frequent pair becomes a token wherever it stands, until there are enough tokens.
//!
//! A merge visits the positions of its pair, and only those. What it changes, the counts of pairs with the tokens to the left and to the
//! right, is summed up for each neighbour first and then applied, once for each.

use std::collections::HashSet;

use super::inventory::Inventory;
use super::pairs::{Entry, Pairs, Postings};
use super::queue::{Candidate, Queue};
use super::rule::{Key, Rules, Ties, key, parts};
use super::words::{BORDER, INSIDE, Words};
use crate::error::{Error, Result};

/// Two tokens that become one, and how often they were side by side by then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Merge {
    pub left: u32,
    pub right: u32,
    pub made: u32,
    pub count: u64,
}

/// Told how many tokens there are of how many; an error stops the work.
pub type MergeWatch<'a> = dyn FnMut(u64, u64) -> Result<()> + 'a;

/// Makes tokens until there are `room` of them, or no pair is frequent enough. Gives the merges, and how many tokens the words are by then.
pub fn learn(
    words: Words,
    tokens: &mut Inventory,
    rules: &Rules,
    room: usize,
    watch: &mut MergeWatch,
) -> Result<(Vec<Merge>, u64)> {
    let (first, total) = (tokens.len(), room.saturating_sub(tokens.len()) as u64);
    let mut learner = Learner::new(words, tokens, rules);
    let mut merges: Vec<Merge> = Vec::new();
    while learner.tokens.len() < room {
        watch((learner.tokens.len() - first) as u64, total)?;
        let Some(best) = learner.best()? else {
            if learner.threshold <= rules.min_frequency {
                break;
            }
            learner.recount(lower(&merges, total, learner.threshold));
            continue;
        };
        merges.push(learner.merge(best));
    }
    let in_words = learner.words.tokens(learner.tokens.lengths());
    Ok((merges, in_words))
}

/// A threshold below the last: about the count of the last merge, if counts go on falling as they have fallen.
fn lower(merges: &[Merge], wanted: u64, threshold: u64) -> u64 {
    let half = threshold / 2;
    let (Some(last), Some(before)) = (merges.last(), merges.get(merges.len() / 4)) else { return half };
    let slope = (before.count as f64 / last.count as f64).ln() / 4f64.ln();
    let expected = last.count as f64 * (wanted as f64 / merges.len() as f64).powf(-slope);
    // A little lower, because to be wrong costs another count of everything, and to be too low only room.
    half.min((expected * 0.7) as u64)
}

/// Below the most frequent pair by this factor the first threshold lies: some hundred merges do without a recount.
const FIRST_STEP: u64 = 256;

struct Learner<'a> {
    words: Words,
    tokens: &'a mut Inventory,
    rules: &'a Rules,
    pairs: Pairs,
    /// Pairs that more than one merge has brought about.
    again: HashSet<Key>,
    queue: Queue,
    /// Pairs that occur so often are all in `pairs`; of others, some.
    threshold: u64,
    left: Side,
    right: Side,
    visited: Vec<u32>,
    waited: u64,
}

/// The neighbours of a merge on one side, by their ids.
#[derive(Default)]
struct Side {
    counts: Vec<u64>,
    times: Vec<u32>,
    /// Those that there are.
    tokens: Vec<u32>,
    /// Each of them where it stands: the neighbour, and the first position of the pair with it.
    records: Vec<(u32, u32)>,
    /// Where the next position of a neighbour goes.
    next: Vec<u32>,
}

/// Positions of a pair that is left out go nowhere.
const NOWHERE: u32 = u32::MAX;

impl Side {
    #[inline]
    fn add(&mut self, token: u32, position: u32, count: u64) {
        let at = token as usize;
        if self.times[at] == 0 {
            self.tokens.push(token);
        }
        self.times[at] += 1;
        self.counts[at] += count;
        self.records.push((token, position));
    }

    fn make_room(&mut self, tokens: usize) {
        self.counts.resize(tokens, 0);
        self.times.resize(tokens, 0);
        self.next.resize(tokens, 0);
    }

    fn clear(&mut self) {
        for &token in &self.tokens {
            self.counts[token as usize] = 0;
            self.times[token as usize] = 0;
        }
        self.tokens.clear();
        self.records.clear();
    }
}

impl<'a> Learner<'a> {
    fn new(words: Words, tokens: &'a mut Inventory, rules: &'a Rules) -> Self {
        let mut learner = Learner {
            words,
            tokens,
            rules,
            pairs: Pairs::default(),
            again: HashSet::new(),
            queue: Queue::default(),
            threshold: 1,
            left: Side::default(),
            right: Side::default(),
            visited: Vec::new(),
            waited: 0,
        };
        // Of units there are few pairs, so that all are counted.
        learner.recount(1);
        if rules.ties != Ties::HuggingFace {
            let most = learner.pairs.iter().map(|(_, entry)| entry.count as u64).max().unwrap_or(0);
            learner.threshold = (most / FIRST_STEP).max(rules.min_frequency);
        }
        learner
    }

    fn recount(&mut self, threshold: u64) {
        self.threshold = threshold.max(if self.rules.ties == Ties::HuggingFace { 1 } else { self.rules.min_frequency });
        self.pairs = Pairs::default();
        self.pairs = Pairs::count(&self.words, self.tokens.lengths(), self.rules, self.threshold);
        self.queue.clear();
        let keys: Vec<Key> = self.pairs.iter().map(|(key, _)| key).collect();
        keys.into_iter().for_each(|key| self.enqueue(key));
    }

    fn enqueue(&mut self, key: Key) {
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
    fn place(&self, key: Key, postings: Postings) -> u64 {
        if self.rules.ties != Ties::Tiktoken {
            return 0;
        }
        let (left, right) = parts(key);
        let first = self.pairs.positions(postings).iter().find(|&&at| self.stands(left, right, at));
        first.map_or(u64::MAX, |&at| u64::from(at))
    }

    #[inline]
    fn stands(&self, left: u32, right: u32, at: u32) -> bool {
        let behind = at as usize + self.tokens.length(left) as usize;
        self.words.cells[at as usize] == left && self.words.cells[behind] == right
    }

    /// The pair that goes next; none if those that are left are rarer than the threshold.
    fn best(&mut self) -> Result<Option<Candidate>> {
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
                return Ok(Some(top).filter(|_| count >= self.threshold.max(self.rules.min_frequency)));
            }
            if count >= self.threshold {
                self.queue.push(Candidate { count, place, ..top }, self.tokens, self.rules);
            }
        }
        Ok(None)
    }

    fn merge(&mut self, best: Candidate) -> Merge {
        let (left, right) = parts(best.key);
        let known = self.tokens.len();
        let made = self.tokens.join(left, right, self.rules);
        self.left.make_room(self.tokens.len());
        self.right.make_room(self.tokens.len());
        self.collect_positions(best);
        let own = self.replace(left, right, made);
        let as_the_library = self.rules.ties == Ties::HuggingFace;
        let is_new = made as usize == known;
        let mut changed = Vec::new();
        if is_new || as_the_library {
            changed = self.add_pairs(made, |left, right| left + right);
        }
        self.subtract(left, right);
        if !as_the_library && let Some(entry) = self.pairs.get_mut(best.key) {
            entry.count -= own as i64;
        }
        if !is_new && !as_the_library {
            changed = self.recount_token(made);
        }
        changed.into_iter().for_each(|key| self.enqueue(key));
        Merge { left, right, made, count: best.count }
    }

    /// The positions to visit. The library merges whole words, which can have the pair from more than one merge.
    fn collect_positions(&mut self, best: Candidate) {
        self.visited.clear();
        if self.rules.ties != Ties::HuggingFace || !self.again.contains(&best.key) {
            return self.visited.extend_from_slice(self.pairs.positions(best.postings));
        }
        let (left, right) = parts(best.key);
        let positions = self.pairs.positions(best.postings);
        let mut starts: Vec<u32> = positions.iter().map(|&at| self.words.start_of_word(at)).collect();
        starts.sort_unstable();
        starts.dedup();
        for mut at in starts {
            while self.words.cells[at as usize] != BORDER {
                if self.stands(left, right, at) {
                    self.visited.push(at);
                }
                at += self.tokens.length(self.words.cells[at as usize]);
            }
        }
    }

    /// Writes the token over its pair and notes the neighbours; gives how often.
    fn replace(&mut self, left: u32, right: u32, made: u32) -> u64 {
        let (cells, lengths) = (&mut self.words.cells, self.tokens.lengths());
        let (left_length, length) = (lengths[left as usize] as usize, lengths[made as usize] as usize);
        let mut own = 0;
        for &position in &self.visited {
            let at = position as usize;
            let middle = at + left_length;
            // A neighbour's merge has taken one of the two, or this one has.
            if cells[at] != left || cells[middle] != right {
                continue;
            }
            let count = self.words.runs.count_at(position);
            let end = at + length;
            cells[middle - 1] = INSIDE;
            cells[middle] = INSIDE;
            cells[at] = made;
            cells[end - 1] = made;
            let (before, behind) = (cells[at - 1], cells[end]);
            if before != BORDER {
                self.left.add(before, position - lengths[before as usize], count);
            }
            if behind != BORDER {
                self.right.add(behind, position, count);
            }
            own += count;
        }
        own
    }

    /// Enters the pairs of a token with its neighbours; gives them.
    fn add_pairs(&mut self, made: u32, combine: impl Fn(i64, i64) -> i64 + Copy) -> Vec<Key> {
        let Learner { left, right, pairs, again, tokens, rules, threshold, .. } = self;
        let own_length = tokens.length(made);
        let may_merge = |other: u32| rules.allows(own_length + tokens.length(other));
        let mut changed = Vec::with_capacity(left.tokens.len() + right.tokens.len());
        let mut enter = |side: &mut Side, key_with: &dyn Fn(u32) -> Key| {
            for &token in &side.tokens {
                let (key, count) = (key_with(token), side.counts[token as usize] as i64);
                side.next[token as usize] = NOWHERE;
                if count as u64 >= *threshold && may_merge(token) {
                    let postings = pairs.reserve(side.times[token as usize]);
                    side.next[token as usize] = postings.start;
                    let entry = pairs.entry(key);
                    if entry.postings.length > 0 {
                        again.insert(key);
                    }
                    *entry = Entry { count: combine(entry.count, count), postings };
                    changed.push(key);
                } else if let Some(entry) = pairs.get_mut(key) {
                    entry.count = combine(entry.count, count);
                }
            }
            for &(token, position) in &side.records {
                let next = &mut side.next[token as usize];
                if *next != NOWHERE {
                    pairs.positions[*next as usize] = position;
                    *next += 1;
                }
            }
        };
        enter(left, &|token| key(token, made));
        enter(right, &|token| key(made, token));
        self.unite(made, &mut changed);
        changed
    }

    /// A token that was there already can be met on both sides of itself: then its pair has positions from both.
    fn unite(&mut self, made: u32, changed: &mut Vec<Key>) {
        let sides = [&self.left, &self.right].map(|side| (side.times[made as usize], side.next[made as usize]));
        if sides.iter().any(|&(times, next)| times == 0 || next == NOWHERE) {
            return;
        }
        let postings = self.pairs.reserve(sides.iter().map(|&(times, _)| times).sum());
        let mut to = postings.start as usize;
        for (times, next) in sides {
            self.pairs.positions.copy_within((next - times) as usize..next as usize, to);
            to += times as usize;
        }
        let key = key(made, made);
        self.pairs.entry(key).postings = postings;
        let first = changed.iter().position(|&changed| changed == key);
        first.map(|first| changed.remove(first));
    }

    fn subtract(&mut self, left: u32, right: u32) {
        for &token in &self.left.tokens {
            if let Some(entry) = self.pairs.get_mut(key(token, left)) {
                entry.count -= self.left.counts[token as usize] as i64;
            }
        }
        for &token in &self.right.tokens {
            if let Some(entry) = self.pairs.get_mut(key(right, token)) {
                entry.count -= self.right.counts[token as usize] as i64;
            }
        }
        self.left.clear();
        self.right.clear();
    }

    /// Counts the pairs of a token again that was made in a second way: those that it had before may have been left out.
    fn recount_token(&mut self, token: u32) -> Vec<Key> {
        let length = self.tokens.length(token);
        let mut places = Vec::new();
        self.words.places(token, length, |at| places.push(at));
        for at in places {
            let count = self.words.runs.count_at(at);
            let (before, behind) = (self.words.cells[at as usize - 1], self.words.cells[(at + length) as usize]);
            // Two of them side by side are one pair.
            if before != BORDER && before != token {
                self.left.add(before, at - self.tokens.length(before), count);
            }
            if behind != BORDER {
                self.right.add(behind, at, count);
            }
        }
        let changed = self.add_pairs(token, |_, count| count);
        self.left.clear();
        self.right.clear();
        changed
    }
}
