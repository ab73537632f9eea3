//! AVX-512 with its byte instructions (Ice Lake, Zen 4): a block is one register, a mask is what a comparison gives, and positions are
//! pressed together.

use std::arch::x86_64::*;

use super::{BLOCK, Classes, Kit, Masks, NEEDLES};

kit_of_x86! {
    /// AVX-512 with the instructions for bytes, and the bit instructions.
    Avx512, "avx512f" "avx512bw" "avx512vbmi" "avx512vbmi2" "bmi1" "bmi2" "lzcnt" "popcnt"
}

impl Kit for Avx512 {
    #[inline(always)]
    fn classify(self, classes: &Classes, block: &[u8; BLOCK]) -> Masks {
        // SAFETY: what it needs was found.
        unsafe { classify(classes, block) }
    }

    #[inline(always)]
    fn find(self, needles: &[u8; NEEDLES], block: &[u8; BLOCK]) -> [u64; NEEDLES] {
        // SAFETY: as above.
        unsafe { find(needles, block) }
    }

    #[inline(always)]
    fn write_positions(self, positions: &mut [usize], used: usize, at: usize, bits: u64) -> usize {
        // SAFETY: as above.
        unsafe { write_positions(positions, used, at, bits) }
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn classify(classes: &Classes, block: &[u8; BLOCK]) -> Masks {
    let bytes = load(block);
    let (halves, _) = classes.both.as_chunks::<BLOCK>();
    // By the lower seven bits of each byte.
    let both = _mm512_permutex2var_epi8(load(&halves[0]), bytes, load(&halves[1]));
    let non_ascii = _mm512_movepi8_mask(bytes);
    let members = |bit: i8| _mm512_test_epi8_mask(both, _mm512_set1_epi8(bit)) & !non_ascii;
    Masks { low: members(1), high: members(2), non_ascii }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn find(needles: &[u8; NEEDLES], block: &[u8; BLOCK]) -> [u64; NEEDLES] {
    let bytes = load(block);
    let mut found = [0; NEEDLES];
    for (found, &needle) in found.iter_mut().zip(needles) {
        *found = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(needle as i8));
    }
    found
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,popcnt")]
fn write_positions(positions: &mut [usize], used: usize, at: usize, bits: u64) -> usize {
    const EACH: [u8; BLOCK] = {
        let mut each = [0; BLOCK];
        let mut i = 0;
        while i < BLOCK {
            each[i] = i as u8;
            i += 1;
        }
        each
    };
    let count = bits.count_ones() as usize;
    let mut places = [0u8; BLOCK];
    // SAFETY: there are 64 bytes to write to.
    unsafe { _mm512_storeu_si512(places.as_mut_ptr().cast(), _mm512_maskz_compress_epi8(bits, load(&EACH))) };
    let base = _mm512_set1_epi64(at as i64);
    let (groups, _) = positions[used..].as_chunks_mut::<8>();
    let (places, _) = places.as_chunks::<8>();
    for (group, eight) in groups.iter_mut().zip(places).take(count.div_ceil(8)) {
        let wide = _mm512_cvtepu8_epi64(_mm_cvtsi64_si128(i64::from_le_bytes(*eight)));
        // SAFETY: a group has the 64 bytes that are written.
        unsafe { _mm512_storeu_si512(group.as_mut_ptr().cast(), _mm512_add_epi64(base, wide)) };
    }
    used + count
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load(block: &[u8; BLOCK]) -> __m512i {
    // SAFETY: there are 64 readable bytes; the load needs no alignment.
    unsafe { _mm512_loadu_si512(block.as_ptr().cast()) }
}
