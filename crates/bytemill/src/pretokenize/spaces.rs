//! Words between spaces, by nothing but the byte of a space: 64 bytes at a time.

use super::blocks;
use super::runs::{Borders, WINDOW};
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
        self.split(text, borders, each, |[spaces, _], inside| {
            let before = spaces << 1 | space_before;
            let ends = spaces & !before & inside;
            let starts = if self.kept { ends << 1 | start } else { !spaces & before };
            (space_before, start) = (spaces >> (BLOCK - 1), ends >> (BLOCK - 1));
            (starts & inside, ends)
        })
    }

    /// The same of words with the spaces before them, in a text that begins with a space: together they are the text. Spaces at its end
    /// are a word by themselves; and so is the end of a line, if that is asked for.
    #[inline]
    pub fn split_before(
        &self,
        text: &str,
        lines: bool,
        borders: &mut Borders,
        each: impl FnMut(&[usize], &[usize]) -> Result<()>,
    ) -> Result<()> {
        let (mut space_before, mut line_before, mut first) = (0, 0, 1);
        self.split(text, borders, each, |[spaces, line_ends], inside| {
            let line_ends = if lines { line_ends } else { 0 };
            let starts = spaces & !(spaces << 1 | space_before) | line_ends | (line_ends << 1 | line_before) & inside;
            (space_before, line_before) = (spaces >> (BLOCK - 1), line_ends >> (BLOCK - 1));
            // Where a word starts, the one before it ends.
            (starts, starts & !std::mem::take(&mut first))
        })
    }

    /// Words whose borders follow from where the spaces and the line feeds of each block are; `inside` are the bytes of the text.
    #[inline]
    fn split(
        &self,
        text: &str,
        borders: &mut Borders,
        mut each: impl FnMut(&[usize], &[usize]) -> Result<()>,
        mut starts_and_ends: impl FnMut([u64; 2], u64) -> (u64, u64),
    ) -> Result<()> {
        let bytes = text.as_bytes();
        borders.reset();
        for (number, at) in (0..bytes.len()).step_by(BLOCK).enumerate() {
            let mut padded = [0; BLOCK];
            let block = blocks::block(bytes, at, &mut padded);
            let inside = u64::MAX >> BLOCK.saturating_sub(bytes.len() - at);
            let [spaces, line_ends, ..] = self.engine.find(b" \n   ", block);
            let (starts, ends) = starts_and_ends([spaces, line_ends], inside);
            borders.write(at, starts, ends);
            if number % WINDOW == WINDOW - 1 {
                borders.hand_out(&mut each)?;
            }
        }
        borders.close(bytes.len());
        borders.hand_out(&mut each)
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
        fn words_with_the_spaces_before_them_are_the_text(
            text in "[ ab中\n]{0,200}|([a-z]{1,9} {1,70}){0,60}| {0,1030}[ab\n]{0,3}", lines in any::<bool>(),
        ) {
            let text = format!(" {text}");
            let mut words = Vec::new();
            let give = |starts: &[usize], ends: &[usize]| {
                words.extend(starts.iter().zip(ends).map(|(&start, &end)| text[start..end].to_string()));
                Ok(())
            };
            Spaces::new(true).split_before(&text, lines, &mut Borders::default(), give).unwrap();
            prop_assert_eq!(words.concat(), &text[..]);
            let ends_line = |word: &str| lines && word == "\n";
            let is_word = |word: &str| !word.trim_start_matches(' ').contains(' ') && (!lines || !word.contains('\n'));
            prop_assert!(words.iter().all(|word| ends_line(word) || is_word(word)));
            for (word, next) in words.iter().zip(words.iter().skip(1)) {
                prop_assert!(next.starts_with(' ') || ends_line(word) || ends_line(next));
                prop_assert!(!word.ends_with(' ') || ends_line(next));
            }
        }

        #[test]
        fn words_are_what_lies_between_spaces(text in "[ ab中]{0,200}|([a-z]{1,9} {1,70}){0,60}") {
            prop_assert_eq!(words(&text, false), text.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>());
            let text = text.clone() + "x";
            prop_assert_eq!(words(&text, true).join(" "), text);
        }
    }
}
