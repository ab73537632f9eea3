//! AVX2: 32 bytes a register, set membership by two nibble shuffles.

use std::arch::x86_64::*;

use super::{AsciiSet, BLOCK, Classes, Kit, Masks, NEEDLES};

kit_of_x86! {
    /// AVX2 and the bit instructions that came with it: loops need less than half as many instructions then.
    Avx2, "avx2" "bmi1" "bmi2" "lzcnt" "popcnt"
}

impl Kit for Avx2 {
    #[inline(always)]
    fn classify(self, classes: &Classes, block: &[u8; BLOCK]) -> Masks {
        // SAFETY: AVX2 was found.
        unsafe { classify(classes, block) }
    }

    #[inline(always)]
    fn find(self, needles: &[u8; NEEDLES], block: &[u8; BLOCK]) -> [u64; NEEDLES] {
        // SAFETY: as above.
        unsafe { find(needles, block) }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn classify(classes: &Classes, block: &[u8; BLOCK]) -> Masks {
    let [first, second] = load(block);
    let members_of = |set: &AsciiSet| join(members(set, first), members(set, second));
    Masks { low: members_of(&classes.low), high: members_of(&classes.high), non_ascii: join(first, second) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn find(needles: &[u8; NEEDLES], block: &[u8; BLOCK]) -> [u64; NEEDLES] {
    let [first, second] = load(block);
    let mut found = [0; NEEDLES];
    // A loop, because a closure here is compiled for AVX2 and the standard library's `map`, which would call it, is not: they stay apart.
    for (found, &needle) in found.iter_mut().zip(needles) {
        let needle = _mm256_set1_epi8(needle as i8);
        *found = join(_mm256_cmpeq_epi8(first, needle), _mm256_cmpeq_epi8(second, needle));
    }
    found
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(block: &[u8; BLOCK]) -> [__m256i; 2] {
    // SAFETY: `block` has 64 readable bytes; the loads need no alignment.
    unsafe { [_mm256_loadu_si256(block.as_ptr().cast()), _mm256_loadu_si256(block.as_ptr().add(32).cast())] }
}

/// The top bits of the bytes, side by side.
#[inline]
#[target_feature(enable = "avx2")]
fn join(first: __m256i, second: __m256i) -> u64 {
    u64::from(_mm256_movemask_epi8(first) as u32) | u64::from(_mm256_movemask_epi8(second) as u32) << 32
}

/// All bits of each byte that is in the set, none of the others.
#[inline]
#[target_feature(enable = "avx2")]
fn members(set: &AsciiSet, bytes: __m256i) -> __m256i {
    // SAFETY: the table has 16 readable bytes.
    let table = unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(set.nibbles.as_ptr().cast())) };
    // High nibble → its bit in a row of the table; 8 to 15 are not ASCII and have none.
    let row = _mm256_setr_epi8(
        1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0,
    );
    let nibble = _mm256_set1_epi8(0x0F);
    let rows = _mm256_shuffle_epi8(table, _mm256_and_si256(bytes, nibble));
    let row_bit = _mm256_shuffle_epi8(row, _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), nibble));
    // A byte with no high nibble bit would compare equal to zero: outside.
    let hit = _mm256_and_si256(rows, row_bit);
    _mm256_andnot_si256(_mm256_cmpeq_epi8(hit, _mm256_setzero_si256()), _mm256_set1_epi8(-1))
}
