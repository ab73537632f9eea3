//! Table: short pieces → their ids. The key is the piece itself, so a hit is exact whatever the hash.

use std::hint::select_unpredictable;

use super::long::{LongMemo, RecordPlace};
use super::row::{Form, IdRow, Narrow, PART, Unfit, Wide};
use crate::machine::simd::prefetch;
use crate::machine::storage::Zeroed;
use crate::text::short_key::{Hashed, MOST_BYTES, ShortKey, hash, key};
use crate::text::span::Spans;
use crate::vocab::{TokenId, Vocab};

/// Half a cache line.
#[derive(Debug, Clone, Copy, Default, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(32))]
pub(super) struct Entry {
    /// 0: empty.
    key: ShortKey,
    pub row: IdRow,
}

/// A cache line.
#[derive(Debug, Clone, Copy, Default, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
pub(super) struct Line([Entry; 2]);

/// Entries by open addressing: a piece is in the line of its hash, or in one of the next, up to the first that no other piece had to pass.
/// Pieces that are met often are met early, and so are nearly always in their own line; and most that are new are known to be so by that line
/// alone.
#[derive(Debug, Clone, Copy)]
pub(super) struct View<'a> {
    /// A power of two in number and never all full; or none.
    lines: &'a [Line],
}

/// Pieces that are looked up together: enough for the memory to answer the first while the last is hashed. (32 take a tenth longer where
/// the table is larger than the second-level cache; 256 take as long.)
pub(crate) const GROUP: usize = 128;

impl<'a> View<'a> {
    /// Hashes the first pieces, as many as a group has, and asks the memory for their places. Gives their number.
    #[inline(never)]
    pub(super) fn hash(self, pieces: Spans<[u8]>, long: &LongMemo, keys: &mut [Hashed; GROUP]) -> usize {
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
            let count = entry.row.count();
            if count > F::MOST_IDS {
                elsewhere = entry.row.place();
                break;
            }
            // Written in whole parts; the next one goes over what it did not use.
            // SAFETY: of each key before it at most `MOST_IDS` are used, fewer than two parts, and there is room for two of every key.
            unsafe {
                let room = room.add(used).cast::<[TokenId; PART]>();
                room.write_unaligned(F::part(entry.row, 0));
                if count > PART {
                    room.add(1).write_unaligned(F::part(entry.row, 1));
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
        let entry = &entries[usize::from(entries[1].key == piece.key)];
        if entry.key == piece.key {
            return Some(entry);
        }
        if entries[1].row.is_passed() { self.get_displaced(piece) } else { None }
    }

    /// One that is not in its own line.
    #[inline(never)]
    fn get_displaced(self, piece: &Hashed) -> Option<&'a Entry> {
        let next = (1..).map_while(|step| self.line(piece.hash.wrapping_add(step)));
        for Line(entries) in next {
            let found = entries.iter().find(|entry| entry.key == piece.key);
            if found.is_some() || !entries[1].row.is_passed() {
                return found;
            }
        }
        None
    }
}

#[cold]
fn long_key(piece: &[u8], long: &LongMemo) -> Hashed {
    let hashed = Hashed::long(LongMemo::hash(piece));
    long.prefetch(hashed.long_hash());
    hashed
}

/// Puts an entry into the first free place; there is one.
fn put(lines: &mut [Line], key: ShortKey, row: IdRow) {
    let mask = lines.len() - 1;
    let mut at = hash(key);
    loop {
        let Line(entries) = &mut lines[at & mask];
        // The first is filled first; chosen without a branch, which nothing could predict.
        let place = &mut entries[usize::from(entries[0].key != 0)];
        if place.key == 0 {
            *place = Entry { key, row: row.passed(false) };
            return;
        }
        place.row = place.row.passed(true);
        at = at.wrapping_add(1);
    }
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
            put(self.lines.as_mut_slice(), piece.key, row);
            let (word, bit) = place(piece, self.filter.len());
            self.filter[word] |= 1 << bit;
        }
    }

    /// The ids of a piece that was added.
    pub(crate) fn get(&self, piece: &[u8]) -> Option<&[TokenId]> {
        let hashed = (1..=MOST_BYTES).contains(&piece.len()).then(|| key(piece, 0, piece.len()))?;
        self.get_hashed(&hashed)
    }

    #[inline]
    pub(crate) fn get_hashed(&self, piece: &Hashed) -> Option<&[TokenId]> {
        if self.may_have(piece) { self.view().get(piece).map(|entry| Wide::ids(&entry.row)) } else { None }
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

/// The word and the bit of a piece in so many words; of the half of its hash that does not say its line.
#[inline]
fn place(piece: &Hashed, words: usize) -> (usize, usize) {
    let high = piece.hash >> (usize::BITS / 2);
    ((high / 64) & words.wrapping_sub(1), high % 64)
}

/// The pieces that a worker has met: grows up to a bound, and then starts anew.
#[derive(Debug, Default)]
pub(super) struct Memo {
    lines: Zeroed<Line>,
    used: usize,
    /// Whether ids are not all below 2¹⁶. Nothing says so before the first that is not, with which it starts anew.
    is_wide: bool,
}

/// 128 KiB for those who encode a sentence, 32 MiB at most.
const FIRST_LINES: usize = 1 << 11;
const AT_HOME: usize = 1 << 15;
const MOST_LINES: usize = 1 << 19;

impl Memo {
    #[inline]
    pub(super) fn view(&self) -> View<'_> {
        View { lines: self.lines.as_slice() }
    }

    /// Appends the ids of pieces, as `View::look_up` does.
    #[inline]
    pub(super) fn look_up(&self, keys: &[Hashed], ids: &mut Vec<TokenId>) -> (usize, Option<RecordPlace>) {
        match self.is_wide {
            true => self.view().look_up::<Wide>(keys, ids),
            false => self.view().look_up::<Narrow>(keys, ids),
        }
    }

    /// Remembers a piece that is not there with its ids, unless these are too many.
    pub(super) fn insert(&mut self, piece: &Hashed, ids: &[TokenId]) -> bool {
        let row = if self.is_wide { Wide::row(ids) } else { Narrow::row(ids) };
        match row {
            Ok(row) => self.add(piece.key, row),
            Err(Unfit::TooMany) => return false,
            Err(Unfit::TooLarge) => {
                self.forget();
                self.is_wide = true;
                return self.insert(piece, ids);
            }
        }
        true
    }

    /// Remembers where the ids of a piece are.
    pub(super) fn insert_place(&mut self, piece: &Hashed, place: RecordPlace) {
        self.add(piece.key, IdRow::elsewhere(place));
    }

    fn add(&mut self, key: ShortKey, row: IdRow) {
        let room = self.lines.as_slice().len();
        if 4 * self.used >= 5 * room {
            if room < MOST_LINES { self.grow() } else { self.forget() }
        }
        put(self.lines.as_mut_slice(), key, row);
        self.used += 1;
    }

    fn grow(&mut self) {
        let room = self.lines.as_slice().len();
        // What is at home in the second-level cache grows fast; beyond that, more memory is not all gain.
        let larger = if room < AT_HOME { (4 * room).max(FIRST_LINES) } else { 2 * room };
        let smaller = std::mem::replace(&mut self.lines, Zeroed::new(larger));
        let entries = smaller.as_slice().iter().flat_map(|Line(entries)| entries).filter(|entry| entry.key != 0);
        entries.for_each(|entry| put(self.lines.as_mut_slice(), entry.key, entry.row));
    }

    /// Everything, but not the room for it.
    pub(super) fn forget(&mut self) {
        self.lines.as_mut_slice().fill(Default::default());
        self.used = 0;
    }

    pub(super) fn clear(&mut self) {
        *self = Memo::default();
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
        // Ids become larger than those of a narrow row on the way.
        let pieces: Vec<String> = (0..200_000u32).map(|i| format!("{i:x}")).collect();
        let answer = |i: u32| vec![i; i as usize % 9];
        let mut words = KnownWords::with_room(1000);
        for (i, piece) in (0..1000).zip(&pieces) {
            words.add(&hashed(piece), &answer(i));
        }
        let mut memo = Memo::default();
        for (i, piece) in (0..).zip(&pieces) {
            let in_words = (i < 1000 && answer(i).len() <= 3).then(|| answer(i));
            assert_eq!(words.get_hashed(&hashed(piece)).map(<[TokenId]>::to_vec), in_words);
            assert!(known(&memo, piece).is_none());
            let fits = memo.insert(&hashed(piece), &answer(i));
            assert_eq!(fits, answer(i).len() <= if memo.is_wide { 3 } else { 7 });
            if !fits {
                memo.insert_place(&hashed(piece), i);
            }
            assert_eq!(known(&memo, piece), Some(if fits { Ok(answer(i)) } else { Err(i) }));
        }
        assert!(memo.is_wide);
        let answers = |i: u32| known(&memo, &pieces[i as usize]);
        assert!(
            (0..200_000)
                .all(|i| answers(i).is_none_or(|it| it.map_or_else(|place| place == i, |ids| ids == answer(i))))
        );
        assert!((0..200_000).filter(|&i| answers(i).is_some()).count() > 100_000);
    }
}
