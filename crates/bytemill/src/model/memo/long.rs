//! Long pieces and long answers: what an entry of the table has no room for. Exact by comparing the pieces themselves.

use crate::machine::simd::prefetch;
use crate::machine::storage::{Zeroed, large_vec};
use crate::vocab::TokenId;
use crate::vocab::hash::hash;

/// Longer pieces seldom come again.
pub(super) const MOST_BYTES: usize = 256;
/// What is kept before all of it is forgotten: 32 MiB of records, and 4 MiB to find them.
const MOST_WORDS: usize = 8 << 20;
/// 64 KiB for those who encode a sentence.
const FIRST_WORDS: usize = 1 << 14;
const MOST_RECORDS: usize = 1 << 18;

/// Records one after the other in one array, so that what is read of one lies together.
#[derive(Debug, Default)]
pub(super) struct LongMemo {
    /// By open addressing: the upper half of the hash, which says where the slot belongs, and above zero the place of the record plus one.
    slots: Zeroed<u64>,
    /// Records: the number of ids and of bytes, the ids, the bytes.
    words: Vec<u32>,
    /// Of pieces, which have a slot.
    records: usize,
}

/// Where a record is. Good until `insert` says that all was forgotten.
pub(super) type RecordPlace = u32;

impl LongMemo {
    /// The hash of a piece, by which it is looked for.
    pub(super) fn hash(piece: &[u8]) -> u64 {
        if piece.len() <= MOST_BYTES { hash(piece) } else { 0 }
    }

    /// Asks the memory for the place of a piece.
    pub(super) fn prefetch(&self, hash: u64) {
        let slots = self.slots.as_slice();
        if let Some(slot) = slots.get(home(hash) & slots.len().wrapping_sub(1)) {
            prefetch(slot);
        }
    }

    /// The ids of a piece, if it is known.
    pub(super) fn get(&self, piece: &[u8], hash: u64) -> Option<&[TokenId]> {
        let slots = self.slots.as_slice();
        let mask = slots.len().wrapping_sub(1);
        let mut at = home(hash);
        loop {
            let slot = *slots.get(at & mask)?;
            if slot == 0 {
                return None;
            }
            if slot >> 32 == hash >> 32 {
                let (ids, bytes) = self.record(slot as u32 - 1);
                if bytes == piece {
                    return Some(ids);
                }
            }
            at = at.wrapping_add(1);
        }
    }

    /// The ids of a record.
    pub(super) fn ids(&self, place: RecordPlace) -> &[TokenId] {
        self.record(place).0
    }

    fn record(&self, place: RecordPlace) -> (&[TokenId], &[u8]) {
        let Some((&sizes, rest)) = self.words.get(place as usize..).and_then(<[u32]>::split_first) else {
            return (&[], &[]);
        };
        let (ids, rest) = rest.split_at((sizes >> 16) as usize);
        (ids, &bytemuck::cast_slice(rest)[..(sizes & 0xFFFF) as usize])
    }

    /// Whether the next record can be kept only after `clear`.
    pub(super) fn is_full(&self) -> bool {
        self.words.len() + 1 + 2 * MOST_BYTES > MOST_WORDS || self.records == MOST_RECORDS
    }

    /// Keeps ids for someone who will know their place, unless they are too many. There is room for them.
    pub(super) fn keep(&mut self, ids: &[TokenId]) -> Option<RecordPlace> {
        (ids.len() <= MOST_BYTES).then(|| self.record_of(b"", ids))
    }

    /// Remembers a piece that is not there, unless it is too long. There is room for it.
    pub(super) fn insert(&mut self, piece: &[u8], hash: u64, ids: &[TokenId]) {
        // No token is empty, so that there are no more ids than bytes; but a file may be damaged.
        if piece.len() > MOST_BYTES || ids.len() > MOST_BYTES {
            return;
        }
        if 2 * (self.records + 1) > self.slots.as_slice().len() {
            self.grow();
        }
        let place = self.record_of(piece, ids);
        self.records += 1;
        put(self.slots.as_mut_slice(), hash >> 32 << 32 | (u64::from(place) + 1));
    }

    fn record_of(&mut self, piece: &[u8], ids: &[TokenId]) -> RecordPlace {
        self.make_room();
        let place = self.words.len() as RecordPlace;
        self.words.push((ids.len() as u32) << 16 | piece.len() as u32);
        self.words.extend_from_slice(ids);
        let (whole, rest) = piece.as_chunks::<4>();
        self.words.extend(whole.iter().map(|bytes| u32::from_ne_bytes(*bytes)));
        if !rest.is_empty() {
            let mut last = [0; 4];
            last[..rest.len()].copy_from_slice(rest);
            self.words.push(u32::from_ne_bytes(last));
        }
        place
    }

    /// For one record more: in few steps, as every page of every step is a page of memory that is new.
    fn make_room(&mut self) {
        let needed = self.words.len() + 1 + 2 * MOST_BYTES;
        if needed > self.words.capacity() {
            let room = (8 * self.words.capacity()).clamp(FIRST_WORDS, MOST_WORDS);
            let mut larger = large_vec(room.max(needed));
            larger.extend_from_slice(&self.words);
            self.words = larger;
        }
    }

    fn grow(&mut self) {
        let mut slots = Zeroed::new((4 * self.slots.as_slice().len()).max(1 << 10));
        // No record is looked at: they are far from one another.
        self.slots.as_slice().iter().filter(|&&slot| slot != 0).for_each(|&slot| put(slots.as_mut_slice(), slot));
        self.slots = slots;
    }

    /// Everything, but not the room for it.
    pub(super) fn forget(&mut self) {
        self.slots.as_mut_slice().fill(0);
        self.words.clear();
        self.records = 0;
    }

    pub(super) fn clear(&mut self) {
        *self = LongMemo::default();
    }
}

/// The place of a piece's slot, as long as it is below the number of slots.
#[inline]
fn home(hash: u64) -> usize {
    (hash >> 32) as usize
}

fn put(slots: &mut [u64], slot: u64) {
    let mask = slots.len() - 1;
    let mut at = home(slot) & mask;
    while slots[at] != 0 {
        at = (at + 1) & mask;
    }
    slots[at] = slot;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_what_it_was_told_or_nothing() {
        let mut memo = LongMemo::default();
        let piece = |i: u32| format!("{i:0width$}", width = 16 + i as usize % 100).into_bytes();
        let hashed = |i: u32| LongMemo::hash(&piece(i));
        for i in 0..100_000 {
            assert!(memo.get(&piece(i), hashed(i)).is_none());
            assert!(!memo.is_full());
            memo.insert(&piece(i), hashed(i), &[i, i + 1]);
            assert_eq!(memo.get(&piece(i), hashed(i)), Some(&[i, i + 1][..]));
            let place = memo.keep(&[i, i + 2]).unwrap();
            assert_eq!(memo.ids(place), [i, i + 2]);
        }
        for i in 0..100_000 {
            assert_eq!(memo.get(&piece(i), hashed(i)), Some(&[i, i + 1][..]));
        }
        let long = [b'x'; MOST_BYTES + 1];
        memo.insert(&long, LongMemo::hash(&long), &[1]);
        assert!(memo.get(&long, LongMemo::hash(&long)).is_none());
    }

    #[test]
    fn what_is_full_is_so_before_anything_is_lost() {
        let mut memo = LongMemo::default();
        let mut i = 0u32;
        while !memo.is_full() {
            let piece = i.to_le_bytes().repeat(64);
            memo.insert(&piece, LongMemo::hash(&piece), &[i; 256]);
            i += 1;
        }
        assert!(i > 20_000 && memo.words.len() <= MOST_WORDS);
    }
}
