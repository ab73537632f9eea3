//! Pairs: how often each pair of tokens occurs, and where.
//!
//! Pairs that are rarer than a threshold are left out, and most pairs are. That changes nothing as long as more frequent ones merge; when
//! there are none left, everything is counted again with a lower threshold.

use super::rule::{Key, Rules, key};
use super::words::Words;

/// A range of the list of all positions.
#[derive(Debug, Clone, Copy, Default)]
pub struct Postings {
    pub start: u32,
    pub length: u32,
}

#[derive(Debug, Clone, Copy, Default)]
pub struct Entry {
    pub count: i64,
    /// Where the pair is, and where it was: a position counts if the pair is still there.
    pub postings: Postings,
}

/// Open addressing, at most three quarters full.
#[derive(Debug)]
pub struct Pairs {
    keys: Vec<Key>,
    entries: Vec<Entry>,
    used: usize,
    pub positions: Vec<u32>,
}

/// Not a pair: no token has this id.
const EMPTY: Key = Key::MAX;

impl Default for Pairs {
    fn default() -> Self {
        Pairs::with_capacity(1 << 10)
    }
}

impl Pairs {
    fn with_capacity(pairs: usize) -> Self {
        // Never so few that the last of them could be taken.
        let slots = (4 * pairs / 3 + 1).next_power_of_two().max(16);
        Pairs { keys: vec![EMPTY; slots], entries: vec![Entry::default(); slots], used: 0, positions: Vec::new() }
    }

    #[inline]
    fn slot(&self, key: Key) -> usize {
        let mask = self.keys.len() - 1;
        let mut at = (mixed(key) >> 32) as usize & mask;
        while self.keys[at] != key && self.keys[at] != EMPTY {
            at = (at + 1) & mask;
        }
        at
    }

    #[inline]
    pub fn get_mut(&mut self, key: Key) -> Option<&mut Entry> {
        let slot = self.slot(key);
        (self.keys[slot] == key).then(|| &mut self.entries[slot])
    }

    pub fn get(&self, key: Key) -> Option<&Entry> {
        let slot = self.slot(key);
        (self.keys[slot] == key).then(|| &self.entries[slot])
    }

    /// The entry of a pair, an empty one if it is new.
    pub fn entry(&mut self, key: Key) -> &mut Entry {
        let mut slot = self.slot(key);
        if self.keys[slot] == EMPTY {
            if 4 * self.used >= 3 * self.keys.len() {
                self.grow();
                slot = self.slot(key);
            }
            self.keys[slot] = key;
            self.used += 1;
        }
        &mut self.entries[slot]
    }

    fn grow(&mut self) {
        let positions = std::mem::take(&mut self.positions);
        let larger = Pairs { positions, ..Pairs::with_capacity(self.keys.len()) };
        let before = std::mem::replace(self, larger);
        before.iter().for_each(|(key, entry)| *self.entry(key) = *entry);
    }

    pub fn iter(&self) -> impl Iterator<Item = (Key, &Entry)> {
        self.keys.iter().copied().zip(&self.entries).filter(|&(key, _)| key != EMPTY)
    }

    /// Room for so many positions, one after the other.
    pub fn reserve(&mut self, length: u32) -> Postings {
        let start = self.positions.len() as u32;
        self.positions.resize(self.positions.len() + length as usize, 0);
        Postings { start, length }
    }

    pub fn positions(&self, postings: Postings) -> &[u32] {
        &self.positions[postings.start as usize..][..postings.length as usize]
    }

    /// Counts all pairs of all words that occur so often and may merge.
    pub fn count(words: &Words, lengths: &[u32], rules: &Rules, threshold: u64) -> Self {
        let may_merge = |left: u32, right: u32| match lengths[left as usize] + lengths[right as usize] {
            2 => rules.allows_units(),
            length => rules.allows(length),
        };
        let bounds = Bounds::new(words, lengths, threshold);
        let mut all = Pairs::default();
        words.pairs(lengths, |_, left, right, count| {
            if bounds.reach(key(left, right), threshold) && may_merge(left, right) {
                let entry = all.entry(key(left, right));
                entry.count += count as i64;
                entry.postings.length += 1;
            }
        });
        let frequent = || all.iter().filter(|(_, entry)| entry.count as u64 >= threshold);
        let mut kept = Pairs::with_capacity(frequent().count());
        let mut start = 0;
        for (key, entry) in frequent() {
            *kept.entry(key) = Entry { count: entry.count, postings: Postings { start, length: 0 } };
            start += entry.postings.length;
        }
        drop(all);
        let mut positions = vec![0; start as usize];
        words.pairs(lengths, |at, left, right, _| {
            if let Some(entry) = kept.get_mut(key(left, right)) {
                positions[(entry.postings.start + entry.postings.length) as usize] = at;
                entry.postings.length += 1;
            }
        });
        kept.positions = positions;
        kept
    }
}

/// A bound of the count of every pair, in little memory: pairs share counters. Most rare pairs are recognised by it, so that a table of all
/// pairs, which can be many times larger than that of the frequent ones, is never made.
struct Bounds {
    counters: Vec<u32>,
}

const COUNTERS: usize = 1 << 20;

impl Bounds {
    fn new(words: &Words, lengths: &[u32], threshold: u64) -> Self {
        if threshold <= 1 {
            return Bounds { counters: Vec::new() };
        }
        let mut counters = vec![0u32; COUNTERS];
        words.pairs(lengths, |_, left, right, count| {
            let counter = &mut counters[(mixed(key(left, right)) >> 44) as usize];
            *counter = counter.saturating_add(count.min(u64::from(u32::MAX)) as u32);
        });
        Bounds { counters }
    }

    fn reach(&self, key: Key, threshold: u64) -> bool {
        let counter = self.counters.get((mixed(key) >> 44) as usize);
        counter.is_none_or(|&counter| u64::from(counter) >= threshold.min(u64::from(u32::MAX)))
    }
}

/// Each upper bit depends on all of the key.
#[inline]
fn mixed(key: Key) -> u64 {
    (key ^ key >> 29).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}
