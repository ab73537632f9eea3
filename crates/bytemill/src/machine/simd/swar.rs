//! SIMD within a register: eight bytes in a `u64`, range tests by addition. For machines without a vector unit that we know.

use super::{AsciiSet, BLOCK, Classes, Kit, Masks, NEEDLES};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Swar;

const EACH: u64 = 0x0101_0101_0101_0101;
const TOP: u64 = EACH << 7;

impl Kit for Swar {
    fn classify(self, classes: &Classes, block: &[u8; BLOCK]) -> Masks {
        let mut masks = Masks { low: 0, high: 0, non_ascii: 0 };
        let (words, _) = block.as_chunks::<8>();
        for (i, word) in words.iter().enumerate() {
            let word = u64::from_le_bytes(*word);
            let ascii = !word & TOP;
            masks.low |= gather(members(&classes.low, word) & ascii) << (8 * i);
            masks.high |= gather(members(&classes.high, word) & ascii) << (8 * i);
            masks.non_ascii |= gather(word & TOP) << (8 * i);
        }
        masks
    }

    fn find(self, needles: &[u8; NEEDLES], block: &[u8; BLOCK]) -> [u64; NEEDLES] {
        let (words, _) = block.as_chunks::<8>();
        needles.map(|needle| {
            words.iter().enumerate().fold(0, |mask, (i, word)| {
                let different = u64::from_le_bytes(*word) ^ (EACH * u64::from(needle));
                // The lower seven bits carry into the top bit unless they are all zero; no sum leaves its byte.
                let nonzero = ((different & !TOP) + !TOP) | different;
                mask | gather(!nonzero & TOP) << (8 * i)
            })
        })
    }
}

/// The top bit of each byte whose lower seven bits are in the set.
fn members(set: &AsciiSet, word: u64) -> u64 {
    let word = word & !TOP;
    set.ranges.iter().fold(0, |found, &(first, last)| {
        // With both sides below 0x80 no sum carries into the next byte; the top bit tells `byte >= limit`.
        let from_first = word + EACH * u64::from(0x80 - first);
        let past_last = word + EACH * u64::from(0x7F - last);
        found | (from_first & !past_last & TOP)
    })
}

/// The eight top bits, side by side.
fn gather(tops: u64) -> u64 {
    // Bit 8i moves to bit 56 + i; no two products meet.
    (tops >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}
