//! Gaps: where one text ends and the next begins, in many that are put one after the other to be looked at together.

use crate::machine::simd::BLOCK;

/// A bit for each byte, set for those that are of no text.
#[derive(Debug, Default)]
pub struct Gaps {
    bits: Vec<u64>,
}

impl Gaps {
    pub const NONE: Gaps = Gaps { bits: Vec::new() };

    pub fn is_empty(&self) -> bool {
        self.bits.is_empty()
    }

    pub fn clear(&mut self) {
        self.bits.clear();
    }

    /// At a place after all others.
    #[inline]
    pub fn push(&mut self, at: usize) {
        self.bits.resize(at / BLOCK + 1, 0);
        self.bits[at / BLOCK] |= 1 << (at % BLOCK);
    }

    /// Those of the block that starts at a place.
    #[inline(always)]
    pub fn block(&self, at: usize) -> u64 {
        let word = |number: usize| self.bits.get(number).copied().unwrap_or(0);
        // By one and then the others: a shift by all of them is none.
        word(at / BLOCK) >> (at % BLOCK) | word(at / BLOCK + 1) << 1 << (BLOCK - 1 - at % BLOCK)
    }

    /// What `advance` says of the text that a place is in: the end of what starts there. A gap ends after itself.
    pub fn within(&self, texts: &str, start: usize, advance: impl FnOnce(&str) -> usize) -> usize {
        let blocks = (start..).step_by(BLOCK).take_while(|&at| at / BLOCK < self.bits.len());
        let gap = blocks.map(|at| (at, self.block(at))).find(|&(_, gaps)| gaps != 0);
        match gap.map(|(at, gaps)| at + gaps.trailing_zeros() as usize) {
            Some(gap) if gap == start => start + 1,
            Some(gap) => advance(&texts[..gap]),
            None => advance(texts),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bits_are_where_gaps_were_put(places in proptest::collection::btree_set(0usize..300, 0..20)) {
            let mut gaps = Gaps::default();
            places.iter().for_each(|&at| gaps.push(at));
            prop_assert_eq!(gaps.is_empty(), places.is_empty());
            let texts = "x".repeat(300);
            for at in 0..300 {
                let expected = (0..64).filter(|bit| places.contains(&(at + bit))).fold(0, |bits, bit| bits | 1u64 << bit);
                prop_assert_eq!(gaps.block(at), expected);
                let end = places.range(at..).next().copied().unwrap_or(texts.len());
                let expected = if end == at { at + 1 } else { end };
                prop_assert_eq!(gaps.within(&texts, at, |text| text.len()), expected);
            }
        }
    }
}
