//! One merge. It visits the positions of its pair, and only those. What it changes, the counts of pairs with the tokens to the left and to
//! the right, is summed up for each neighbour first and then applied, once for each.

use super::learner::Learner;
use super::merging::LearnedMerge;
use super::pairs::PairEntry;
use super::queue::Candidate;
use super::rule::{PairKey, Ties, key, parts};
use super::side::{Neighbour, NeighbourSide};
use super::visit::{AHEAD, Sides, Visit};
use super::words::BORDER;
use crate::error::Result;

/// Positions of a pair that is left out go nowhere.
const NOWHERE: u64 = u64::MAX;

impl Learner<'_> {
    pub(super) fn merge(&mut self, best: Candidate) -> Result<LearnedMerge> {
        let (left, right) = parts(best.key);
        let known = self.tokens.len();
        let made = self.tokens.join(left, right, self.rules);
        self.sides.make_room(self.tokens.len());
        let own = self.replace_all(best, made)?;
        let as_the_library = self.rules.ties == Ties::HuggingFace;
        let is_new = made as usize == known;
        let mut changed = Vec::new();
        if is_new || as_the_library {
            changed = self.add_pairs(made, |left, right| left + right)?;
        }
        self.subtract(left, right);
        if !as_the_library && let Some(entry) = self.pairs.get_mut(best.key) {
            entry.count -= own as i64;
        }
        if !is_new && !as_the_library {
            changed = self.recount_token(made)?;
        }
        changed.into_iter().for_each(|key| self.enqueue(key));
        Ok(LearnedMerge { left, right, made, count: best.count })
    }

    /// Writes the token over its pair, wherever it stands; gives how often that is.
    fn replace_all(&mut self, best: Candidate, made: u32) -> Result<u64> {
        let (left, right) = parts(best.key);
        // The library merges whole words, which can have the pair from more than one merge.
        if self.rules.ties == Ties::HuggingFace && self.again.contains(&best.key) {
            self.visit_words(best);
            return self.replace(left, right, made);
        }
        let mut own = 0;
        let mut from = 0;
        while from < best.postings.length as usize {
            let left_over = &self.pairs.positions(best.postings)[from..];
            let visits = self.budget.visits(left_over);
            self.visited.clear();
            self.visited.extend_from_slice(&left_over[..visits]);
            own += self.replace(left, right, made)?;
            from += visits;
        }
        self.pairs.positions.release(best.postings.start()..best.postings.end());
        Ok(own)
    }

    /// Visits every place of a pair in the words that have one of the positions.
    fn visit_words(&mut self, best: Candidate) {
        self.visited.clear();
        let (left, right) = parts(best.key);
        let positions = self.pairs.positions(best.postings);
        let mut starts: Vec<u32> = positions.iter().map(|&at| self.words.start_of_word(at)).collect();
        starts.sort_unstable();
        starts.dedup();
        let cells = self.words.cells.as_slice();
        for mut at in starts {
            while cells[at as usize] != BORDER {
                if self.stands(left, right, at) {
                    self.visited.push(at);
                }
                at += self.tokens.length(cells[at as usize]);
            }
        }
    }

    /// The same at the positions to visit. Notes the neighbours.
    fn replace(&mut self, left: u32, right: u32, made: u32) -> Result<u64> {
        let visit = Visit { left, right, made, lengths: self.tokens.lengths() };
        visit.replace(&mut self.words, &self.visited, &mut self.sides, &mut self.others, &self.budget)
    }

    /// Enters the pairs of a token with its neighbours; gives them.
    fn add_pairs(&mut self, made: u32, combine: impl Fn(i64, i64) -> i64 + Copy) -> Result<Vec<PairKey>> {
        let Learner { sides: Sides { left, right }, pairs, again, tokens, rules, threshold, .. } = self;
        let own_length = tokens.length(made);
        let may_merge = |other: u32| rules.allows(own_length + tokens.length(other));
        let mut changed = Vec::with_capacity(left.tokens.len() + right.tokens.len());
        let mut enter = |side: &mut NeighbourSide, key_with: &dyn Fn(u32) -> PairKey| {
            for (i, &token) in side.tokens.iter().enumerate() {
                if let Some(&soon) = side.tokens.get(i + AHEAD) {
                    pairs.prefetch(key_with(soon));
                }
                let neighbour = &mut side.of[token as usize];
                let (key, count) = (key_with(token), neighbour.count as i64);
                neighbour.next = NOWHERE;
                if count as u64 >= *threshold && may_merge(token) {
                    let postings = pairs.reserve(neighbour.times)?;
                    neighbour.next = postings.start() as u64;
                    let entry = pairs.entry(key);
                    if entry.postings.length > 0 {
                        again.insert(key);
                    }
                    *entry = PairEntry { count: combine(entry.count, count), postings };
                    changed.push(key);
                } else if let Some(entry) = pairs.get_mut(key) {
                    entry.count = combine(entry.count, count);
                }
            }
            side.hand_out(|next, position| {
                if *next != NOWHERE {
                    pairs.positions.write(*next as usize, position);
                    *next += 1;
                }
            })
        };
        enter(left, &|token| key(token, made))?;
        enter(right, &|token| key(made, token))?;
        self.unite(made, &mut changed)?;
        Ok(changed)
    }

    /// A token that was there already can be met on both sides of itself: then its pair has positions from both.
    fn unite(&mut self, made: u32, changed: &mut Vec<PairKey>) -> Result<()> {
        let sides = [&self.sides.left, &self.sides.right].map(|side| side.of[made as usize]);
        if sides.iter().any(|side| side.times == 0 || side.next == NOWHERE) {
            return Ok(());
        }
        let postings = self.pairs.reserve(sides.iter().map(|side| side.times).sum())?;
        let mut to = postings.start();
        for Neighbour { times, next, .. } in sides {
            for from in next as usize - times as usize..next as usize {
                let position = self.pairs.positions.as_slice()[from];
                self.pairs.positions.write(to, position);
                to += 1;
            }
        }
        let key = key(made, made);
        self.pairs.entry(key).postings = postings;
        let first = changed.iter().position(|&changed| changed == key);
        first.map(|first| changed.remove(first));
        Ok(())
    }

    fn subtract(&mut self, left: u32, right: u32) {
        let Learner { sides: Sides { left: before, right: after }, pairs, .. } = self;
        let mut subtract = |side: &mut NeighbourSide, key_with: &dyn Fn(u32) -> PairKey| {
            for (i, &token) in side.tokens.iter().enumerate() {
                if let Some(&soon) = side.tokens.get(i + AHEAD) {
                    pairs.prefetch(key_with(soon));
                }
                if let Some(entry) = pairs.get_mut(key_with(token)) {
                    entry.count -= side.of[token as usize].count as i64;
                }
            }
            side.clear();
        };
        subtract(before, &|token| key(token, left));
        subtract(after, &|token| key(right, token));
    }

    /// Counts the pairs of a token again that was made in a second way: those that it had before may have been left out.
    fn recount_token(&mut self, token: u32) -> Result<Vec<PairKey>> {
        let Learner { words, tokens, sides: Sides { left, right }, .. } = self;
        words.places(token, tokens.length(token), |at, before, after, count| {
            // Two of them side by side are one pair.
            if before != BORDER && before != token {
                left.add(before, at - tokens.length(before), count)?;
            }
            if after != BORDER {
                right.add(after, at, count)?;
            }
            Ok(())
        })?;
        let changed = self.add_pairs(token, |_, count| count)?;
        self.sides.left.clear();
        self.sides.right.clear();
        Ok(changed)
    }
}
