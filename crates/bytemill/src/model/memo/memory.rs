//! Memory: the pieces that were met, with their ids; short ones in a table, the others beside it. The workers of a tokenizer have one of
//! them together, so that what one has computed no other computes again.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use super::long::{MOST_BYTES, PieceRecords, RecordPlace, Slots};
use super::row::{IdRow, Unfit};
use super::table::{GROUP, Memo};
use crate::text::short_key::{self as key, Hashed};
use crate::text::span::Spans;
use crate::vocab::TokenId;

/// What is known at a time. Tables become larger by being copied; a worker that still has a smaller one keeps it until the next group of pieces.
#[derive(Debug, Default, Clone)]
struct KnownPieces {
    memo: Arc<Memo>,
    slots: Arc<Slots>,
    /// What both of them have places in.
    records: Arc<PieceRecords>,
}

/// The memory of several workers. Never waited for: while one makes a table larger, the others go on with what they have, and what they add
/// meanwhile may be forgotten. So nothing is lost in a forked child either.
#[derive(Debug, Default)]
pub struct SharedMemory {
    latest: Mutex<KnownPieces>,
    /// How often `latest` was exchanged.
    version: AtomicUsize,
}

/// A worker's part in it.
#[derive(Debug)]
pub(crate) struct Memory {
    shared: Arc<SharedMemory>,
    known: KnownPieces,
    /// Of `known`.
    version: usize,
    /// Pieces that this worker has added, and that the table has not counted yet.
    uncounted: usize,
    keys: Box<[Hashed; GROUP]>,
}

/// Pieces that are counted together: a number that all write to is slow.
const COUNTED: usize = 32;

impl Default for Memory {
    fn default() -> Self {
        Memory {
            shared: Arc::default(),
            known: KnownPieces::default(),
            version: 0,
            uncounted: 0,
            keys: Box::new([Hashed::default(); GROUP]),
        }
    }
}

impl Memory {
    /// From now on remembers what others do that have joined the same.
    pub(crate) fn join(&mut self, shared: &Arc<SharedMemory>) {
        self.shared = shared.clone();
        (self.known, self.version) = (KnownPieces::default(), 0);
        self.catch_up();
    }

    /// Takes the latest tables, unless somebody is about to exchange them.
    #[cold]
    fn catch_up(&mut self) {
        self.exchange(|_| None);
    }

    /// Exchanges the latest tables, unless another thread is about to, or has done so since; and takes what is the latest then.
    fn exchange(&mut self, change: impl FnOnce(&KnownPieces) -> Option<KnownPieces>) {
        let Ok(mut latest) = self.shared.latest.try_lock() else { return };
        let is_latest = self.version == self.shared.version.load(Ordering::Relaxed);
        if is_latest && let Some(changed) = change(&latest) {
            *latest = changed;
            self.shared.version.fetch_add(1, Ordering::Relaxed);
        }
        self.known = latest.clone();
        self.version = self.shared.version.load(Ordering::Relaxed);
        self.uncounted = 0;
    }

    /// Hashes the first pieces of a text, as many as a group has, and asks the memory for their places. Gives their number.
    #[inline]
    pub(crate) fn hash(&mut self, pieces: Spans<[u8]>) -> usize {
        if self.version != self.shared.version.load(Ordering::Relaxed) {
            self.catch_up();
        }
        self.known.memo.view().hash(pieces, &self.known.slots, &mut self.keys)
    }

    pub(crate) fn keys(&self) -> &[Hashed; GROUP] {
        &self.keys
    }

    /// Appends the ids of pieces that were hashed, as far as they are known. Gives the number of these pieces.
    #[inline]
    pub(crate) fn look_up(&self, pieces: Range<usize>, ids: &mut Vec<TokenId>) -> usize {
        let keys = &self.keys[pieces];
        let mut done = 0;
        loop {
            let (more, elsewhere) = self.known.memo.look_up(&keys[done..], ids);
            done += more;
            let Some(place) = elsewhere else { return done };
            ids.extend_from_slice(self.known.records.get(place).0);
            done += 1;
        }
    }

    /// The key of one piece; appends its ids and gives true if it is known.
    #[inline]
    pub(crate) fn get(&self, text: &[u8], start: usize, end: usize, ids: &mut Vec<TokenId>) -> (Hashed, bool) {
        if end - start > key::MOST_BYTES {
            let hashed = Hashed::long(Slots::hash(&text[start..end]));
            let known = self.recall(&hashed, &text[start..end]);
            known.into_iter().for_each(|known| ids.extend_from_slice(known));
            return (hashed, known.is_some());
        }
        let hashed = key::key(text, start, end - start);
        let (known, elsewhere) = self.known.memo.look_up(&[hashed], ids);
        elsewhere.into_iter().for_each(|place| ids.extend_from_slice(self.known.records.get(place).0));
        (hashed, known > 0 || elsewhere.is_some())
    }

    /// Whether the piece of this number, of those that were hashed, is known.
    #[inline]
    pub(crate) fn knows(&self, number: usize, piece: &[u8]) -> bool {
        let hashed = &self.keys[number];
        match piece.len() > key::MOST_BYTES {
            true => self.recall(hashed, piece).is_some(),
            false => self.known.memo.view().get(hashed).is_some(),
        }
    }

    /// The ids of a piece that `look_up` stopped at, if it is too long for the table.
    #[inline]
    pub(crate) fn recall(&self, hashed: &Hashed, piece: &[u8]) -> Option<&[TokenId]> {
        let KnownPieces { slots, records, .. } = &self.known;
        (piece.len() > key::MOST_BYTES).then(|| slots.get(piece, hashed.long_hash(), records)).flatten()
    }

    /// Remembers a piece that is not there.
    pub(crate) fn remember(&mut self, hashed: &Hashed, piece: &[u8], ids: &[TokenId]) {
        if piece.len() > key::MOST_BYTES {
            return self.remember_long(hashed, piece, ids);
        }
        self.uncounted += 1;
        if self.uncounted >= COUNTED || self.known.memo.is_empty() {
            self.count();
        }
        // After everything that exchanges tables: only the one that a row is made for knows how to read it.
        let mut row = self.known.memo.row(ids);
        if let Err(Unfit::TooLarge) = row {
            // Nothing says how large ids are before the first one that is.
            self.exchange(|known| Some(known.forgotten(true)));
            row = self.known.memo.row(ids);
        }
        if let Some(row) = row.ok().or_else(|| self.keep(b"", ids).map(IdRow::elsewhere)) {
            self.known.memo.put(hashed, row);
        }
    }

    /// Tells the table what was added to it, and has it grow.
    #[cold]
    fn count(&mut self) {
        if self.known.memo.count(std::mem::take(&mut self.uncounted)) {
            self.exchange(|known| {
                let larger = known.memo.larger().map(|memo| KnownPieces { memo: memo.into(), ..known.clone() });
                larger.or_else(|| Some(known.forgotten(known.memo.is_wide())))
            });
        }
    }

    fn remember_long(&mut self, hashed: &Hashed, piece: &[u8], ids: &[TokenId]) {
        if self.known.slots.is_full() {
            self.exchange(|known| {
                let larger = known.slots.larger().map(|slots| KnownPieces { slots: slots.into(), ..known.clone() });
                larger.or_else(|| Some(known.forgotten(known.memo.is_wide())))
            });
        }
        if let Some(place) = self.keep(piece, ids) {
            self.known.slots.put(hashed.long_hash(), place);
        }
    }

    /// Keeps a record, unless it is too long. If there is no room for it, everything else is forgotten.
    fn keep(&mut self, piece: &[u8], ids: &[TokenId]) -> Option<RecordPlace> {
        // No token is empty, so that there are no more ids than bytes; but a file may be damaged.
        if piece.len() > MOST_BYTES || ids.len() > MOST_BYTES {
            return None;
        }
        self.known.records.keep(piece, ids).or_else(|| {
            self.exchange(|known| Some(known.forgotten(known.memo.is_wide())));
            self.known.records.keep(piece, ids)
        })
    }
}

impl KnownPieces {
    /// Everything gone that has places in the records, and these.
    fn forgotten(&self, is_wide: bool) -> Self {
        KnownPieces { memo: self.memo.emptied(is_wide).into(), ..KnownPieces::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pieces of all lengths, with ids that become large and many.
    fn piece(i: u32) -> (String, Vec<TokenId>) {
        (format!("{i:0width$}", width = 1 + i as usize % 40), vec![i; 1 + i as usize % 11])
    }

    /// Looks pieces up and remembers those that are new. Gives the number of these.
    fn meet(memory: &mut Memory, numbers: Range<u32>) -> usize {
        let mut new = 0;
        for i in numbers {
            let (text, right) = piece(i);
            let mut ids = Vec::new();
            memory.hash(Spans::new(text.as_bytes(), &[0], &[text.len()]));
            let hashed = memory.keys()[0];
            let found = memory.look_up(0..1, &mut ids) == 1;
            let long = memory.recall(&hashed, text.as_bytes()).map(<[TokenId]>::to_vec);
            match found.then_some(ids).or(long) {
                Some(ids) => assert_eq!(ids, right, "{text}"),
                None => {
                    memory.remember(&hashed, text.as_bytes(), &right);
                    new += 1;
                }
            }
        }
        new
    }

    #[test]
    fn what_one_has_computed_the_other_knows() {
        let shared = Arc::default();
        let [mut one, mut other] = [(); 2].map(|()| Memory::default());
        one.join(&shared);
        other.join(&shared);
        assert_eq!(meet(&mut one, 70_000..90_000), 20_000);
        // All but what came before the first large id that was looked at.
        assert!(meet(&mut other, 70_000..90_000) < 11);
        assert_eq!(meet(&mut other, 70_000..90_000), 0);
        assert_eq!(meet(&mut Memory::default(), 70_000..70_100), 100);
        other.join(&Arc::default());
        assert_eq!(meet(&mut other, 70_000..70_100), 100);
    }

    #[test]
    fn workers_add_and_exchange_tables_at_the_same_time() {
        let shared = Arc::<SharedMemory>::default();
        std::thread::scope(|scope| {
            for part in 0..4 {
                let shared = &shared;
                scope.spawn(move || {
                    let mut memory = Memory::default();
                    memory.join(shared);
                    // Around the id from which on ids are large, and with much in common.
                    (0..3).for_each(|_| _ = meet(&mut memory, 1_000 * part..1_000 * part + 90_000));
                });
            }
        });
        let mut later = Memory::default();
        later.join(&shared);
        assert!(meet(&mut later, 80_000..90_000) < 5_000);
    }
}
