//! Words between spaces, by nothing but the byte of a space: 64 bytes at a time.

use super::runs::Borders;
use crate::error::Result;
use crate::simd::{BLOCK, Engine};

#[derive(Debug, Clone, Copy)]
pub struct Spaces {
    engine: Engine,
    /// Only the first of several spaces in a row is a border: the others belong to the word behind them, those at the start of a text too.
    pub kept: bool,
}

impl Spaces {
    pub fn new(kept: bool) -> Self {
        Spaces { engine: Engine::best(), kept }
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
        let (mut space_before, mut start) = (1, 1);
        borders.of_blocks(text.as_bytes(), each, |block, inside| {
            let [spaces, ..] = self.engine.find(b"     ", block);
            let before = spaces << 1 | space_before;
            let ends = spaces & !before & inside;
            let starts = if self.kept { ends << 1 | start } else { !spaces & before };
            (space_before, start) = (spaces >> (BLOCK - 1), ends >> (BLOCK - 1));
            (starts & inside, ends)
        })
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
        Spaces::new(kept).split_together(text, &mut Borders::default(), give).unwrap();
        words
    }

    #[test]
    fn by_example() {
        assert_eq!(words("  a b   cd ", false), ["a", "b", "cd"]);
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
