//! Words of SentencePiece with the spaces before them, cut further between letters and signs, and around characters that are always alone,
//! where two bytes side by side tell that no token lies across: 64 bytes at a time.

use super::runs::{BlockRule, Borders};
use crate::error::Result;
use crate::machine::simd::{AsciiSet, BLOCK, Classes, Engine, Kit};
use crate::normalize::{MARK, SentencePiece};
use crate::text::gaps::Gaps;
use crate::text::white::White;

#[derive(Debug, Clone)]
pub struct SpacedWords {
    engine: Engine,
    white: White,
    /// Letters are in the low set, signs in the high one, and what is always alone in both. A space is in neither, nor what is not plain.
    classes: Classes,
    /// Whether a sign after a letter is cut off, all bits or none, and a letter after a sign.
    before_signs: u64,
    before_letters: u64,
    /// The same of what is alone and characters beyond ASCII.
    beside_others: u64,
}

/// What two bytes side by side tell.
pub struct Tells<P, S, A> {
    /// What a word begins with, none of which is plain.
    pub white: White,
    /// Whether an ASCII character stays what it is where ASCII follows.
    pub is_plain: P,
    /// Whether all characters do, whatever follows.
    pub others_are_plain: bool,
    /// Whether no token has these two ASCII characters side by side.
    pub are_apart: S,
    /// Whether no token has this one and another.
    pub is_alone: A,
}

impl SpacedWords {
    /// Words that end before spaces, and nowhere else.
    pub fn whole(white: White) -> Self {
        Self::new(Tells {
            white,
            is_plain: |_| false,
            others_are_plain: false,
            are_apart: |_, _| false,
            is_alone: |_| false,
        })
    }

    /// Words of a text that a normalizer of SentencePiece takes, without the user's own symbols: by where no token lies across.
    pub fn of(
        normalizer: &SentencePiece,
        are_apart: impl Fn(u8, u8) -> bool,
        is_alone: impl Fn(u8) -> bool,
    ) -> SpacedWords {
        let rules = normalizer.rules();
        let plain = normalizer.plain();
        let keeps_all = rules.charsmap.is_none() && !rules.remove_extra_whitespaces;
        let becomes = |byte: u8| if plain.folds() { byte.to_ascii_lowercase() } else { byte };
        SpacedWords::new(Tells {
            white: normalizer.white(),
            is_plain: |byte| keeps_all || plain.parts(byte),
            others_are_plain: keeps_all,
            are_apart: |left, right| are_apart(becomes(left), becomes(right)),
            is_alone: |byte| is_alone(becomes(byte)),
        })
    }

    /// Words that end wherever they may.
    pub fn new(tells: Tells<impl Fn(u8) -> bool, impl Fn(u8, u8) -> bool, impl Fn(u8) -> bool>) -> Self {
        // Digits go with letters or with signs, as it is with the tokens.
        let [with_letters, with_signs] = [true, false].map(|digits| Self::with_digits(&tells, digits));
        let cuts = |words: &Self| words.before_signs.count_ones() + words.before_letters.count_ones();
        if cuts(&with_signs) > cuts(&with_letters) { with_signs } else { with_letters }
    }

    fn with_digits(
        tells: &Tells<impl Fn(u8) -> bool, impl Fn(u8, u8) -> bool, impl Fn(u8) -> bool>,
        digits_are_letters: bool,
    ) -> Self {
        let is_plain = |byte: u8| !tells.white.contains(byte) && (tells.is_plain)(byte);
        let is_alone = |byte: u8| is_plain(byte) && (tells.is_alone)(byte);
        let spells = |byte: u8| byte.is_ascii_alphabetic() || digits_are_letters && byte.is_ascii_digit();
        let members = |are_letters: bool| -> Vec<u8> {
            (0..0x80).filter(|&byte| is_plain(byte) && !is_alone(byte) && spells(byte) == are_letters).collect()
        };
        let (letters, signs) = (members(true), members(false));
        let if_apart = |left: &[u8], right: &[u8]| {
            let apart = |&left: &u8| right.iter().all(|&right| (tells.are_apart)(left, right));
            all_if(left.iter().all(apart))
        };
        SpacedWords {
            engine: Engine::best(),
            white: tells.white,
            before_signs: if_apart(&letters, &signs),
            before_letters: if_apart(&signs, &letters),
            beside_others: all_if(tells.others_are_plain),
            classes: Classes::new(
                AsciiSet::new(|byte| letters.contains(&byte) || is_alone(byte)),
                AsciiSet::new(|byte| signs.contains(&byte) || is_alone(byte)),
            ),
        }
    }

    /// Calls `each` with the starts and the ends of words, as many as are found at a time. Together they are the text, which begins with a
    /// space; spaces at its end are a word by themselves. No word begins with a mark that was none: by itself that would be taken for one
    /// with nothing after it. If there are many texts, the first byte of each is told, which is such a space.
    #[inline]
    pub fn split<E>(
        &self,
        (text, firsts): (&str, &Gaps),
        borders: &mut Borders,
        each: impl FnMut(&[usize], &[usize]) -> Result<(), E>,
    ) -> Result<(), E> {
        let rule = ByClasses { words: self, firsts, before: MasksBefore::default(), first: 1 };
        borders.of_blocks(text.as_bytes(), self.engine, rule, each)
    }
}

/// On the way through a text.
struct ByClasses<'a> {
    words: &'a SpacedWords,
    firsts: &'a Gaps,
    before: MasksBefore,
    /// Bytes of the next block that end no word.
    first: u64,
}

/// The last byte of the block before, in each mask.
#[derive(Default)]
struct MasksBefore {
    low: u64,
    high: u64,
    space: u64,
    other: u64,
}

impl BlockRule for ByClasses<'_> {
    #[inline(always)]
    fn borders(&mut self, kit: impl Kit, at: usize, block: &[u8; BLOCK], inside: u64) -> (u64, u64) {
        let ByClasses { words, before, .. } = self;
        let masks = kit.classify(&words.classes, block);
        let (spaces, marks) = words.white.find(kit, MARK.as_bytes()[0], block);
        let (low, high, others) = (masks.low & inside, masks.high & inside, masks.non_ascii & words.beside_others);
        let (low_left, high_left) = (low << 1 | before.low, high << 1 | before.high);
        let (space_left, other_left) = (spaces << 1 | before.space, others << 1 | before.other);
        let last = BLOCK - 1;
        // What follows may join a character and make it another; of the last, nobody here knows.
        let stays = !(masks.non_ascii >> 1 | 1 << last) | words.beside_others;
        let inner = low & high & (low_left | high_left | other_left)
            | low_left & high_left & (low | high | others & !marks)
            | low_left & !high_left & high & !low & words.before_signs
            | high_left & !low_left & low & !high & words.before_letters;
        let starts = spaces & !space_left | inner & stays | self.firsts.block(at);
        *before = MasksBefore { low: low >> last, high: high >> last, space: spaces >> last, other: others >> last };
        // Where a word starts, the one before it ends.
        (starts, starts & !std::mem::take(&mut self.first))
    }
}

/// All bits, or none.
fn all_if(all: bool) -> u64 {
    if all { u64::MAX } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn words_are_the_text_and_end_where_they_may(
            text in "[ ab.,1\t中▁\n]{0,200}|([a-z.]{1,9} {1,70}){0,60}| {0,1030}[ab\n]{0,3}",
            [alone, before_signs, before_letters, others_are_plain, tabs] in proptest::array::uniform5(any::<bool>()),
            [digits_are_letters, tabs_are_white] in proptest::array::uniform2(any::<bool>()),
        ) {
            let white = if tabs_are_white { White::with([b'\t']) } else { White::SPACE };
            let text = format!(" {text}");
            let is_plain = |byte: u8| tabs || byte != b'\t';
            let is_alone = |byte: u8| alone && matches!(byte, b'\n' | b'.');
            let is_letter = |byte: u8| byte.is_ascii_alphabetic() || digits_are_letters && byte.is_ascii_digit();
            let are_apart = |left: u8, right: u8| match (is_letter(left), is_letter(right)) {
                (true, false) => before_signs,
                (false, true) => before_letters,
                _ => false,
            };
            let mut starts_found = Vec::new();
            let mut end_before = 0;
            let give = |starts: &[usize], ends: &[usize]| {
                for (&start, &end) in starts.iter().zip(ends) {
                    assert_eq!(start, std::mem::replace(&mut end_before, end));
                    starts_found.push(start);
                }
                Ok::<_, crate::error::Error>(())
            };
            let words = SpacedWords::new(Tells { white, is_plain, others_are_plain, are_apart, is_alone });
            words.split((&text, &Gaps::NONE), &mut Borders::default(), give).unwrap();
            prop_assert_eq!(end_before, text.len());
            let bytes = text.as_bytes();
            let may_end = |byte: u8| !white.contains(byte) && if byte.is_ascii() { is_plain(byte) } else { others_are_plain };
            let starts = |at: usize| match [bytes[at - 1], bytes[at]] {
                [left, right] if white.contains(right) => !white.contains(left),
                [left, right] if !may_end(left) || !may_end(right) => false,
                _ if !others_are_plain && bytes.get(at + 1).is_some_and(|next| !next.is_ascii()) => false,
                [_, right] if is_alone(right) => true,
                [left, right] if is_alone(left) => right != MARK.as_bytes()[0],
                [left, right] => left.is_ascii() && right.is_ascii() && are_apart(left, right),
            };
            let expected: Vec<usize> = std::iter::once(0).chain((1..bytes.len()).filter(|&at| starts(at))).collect();
            // At the end of a block it is not known what follows.
            let is_open = |at: &usize| others_are_plain || white.contains(bytes[*at]) || at % BLOCK < BLOCK - 1;
            starts_found.retain(is_open);
            prop_assert_eq!(starts_found, expected.into_iter().filter(is_open).collect::<Vec<_>>());
        }
    }
}
