//! PairCounts: how often each pair of tokens occurs, and where.
//!
//! Pairs that are rarer than a threshold are left out, and most pairs are. That changes nothing as long as more frequent ones merge; when
//! there are none left, everything is counted again with a lower threshold.

use super::numbers::NumberArray;
use super::rule::PairKey;
use crate::error::{Error, Result};
use crate::machine::simd::prefetch;
use crate::machine::storage::Zeroed;

/// A range of the list of all positions.
#[derive(Debug, Clone, Copy, Default, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(super) struct Postings {
    /// In grains.
    start: u32,
    pub length: u32,
}

/// Lists begin at multiples of it, so that 32 bits are enough to say where: there are up to three positions for each cell, and the cells
/// have numbers of 32 bits.
const GRAIN: usize = 4;

impl Postings {
    /// A list after the end of another.
    pub(super) fn after(end: usize, length: u32) -> Result<Self> {
        match u32::try_from(end.div_ceil(GRAIN)) {
            Ok(start) => Ok(Postings { start, length }),
            Err(_) => Err(Error::Spec(
                "the text has more pairs of tokens than training can remember the places of; train on a part of it"
                    .into(),
            )),
        }
    }

    pub(super) fn start(self) -> usize {
        self.start as usize * GRAIN
    }

    pub(super) fn end(self) -> usize {
        self.start() + self.length as usize
    }
}

#[derive(Debug, Clone, Copy, Default, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(super) struct PairEntry {
    pub count: i64,
    /// Where the pair is, and where it was: a position counts if the pair is still there.
    pub postings: Postings,
}

/// Open addressing, at most three quarters full.
#[derive(Debug)]
pub(super) struct PairCounts {
    slots: Zeroed<PairSlot>,
    used: usize,
    pub positions: NumberArray,
}

#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct PairSlot {
    /// The key, each bit turned around, so that zero is an empty slot: no token has the id that would make it one.
    turned: PairKey,
    entry: PairEntry,
}

const EMPTY: PairKey = 0;

impl Default for PairCounts {
    fn default() -> Self {
        PairCounts::with_capacity(1 << 10)
    }
}

impl PairCounts {
    pub(super) fn with_capacity(pairs: usize) -> Self {
        // Never so few that the last of them could be taken.
        let slots = (4 * pairs / 3 + 1).next_power_of_two().max(16);
        PairCounts { slots: Zeroed::new(slots), used: 0, positions: NumberArray::default() }
    }

    /// Where a key is, or would be if it were there.
    #[inline]
    fn place(slots: &[PairSlot], key: PairKey) -> usize {
        let mask = slots.len() - 1;
        let mut at = (mixed(key) >> 32) as usize & mask;
        while slots[at].turned != !key && slots[at].turned != EMPTY {
            at = (at + 1) & mask;
        }
        at
    }

    /// Asks the memory for the entry of a pair that is wanted soon.
    #[inline]
    pub(super) fn prefetch(&self, key: PairKey) {
        let slots = self.slots.as_slice();
        prefetch(&slots[(mixed(key) >> 32) as usize & (slots.len() - 1)]);
    }

    #[inline]
    pub(super) fn get_mut(&mut self, key: PairKey) -> Option<&mut PairEntry> {
        let slots = self.slots.as_mut_slice();
        let slot = &mut slots[Self::place(slots, key)];
        (slot.turned == !key).then_some(&mut slot.entry)
    }

    pub(super) fn get(&self, key: PairKey) -> Option<&PairEntry> {
        let slots = self.slots.as_slice();
        let slot = &slots[Self::place(slots, key)];
        (slot.turned == !key).then_some(&slot.entry)
    }

    /// The entry of a pair, an empty one if it is new.
    pub(super) fn entry(&mut self, key: PairKey) -> &mut PairEntry {
        let slots = self.slots.as_slice();
        let mut at = Self::place(slots, key);
        let is_new = slots[at].turned == EMPTY;
        if is_new && 4 * self.used >= 3 * slots.len() {
            self.grow();
            at = Self::place(self.slots.as_slice(), key);
        }
        self.used += usize::from(is_new);
        let slot = &mut self.slots.as_mut_slice()[at];
        slot.turned = !key;
        &mut slot.entry
    }

    /// Leaves out the pairs that occur less often.
    pub(super) fn forget_below(&mut self, threshold: u64) {
        let frequent = || self.iter().filter(|(_, entry)| entry.count >= threshold as i64);
        let mut kept = PairCounts::with_capacity(frequent().count());
        frequent().for_each(|(key, entry)| *kept.entry(key) = *entry);
        kept.positions = std::mem::take(&mut self.positions);
        *self = kept;
    }

    fn grow(&mut self) {
        let before = std::mem::replace(self, PairCounts::with_capacity(self.slots.as_slice().len()));
        before.iter().for_each(|(key, entry)| *self.entry(key) = *entry);
        self.positions = before.positions;
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (PairKey, &PairEntry)> {
        let taken = self.slots.as_slice().iter().filter(|slot| slot.turned != EMPTY);
        taken.map(|slot| (!slot.turned, &slot.entry))
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut PairEntry> {
        let taken = self.slots.as_mut_slice().iter_mut().filter(|slot| slot.turned != EMPTY);
        taken.map(|slot| &mut slot.entry)
    }

    pub(super) fn len(&self) -> usize {
        self.used
    }

    /// Room for `length` positions, one after the other.
    pub(super) fn reserve(&mut self, length: u32) -> Result<Postings> {
        let postings = Postings::after(self.positions.len(), length)?;
        self.positions.grow(postings.end())?;
        Ok(postings)
    }

    pub(super) fn positions(&self, postings: Postings) -> &[u32] {
        &self.positions.as_slice()[postings.start()..postings.end()]
    }
}

/// Each upper bit depends on all of the key.
#[inline]
pub(super) fn mixed(key: PairKey) -> u64 {
    (key ^ key >> 29).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}
