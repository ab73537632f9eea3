//! Words between spaces, by nothing but the bytes that are such: 64 bytes at a time.

use super::runs::{BlockRule, Borders};
use crate::error::Result;
use crate::machine::simd::{BLOCK, Engine, Kit};
use crate::normalize::SentencePiece;
use crate::text::white::White;

#[derive(Debug, Clone, Copy)]
pub struct Spaces {
    engine: Engine,
    pub white: White,
    /// Only the first of several spaces in a row is a border: the others belong to the word after them, those at the start of a text too.
    pub kept: bool,
}

impl Spaces {
    pub fn new(kept: bool, white: White) -> Self {
        Spaces { engine: Engine::best(), white, kept }
    }

    /// What splits a text into words that a normalizer takes one by one, if it does.
    pub fn of(normalizer: &SentencePiece) -> Option<Self> {
        let kept = !normalizer.rules().remove_extra_whitespaces;
        normalizer.takes_words().then(|| Spaces::new(kept, normalizer.white()))
    }

    /// Calls `each` with the starts and the ends of words, as many as are found at a time. Where spaces are kept, the text ends with none.
    #[inline]
    pub fn split_together<E>(
        &self,
        text: &str,
        borders: &mut Borders,
        each: impl FnMut(&[usize], &[usize]) -> Result<(), E>,
    ) -> Result<(), E> {
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
            Ok::<_, crate::error::Error>(())
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
