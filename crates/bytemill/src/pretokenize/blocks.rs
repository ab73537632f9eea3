//! The classes of 64 bytes at a time: a rule gives each character one of four classes, a block comes out as the two bits of the class of
//! each byte. ASCII comes from the vector engine; every other character is looked up, and its class written over all its bytes.

use crate::class;
use crate::simd::{AsciiSet, BLOCK, Classes, Engine, Masks};

/// A rule, ready to run.
#[derive(Debug, Clone)]
pub struct BlockClasses {
    ascii: Classes,
    /// The class of each cell of the character table.
    by_cell: [u8; class::CELL_COUNT],
    /// The class of all characters whose first byte has these lower six bits, or `MIXED`: most letters of Chinese and Korean need no look.
    by_lead: [u8; 64],
    engine: Engine,
}

/// In place of a class: the characters differ.
const MIXED: u8 = 4;

/// One block. Bytes behind the end of the text have no meaning.
#[derive(Debug, Clone, Copy)]
pub struct BlockMasks {
    pub low: u64,
    pub high: u64,
    /// Bytes that continue a character.
    pub tails: u64,
}

/// The part of a character that lies in the next block.
#[derive(Debug, Default)]
pub struct Hanging {
    low: u64,
    high: u64,
    tails: u64,
}

impl BlockClasses {
    /// The rule takes the class bits of a character and gives 0, 1, 2 or 3.
    pub fn new(rule: impl Fn(u16) -> u8, engine: Engine) -> Self {
        let by_cell = std::array::from_fn(|cell| rule(class::cell_bits(cell)) & 3);
        let by_lead = std::array::from_fn(|lead| common_class(0xC0 | lead as u32, &by_cell));
        let set = |bit: u8| AsciiSet::new(|byte| by_cell[class::cell(byte.into()) as usize] & bit != 0);
        BlockClasses { ascii: Classes { low: set(1), high: set(2) }, by_cell, by_lead, engine }
    }

    #[inline]
    pub fn class(&self, c: char) -> u8 {
        self.by_cell[class::cell(c as u32) as usize]
    }

    /// The block that starts at `at`, which is inside the text. What hung over from the block before is taken in, what hangs over from
    /// this one is left in `hanging`.
    #[inline]
    pub fn masks(&self, text: &[u8], at: usize, bytes: &[u8; BLOCK], hanging: &mut Hanging) -> BlockMasks {
        self.masks_by(|classes, block| self.engine.classify(classes, block), text, at, bytes, hanging)
    }

    /// `masks` with a classification that the compiler can see through.
    #[inline(always)]
    pub fn masks_by(
        &self,
        classify: impl Fn(&Classes, &[u8; BLOCK]) -> Masks,
        text: &[u8],
        at: usize,
        bytes: &[u8; BLOCK],
        hanging: &mut Hanging,
    ) -> BlockMasks {
        let masks = classify(&self.ascii, bytes);
        if masks.non_ascii == 0 {
            return masks.of_ascii();
        }
        let [masks] = Self::with_others([self], [masks], text, at, std::array::from_mut(hanging));
        masks
    }

    /// The same by two rules.
    #[inline(always)]
    pub fn masks_by_both(
        both: [&Self; 2],
        classify: impl Fn(&Classes, &[u8; BLOCK]) -> Masks,
        text: &[u8],
        at: usize,
        bytes: &[u8; BLOCK],
        hanging: &mut [Hanging; 2],
    ) -> [BlockMasks; 2] {
        let masks = [classify(&both[0].ascii, bytes), classify(&both[1].ascii, bytes)];
        if masks[0].non_ascii == 0 {
            return [masks[0].of_ascii(), masks[1].of_ascii()];
        }
        Self::with_others(both, masks, text, at, hanging)
    }

    /// Brings in the characters that are not ASCII: each is decoded once, for all rules.
    #[inline(never)]
    fn with_others<const RULES: usize>(
        rules: [&Self; RULES],
        masks: [Masks; RULES],
        text: &[u8],
        at: usize,
        hanging: &mut [Hanging; RULES],
    ) -> [BlockMasks; RULES] {
        let hung = std::array::from_fn::<_, RULES, _>(|i| std::mem::take(&mut hanging[i]));
        let mut tails = hung[0].tails;
        let mut low = std::array::from_fn::<_, RULES, _>(|i| masks[i].low | hung[i].low);
        let mut high = std::array::from_fn::<_, RULES, _>(|i| masks[i].high | hung[i].high);
        let mut unknown = masks[0].non_ascii & !tails;
        while unknown != 0 {
            let i = unknown.trailing_zeros();
            let bytes = &text[at + i as usize..];
            let width = width(bytes[0]);
            let mut classes = rules.map(|rule| rule.by_lead[usize::from(bytes[0] & 0x3F)]);
            if classes.contains(&MIXED) {
                let cell = class::cell(decode(bytes)) as usize;
                classes = rules.map(|rule| rule.by_cell[cell]);
            }
            // What lies beyond the block is shifted out.
            let covered = ((1u64 << width) - 1) << i;
            for (&class, (low, high)) in classes.iter().zip(low.iter_mut().zip(&mut high)) {
                *low |= covered & all(class, 0);
                *high |= covered & all(class, 1);
            }
            tails |= covered & (covered - 1);
            unknown &= !covered;
            if i + width > BLOCK as u32 {
                let over = (1u64 << (i + width - BLOCK as u32)) - 1;
                for (&class, hanging) in classes.iter().zip(hanging.iter_mut()) {
                    *hanging = Hanging { low: over & all(class, 0), high: over & all(class, 1), tails: over };
                }
            }
        }
        std::array::from_fn(|i| BlockMasks { low: low[i], high: high[i], tails })
    }
}

impl Masks {
    /// Of a block without any other character.
    #[inline(always)]
    fn of_ascii(self) -> BlockMasks {
        BlockMasks { low: self.low, high: self.high, tails: 0 }
    }
}

/// All bits, if this bit of a class is set, or none.
#[inline]
fn all(class: u8, bit: u8) -> u64 {
    0u64.wrapping_sub(u64::from(class >> bit & 1))
}

/// The bytes of the block that starts at `at`, with zeros behind the end of the text.
#[inline]
pub fn block<'a>(text: &'a [u8], at: usize, padded: &'a mut [u8; BLOCK]) -> &'a [u8; BLOCK] {
    let rest = &text[at..];
    match rest.first_chunk::<BLOCK>() {
        Some(block) => block,
        None => {
            padded[..rest.len()].copy_from_slice(rest);
            padded
        }
    }
}

/// The class of all characters that start with this byte, or `MIXED`. Those of four bytes are too many to ask each.
fn common_class(lead: u32, by_cell: &[u8]) -> u8 {
    let codes = match lead {
        0xC2..0xE0 => (lead & 0x1F) << 6..((lead & 0x1F) + 1) << 6,
        0xE0..0xF0 => (lead & 0x0F) << 12..((lead & 0x0F) + 1) << 12,
        _ => return MIXED,
    };
    let class = |code| by_cell[class::cell(code) as usize];
    let first = class(codes.start);
    if codes.into_iter().all(|code| class(code) == first) { first } else { MIXED }
}

/// Of the character that starts with this byte, where it is not ASCII.
#[inline]
fn width(lead: u8) -> u32 {
    2 + u32::from(lead >= 0xE0) + u32::from(lead >= 0xF0)
}

/// The code point that valid UTF-8 starts with, where it is not ASCII.
fn decode(bytes: &[u8]) -> u32 {
    let tail = |i: usize| bytes.get(i).map_or(0, |&byte| u32::from(byte) & 0x3F);
    match bytes.first().map_or(0, |&byte| u32::from(byte)) {
        lead if lead < 0xE0 => (lead & 0x1F) << 6 | tail(1),
        lead if lead < 0xF0 => (lead & 0x0F) << 12 | tail(1) << 6 | tail(2),
        lead => (lead & 0x07) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3),
    }
}
