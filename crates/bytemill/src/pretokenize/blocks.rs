//! The classes of 64 bytes at a time: a rule gives each character one of four classes, a block comes out as the two bits of the class of
//! each byte. ASCII comes from the vector engine; of the others, those that begin with the same byte are worked on together, as a script has
//! few such bytes, and their classes written over all their bytes.

use std::sync::OnceLock;

use crate::machine::simd::{AsciiSet, BLOCK, Classes, Kit, Masks, NEEDLES};
use crate::text::class;

/// A rule, ready to run.
#[derive(Debug, Clone)]
pub(super) struct BlockClasses {
    ascii: Classes,
    /// The class of each cell of the character table.
    by_cell: [u8; class::CELL_COUNT],
    /// Made for the first text that has such characters: to ask for all of them takes as long as splitting 100 kB of ASCII.
    others: OnceLock<OtherClasses>,
}

/// The classes of characters that are not ASCII.
#[derive(Debug, Clone)]
struct OtherClasses {
    /// The class of all characters whose first byte has these lower six bits, or `MIXED`: most letters of Chinese and Korean need no look.
    by_lead: [u8; 64],
    /// The classes of all characters of two bytes, by the first; and of three, by the first and the second.
    of_two: [LastByte; 1 << 5],
    of_three: Box<[LastByte]>,
}

impl OtherClasses {
    fn new(by_cell: &[u8]) -> Self {
        let of_two = std::array::from_fn(|lead| LastByte::new((lead as u32) << 6, by_cell));
        let of_three = of_three(by_cell);
        let by_lead = std::array::from_fn(|lead| match lead {
            0..0x20 => of_two[lead].common(),
            0x20..0x30 => common(&of_three[(lead & 0x0F) << 6..][..64]),
            // Those of four bytes are too many to ask each.
            _ => MIXED,
        });
        OtherClasses { by_lead, of_two, of_three }
    }
}

/// The two bits of the class of each of 64 characters that differ in their last byte only.
#[derive(Debug, Clone, Copy)]
struct LastByte {
    low: u64,
    high: u64,
}

impl LastByte {
    /// Of the characters from this one on.
    fn new(first: u32, by_cell: &[u8]) -> Self {
        let class = |last: u32| u64::from(by_cell[class::cell(first | last) as usize]);
        (0..64).fold(LastByte { low: 0, high: 0 }, |all, last| LastByte {
            low: all.low | (class(last) & 1) << last,
            high: all.high | (class(last) >> 1) << last,
        })
    }

    /// The class of all of them, or `MIXED`.
    fn common(self) -> u8 {
        match (self.low, self.high) {
            (0 | u64::MAX, 0 | u64::MAX) => (self.low & 1 | self.high & 1 << 1) as u8,
            _ => MIXED,
        }
    }
}

/// Of all characters of three bytes, and of those below that have fewer. Scripts with many characters repeat themselves.
fn of_three(by_cell: &[u8]) -> Box<[LastByte]> {
    let mut all = Vec::with_capacity(1 << 10);
    for first in (0..1u32 << 16).step_by(256) {
        match first.checked_sub(256) {
            Some(before) if class::page(before) == class::page(first) => all.extend_from_within(all.len() - 4..),
            _ => all.extend((first..first + 256).step_by(64).map(|first| LastByte::new(first, by_cell))),
        }
    }
    all.into_boxed_slice()
}

/// The bytes of a block, and the text that they stand in, since a character may go on in the next.
#[derive(Clone, Copy)]
pub(super) struct TextBytes<'a> {
    pub text: &'a [u8],
    pub at: usize,
    pub bytes: &'a [u8; BLOCK],
}

/// In place of a class: the characters differ.
const MIXED: u8 = 4;

/// One block. Bytes after the end of the text have no meaning.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlockMasks {
    pub low: u64,
    pub high: u64,
    /// Bytes that continue a character.
    pub tails: u64,
}

/// The part of a character that lies in the next block.
#[derive(Debug, Default)]
pub(super) struct Hanging {
    low: u64,
    high: u64,
    tails: u64,
}

impl BlockClasses {
    /// The rule takes the class bits of a character and gives 0, 1, 2 or 3.
    pub(super) fn new(rule: impl Fn(u16) -> u8) -> Self {
        let by_cell: [u8; class::CELL_COUNT] = std::array::from_fn(|cell| rule(class::cell_bits(cell)) & 3);
        let set = |bit: u8| AsciiSet::new(|byte| by_cell[class::cell(byte.into()) as usize] & bit != 0);
        BlockClasses { ascii: Classes::new(set(1), set(2)), by_cell, others: OnceLock::new() }
    }

    #[inline]
    fn others(&self) -> &OtherClasses {
        self.others.get_or_init(|| OtherClasses::new(&self.by_cell))
    }

    #[inline]
    pub(super) fn class(&self, c: char) -> u8 {
        self.by_cell[class::cell(c as u32) as usize]
    }

    /// The block starts inside the text. What hung over from the block before is taken in, what hangs over from
    /// this one is left in `hanging`.
    #[inline(always)]
    pub(super) fn masks(&self, kit: impl Kit, block: TextBytes, hanging: &mut Hanging) -> BlockMasks {
        let masks = kit.classify(&self.ascii, block.bytes);
        if masks.non_ascii == 0 {
            return masks.of_ascii();
        }
        let [masks] = Self::with_others([self], [masks], kit, block, std::array::from_mut(hanging));
        masks
    }

    /// The same by two rules.
    #[inline(always)]
    pub(super) fn masks_by_both(
        both: [&Self; 2],
        kit: impl Kit,
        block: TextBytes,
        hanging: &mut [Hanging; 2],
    ) -> [BlockMasks; 2] {
        let masks = [kit.classify(&both[0].ascii, block.bytes), kit.classify(&both[1].ascii, block.bytes)];
        if masks[0].non_ascii == 0 {
            return [masks[0].of_ascii(), masks[1].of_ascii()];
        }
        Self::with_others(both, masks, kit, block, hanging)
    }

    /// Brings in the characters that are not ASCII.
    #[inline(always)]
    fn with_others<const RULES: usize>(
        rules: [&Self; RULES],
        masks: [Masks; RULES],
        kit: impl Kit,
        TextBytes { text, at, bytes }: TextBytes,
        hanging: &mut [Hanging; RULES],
    ) -> [BlockMasks; RULES] {
        let hung = std::array::from_fn::<_, RULES, _>(|i| std::mem::take(&mut hanging[i]));
        // Twice as wide as the block, for what hangs over.
        let mut tails = u128::from(hung[0].tails);
        let mut low = std::array::from_fn::<_, RULES, _>(|i| u128::from(masks[i].low | hung[i].low));
        let mut high = std::array::from_fn::<_, RULES, _>(|i| u128::from(masks[i].high | hung[i].high));
        let mut unknown = masks[0].non_ascii & !hung[0].tails;
        while unknown != 0 {
            let lead = bytes[unknown.trailing_zeros() as usize % BLOCK];
            let [same, ..] = kit.find(&[lead; NEEDLES], bytes);
            let classes = Self::classes_of(rules, lead, same, &text[at..]);
            for ((low, high), class) in low.iter_mut().zip(&mut high).zip(classes) {
                *low |= spread(class.low, lead);
                *high |= spread(class.high, lead);
            }
            let covered = spread(same, lead);
            tails |= covered & !u128::from(same);
            unknown &= !(covered as u64);
        }
        for (hanging, (low, high)) in hanging.iter_mut().zip(low.iter().zip(&high)) {
            let over = |mask: u128| (mask >> BLOCK) as u64;
            *hanging = Hanging { low: over(*low), high: over(*high), tails: over(tails) };
        }
        std::array::from_fn(|i| BlockMasks { low: low[i] as u64, high: high[i] as u64, tails: tails as u64 })
    }

    /// The classes of characters that begin with the same byte, at their first bytes; `same` says where these are.
    #[inline(always)]
    fn classes_of<const RULES: usize>(rules: [&Self; RULES], lead: u8, same: u64, text: &[u8]) -> [LastByte; RULES] {
        let others = rules.map(Self::others);
        let common = others.map(|others| others.by_lead[usize::from(lead & 0x3F)]);
        if !common.contains(&MIXED) {
            return common.map(|class| LastByte { low: same & all(class, 0), high: same & all(class, 1) });
        }
        let tail = |i: usize| text.get(i).map_or(0, |&byte| usize::from(byte & 0x3F));
        let mut classes = [LastByte { low: 0, high: 0 }; RULES];
        let mut rest = same;
        while rest != 0 {
            let i = rest.trailing_zeros() as usize;
            for ((rule, others), class) in rules.iter().zip(others).zip(&mut classes) {
                let (last, all) = match lead {
                    0..0xE0 => (tail(i + 1), others.of_two[usize::from(lead & 0x1F)]),
                    0xE0..0xF0 => (tail(i + 2), others.of_three[usize::from(lead & 0x0F) << 6 | tail(i + 1)]),
                    0xF0.. => {
                        let code = usize::from(lead & 0x07) << 18 | tail(i + 1) << 12 | tail(i + 2) << 6 | tail(i + 3);
                        let class = u64::from(rule.by_cell[class::cell(code as u32) as usize]);
                        (0, LastByte { low: class & 1, high: class >> 1 })
                    }
                };
                class.low |= (all.low >> last & 1) << i;
                class.high |= (all.high >> last & 1) << i;
            }
            rest &= rest - 1;
        }
        classes
    }
}

/// Bits of first bytes, over all bytes of these characters.
#[inline(always)]
fn spread(firsts: u64, lead: u8) -> u128 {
    let firsts = u128::from(firsts);
    let two = firsts | firsts << 1;
    match lead {
        0..0xE0 => two,
        0xE0..0xF0 => two | firsts << 2,
        0xF0.. => two | two << 2,
    }
}

/// The class of all characters of these, or `MIXED`.
fn common(rows: &[LastByte]) -> u8 {
    let first = rows.first().map_or(MIXED, |row| row.common());
    if rows.iter().all(|row| row.common() == first) { first } else { MIXED }
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

/// The bytes of the block that starts at `at`, with zeros after the end of the text.
#[inline]
pub(super) fn block<'a>(text: &'a [u8], at: usize, padded: &'a mut [u8; BLOCK]) -> &'a [u8; BLOCK] {
    let rest = &text[at..];
    match rest.first_chunk::<BLOCK>() {
        Some(block) => block,
        None => {
            padded[..rest.len()].copy_from_slice(rest);
            padded
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::effort::one_in;
    use crate::machine::simd::{Engine, Loop};
    use crate::text::class::{LETTER, MARK, NUMBER, UPPER, WHITE};

    fn kinds(bits: u16) -> u8 {
        u8::from(bits & (LETTER | WHITE) != 0) | u8::from(bits & (NUMBER | WHITE) != 0) << 1
    }

    fn cases(bits: u16) -> u8 {
        u8::from(bits & UPPER != 0) | u8::from(bits & MARK != 0) << 1
    }

    /// The five masks of a text's blocks: the bits of both rules, and the bytes that continue a character.
    struct AllMasks<'a>(&'a [BlockClasses; 2], &'a str);

    impl Loop for AllMasks<'_> {
        type Output = [Vec<u64>; 5];

        #[inline(always)]
        fn run(self, kit: impl Kit) -> [Vec<u64>; 5] {
            let AllMasks(both, text) = self;
            let [mut one, mut two] =
                [[Hanging::default(), Hanging::default()], [Hanging::default(), Hanging::default()]];
            let mut found: [Vec<u64>; 5] = Default::default();
            for at in (0..text.len()).step_by(BLOCK) {
                let mut padded = [0; BLOCK];
                let bytes = block(text.as_bytes(), at, &mut padded);
                let block = TextBytes { text: text.as_bytes(), at, bytes };
                let alone = [0, 1].map(|i| both[i].masks(kit, block, &mut one[i]));
                let rules = [&both[0], &both[1]];
                let together = BlockClasses::masks_by_both(rules, kit, block, &mut two);
                for (alone, together) in alone.iter().zip(&together) {
                    assert_eq!((alone.low, alone.high, alone.tails), (together.low, together.high, together.tails));
                }
                let masks = [alone[0].low, alone[0].high, alone[1].low, alone[1].high, alone[0].tails];
                found.iter_mut().zip(masks).for_each(|(all, mask)| all.push(mask));
            }
            found
        }
    }

    /// The bits of all bytes of a text, by one rule and by two at a time, are those of its characters one by one.
    fn check(text: &str) {
        let both = [BlockClasses::new(kinds), BlockClasses::new(cases)];
        let by_character = |rule: &BlockClasses, bit: u8| -> Vec<bool> {
            text.chars().flat_map(|c| vec![rule.class(c) & bit != 0; c.len_utf8()]).collect()
        };
        let expected = [
            by_character(&both[0], 1),
            by_character(&both[0], 2),
            by_character(&both[1], 1),
            by_character(&both[1], 2),
            text.bytes().map(|byte| byte & 0xC0 == 0x80).collect(),
        ];
        for engine in Engine::available() {
            let found = engine.run(AllMasks(&both, text));
            for (found, expected) in found.iter().zip(&expected) {
                let bit = |at: usize| found[at / BLOCK] >> (at % BLOCK) & 1 == 1;
                let wrong = (0..text.len()).find(|&at| bit(at) != expected[at]);
                let wrong = wrong.map(|at| &text[text.floor_char_boundary(at)..][..4.min(text.len() - at)]);
                assert_eq!(wrong, None, "{engine:?}");
            }
        }
    }

    #[test]
    fn every_character_in_order() {
        let all: Vec<char> = ('\0'..=char::MAX).collect();
        // Whole blocks of characters, so that each stands among its neighbours.
        check(&all.chunks(61).step_by(one_in(7)).flatten().collect::<String>());
    }

    #[test]
    fn every_character_among_others_at_every_place() {
        // A step that has no divisor in common with the number of characters mixes the lengths.
        let all: Vec<char> = ('\0'..=char::MAX).collect();
        check(&(0..all.len() / one_in(7)).map(|i| all[i * 7919 % all.len()]).collect::<String>());
        for shift in 0..5 {
            let text: String = "aяあ🙂 é7中\u{301}А".chars().cycle().skip(shift).take(400).collect();
            check(&("x".repeat(shift * 13) + &text));
        }
    }
}
