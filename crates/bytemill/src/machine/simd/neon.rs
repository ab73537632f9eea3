//! NEON: 16 bytes a register, set membership by two table look-ups. Part of every aarch64.

use std::arch::aarch64::*;

use super::{AsciiSet, BLOCK, Classes, Kit, Masks, NEEDLES};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Neon;

impl Kit for Neon {
    #[inline(always)]
    fn classify(self, classes: &Classes, block: &[u8; BLOCK]) -> Masks {
        // SAFETY: NEON is part of every aarch64 target, and `block` has the 64 bytes that the four loads read.
        unsafe {
            let quarters = [0, 16, 32, 48].map(|at| vld1q_u8(block.as_ptr().add(at)));
            Masks {
                low: gather(quarters.map(|quarter| members(&classes.low, quarter))),
                high: gather(quarters.map(|quarter| members(&classes.high, quarter))),
                non_ascii: gather(quarters.map(|quarter| vcgeq_u8(quarter, vdupq_n_u8(0x80)))),
            }
        }
    }

    #[inline(always)]
    fn find(self, needles: &[u8; NEEDLES], block: &[u8; BLOCK]) -> [u64; NEEDLES] {
        // SAFETY: as above.
        unsafe {
            let quarters = [0, 16, 32, 48].map(|at| vld1q_u8(block.as_ptr().add(at)));
            needles.map(|needle| gather(quarters.map(|quarter| vceqq_u8(quarter, vdupq_n_u8(needle)))))
        }
    }
}

/// All bits of each byte that is in the set, none of the others.
#[inline]
#[target_feature(enable = "neon")]
fn members(set: &AsciiSet, bytes: uint8x16_t) -> uint8x16_t {
    // High nibble → its bit in a row of the table; 8 to 15 are not ASCII and have none.
    const ROW: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0, 0];
    // SAFETY: both tables have 16 readable bytes.
    let (table, row) = unsafe { (vld1q_u8(set.nibbles.as_ptr()), vld1q_u8(ROW.as_ptr())) };
    let rows = vqtbl1q_u8(table, vandq_u8(bytes, vdupq_n_u8(0x0F)));
    let row_bit = vqtbl1q_u8(row, vshrq_n_u8::<4>(bytes));
    vtstq_u8(rows, row_bit)
}

/// One bit for each byte: 64 full-or-empty bytes folded into a word by three rounds of pairwise addition.
#[inline]
#[target_feature(enable = "neon")]
fn gather(quarters: [uint8x16_t; 4]) -> u64 {
    const BIT: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];
    // SAFETY: the table has 16 readable bytes.
    let bit = unsafe { vld1q_u8(BIT.as_ptr()) };
    let [a, b, c, d] = quarters.map(|quarter| vandq_u8(quarter, bit));
    let pairs = vpaddq_u8(vpaddq_u8(a, b), vpaddq_u8(c, d));
    vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vpaddq_u8(pairs, pairs)))
}
