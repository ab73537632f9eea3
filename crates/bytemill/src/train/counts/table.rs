//! CountTable: what one worker counts. Short pieces are keys of 16 bytes in entries of half a cache line, as in the memo of BPE; long ones lie
//! in an arena. Pieces are looked up in groups, so that the waits for memory overlap.

use super::block::Record;
use crate::error::Result;
use crate::machine::simd::prefetch;
use crate::machine::storage::{HUGE_PAGE, Zeroed};
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
/// A table of this size takes a huge page, which costs less than a table of half a megabyte and then one of a megabyte in ordinary pages.
/// A megabyte of English has 14,000 words.
const IN_A_HUGE_PAGE: usize = HUGE_PAGE / size_of::<CountEntry>();

#[derive(Debug, Clone, Copy, Default, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(32))]
struct CountEntry {
    /// 0: empty.
    key: ShortKey,
    count: u64,
    place: u64,
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
    /// Counts pieces of a text, at most a group of them, each `times` times; there is room. `place` is that of the first, and the others
    /// follow.
    #[inline]
    pub(super) fn add_group(&mut self, pieces: Spans<[u8]>, place: u64, times: u64) {
        let Spans { text, starts, ends } = pieces;
        let count = starts.len().min(ends.len()).min(GROUP);
        let (starts, ends, keys) = (&starts[..count], &ends[..count], &mut self.keys[..count]);
        let entries = self.entries.as_mut_slice();
        let mask = entries.len() - 1;
        for i in 0..count {
            let length = ends[i] - starts[i];
            if length > MOST_BYTES {
                let hash = hash(&text[starts[i]..ends[i]]);
                keys[i] = Hashed { key: 0, hash: hash as usize };
                self.long.prefetch(hash);
                continue;
            }
            keys[i] = key(text, starts[i], length);
            if let Some(entry) = entries.get(keys[i].hash & mask) {
                prefetch(entry);
            }
        }
        for i in 0..count {
            let Hashed { key, hash } = keys[i];
            let place = place + i as u64;
            if key == 0 {
                self.long.add(&text[starts[i]..ends[i]], hash as u64, place, times);
                continue;
            }
            let mut at = hash;
            loop {
                let entry = &mut entries[at & mask];
                if entry.key == key {
                    entry.count += times;
                    break;
                }
                if entry.key == 0 {
                    *entry = CountEntry { key, count: times, place };
                    self.used += 1;
                    break;
                }
                at = at.wrapping_add(1);
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
    pub(super) fn drain(&mut self, each: impl FnMut(Record) -> Result<()>) -> Result<()> {
        self.hand_over(each)?;
        self.entries.as_mut_slice().fill(CountEntry::default());
        self.used = 0;
        self.long.clear();
        Ok(())
    }

    /// Hands over all pieces in the order of their bytes; what stays is no table.
    pub(super) fn finish(mut self, each: impl FnMut(Record) -> Result<()>) -> Result<()> {
        self.hand_over(each)
    }

    fn hand_over(&mut self, mut each: impl FnMut(Record) -> Result<()>) -> Result<()> {
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
        let mut long = self.long.sorted().into_iter().peekable();
        for entry in short.iter() {
            let bytes = entry.key.to_be_bytes();
            let piece = &bytes[..usize::from(bytes[MOST_BYTES])];
            while let Some(before) = long.next_if(|&number| self.long.piece(number) < piece) {
                each(self.long.record(before))?;
            }
            each(Record { piece, count: entry.count, place: entry.place })?;
        }
        long.try_for_each(|number| each(self.long.record(number)))
    }
}

fn larger(room: usize, share: usize) -> usize {
    let to_a_huge_page = (FIRST_ENTRIES + 1..IN_A_HUGE_PAGE).contains(&room) && 2 * HUGE_PAGE <= share;
    match room {
        _ if to_a_huge_page => IN_A_HUGE_PAGE,
        ..AT_HOME => 8 * room,
        _ => 2 * room,
    }
}

/// Pieces that are too long for a key.
#[derive(Debug, Default)]
struct Long {
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

    fn piece(&self, number: u32) -> &[u8] {
        let start = (number as usize).checked_sub(1).map_or(0, |before| self.records[before].end);
        &self.arena[start..self.records[number as usize].end]
    }

    fn record(&self, number: u32) -> Record<'_> {
        let LongRecord { count, place, .. } = self.records[number as usize];
        Record { piece: self.piece(number), count, place }
    }

    #[inline]
    fn has_room(&self, bytes: usize) -> bool {
        self.arena.len() + bytes <= self.arena.capacity()
            && self.records.len() + GROUP <= self.records.capacity()
            && 2 * (self.records.len() + GROUP) <= self.slots.len()
    }

    fn bytes(&self) -> usize {
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
            let pieces: Vec<String> = (0..50_000u64)
                .map(|i| format!("{:1$}", i * i % 4001, 1 + (i % 4001 * (round + 1)) as usize % 40))
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
