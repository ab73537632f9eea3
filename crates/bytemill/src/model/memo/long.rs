//! Long pieces and long answers: what an entry of the table has no room for. Exact by comparing the pieces themselves. Threads read and
//! add together, as they do with the table: a record is written before anybody is told of its place, and never changed.

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

use crate::machine::simd::prefetch;
use crate::machine::storage::Zeroed;
use crate::vocab::TokenId;
use crate::vocab::hash::hash;

/// Longer pieces seldom come again.
pub(super) const MOST_BYTES: usize = 256;
/// PieceRecords of pieces, and slots for them.
const MOST_RECORDS: usize = 1 << 18;
const FIRST_SLOTS: usize = 1 << 10;
/// Slots that a piece is looked for in.
const FARTHEST: usize = 1 << 10;

/// Where a record is.
pub(super) type RecordPlace = u32;

/// Where the record of each piece is, by open addressing: the upper half of the hash, which says where the slot belongs, and above zero the
/// place of the record plus one.
#[derive(Debug, Default)]
pub(super) struct Slots {
    slots: Zeroed<AtomicU64>,
    used: AtomicUsize,
}

impl Slots {
    /// The hash of a piece, by which it is looked for.
    pub(super) fn hash(piece: &[u8]) -> u64 {
        if piece.len() <= MOST_BYTES { hash(piece) } else { 0 }
    }

    /// Asks the memory for the place of a piece.
    pub(super) fn prefetch(&self, hash: u64) {
        self.places_from(hash).next().into_iter().for_each(prefetch);
    }

    /// The slots that a piece may have, one after the other.
    fn places_from(&self, hash: u64) -> impl Iterator<Item = &AtomicU64> {
        let slots = self.slots.as_slice();
        let home = (hash >> 32) as usize;
        (home..home + FARTHEST).map_while(move |at| slots.get(at & slots.len().wrapping_sub(1)))
    }

    /// The ids of a piece, if it is known.
    pub(super) fn get<'r>(&self, piece: &[u8], hash: u64, records: &'r PieceRecords) -> Option<&'r [TokenId]> {
        for slot in self.places_from(hash) {
            let slot = slot.load(Ordering::Acquire);
            if slot == 0 {
                return None;
            }
            if slot >> 32 == hash >> 32 {
                let (ids, bytes) = records.get(slot as u32 - 1);
                if bytes == piece {
                    return Some(ids);
                }
            }
        }
        None
    }

    /// Whether half of the slots are used, which is when more are needed.
    pub(super) fn is_full(&self) -> bool {
        2 * self.used.load(Ordering::Relaxed) >= self.slots.as_slice().len()
    }

    /// Notes the place of a piece.
    pub(super) fn put(&self, hash: u64, place: RecordPlace) {
        self.put_slot(hash >> 32 << 32 | (u64::from(place) + 1));
    }

    fn put_slot(&self, slot: u64) {
        let is_taken = |free: &&AtomicU64| free.compare_exchange(0, slot, Ordering::Release, Ordering::Relaxed).is_ok();
        if self.places_from(slot).find(is_taken).is_some() {
            self.used.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// More of them with what is here; None if there are as many as there may be. No record is looked at: they are far from one another.
    pub(super) fn larger(&self) -> Option<Self> {
        let slots = self.slots.as_slice();
        if slots.len() >= 2 * MOST_RECORDS {
            return None;
        }
        let larger = Slots {
            slots: Zeroed::new((4 * slots.len()).clamp(FIRST_SLOTS, 2 * MOST_RECORDS)),
            used: AtomicUsize::new(0),
        };
        let taken = slots.iter().map(|slot| slot.load(Ordering::Acquire)).filter(|&slot| slot != 0);
        taken.for_each(|slot| larger.put_slot(slot));
        Some(larger)
    }
}

/// The words of a store begin here, and end where the next begins: 64 KiB for programs that encode one sentence, 32 MiB in all. None of them
/// moves when the next is made, so that a place is good as long as the records are.
const STORES: [usize; 5] = [0, 1 << 14, 1 << 17, 1 << 20, 1 << 23];

/// PieceRecords one after the other, so that what is read of one lies together: the number of ids and of bytes, the ids, the bytes.
#[derive(Debug, Default)]
pub(super) struct PieceRecords {
    stores: [OnceLock<Zeroed<AtomicU32>>; STORES.len() - 1],
    /// The words that are used.
    end: AtomicUsize,
}

impl PieceRecords {
    /// The ids and the bytes of a record.
    pub(super) fn get(&self, place: RecordPlace) -> (&[TokenId], &[u8]) {
        let Some((sizes, rest)) = self.words(place as usize).split_first() else { return (&[], &[]) };
        let sizes = sizes.load(Ordering::Relaxed);
        let (ids, bytes) = ((sizes >> 16) as usize, (sizes & 0xFFFF) as usize);
        let words = &rest[..ids + bytes.div_ceil(4)];
        // SAFETY: atomic numbers lie in memory as others do. These were written before their place was told, and are not written again.
        let words = unsafe { std::slice::from_raw_parts(words.as_ptr().cast::<u32>(), words.len()) };
        let (ids, words) = words.split_at(ids);
        (ids, &bytemuck::cast_slice(words)[..bytes])
    }

    /// The words of a store from a place on.
    fn words(&self, place: usize) -> &[AtomicU32] {
        let number = store(place);
        let words = self.stores.get(number).and_then(OnceLock::get).map_or(&[][..], Zeroed::as_slice);
        words.get(place - STORES[number]..).unwrap_or_default()
    }

    /// Keeps a piece with its ids, neither longer than `MOST_BYTES`; None if everything is full.
    pub(super) fn keep(&self, piece: &[u8], ids: &[TokenId]) -> Option<RecordPlace> {
        let Range { start, end } = self.reserve(1 + ids.len() + piece.len().div_ceil(4))?;
        let number = store(start);
        if self.stores[number].get().is_none() {
            // Another thread may have made it meanwhile.
            let _ = self.stores[number].set(Zeroed::new(STORES[number + 1] - STORES[number]));
        }
        let (whole, rest) = piece.as_chunks::<4>();
        let mut last = [0; 4];
        last[..rest.len()].copy_from_slice(rest);
        let last = (!rest.is_empty()).then_some(&last);
        let bytes = whole.iter().chain(last).map(|bytes| u32::from_ne_bytes(*bytes));
        let sizes = (ids.len() as u32) << 16 | piece.len() as u32;
        let values = std::iter::once(sizes).chain(ids.iter().copied()).chain(bytes);
        self.words(start)[..end - start]
            .iter()
            .zip(values)
            .for_each(|(word, value)| word.store(value, Ordering::Relaxed));
        Some(start as RecordPlace)
    }

    /// `count` words of one store that nobody else has.
    fn reserve(&self, count: usize) -> Option<Range<usize>> {
        let fitting = |end: usize| {
            let next = STORES[store(end) + 1];
            if end + count <= next { end..end + count } else { next..next + count }
        };
        let most = STORES[STORES.len() - 1];
        let after = |end: usize| (end < most).then(|| fitting(end)).filter(|range| range.end <= most);
        let before = self.end.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |end| Some(after(end)?.end)).ok()?;
        after(before)
    }
}

/// The number of the store that has a word, of those that there are.
#[inline]
fn store(place: usize) -> usize {
    STORES[1..].iter().take(STORES.len() - 2).filter(|&&end| place >= end).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_what_it_was_told_or_nothing() {
        let (mut slots, records) = (Slots::default(), PieceRecords::default());
        let piece = |i: u32| format!("{i:0width$}", width = 16 + i as usize % 100).into_bytes();
        let hashed = |i: u32| Slots::hash(&piece(i));
        for i in 0..100_000 {
            assert!(slots.get(&piece(i), hashed(i), &records).is_none());
            if slots.is_full() {
                slots = slots.larger().unwrap();
            }
            slots.put(hashed(i), records.keep(&piece(i), &[i, i + 1]).unwrap());
            assert_eq!(slots.get(&piece(i), hashed(i), &records), Some(&[i, i + 1][..]));
            let place = records.keep(b"", &[i, i + 2]).unwrap();
            assert_eq!(records.get(place).0, [i, i + 2]);
        }
        for i in 0..100_000 {
            assert_eq!(slots.get(&piece(i), hashed(i), &records), Some(&[i, i + 1][..]));
        }
    }

    #[test]
    fn records_lie_side_by_side_until_all_is_full() {
        let records = PieceRecords::default();
        let mut kept = Vec::new();
        while let Some(place) = records.keep(&(kept.len() as u32).to_le_bytes().repeat(64), &[kept.len() as u32; 256]) {
            kept.push(place);
        }
        assert!(kept.len() > 20_000 && kept.is_sorted());
        for (i, &place) in kept.iter().enumerate() {
            assert_eq!(records.get(place), (&[i as u32; 256][..], &(i as u32).to_le_bytes().repeat(64)[..]));
        }
        assert_eq!(records.get(u32::MAX), (&[][..], &[][..]));
    }
}
