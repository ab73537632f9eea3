//! Memory: the pieces that a worker has met, with their ids; short ones in a table, the others behind it.

use std::ops::Range;

use super::long::LongMemo;
use super::table::{GROUP, Memo};
use crate::text::short_key::{self as key, Hashed};
use crate::text::span::Spans;
use crate::vocab::TokenId;

#[derive(Debug)]
pub(crate) struct Memory {
    memo: Memo,
    long: LongMemo,
    keys: Box<[Hashed; GROUP]>,
}

impl Default for Memory {
    fn default() -> Self {
        Memory { memo: Memo::default(), long: LongMemo::default(), keys: Box::new([Hashed::default(); GROUP]) }
    }
}

impl Memory {
    pub(crate) fn clear(&mut self) {
        self.memo.clear();
        self.long.clear();
    }

    /// Hashes the first pieces of a text, as many as a group has, and asks the memory for their places. Gives their number.
    #[inline]
    pub(crate) fn hash(&mut self, pieces: Spans<[u8]>) -> usize {
        self.memo.view().hash(pieces, &self.long, &mut self.keys)
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
            let (more, elsewhere) = self.memo.look_up(&keys[done..], ids);
            done += more;
            let Some(place) = elsewhere else { return done };
            ids.extend_from_slice(self.long.ids(place));
            done += 1;
        }
    }

    /// The key of one piece; appends its ids and gives true if it is known.
    #[inline]
    pub(crate) fn get(&self, text: &[u8], start: usize, end: usize, ids: &mut Vec<TokenId>) -> (Hashed, bool) {
        if end - start > key::MOST_BYTES {
            let hashed = Hashed::long(LongMemo::hash(&text[start..end]));
            let known = self.long.get(&text[start..end], hashed.long_hash());
            known.into_iter().for_each(|known| ids.extend_from_slice(known));
            return (hashed, known.is_some());
        }
        let hashed = key::key(text, start, end - start);
        let (known, elsewhere) = self.memo.look_up(&[hashed], ids);
        elsewhere.into_iter().for_each(|place| ids.extend_from_slice(self.long.ids(place)));
        (hashed, known > 0 || elsewhere.is_some())
    }

    /// Whether the piece of this number, of those that were hashed, is known.
    #[inline]
    pub(crate) fn knows(&self, number: usize, piece: &[u8]) -> bool {
        let hashed = &self.keys[number];
        match piece.len() > key::MOST_BYTES {
            true => self.long.get(piece, hashed.long_hash()).is_some(),
            false => self.memo.view().get(hashed).is_some(),
        }
    }

    /// The ids of a piece that `look_up` stopped at, if it is too long for the table.
    #[inline]
    pub(crate) fn recall(&self, hashed: &Hashed, piece: &[u8]) -> Option<&[TokenId]> {
        (piece.len() > key::MOST_BYTES).then(|| self.long.get(piece, hashed.long_hash())).flatten()
    }

    /// Remembers a piece that is not there.
    pub(crate) fn remember(&mut self, hashed: &Hashed, piece: &[u8], ids: &[TokenId]) {
        let short = piece.len() <= key::MOST_BYTES;
        if short && self.memo.insert(hashed, ids) {
            return;
        }
        if self.long.is_full() {
            // The places that the memo holds go with it.
            self.memo.forget();
            self.long.forget();
        }
        match short {
            true => self.long.keep(ids).into_iter().for_each(|place| self.memo.insert_place(hashed, place)),
            false => self.long.insert(piece, hashed.long_hash(), ids),
        }
    }
}
