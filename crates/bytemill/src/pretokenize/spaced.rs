//! Words of SentencePiece with the spaces before them, cut further between letters and signs, and around characters that are always alone,
//! where two bytes side by side tell that no token lies across: 64 bytes at a time.

use super::runs::Borders;
use crate::error::Result;
use crate::normalize::MARK;
use crate::simd::{AsciiSet, BLOCK, Classes, Engine, NEEDLES};

#[derive(Debug, Clone)]
pub struct SpacedWords {
    engine: Engine,
    /// Letters are in the low set, signs in the high one, and what is always alone in both; a space is in neither.
    classes: Classes,
    /// Whether a sign behind a letter is cut off, all bits or none, and a letter behind a sign.
    before_signs: u64,
    before_letters: u64,
}

impl SpacedWords {
    /// For texts that may be cut between two ASCII characters if they are apart, and around those that are alone.
    pub fn new(are_apart: impl Fn(u8, u8) -> bool, is_alone: impl Fn(u8) -> bool) -> Self {
        let is_alone = |byte: u8| byte != b' ' && is_alone(byte);
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() && !is_alone(byte);
        let is_sign = |byte: u8| byte != b' ' && !byte.is_ascii_alphanumeric() && !is_alone(byte);
        let letters: Vec<u8> = (0..0x80).filter(|&byte| is_letter(byte)).collect();
        let signs: Vec<u8> = (0..0x80).filter(|&byte| is_sign(byte)).collect();
        let all_apart = |left: &[u8], right: &[u8]| {
            let apart = |&left: &u8| right.iter().all(|&right| are_apart(left, right));
            if left.iter().all(apart) { u64::MAX } else { 0 }
        };
        SpacedWords {
            engine: Engine::best(),
            classes: Classes {
                low: AsciiSet::new(|byte| is_letter(byte) || is_alone(byte)),
                high: AsciiSet::new(|byte| is_sign(byte) || is_alone(byte)),
            },
            before_signs: all_apart(&letters, &signs),
            before_letters: all_apart(&signs, &letters),
        }
    }

    /// Calls `each` with the starts and the ends of words, as many as are found at a time. Together they are the text, which begins with a
    /// space; spaces at its end, and before what is alone, are a word by themselves. No word begins with a mark that was none: by itself that
    /// would be taken for one with nothing behind it.
    #[inline]
    pub fn split(
        &self,
        text: &str,
        borders: &mut Borders,
        each: impl FnMut(&[usize], &[usize]) -> Result<()>,
    ) -> Result<()> {
        let (mut space_before, mut alone_before, mut letter_before, mut sign_before, mut first) = (0, 0, 0, 0, 1);
        borders.of_blocks(text.as_bytes(), each, |block, inside| {
            let masks = self.engine.classify(&self.classes, block);
            let (low, high) = (masks.low & inside, masks.high & inside);
            let (spaces, alone) = (!(low | high | masks.non_ascii) & inside, low & high);
            let (letters, signs) = (low & !high, high & !low);
            let mut behind_alone = (alone << 1 | alone_before) & inside;
            if behind_alone & masks.non_ascii != 0 {
                let [leads, ..] = self.engine.find(&[MARK.as_bytes()[0]; NEEDLES], block);
                behind_alone &= !leads;
            }
            let starts = spaces & !(spaces << 1 | space_before)
                | alone
                | behind_alone
                | (letters << 1 | letter_before) & signs & self.before_signs
                | (signs << 1 | sign_before) & letters & self.before_letters;
            (space_before, alone_before) = (spaces >> (BLOCK - 1), alone >> (BLOCK - 1));
            (letter_before, sign_before) = (letters >> (BLOCK - 1), signs >> (BLOCK - 1));
            // Where a word starts, the one before it ends.
            (starts, starts & !std::mem::take(&mut first))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn words_are_the_text_and_end_where_they_may(
            text in "[ ab.,1中▁\n]{0,200}|([a-z.]{1,9} {1,70}){0,60}| {0,1030}[ab\n]{0,3}",
            [alone, before_signs, before_letters] in proptest::array::uniform3(any::<bool>()),
        ) {
            let text = format!(" {text}");
            let is_alone = |byte: u8| alone && matches!(byte, b'\n' | b'1');
            let are_apart = |left: u8, right: u8| match (left.is_ascii_alphanumeric(), right.is_ascii_alphanumeric()) {
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
                Ok(())
            };
            SpacedWords::new(are_apart, is_alone).split(&text, &mut Borders::default(), give).unwrap();
            prop_assert_eq!(end_before, text.len());
            let bytes = text.as_bytes();
            let starts = |at: usize| match [bytes[at - 1], bytes[at]] {
                [b' ', b' '] => false,
                [_, b' '] => true,
                [_, right] if is_alone(right) => true,
                [left, right] if is_alone(left) => right != MARK.as_bytes()[0],
                [left, right] => left != b' ' && left.is_ascii() && right.is_ascii() && are_apart(left, right),
            };
            let expected: Vec<usize> = std::iter::once(0).chain((1..bytes.len()).filter(|&at| starts(at))).collect();
            prop_assert_eq!(starts_found, expected);
        }
    }
}
