//! PieceCounts: how often each piece occurs. The waist of training: what comes before is shared by all families and parallel.

use crate::hash::hash;
use crate::index;

#[derive(Debug, Clone)]
pub struct PieceCounts {
    /// Pieces of one ASCII byte: most of what character training sees, counted without a lookup.
    ascii: [u64; 128],
    arena: Vec<u8>,
    ends: Vec<usize>,
    counts: Vec<u64>,
    slots: Vec<u64>,
}

impl Default for PieceCounts {
    fn default() -> Self {
        PieceCounts {
            ascii: [0; 128],
            arena: Vec::new(),
            ends: Vec::new(),
            counts: Vec::new(),
            slots: index::empty(1 << 10),
        }
    }
}

impl PieceCounts {
    #[inline]
    pub fn add(&mut self, piece: &[u8], times: u64) {
        if let [byte @ ..128] = *piece {
            self.ascii[usize::from(byte)] += times;
            return;
        }
        let hash = hash(piece);
        match index::find(&self.slots, hash, |entry| self.piece(entry as usize) == piece) {
            Ok(entry) => self.counts[entry as usize] += times,
            Err(free) => self.insert(free, hash, piece, times),
        }
    }

    fn piece(&self, entry: usize) -> &[u8] {
        let start = entry.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.arena[start..self.ends[entry]]
    }

    fn insert(&mut self, free: usize, hash: u64, piece: &[u8], times: u64) {
        self.slots[free] = index::slot(hash, self.ends.len() as u32);
        self.arena.extend_from_slice(piece);
        self.ends.push(self.arena.len());
        self.counts.push(times);
        if 2 * self.ends.len() > self.slots.len() {
            self.grow();
        }
    }

    fn grow(&mut self) {
        let mut slots = index::empty(self.slots.len());
        for entry in 0..self.ends.len() {
            let hash = hash(self.piece(entry));
            if let Err(free) = index::find(&slots, hash, |_| false) {
                slots[free] = index::slot(hash, entry as u32);
            }
        }
        self.slots = slots;
    }

    pub fn merge(&mut self, other: &PieceCounts) {
        for (piece, count) in other.iter() {
            self.add(piece, count);
        }
    }

    /// Every piece that occurs with its count, in no stated order.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], u64)> {
        const ASCII: [u8; 128] = {
            let mut bytes = [0; 128];
            let mut i = 0;
            while i < 128 {
                bytes[i] = i as u8;
                i += 1;
            }
            bytes
        };
        let single = ASCII.chunks(1).zip(self.ascii).filter(|&(_, count)| count > 0);
        single.chain((0..self.ends.len()).map(|entry| (self.piece(entry), self.counts[entry])))
    }

    /// The number of pieces, and of different ones.
    pub fn totals(&self) -> (u64, u64) {
        self.iter().fold((0, 0), |(all, distinct), (_, count)| (all + count, distinct + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn counts_like_a_hash_map_and_merges() {
        let words: Vec<String> = (0..20_000u64).map(|i| format!("{}", i * i % 4001)).collect();
        let mut expected: HashMap<&[u8], u64> = HashMap::new();
        let mut halves = [PieceCounts::default(), PieceCounts::default()];
        for (i, word) in words.iter().enumerate() {
            *expected.entry(word.as_bytes()).or_default() += 1;
            halves[i % 2].add(word.as_bytes(), 1);
        }
        let [mut counts, other] = halves;
        counts.merge(&other);
        assert_eq!(counts.iter().collect::<HashMap<_, _>>(), expected);
        assert_eq!(counts.totals(), (20_000, expected.len() as u64));
    }
}
