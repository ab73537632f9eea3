//! The obvious engine: one byte after the other. Ground truth for the rest.

use super::{AsciiSet, BLOCK, Classes, Kit, Masks, NEEDLES};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scalar;

impl Kit for Scalar {
    fn classify(self, classes: &Classes, block: &[u8; BLOCK]) -> Masks {
        let mut masks = Masks { low: 0, high: 0, non_ascii: 0 };
        for (i, &byte) in block.iter().enumerate() {
            masks.low |= contains(&classes.low, byte) << i;
            masks.high |= contains(&classes.high, byte) << i;
            masks.non_ascii |= u64::from(byte >> 7) << i;
        }
        masks
    }

    fn find(self, needles: &[u8; NEEDLES], block: &[u8; BLOCK]) -> [u64; NEEDLES] {
        needles.map(|needle| block.iter().enumerate().fold(0, |mask, (i, &byte)| mask | u64::from(byte == needle) << i))
    }
}

fn contains(set: &AsciiSet, byte: u8) -> u64 {
    u64::from(byte < 0x80 && set.members >> byte & 1 == 1)
}
