//! SortedTable: what one worker counted, in the order of its bytes. A small one is kept so: to write it in blocks and read them again
//! would take a tenth of the time of training words.

use std::slice::Iter;

use bytemuck::bytes_of;

use super::block::Record;
use super::table::{CountEntry, Long};
use crate::text::short_key::MOST_BYTES;

/// Tables of up to a megabyte are kept, which have some 30,000 pieces.
const KEPT_BYTES: usize = 1 << 20;
/// Short pieces between two at which the work of merging may be divided.
const DIVIDED: usize = 1 << 12;

#[derive(Debug)]
pub(super) struct SortedTable {
    /// As [`super::table::CountTable`] sorts them.
    pub short: Vec<CountEntry>,
    pub long: Long,
    /// The long pieces in their order.
    pub order: Vec<u32>,
}

impl SortedTable {
    pub(super) fn cursor(&self) -> SortedCursor<'_> {
        SortedCursor::new(&self.short, &self.long, &self.order)
    }

    /// A cursor whose next piece is the first that is not before `piece`.
    pub(super) fn cursor_from(&self, piece: &[u8]) -> SortedCursor<'_> {
        let short = self.short.partition_point(|entry| short_piece(entry) < piece);
        let order = self.order.partition_point(|&number| self.long.piece(number) < piece);
        SortedCursor::new(&self.short[short..], &self.long, &self.order[order..])
    }

    /// Some of the pieces, in their order.
    pub(super) fn borders(&self) -> impl Iterator<Item = &[u8]> {
        self.short.iter().step_by(DIVIDED).map(short_piece)
    }

    /// How many pieces there are, and how many different ones.
    pub(super) fn totals(&self) -> (u64, u64) {
        let long = self.long.counts();
        let distinct = self.short.len() + long.len();
        (self.short.iter().map(|entry| entry.count).chain(long).fold(0, u64::saturating_add), distinct as u64)
    }

    /// The memory that it takes.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(self.short.as_slice()) + self.long.bytes()
    }

    pub(super) fn is_small(&self) -> bool {
        self.bytes() <= KEPT_BYTES
    }
}

/// Goes through the pieces of a sorted table.
#[derive(Debug)]
pub(super) struct SortedCursor<'a> {
    short: Iter<'a, CountEntry>,
    long: &'a Long,
    order: Iter<'a, u32>,
    current: Record<'a>,
}

impl<'a> SortedCursor<'a> {
    pub(super) fn new(short: &'a [CountEntry], long: &'a Long, order: &'a [u32]) -> Self {
        let current = Record { piece: &[], count: 0, place: 0 };
        SortedCursor { short: short.iter(), long, order: order.iter(), current }
    }

    /// Goes to the next piece; false at the end.
    #[inline]
    pub(super) fn advance(&mut self) -> bool {
        let long = self.order.as_slice().first().map(|&number| self.long.record(number));
        let short = self.short.as_slice().first();
        let short = short.map(|entry| Record { piece: short_piece(entry), count: entry.count, place: entry.place });
        let (next, taken) = match (short, long) {
            (Some(short), Some(long)) if long.piece < short.piece => (long, self.order.next().is_some()),
            (Some(short), _) => (short, self.short.next().is_some()),
            (None, Some(long)) => (long, self.order.next().is_some()),
            (None, None) => return false,
        };
        self.current = next;
        taken
    }

    /// The piece that `advance` went to last.
    #[inline]
    pub(super) fn record(&self) -> Record<'a> {
        self.current
    }
}

/// The piece of a sorted entry: its key has the bytes first and their number last.
#[inline]
fn short_piece(entry: &CountEntry) -> &[u8] {
    let key = bytes_of(&entry.key);
    &key[..usize::from(key[MOST_BYTES]).min(MOST_BYTES)]
}
