//! CountTable: what one worker counts. Short pieces are keys of 16 bytes in entries of half a cache line, as in the memo of BPE; long ones lie
//! in an arena. In a large table pieces are looked up in groups, so that the waits for memory overlap.

use super::block::Record;
use super::sorted::{SortedCursor, SortedTable};
use crate::error::Result;
use crate::machine::simd::prefetch;
use crate::machine::storage::Zeroed;
use crate::text::short_key::{Hashed, MOST_BYTES, ShortKey, key};
use crate::text::span::Spans;
use crate::vocab::hash::hash;
use crate::vocab::index;

/// Pieces that are looked up together: enough for the memory to answer the first while the last is hashed.
pub(super) const GROUP: usize = 32;
/// 8 KiB to begin with; a group always fits.
const FIRST_ENTRIES: usize = 1 << 8;
/// Tables of up to half a megabyte grow by more: what is counted again is little.
const AT_HOME: usize = 1 << 14;
/// A table of this size takes a megabyte: a core's own cache holds it, and it holds the 14,000 words of a megabyte of English.
const NEAR: usize = 1 << 15;

#[derive(Debug, Clone, Copy, Default, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(32))]
pub(super) struct CountEntry {
    /// 0: empty.
    pub key: ShortKey,
    pub count: u64,
    pub place: u64,
}

#[derive(Debug)]
pub(super) struct CountTable {
    /// By open addressing, a power of two in number.
    entries: Zeroed<CountEntry>,
    used: usize,
    long: Long,
    keys: Box<[Hashed; GROUP]>,
}

impl Default for CountTable {
    fn default() -> Self {
        let long = Long { slots: index::empty(GROUP), ..Long::default() };
        CountTable { entries: Zeroed::new(FIRST_ENTRIES), used: 0, long, keys: Box::default() }
    }
}

impl CountTable {
    /// Counts pieces of a text, at most a group of them and none of them empty, each `times` times; there is room. `place` is that of the
    /// first, and the others follow.
    #[inline]
    pub(super) fn add_group(&mut self, pieces: Spans<[u8]>, place: u64, times: u64) {
        debug_assert!(pieces.starts.iter().zip(pieces.ends).all(|(start, end)| start < end), "a piece is never empty");
        match self.entries.as_slice().len() {
            ..=NEAR => self.add_near(pieces, place, times),
            _ => self.add_far(pieces, place, times),
        }
    }

    /// In a table that a core's own cache holds: one piece after another.
    fn add_near(&mut self, pieces: Spans<[u8]>, place: u64, times: u64) {
        let entries = self.entries.as_mut_slice();
        for ((&start, &end), place) in pieces.starts.iter().zip(pieces.ends).zip(place..) {
            if end - start > MOST_BYTES {
                let piece = &pieces.text[start..end];
                self.long.add(piece, hash(piece), place, times);
                continue;
            }
            self.used += add(entries, key(pieces.text, start, end - start), place, times);
        }
    }

    /// In a larger table: the memory is asked for all entries before the first is needed.
    fn add_far(&mut self, pieces: Spans<[u8]>, place: u64, times: u64) {
        let entries = self.entries.as_mut_slice();
        let mask = entries.len() - 1;
        for ((&start, &end), slot) in pieces.starts.iter().zip(pieces.ends).zip(self.keys.iter_mut()) {
            if end - start > MOST_BYTES {
                let hash = hash(&pieces.text[start..end]);
                *slot = Hashed::long(hash);
                self.long.prefetch(hash);
                continue;
            }
            *slot = key(pieces.text, start, end - start);
            if let Some(entry) = entries.get(slot.hash & mask) {
                prefetch(entry);
            }
        }
        for (((&start, &end), hashed), place) in
            pieces.starts.iter().zip(pieces.ends).zip(self.keys.iter()).zip(place..)
        {
            match end - start {
                ..=MOST_BYTES => self.used += add(entries, *hashed, place, times),
                _ => self.long.add(&pieces.text[start..end], hashed.long_hash(), place, times),
            }
        }
    }

    /// Whether a group whose pieces have `bytes` bytes fits as it is.
    #[inline]
    pub(super) fn has_room(&self, bytes: usize) -> bool {
        8 * (self.used + GROUP) <= 5 * self.entries.as_slice().len() && self.long.has_room(bytes)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.used == 0 && self.long.records.is_empty()
    }

    /// The most memory that it takes to make room for a group whose pieces have `bytes` bytes, in a table that may take `share` bytes.
    pub(super) fn bytes_to_grow(&self, bytes: usize, share: usize) -> usize {
        let room = self.entries.as_slice().len();
        let short = if 8 * (self.used + GROUP) <= 5 * room { room } else { room + larger(room, share) };
        let long = if self.long.has_room(bytes) { self.long.bytes() } else { 3 * self.long.bytes() + 2 * bytes };
        short * size_of::<CountEntry>() + long
    }

    pub(super) fn grow(&mut self, bytes: usize, share: usize) {
        let room = self.entries.as_slice().len();
        if 8 * (self.used + GROUP) > 5 * room {
            let smaller = std::mem::replace(&mut self.entries, Zeroed::new(larger(room, share)));
            let entries = self.entries.as_mut_slice();
            let mask = entries.len() - 1;
            for entry in smaller.as_slice().iter().filter(|entry| entry.key != 0) {
                let mut at = crate::text::short_key::hash(entry.key);
                while entries[at & mask].key != 0 {
                    at = at.wrapping_add(1);
                }
                entries[at & mask] = *entry;
            }
        }
        if !self.long.has_room(bytes) {
            self.long.grow(bytes);
        }
    }

    /// Hands over all pieces in the order of their bytes, and forgets them.
    pub(super) fn drain(&mut self, mut each: impl FnMut(Record) -> Result<()>) -> Result<()> {
        let order = self.sort();
        let mut cursor = SortedCursor::new(&self.entries.as_slice()[..self.used], &self.long, &order);
        while cursor.advance() {
            each(cursor.record())?;
        }
        self.entries.as_mut_slice().fill(CountEntry::default());
        self.used = 0;
        self.long.clear();
        Ok(())
    }

    /// All pieces in the order of their bytes.
    pub(super) fn sorted(mut self) -> SortedTable {
        let order = self.sort();
        SortedTable { short: self.entries.as_slice()[..self.used].to_vec(), long: self.long, order }
    }

    /// Puts the short pieces first, in the order of their bytes, and returns the order of the long ones. What stays is no table: the bytes
    /// of a key are those of the piece on every machine, and its length comes after them.
    fn sort(&mut self) -> Vec<u32> {
        let entries = self.entries.as_mut_slice();
        let mut used = 0;
        for at in 0..entries.len() {
            // The first byte highest and the length lowest: numbers are then in the order of the pieces. Empty entries are written, too, and
            // written over by the next: nothing could predict where they are.
            entries[used] = CountEntry { key: entries[at].key.swap_bytes(), ..entries[at] };
            used += usize::from(entries[at].key != 0);
        }
        let short = &mut entries[..used];
        short.sort_unstable_by_key(|entry| entry.key);
        short.iter_mut().for_each(|entry| entry.key = entry.key.to_be());
        self.long.sorted()
    }
}

/// Counts a piece `times` times; there is room. Returns how many entries that took: 1 if the piece is new.
#[inline(always)]
fn add(entries: &mut [CountEntry], Hashed { key, hash }: Hashed, place: u64, times: u64) -> usize {
    let mask = entries.len() - 1;
    let mut at = hash;
    loop {
        let entry = &mut entries[at & mask];
        if entry.key == key {
            entry.count += times;
            return 0;
        }
        if entry.key == 0 {
            *entry = CountEntry { key, count: times, place };
            return 1;
        }
        at = at.wrapping_add(1);
    }
}

fn larger(room: usize, share: usize) -> usize {
    let goes_near = (FIRST_ENTRIES + 1..NEAR).contains(&room) && 2 * NEAR * size_of::<CountEntry>() <= share;
    match room {
        _ if goes_near => NEAR,
        ..AT_HOME => 8 * room,
        _ => 2 * room,
    }
}

/// Pieces that are too long for a key.
#[derive(Debug, Default)]
pub(super) struct Long {
    slots: Vec<u64>,
    records: Vec<LongRecord>,
    arena: Vec<u8>,
}

#[derive(Debug, Clone, Copy)]
struct LongRecord {
    end: usize,
    count: u64,
    place: u64,
}

impl Long {
    #[inline]
    fn prefetch(&self, hash: u64) {
        if let Some(slot) = self.slots.get(hash as usize & (self.slots.len() - 1)) {
            prefetch(slot);
        }
    }

    fn add(&mut self, piece: &[u8], hash: u64, place: u64, times: u64) {
        match index::find(&self.slots, hash, |number| self.piece(number) == piece) {
            Ok(number) => self.records[number as usize].count += times,
            Err(free) => {
                self.slots[free] = index::slot(hash, self.records.len() as u32);
                self.arena.extend_from_slice(piece);
                self.records.push(LongRecord { end: self.arena.len(), count: times, place });
            }
        }
    }

    pub(super) fn piece(&self, number: u32) -> &[u8] {
        let start = (number as usize).checked_sub(1).map_or(0, |before| self.records[before].end);
        &self.arena[start..self.records[number as usize].end]
    }

    pub(super) fn record(&self, number: u32) -> Record<'_> {
        let LongRecord { count, place, .. } = self.records[number as usize];
        Record { piece: self.piece(number), count, place }
    }

    #[inline]
    fn has_room(&self, bytes: usize) -> bool {
        self.arena.len() + bytes <= self.arena.capacity()
            && self.records.len() + GROUP <= self.records.capacity()
            && 2 * (self.records.len() + GROUP) <= self.slots.len()
    }

    /// How often each of them occurs.
    pub(super) fn counts(&self) -> impl ExactSizeIterator<Item = u64> {
        self.records.iter().map(|record| record.count)
    }

    /// The memory that they take.
    pub(super) fn bytes(&self) -> usize {
        self.arena.capacity() + self.records.capacity() * size_of::<LongRecord>() + self.slots.len() * size_of::<u64>()
    }

    fn grow(&mut self, bytes: usize) {
        self.arena.reserve(bytes);
        self.records.reserve(GROUP);
        if 2 * (self.records.len() + GROUP) > self.slots.len() {
            let mut slots = index::empty(2 * (self.records.len() + GROUP));
            for number in 0..self.records.len() as u32 {
                let hash = hash(self.piece(number));
                if let Err(free) = index::find(&slots, hash, |_| false) {
                    slots[free] = index::slot(hash, number);
                }
            }
            self.slots = slots;
        }
    }

    fn sorted(&self) -> Vec<u32> {
        let mut numbers: Vec<u32> = (0..self.records.len() as u32).collect();
        numbers.sort_unstable_by(|&a, &b| self.piece(a).cmp(self.piece(b)));
        numbers
    }

    fn clear(&mut self) {
        self.slots.fill(0);
        self.records.clear();
        self.arena.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::counts::naive::NaiveCounts;

    #[test]
    fn counts_as_a_map_does_and_starts_anew() {
        let mut table = CountTable::default();
        for round in 0..3 {
            // The last time the table grows beyond what is near.
            let (pieces, different) = [(50_000, 4001), (50_000, 4001), (150_000, 100_003u64)][round as usize];
            let pieces: Vec<String> = (0..pieces)
                .map(|i: u64| format!("{:1$}", i * i % different, 1 + (i % different * (round + 1)) as usize % 40))
                .collect();
            let mut expected = NaiveCounts::default();
            let mut place = 5;
            for group in pieces.chunks(GROUP) {
                let text = group.concat();
                let ends: Vec<usize> = group
                    .iter()
                    .scan(0, |end, piece| {
                        *end += piece.len();
                        Some(*end)
                    })
                    .collect();
                let starts: Vec<usize> = [0].into_iter().chain(ends.iter().copied()).take(group.len()).collect();
                if !table.has_room(text.len()) {
                    table.grow(text.len(), [usize::MAX, 0][round as usize % 2]);
                }
                assert!(table.has_room(text.len()));
                table.add_group(Spans::new(text.as_bytes(), &starts, &ends), place, 1);
                for piece in group {
                    expected.add(piece.as_bytes(), place);
                    place += 1;
                }
            }
            let mut found = Vec::new();
            table
                .drain(|record| {
                    found.push((record.piece.to_vec(), (record.count, record.place)));
                    Ok(())
                })
                .unwrap();
            assert_eq!(found, expected.0.into_iter().collect::<Vec<_>>());
            assert!(table.is_empty());
        }
    }
}
