//! Words between spaces, by nothing but the bytes that are such: 64 bytes at a time.

use super::runs::{BlockRule, Borders};
use crate::error::Result;
use crate::simd::{BLOCK, Engine, Kit, NEEDLES};

/// The bytes that are spaces: the space, and what becomes one before anybody looks. Places that are not used repeat the space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct White {
    bytes: [u8; White::MOST],
}

impl White {
    const MOST: usize = 4;
    /// Only a space is one.
    pub const SPACE: White = White { bytes: [b' '; White::MOST] };

    /// With the first of these besides the space, as many as there is room for.
    pub fn with(others: impl IntoIterator<Item = u8>) -> Self {
        let mut white = White::SPACE;
        white.bytes[1..].iter_mut().zip(others).for_each(|(byte, other)| *byte = other);
        white
    }

    #[inline]
    pub fn contains(&self, byte: u8) -> bool {
        self.bytes.contains(&byte)
    }

    #[inline]
    pub fn trim_end<'a>(&self, text: &'a str) -> &'a str {
        text.trim_end_matches(|c: char| u8::try_from(c).is_ok_and(|byte| self.contains(byte)))
    }

    /// Where in a block they are, and where another byte is.
    #[inline(always)]
    pub(super) fn find(&self, kit: impl Kit, other: u8, block: &[u8; BLOCK]) -> (u64, u64) {
        let [a, b, c, d] = self.bytes;
        let needles: [u8; NEEDLES] = [a, b, c, d, other];
        let [a, b, c, d, other] = kit.find(&needles, block);
        (a | b | c | d, other)
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Spaces {
    engine: Engine,
    pub white: White,
    /// Only the first of several spaces in a row is a border: the others belong to the word behind them, those at the start of a text too.
    pub kept: bool,
}

impl Spaces {
    pub fn new(kept: bool, white: White) -> Self {
        Spaces { engine: Engine::best(), white, kept }
    }

    /// Calls `each` with the starts and the ends of words, as many as are found at a time. Where spaces are kept, the text ends with none.
    #[inline]
    pub fn split_together(
        &self,
        text: &str,
        borders: &mut Borders,
        each: impl FnMut(&[usize], &[usize]) -> Result<()>,
    ) -> Result<()> {
        // As if a space were before the text; and where they are kept, a word begins there.
        let rule = BySpaces { white: self.white, kept: self.kept, space_before: 1, start: 1 };
        borders.of_blocks(text.as_bytes(), self.engine, rule, each)
    }
}

/// On the way through a text: whether the last byte was a space, and whether a word starts with the next.
struct BySpaces {
    white: White,
    kept: bool,
    space_before: u64,
    start: u64,
}

impl BlockRule for BySpaces {
    #[inline(always)]
    fn borders(&mut self, kit: impl Kit, _: usize, block: &[u8; BLOCK], inside: u64) -> (u64, u64) {
        let (spaces, _) = self.white.find(kit, b' ', block);
        let before = spaces << 1 | self.space_before;
        let ends = spaces & !before & inside;
        let starts = if self.kept { ends << 1 | self.start } else { !spaces & before };
        (self.space_before, self.start) = (spaces >> (BLOCK - 1), ends >> (BLOCK - 1));
        (starts & inside, ends)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(text: &str, kept: bool) -> Vec<String> {
        let mut words = Vec::new();
        let give = |starts: &[usize], ends: &[usize]| {
            words.extend(starts.iter().zip(ends).map(|(&start, &end)| text[start..end].to_string()));
            Ok(())
        };
        Spaces::new(kept, White::with([b'\n'])).split_together(text, &mut Borders::default(), give).unwrap();
        words
    }

    #[test]
    fn by_example() {
        assert_eq!(words("  a b   cd ", false), ["a", "b", "cd"]);
        assert_eq!(words("\n \na\tb\ncd\n", false), ["a\tb", "cd"]);
        assert_eq!(words("  a b   cd", true), ["  a", "b", "  cd"]);
        assert!(words("", false).is_empty() && words("  ", false).is_empty());
    }

    proptest! {
        #[test]
        fn words_are_what_lies_between_spaces(text in "[ ab中]{0,200}|([a-z]{1,9} {1,70}){0,60}") {
            prop_assert_eq!(words(&text, false), text.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>());
            let text = text.clone() + "x";
            prop_assert_eq!(words(&text, true).join(" "), text);
        }
    }
}
