//! The hash index of `Vocab` and `PieceCounts`: open addressing over 64-bit slots.
//!
//! A slot is 0 while it is empty; else its upper half is that of the key's hash and its lower half the number of the entry plus one. Keys are
//! compared in full by the caller, so a collision costs time and never exactness.

/// The entry that `is` recognises, or the empty slot where it would go. The slots are a power of two in number and never all full.
#[inline]
pub(crate) fn find(slots: &[u64], hash: u64, is: impl Fn(u32) -> bool) -> Result<u32, usize> {
    let mask = slots.len() - 1;
    let mut at = hash as usize & mask;
    loop {
        let slot = slots[at & mask];
        if slot == 0 {
            return Err(at & mask);
        }
        if slot >> 32 == hash >> 32 && is(slot as u32 - 1) {
            return Ok(slot as u32 - 1);
        }
        at += 1;
    }
}

/// The content of the slot of an entry.
pub(crate) fn slot(hash: u64, entry: u32) -> u64 {
    hash >> 32 << 32 | (u64::from(entry) + 1)
}

/// Empty slots for `entries` entries: at most half full, so that a miss ends after one or two steps.
pub(crate) fn empty(entries: usize) -> Vec<u64> {
    vec![0; (2 * entries).next_power_of_two().max(2)]
}
