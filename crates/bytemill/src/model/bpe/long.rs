//! Long pieces → their ids: what the table's entries have no room for. Exact by comparing the pieces themselves.

use crate::hash::hash;
use crate::index;
use crate::vocab::TokenId;

/// Longer pieces seldom come again.
const MOST_BYTES: usize = 256;
/// What is kept before all of it is forgotten: some 16 MiB.
const MOST_TEXT: usize = 6 << 20;
const MOST_ENTRIES: usize = 1 << 17;

#[derive(Debug, Default)]
pub struct LongMemo {
    slots: Vec<u64>,
    entries: Vec<Entry>,
    text: Vec<u8>,
    ids: Vec<TokenId>,
}

/// Where the piece and its ids end; they start where those of the entry before end.
#[derive(Debug, Clone, Copy)]
struct Entry {
    text: u32,
    ids: u32,
}

impl LongMemo {
    /// Appends the ids of a piece, if it is known.
    pub fn get(&self, piece: &[u8], ids: &mut Vec<TokenId>) -> bool {
        if self.slots.is_empty() || piece.len() > MOST_BYTES {
            return false;
        }
        match index::find(&self.slots, hash(piece), |number| self.entry(number).0 == piece) {
            Ok(number) => {
                ids.extend_from_slice(self.entry(number).1);
                true
            }
            Err(_) => false,
        }
    }

    /// Remembers a piece that is not there.
    pub fn insert(&mut self, piece: &[u8], ids: &[TokenId]) {
        if piece.len() > MOST_BYTES {
            return;
        }
        if self.text.len() + piece.len() > MOST_TEXT || self.entries.len() == MOST_ENTRIES {
            self.clear();
        }
        if 2 * (self.entries.len() + 1) > self.slots.len() {
            self.grow();
        }
        let hash = hash(piece);
        if let Err(free) = index::find(&self.slots, hash, |number| self.entry(number).0 == piece) {
            self.slots[free] = index::slot(hash, self.entries.len() as u32);
            self.text.extend_from_slice(piece);
            self.ids.extend_from_slice(ids);
            self.entries.push(Entry { text: self.text.len() as u32, ids: self.ids.len() as u32 });
        }
    }

    fn entry(&self, number: u32) -> (&[u8], &[TokenId]) {
        let number = number as usize;
        let start = number.checked_sub(1).map_or(Entry { text: 0, ids: 0 }, |before| self.entries[before]);
        let end = self.entries[number];
        (&self.text[start.text as usize..end.text as usize], &self.ids[start.ids as usize..end.ids as usize])
    }

    fn grow(&mut self) {
        let mut slots = index::empty(self.slots.len().max(1 << 9));
        for number in 0..self.entries.len() as u32 {
            let hash = hash(self.entry(number).0);
            if let Err(free) = index::find(&slots, hash, |_| false) {
                slots[free] = index::slot(hash, number);
            }
        }
        self.slots = slots;
    }

    pub fn clear(&mut self) {
        *self = LongMemo::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_what_it_was_told_or_nothing() {
        let mut memo = LongMemo::default();
        let piece = |i: u32| format!("{i:0width$}", width = 16 + i as usize % 100).into_bytes();
        for i in 0..150_000 {
            let mut ids = vec![7];
            assert!(!memo.get(&piece(i), &mut ids));
            memo.insert(&piece(i), &[i, i + 1]);
            assert!(memo.get(&piece(i), &mut ids));
            assert_eq!(ids, [7, i, i + 1]);
        }
        let known = (0..150_000).filter(|&i| {
            let mut ids = Vec::new();
            memo.get(&piece(i), &mut ids) && {
                assert_eq!(ids, [i, i + 1]);
                true
            }
        });
        assert!(known.count() > 10_000);
        memo.insert(&[b'x'; 257], &[1]);
        assert!(!memo.get(&[b'x'; 257], &mut Vec::new()));
    }
}
