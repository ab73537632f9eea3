//! SortedTable: what one worker counted, in the order of its bytes. A small one is kept so: to write it in blocks and read them again
//! would take a tenth of the time of training words.

use std::slice::Iter;

use super::block::Record;
use super::table::{CountEntry, CountTable, Long, NEAR};
use crate::text::short_key::{MOST_BYTES, ShortKey};

#[derive(Debug)]
pub(super) struct SortedTable {
    table: CountTable,
    /// The long pieces in their order.
    order: Vec<u32>,
}

impl SortedTable {
    pub(super) fn new(table: CountTable, order: Vec<u32>) -> Self {
        SortedTable { table, order }
    }

    pub(super) fn cursor(&self) -> SortedCursor<'_> {
        SortedCursor::new(self.table.short(), self.table.long(), &self.order)
    }

    /// How many pieces there are, and how many different ones.
    pub(super) fn totals(&self) -> (u64, u64) {
        let (short, long) = (self.table.short(), self.table.long().counts());
        let distinct = short.len() + long.len();
        (short.iter().map(|entry| entry.count).chain(long).fold(0, u64::saturating_add), distinct as u64)
    }

    /// The memory that it takes.
    pub(super) fn bytes(&self) -> usize {
        self.table.bytes()
    }

    pub(super) fn is_small(&self) -> bool {
        self.bytes() <= 2 * NEAR * size_of::<CountEntry>()
    }
}

/// Goes through the pieces, which are short or long.
#[derive(Debug)]
pub(super) struct SortedCursor<'a> {
    short: Iter<'a, CountEntry>,
    long: &'a Long,
    order: Iter<'a, u32>,
    at: Place,
}

#[derive(Debug)]
enum Place {
    Short { piece: [u8; size_of::<ShortKey>()], count: u64, place: u64 },
    Long(u32),
}

impl<'a> SortedCursor<'a> {
    pub(super) fn new(short: &'a [CountEntry], long: &'a Long, order: &'a [u32]) -> Self {
        let at = Place::Short { piece: Default::default(), count: 0, place: 0 };
        SortedCursor { short: short.iter(), long, order: order.iter(), at }
    }

    /// Goes to the next piece; false at the end.
    #[inline]
    pub(super) fn advance(&mut self) -> bool {
        let next_long = self.order.as_slice().first().copied();
        if let Some(entry) = self.short.as_slice().first() {
            let piece = entry.key.to_be_bytes();
            if next_long.is_none_or(|number| short_piece(&piece) < self.long.piece(number)) {
                self.at = Place::Short { piece, count: entry.count, place: entry.place };
                return self.short.next().is_some();
            }
        }
        if let Some(number) = next_long {
            self.at = Place::Long(number);
        }
        self.order.next().is_some()
    }

    /// The piece that `advance` went to last.
    #[inline]
    pub(super) fn record(&self) -> Record<'_> {
        match self.at {
            Place::Short { ref piece, count, place } => Record { piece: short_piece(piece), count, place },
            Place::Long(number) => self.long.record(number),
        }
    }
}

/// The piece of a key whose last byte is its length.
#[inline]
fn short_piece(key: &[u8; size_of::<ShortKey>()]) -> &[u8] {
    &key[..usize::from(key[MOST_BYTES]).min(MOST_BYTES)]
}
