//! Table: short pieces → their ids. The key is the piece itself, so a hit is exact whatever the hash.

use crate::simd::prefetch;
use crate::vocab::TokenId;

/// Pieces of up to so many bytes have a key.
pub const MOST_BYTES: usize = 15;
/// An entry holds up to so many ids.
pub const MOST_IDS: usize = 3;

/// The bytes of a piece, and its length above them: no two pieces share one, and none is zero.
pub type Key = u128;

/// A key and its hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hashed {
    key: Key,
    hash: usize,
}

/// The key of the piece of `length` bytes at `start`, which is not empty. Reads sixteen bytes at once where the text has them.
#[inline]
pub fn key(text: &[u8], start: usize, length: usize) -> Option<Hashed> {
    if length > MOST_BYTES {
        return None;
    }
    let bytes = match text.get(start..start + 16).and_then(|bytes| bytes.first_chunk::<16>()) {
        Some(bytes) => *bytes,
        None => {
            let mut padded = [0; 16];
            padded[..length].copy_from_slice(&text[start..start + length]);
            padded
        }
    };
    let kept = (1u128 << (8 * length)) - 1;
    let key = u128::from_le_bytes(bytes) & kept | (length as u128) << 120;
    Some(Hashed { key, hash: hash(key) })
}

/// Half a cache line.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(32))]
struct Entry {
    /// 0: empty.
    key: Key,
    ids: [TokenId; MOST_IDS],
    count: u32,
}

impl Entry {
    /// None where the ids are too many for an entry.
    fn new(key: Key, answer: &[TokenId]) -> Option<Self> {
        let mut ids = [0; MOST_IDS];
        ids.get_mut(..answer.len())?.copy_from_slice(answer);
        Some(Entry { key, ids, count: answer.len() as u32 })
    }

    #[inline]
    fn ids(&self) -> &[TokenId] {
        &self.ids[..(self.count as usize).min(MOST_IDS)]
    }
}

#[inline]
fn hash(key: Key) -> usize {
    let (low, high) = (key as u64, (key >> 64) as u64);
    let product = u128::from(low ^ 0x2d35_8dcc_aa6c_78a5) * u128::from(high ^ 0x8bb8_4b93_962e_acc9);
    (product as u64 ^ (product >> 64) as u64) as usize
}

/// The pieces that a vocabulary itself suggests: filled once, shared by all threads.
#[derive(Debug)]
pub struct Words {
    entries: Vec<Entry>,
}

impl Words {
    /// Of the given pieces, those that fit; there are at most `most`.
    pub fn new<'a>(most: usize, answers: impl Iterator<Item = (&'a [u8], Vec<TokenId>)>) -> Self {
        // At most half full: a miss ends soon.
        let mut entries = vec![Entry::default(); (2 * most).next_power_of_two().max(2)];
        let mask = entries.len() - 1;
        for (piece, answer) in answers.take(most) {
            let Some(Hashed { key, hash }) = key(piece, 0, piece.len()) else { continue };
            let Some(entry) = Entry::new(key, &answer) else { continue };
            let mut at = hash & mask;
            while entries[at].key != 0 {
                at = (at + 1) & mask;
            }
            entries[at] = entry;
        }
        Words { entries }
    }

    #[inline]
    pub fn get(&self, piece: &Hashed) -> Option<&[TokenId]> {
        let mask = self.entries.len() - 1;
        let mut at = piece.hash;
        loop {
            let entry = &self.entries[at & mask];
            if entry.key == piece.key {
                return Some(entry.ids());
            }
            if entry.key == 0 {
                return None;
            }
            at = at.wrapping_add(1);
        }
    }
}

/// The pieces that a worker has met: grows up to a bound, and then starts anew.
#[derive(Debug, Default)]
pub struct Memo {
    /// Pairs of entries, each a cache line, filled from the left. A piece is in the line of its hash, or, where that was full, in one of the
    /// next ones up to the first that is not.
    lines: Vec<[Entry; 2]>,
    used: usize,
}

/// 2 MiB to begin with, at home in a second-level cache; 32 MiB at most.
const FIRST_LINES: usize = 1 << 15;
const MOST_LINES: usize = 1 << 19;

impl Memo {
    #[inline]
    pub fn prefetch(&self, piece: Hashed) {
        if let Some(line) = self.lines.get(piece.hash & self.lines.len().wrapping_sub(1)) {
            prefetch(line);
        }
    }

    #[inline]
    pub fn get(&self, piece: &Hashed) -> Option<&[TokenId]> {
        let mask = self.lines.len().wrapping_sub(1);
        let mut at = piece.hash;
        loop {
            let line = self.lines.get(at & mask)?;
            // Both are looked at before anything is decided: which of the two it is cannot be predicted.
            let second = line[1].key == piece.key;
            if line[0].key == piece.key || second {
                return Some(line[usize::from(second)].ids());
            }
            if line[1].key == 0 {
                return None;
            }
            at = at.wrapping_add(1);
        }
    }

    /// Remembers a piece that is not there.
    pub fn insert(&mut self, piece: &Hashed, answer: &[TokenId]) {
        let Some(entry) = Entry::new(piece.key, answer) else { return };
        if self.lines.is_empty() {
            self.lines = vec![Default::default(); FIRST_LINES];
        } else if self.used >= self.lines.len() && self.lines.len() < MOST_LINES {
            self.grow();
        } else if 2 * self.used >= 3 * self.lines.len() {
            self.lines.fill(Default::default());
            self.used = 0;
        }
        put(&mut self.lines, entry);
        self.used += 1;
    }

    fn grow(&mut self) {
        let mut lines = vec![Default::default(); 2 * self.lines.len()];
        let entries = self.lines.iter().flatten().filter(|entry| entry.key != 0);
        entries.for_each(|&entry| put(&mut lines, entry));
        self.lines = lines;
    }

    pub fn clear(&mut self) {
        *self = Memo::default();
    }
}

/// Puts an entry into the first free place from its line on; there is one.
fn put(lines: &mut [[Entry; 2]], entry: Entry) {
    let mask = lines.len() - 1;
    let mut at = hash(entry.key);
    loop {
        if let Some(free) = lines[at & mask].iter_mut().find(|entry| entry.key == 0) {
            *free = entry;
            return;
        }
        at = at.wrapping_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_differ_and_do_not_depend_on_what_follows() {
        let text = b"abcabcdefghijklmnopqrstuvwxyz";
        assert_eq!(key(text, 0, 3), key(b"abc", 0, 3));
        assert_eq!(key(text, 0, 3), key(text, 3, 3));
        assert_ne!(key(b"a\0", 0, 2), key(b"a", 0, 1));
        assert_eq!(key(text, 0, 16), None);
        assert_eq!(key(text, text.len() - 15, 15), key(&text[text.len() - 15..], 0, 15));
    }

    #[test]
    fn tables_answer_what_they_were_told_or_nothing() {
        let pieces: Vec<String> = (0..200_000u32).map(|i| format!("{i:x}")).collect();
        let answer = |i: u32| vec![i; i as usize % 5];
        let answers = (0..1000).map(|i| (pieces[i as usize].as_bytes(), answer(i)));
        let words = Words::new(1000, answers);
        let mut memo = Memo::default();
        for (i, piece) in (0..).zip(&pieces) {
            let key = key(piece.as_bytes(), 0, piece.len()).unwrap();
            let fits = answer(i).len() <= MOST_IDS;
            assert_eq!(words.get(&key), (i < 1000 && fits).then_some(&answer(i)[..]));
            assert_eq!(memo.get(&key), None);
            memo.insert(&key, &answer(i));
            assert_eq!(memo.get(&key), fits.then_some(&answer(i)[..]));
        }
        let known = |i: usize| memo.get(&key(pieces[i].as_bytes(), 0, pieces[i].len()).unwrap());
        assert!((0..pieces.len()).all(|i| known(i).is_none_or(|ids| ids == answer(i as u32))));
        assert!((0..pieces.len()).filter(|&i| known(i).is_some()).count() > 100_000);
    }
}
