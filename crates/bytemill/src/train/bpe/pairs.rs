//! Pairs: how often each pair of tokens occurs, and where.
//!
//! Pairs that are rarer than a threshold are left out, and most pairs are. That changes nothing as long as more frequent ones merge; when
//! there are none left, everything is counted again with a lower threshold.

use super::numbers::Numbers;
use super::rule::Key;
use crate::error::{Error, Result};

/// A range of the list of all positions.
#[derive(Debug, Clone, Copy, Default)]
pub struct Postings {
    /// In grains.
    start: u32,
    pub length: u32,
}

/// Lists begin at multiples of it, so that 32 bits are enough to say where: there are up to three positions for each cell, and the cells
/// have numbers of 32 bits.
const GRAIN: usize = 4;

impl Postings {
    /// A list behind the end of another.
    pub fn after(end: usize, length: u32) -> Result<Self> {
        match u32::try_from(end.div_ceil(GRAIN)) {
            Ok(start) => Ok(Postings { start, length }),
            Err(_) => Err(Error::Spec(
                "the text has more pairs of tokens than training can remember the places of; train on a part of it"
                    .into(),
            )),
        }
    }

    pub fn start(self) -> usize {
        self.start as usize * GRAIN
    }

    pub fn end(self) -> usize {
        self.start() + self.length as usize
    }
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
    pub positions: Numbers,
}

/// Not a pair: no token has this id.
const EMPTY: Key = Key::MAX;

impl Default for Pairs {
    fn default() -> Self {
        Pairs::with_capacity(1 << 10)
    }
}

impl Pairs {
    pub fn with_capacity(pairs: usize) -> Self {
        // Never so few that the last of them could be taken.
        let slots = (4 * pairs / 3 + 1).next_power_of_two().max(16);
        Pairs {
            keys: vec![EMPTY; slots],
            entries: vec![Entry::default(); slots],
            used: 0,
            positions: Numbers::Memory(Vec::new()),
        }
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
        let before = std::mem::replace(self, Pairs::with_capacity(self.keys.len()));
        before.iter().for_each(|(key, entry)| *self.entry(key) = *entry);
        self.positions = before.positions;
    }

    pub fn iter(&self) -> impl Iterator<Item = (Key, &Entry)> {
        self.keys.iter().copied().zip(&self.entries).filter(|&(key, _)| key != EMPTY)
    }

    pub fn len(&self) -> usize {
        self.used
    }

    /// Room for so many positions, one after the other.
    pub fn reserve(&mut self, length: u32) -> Result<Postings> {
        let postings = Postings::after(self.positions.len(), length)?;
        self.positions.grow(postings.end())?;
        Ok(postings)
    }

    pub fn positions(&self, postings: Postings) -> &[u32] {
        &self.positions.as_slice()[postings.start()..postings.end()]
    }
}

/// Each upper bit depends on all of the key.
#[inline]
pub fn mixed(key: Key) -> u64 {
    (key ^ key >> 29).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}
