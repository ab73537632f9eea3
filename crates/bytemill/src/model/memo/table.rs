//! Table: short pieces → their ids. The key is the piece itself, so a hit is exact whatever the hash. Threads read one table and fill it
//! for one another: an entry is written once, its key last, and nobody waits.

use std::hint::select_unpredictable;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::long::{RecordPlace, Slots};
use super::row::{Form, IdRow, Narrow, PART, PASSED, Unfit, Wide};
use crate::machine::simd::prefetch;
use crate::machine::storage::Zeroed;
use crate::text::short_key::{Hashed, MOST_BYTES, ShortKey, hash, key};
use crate::text::span::Spans;
use crate::vocab::{TokenId, Vocab};

/// Half a cache line.
#[derive(Debug, Default, bytemuck::Zeroable)]
#[repr(C, align(32))]
pub(super) struct Entry {
    /// 0 until all else is written.
    high: AtomicU64,
    low: AtomicU64,
    /// The halves of a row; 0 while the entry is nobody's.
    row: [AtomicU64; 2],
}

impl Entry {
    /// Whether it is that of a key. If so, its row is there too.
    #[inline(always)]
    fn is(&self, key: ShortKey) -> bool {
        // Before the other half: a reader that sees the key that was written last sees what was written before it.
        let high = self.high.load(Ordering::Acquire);
        let low = self.low.load(Ordering::Relaxed);
        // Both halves at once: nothing could predict a branch between them.
        (high ^ (key >> 64) as u64) | (low ^ key as u64) == 0
    }

    fn key(&self) -> Option<ShortKey> {
        let high = self.high.load(Ordering::Acquire);
        (high != 0).then(|| ShortKey::from(high) << 64 | ShortKey::from(self.low.load(Ordering::Relaxed)))
    }

    #[inline(always)]
    fn row(&self) -> IdRow {
        IdRow::of_halves([self.row[0].load(Ordering::Relaxed), self.row[1].load(Ordering::Relaxed)])
    }

    /// Writes a key with its row, unless the entry is another's.
    fn take(&self, key: ShortKey, row: IdRow) -> bool {
        let [low, high] = row.halves();
        if self.row[1].load(Ordering::Relaxed) != 0
            || self.row[1].compare_exchange(0, high, Ordering::Relaxed, Ordering::Relaxed).is_err()
        {
            return false;
        }
        self.row[0].store(low, Ordering::Relaxed);
        self.low.store(key as u64, Ordering::Relaxed);
        self.high.store((key >> 64) as u64, Ordering::Release);
        true
    }

    /// Whether pieces were put into a later line, the one that this entry ends being full.
    #[inline]
    fn is_passed(&self) -> bool {
        self.row[1].load(Ordering::Relaxed) & PASSED != 0
    }

    fn pass(&self) {
        if !self.is_passed() {
            self.row[1].fetch_or(PASSED, Ordering::Relaxed);
        }
    }
}

/// A cache line.
#[derive(Debug, Default, bytemuck::Zeroable)]
#[repr(C, align(64))]
pub(super) struct Line([Entry; 2]);

/// Entries by open addressing: a piece is in the line of its hash, or in one of the next, up to the first that no other piece had to pass.
/// Pieces that are met often are met early, and so are nearly always in their own line; and most that are new are known to be so by that line
/// alone.
#[derive(Debug, Clone, Copy)]
pub(super) struct View<'a> {
    /// A power of two in number; or none.
    lines: &'a [Line],
}

/// Pieces that are looked up together: enough for the memory to answer the first while the last is hashed. (32 take a tenth longer where
/// the table is larger than the second-level cache; 256 take as long.)
pub(crate) const GROUP: usize = 128;
/// Lines that a piece is looked for in: far more than it takes as long as a table is not nearly full.
const FARTHEST: usize = 128;

impl<'a> View<'a> {
    /// Hashes the first pieces, as many as a group has, and asks the memory for their places. Gives their number.
    #[inline(never)]
    pub(super) fn hash(self, pieces: Spans<[u8]>, long: &Slots, keys: &mut [Hashed; GROUP]) -> usize {
        let Spans { text, starts, ends } = pieces;
        let count = starts.len().min(ends.len()).min(GROUP);
        let (starts, ends, keys) = (&starts[..count], &ends[..count], &mut keys[..count]);
        for i in 0..count {
            let length = ends[i] - starts[i];
            if length > MOST_BYTES {
                keys[i] = long_key(&text[starts[i]..ends[i]], long);
                continue;
            }
            keys[i] = key(text, starts[i], length);
            self.prefetch(keys[i]);
        }
        count
    }

    /// Appends the ids of pieces, as far as they are known and few. Gives the number of these pieces, and where the ids of the next one are
    /// if they are elsewhere.
    #[inline(never)]
    pub(super) fn look_up<F: Form>(self, keys: &[Hashed], ids: &mut Vec<TokenId>) -> (usize, Option<RecordPlace>) {
        let (mut done, mut used, mut elsewhere) = (0, 0, None);
        ids.reserve((keys.len() + 1) * 2 * PART);
        let room = ids.spare_capacity_mut().as_mut_ptr().cast::<TokenId>();
        for key in keys {
            let Some(entry) = self.get(key) else { break };
            let row = entry.row();
            let count = row.count();
            if count > F::MOST_IDS {
                elsewhere = row.place();
                break;
            }
            // Written in whole parts; the next one goes over what it did not use.
            // SAFETY: of each key before it at most `MOST_IDS` are used, fewer than two parts, and there is room for two of every key.
            unsafe {
                let room = room.add(used).cast::<[TokenId; PART]>();
                room.write_unaligned(F::part(row, 0));
                if count > PART {
                    room.add(1).write_unaligned(F::part(row, 1));
                }
            }
            used += count;
            done += 1;
        }
        let length = ids.len() + used;
        // SAFETY: each row is followed by one that starts inside it or where its ids end, so that all up to `used` are written.
        unsafe { ids.set_len(length) };
        (done, elsewhere)
    }

    #[inline]
    pub(super) fn prefetch(self, piece: Hashed) {
        self.line(piece.hash).into_iter().for_each(prefetch);
    }

    #[inline]
    fn line(self, hash: usize) -> Option<&'a Line> {
        self.lines.get(hash & self.lines.len().wrapping_sub(1))
    }

    #[inline(always)]
    pub(super) fn get(self, piece: &Hashed) -> Option<&'a Entry> {
        let Line(entries) = self.line(piece.hash)?;
        // Chosen without a branch, which nothing could predict.
        let (first, second) = (entries[0].is(piece.key), entries[1].is(piece.key));
        if first | second {
            return Some(&entries[usize::from(second)]);
        }
        if entries[1].is_passed() { self.get_displaced(piece) } else { None }
    }

    /// One that is not in its own line.
    #[inline(never)]
    fn get_displaced(self, piece: &Hashed) -> Option<&'a Entry> {
        let next = (1..FARTHEST).map_while(|step| self.line(piece.hash.wrapping_add(step)));
        for Line(entries) in next {
            let found = entries.iter().find(|entry| entry.is(piece.key));
            if found.is_some() || !entries[1].is_passed() {
                return found;
            }
        }
        None
    }

    /// Puts an entry into the first free place, unless that is far away or the key is there.
    fn put(self, key: ShortKey, row: IdRow) {
        let near = (0..FARTHEST).map_while(|step| self.line(hash(key).wrapping_add(step)));
        for Line(entries) in near {
            // Another thread may have been faster.
            if entries.iter().any(|entry| entry.is(key) || entry.take(key, row)) {
                return;
            }
            entries[1].pass();
        }
    }
}

#[cold]
fn long_key(piece: &[u8], long: &Slots) -> Hashed {
    let hashed = Hashed::long(Slots::hash(piece));
    long.prefetch(hashed.long_hash());
    hashed
}

/// The pieces that a vocabulary itself suggests: filled once, shared by all threads.
#[derive(Debug, Default)]
pub(crate) struct KnownWords {
    lines: Zeroed<Line>,
    /// A bit for each piece, in eight or more times as many: most pieces that are asked for are none of these, which a bit that is not set
    /// tells from a hundredth of the memory.
    filter: Vec<u64>,
}

impl KnownWords {
    pub(crate) fn with_room(most: usize) -> Self {
        // Up to four fifths full: what is not here is seldom looked for.
        let lines = (5 * most / 8 + 1).next_power_of_two();
        KnownWords { lines: Zeroed::new(lines), filter: vec![0; (most / 8).next_power_of_two()] }
    }

    /// The tokens of a vocabulary that are chosen, and short enough, each as a piece that is that token.
    pub(crate) fn of(vocab: &Vocab, chosen: impl Fn(&[u8]) -> bool) -> Self {
        let is_here = |(_, token): &(TokenId, &[u8])| (1..=MOST_BYTES).contains(&token.len()) && chosen(token);
        let here: Vec<(TokenId, &[u8])> = vocab.tokens().filter(is_here).collect();
        let mut words = KnownWords::with_room(here.len());
        for (id, token) in here {
            words.add(&key(token, 0, token.len()), &[id]);
        }
        words
    }

    /// Adds a piece, if its ids are few enough; at most as many as there is room for.
    pub(crate) fn add(&mut self, piece: &Hashed, ids: &[TokenId]) {
        if let Ok(row) = Wide::row(ids) {
            self.view().put(piece.key, row);
            let (word, bit) = place(piece, self.filter.len());
            self.filter[word] |= 1 << bit;
        }
    }

    /// The ids of a piece that was added.
    pub(crate) fn get(&self, piece: &[u8]) -> Option<IdRow> {
        let hashed = (1..=MOST_BYTES).contains(&piece.len()).then(|| key(piece, 0, piece.len()))?;
        self.get_hashed(&hashed)
    }

    #[inline]
    pub(crate) fn get_hashed(&self, piece: &Hashed) -> Option<IdRow> {
        if self.may_have(piece) { self.view().get(piece).map(Entry::row) } else { None }
    }

    /// Asks the memory for the place of a piece, or for any if it is none of these: nothing could predict which.
    #[inline]
    pub(crate) fn prefetch(&self, piece: &Hashed) {
        let hash = select_unpredictable(self.may_have(piece), piece.hash, 0);
        self.view().line(hash).into_iter().for_each(prefetch);
    }

    /// Asks the memory for the place of a piece that will be added.
    #[inline]
    pub(crate) fn prefetch_place(&self, piece: &Hashed) {
        self.view().prefetch(*piece);
    }

    #[inline]
    fn may_have(&self, piece: &Hashed) -> bool {
        let (word, bit) = place(piece, self.filter.len());
        self.filter.get(word).is_some_and(|word| word >> bit & 1 == 1)
    }

    #[inline]
    fn view(&self) -> View<'_> {
        View { lines: self.lines.as_slice() }
    }
}

/// The word and the bit of a piece in `words` words; from the half of its hash that does not say its line.
#[inline]
fn place(piece: &Hashed, words: usize) -> (usize, usize) {
    let high = piece.hash >> (usize::BITS / 2);
    ((high / 64) & words.wrapping_sub(1), high % 64)
}

/// The pieces that were met, in a table of some size.
#[derive(Debug, Default)]
pub(super) struct Memo {
    lines: Zeroed<Line>,
    /// Pieces in it, or a few less: a worker that adds some counts them together.
    used: AtomicUsize,
    /// Whether ids are not all below 2¹⁶.
    is_wide: bool,
}

/// 128 KiB for programs that encode one sentence, 32 MiB at most.
const FIRST_LINES: usize = 1 << 11;
const AT_HOME: usize = 1 << 15;
const MOST_LINES: usize = 1 << 19;

impl Memo {
    #[inline]
    pub(super) fn view(&self) -> View<'_> {
        View { lines: self.lines.as_slice() }
    }

    pub(super) fn is_wide(&self) -> bool {
        self.is_wide
    }

    /// Whether there is no room in it at all.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.lines.as_slice().is_empty()
    }

    /// Appends the ids of pieces, as `View::look_up` does.
    #[inline]
    pub(super) fn look_up(&self, keys: &[Hashed], ids: &mut Vec<TokenId>) -> (usize, Option<RecordPlace>) {
        match self.is_wide {
            true => self.view().look_up::<Wide>(keys, ids),
            false => self.view().look_up::<Narrow>(keys, ids),
        }
    }

    /// Ids as an entry holds them.
    pub(super) fn row(&self, ids: &[TokenId]) -> Result<IdRow, Unfit> {
        if self.is_wide { Wide::row(ids) } else { Narrow::row(ids) }
    }

    /// Remembers a piece with its row.
    pub(super) fn put(&self, piece: &Hashed, row: IdRow) {
        self.view().put(piece.key, row);
    }

    /// Counts what was added. Whether there is so much of it that it is time for a larger one.
    pub(super) fn count(&self, more: usize) -> bool {
        4 * (self.used.fetch_add(more, Ordering::Relaxed) + more) >= 5 * self.lines.as_slice().len()
    }

    /// A larger one with what is here; None if there is none larger.
    pub(super) fn larger(&self) -> Option<Self> {
        let room = self.lines.as_slice().len();
        if room >= MOST_LINES {
            return None;
        }
        // A table that fits into the second-level cache grows fast; beyond that, more memory is not all gain.
        let larger = if room < AT_HOME { (4 * room).max(FIRST_LINES) } else { 2 * room };
        let mut larger = Memo { lines: Zeroed::new(larger), used: AtomicUsize::new(0), is_wide: self.is_wide };
        let entries = self.lines.as_slice().iter().flat_map(|Line(entries)| entries);
        for (key, entry) in entries.filter_map(|entry| Some((entry.key()?, entry))) {
            larger.view().put(key, entry.row());
            *larger.used.get_mut() += 1;
        }
        Some(larger)
    }

    /// One with nothing in it, for ids of any size or for small ones.
    pub(super) fn emptied(&self, is_wide: bool) -> Self {
        Memo { lines: Zeroed::new(self.lines.as_slice().len()), used: AtomicUsize::new(0), is_wide }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hashed(piece: &str) -> Hashed {
        key(piece.as_bytes(), 0, piece.len())
    }

    /// The ids of a piece, or where they are.
    fn known(memo: &Memo, piece: &str) -> Option<Result<Vec<TokenId>, RecordPlace>> {
        let mut ids = Vec::new();
        match memo.look_up(&[hashed(piece)], &mut ids) {
            (_, Some(place)) => Some(Err(place)),
            (count, None) => (count > 0).then_some(Ok(ids)),
        }
    }

    #[test]
    fn tables_answer_what_they_were_told_or_nothing() {
        let pieces: Vec<String> = (0..200_000u32).map(|i| format!("{i:x}")).collect();
        let answer = |i: u32| vec![i; i as usize % 9];
        let appended = |row: IdRow| {
            let mut ids = Vec::new();
            row.append_wide(&mut ids);
            ids
        };
        let mut words = KnownWords::with_room(1000);
        for (i, piece) in (0..1000).zip(&pieces) {
            words.add(&hashed(piece), &answer(i));
        }
        let mut memo = Memo::default();
        for (i, piece) in (0..).zip(&pieces) {
            let in_words = (i < 1000 && answer(i).len() <= 3).then(|| answer(i));
            assert_eq!(words.get_hashed(&hashed(piece)).map(appended), in_words);
            assert!(known(&memo, piece).is_none());
            if memo.count(1) {
                memo = memo.larger().unwrap();
            }
            let row = memo.row(&answer(i)).or_else(|unfit| {
                if unfit == Unfit::TooLarge {
                    memo = memo.emptied(true);
                }
                memo.row(&answer(i))
            });
            assert_eq!(row.is_ok(), answer(i).len() <= if memo.is_wide { 3 } else { 7 });
            memo.put(&hashed(piece), row.unwrap_or(IdRow::elsewhere(i)));
            memo.put(&hashed(piece), IdRow::elsewhere(0));
            assert_eq!(known(&memo, piece), Some(if row.is_ok() { Ok(answer(i)) } else { Err(i) }));
        }
        assert!(memo.is_wide);
        let answers = |i: u32| known(&memo, &pieces[i as usize]);
        assert!(
            (0..200_000)
                .all(|i| answers(i).is_none_or(|it| it.map_or_else(|place| place == i, |ids| ids == answer(i))))
        );
        assert!((0..200_000).filter(|&i| answers(i).is_some()).count() > 100_000);
    }

    #[test]
    fn a_table_that_cannot_grow_fills_up_and_still_answers() {
        let memo = Memo::default().larger().unwrap();
        let pieces: Vec<String> = (0..3 * 2 * FIRST_LINES).map(|i| i.to_string()).collect();
        pieces.iter().zip(0..).for_each(|(piece, i)| memo.put(&hashed(piece), IdRow::elsewhere(i)));
        let found = (0..).zip(&pieces).filter_map(|(i, piece)| Some(known(&memo, piece)? == Err(i)));
        assert!(found.clone().all(|right| right) && found.count() > FIRST_LINES);
    }

    #[test]
    fn threads_fill_a_table_for_one_another() {
        let memo = Memo::default().larger().and_then(|memo| memo.larger()).unwrap();
        let pieces: Vec<String> = (0..5_000).map(|i| i.to_string()).collect();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for (i, piece) in (0..).zip(&pieces) {
                        assert!(known(&memo, piece).is_none_or(|ids| ids == Ok(vec![i, i + 1])));
                        memo.put(&hashed(piece), memo.row(&[i, i + 1]).unwrap());
                    }
                });
            }
        });
        assert!((0..).zip(&pieces).all(|(i, piece)| known(&memo, piece) == Some(Ok(vec![i, i + 1]))));
    }
}
