//! Characters by themselves: most become the same wherever they stand, so that each is asked about once, and words are written from what it
//! became.

use super::charsmap::Charsmap;
use super::{Normalizer, UnicodeForm};
use crate::machine::storage::Zeroed;
use crate::text::class::{self, COMBINING, WHITE};
use crate::text::pattern::Pattern;

impl Normalizer {
    /// What becomes of the text that stands for a character, wherever it stands among others of which the same may be said. None if that
    /// depends on what is around it. `part` is told of texts that become something else beside others of that kind.
    fn alone(&self, text: String, part: &mut bool) -> Option<String> {
        match self {
            Normalizer::Lowercase => Some(text.chars().flat_map(char::to_lowercase).collect()),
            Normalizer::StripAccents if !text.chars().any(|c| class::is(c, COMBINING)) => Some(text),
            Normalizer::StripAccents => Some(text.chars().filter(|&c| !class::is(c, COMBINING)).collect()),
            Normalizer::Nfc => UnicodeForm::Nfc.alone(text),
            Normalizer::Nfd => UnicodeForm::Nfd.alone(text),
            Normalizer::Nfkc => UnicodeForm::Nfkc.alone(text),
            Normalizer::Nfkd => UnicodeForm::Nfkd.alone(text),
            Normalizer::Replace { pattern, .. } => match pattern.pattern() {
                // What is replaced is two characters or more, all of them such.
                Pattern::Text(replaced) if replaced.chars().nth(1).is_some() => {
                    let parts = text.chars().filter(|&c| replaced.contains(c)).count();
                    *part |= parts > 0;
                    (parts < 2).then_some(text)
                }
                _ => None,
            },
            Normalizer::Precompiled { charsmap } => {
                *part |= text.contains(['\r', '\n']) && !ends_of_lines_are_white(charsmap);
                if !text.chars().all(is_grapheme) {
                    return None;
                }
                if !text.chars().any(|c| charsmap.plain().changes(c)) {
                    return Some(text);
                }
                let mut buffer = [0; 4];
                let mut out = String::with_capacity(text.len());
                for c in text.chars() {
                    let c: &str = c.encode_utf8(&mut buffer);
                    out.push_str(charsmap.shortest(c.as_bytes()).unwrap_or(c));
                }
                Some(out)
            }
            Normalizer::Sequence { steps } => steps.iter().try_fold(text, |text, step| step.alone(text, part)),
            _ => None,
        }
    }
}

/// Whether the two characters that may end a line, and both together, which are one grapheme, become white space.
fn ends_of_lines_are_white(charsmap: &Charsmap) -> bool {
    let becomes = |text: &'static str| charsmap.shortest(text.as_bytes()).unwrap_or(text);
    let is_white = |text: &str| !text.is_empty() && text.chars().all(|c| class::is(c, WHITE));
    ["\r", "\n", "\r\n"].into_iter().all(|text| is_white(becomes(text)))
}

/// Whether a character is a grapheme between any others of these, but for the end of a line of two. There are more, but not in what is
/// written most.
fn is_grapheme(c: char) -> bool {
    matches!(c,
        '\0'..='~' | '\u{A0}'..='\u{AC}' | '\u{AE}'..='\u{2FF}' | '\u{370}'..='\u{482}' | '\u{48A}'..='\u{590}'
        | '\u{5D0}'..='\u{5EA}' | '\u{620}'..='\u{64A}' | '\u{1E00}'..='\u{200A}'
        | '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205E}' | '\u{2070}'..='\u{20CF}' | '\u{2100}'..='\u{2CEE}'
        | '\u{2E80}'..='\u{3029}' | '\u{3030}'..='\u{3098}' | '\u{309B}'..='\u{A66E}' | '\u{AC00}'..='\u{D7A3}' | '\u{F900}'..='\u{FB1D}'
        | '\u{FE30}'..='\u{FEFE}' | '\u{FF01}'..='\u{FF9D}' | '\u{FFE0}'..='\u{FFEF}')
}

/// What became of the characters of the Basic Multilingual Plane that were met.
#[derive(Debug, Default)]
pub struct CharacterMemo {
    /// For each what is known of it: its kind, whether it is a part of something (one bit), the length (8 bits) and the place of what it
    /// became.
    cells: Zeroed<u32>,
    texts: String,
}

const COUNT: usize = 1 << 16;
/// The kinds: not met yet, the same as before, something else, and what is not to be taken by itself.
const KIND: u32 = 3;
const NEW: u32 = 0;
const STAYS: u32 = 1;
const CHANGES: u32 = 2;
const TOGETHER: u32 = 3;
const PART: u32 = 4;
const LENGTH_SHIFT: u32 = 3;
const PLACE_SHIFT: u32 = 11;

impl CharacterMemo {
    pub fn clear(&mut self) {
        *self = CharacterMemo::default();
    }

    /// Appends what becomes of a word, with spaces for all white space, one or more where that is several. False if that is more than what becomes of its characters, or if one
    /// of them is not taken; and then what was appended is of no use.
    pub fn write(
        &mut self,
        word: &str,
        out: &mut String,
        normalizer: Option<&Normalizer>,
        takes: impl Fn(char) -> bool,
    ) -> bool {
        let (mut done, mut part, mut at) = (0, false, 0);
        while at < word.len() {
            let run = self.stays(&word.as_bytes()[at..]);
            if run > 0 {
                (at, part) = (at + run, false);
                continue;
            }
            let Some(c) = word[at..].chars().next() else { break };
            let mut cell = self.cells.as_slice().get(c as usize).copied().unwrap_or(NEW);
            if cell & KIND == NEW {
                cell = self.ask(c, normalizer, &takes);
            }
            if cell & KIND == TOGETHER || part && cell & PART != 0 {
                return false;
            }
            part = cell & PART != 0;
            if cell & KIND == CHANGES {
                let (length, place) = (cell >> LENGTH_SHIFT & 0xFF, (cell >> PLACE_SHIFT) as usize);
                out.push_str(&word[done..at]);
                out.push_str(&self.texts[place..place + length as usize]);
                done = at + c.len_utf8();
            }
            at += c.len_utf8();
        }
        out.push_str(&word[done..]);
        true
    }

    /// The length of ASCII, or of characters of three bytes, that a text begins with and that stays.
    #[inline]
    fn stays(&self, text: &[u8]) -> usize {
        let Some(cells) = self.cells.as_slice().first_chunk::<COUNT>() else { return 0 };
        let ascii = |&&byte: &&u8| byte.is_ascii() && cells[usize::from(byte)] == STAYS;
        let others = |&&[first, second, third]: &&[u8; 3]| {
            let code = usize::from(first & 0x0F) << 12 | usize::from(second & 0x3F) << 6 | usize::from(third & 0x3F);
            first >> 4 == 0xE && cells[code] == STAYS
        };
        match text.first() {
            Some(0xE0..=0xEF) => 3 * text.as_chunks::<3>().0.iter().take_while(others).count(),
            _ => text.iter().take_while(ascii).count(),
        }
    }

    #[cold]
    fn ask(&mut self, c: char, normalizer: Option<&Normalizer>, takes: impl Fn(char) -> bool) -> u32 {
        if c as usize >= COUNT {
            return TOGETHER;
        }
        if self.cells.as_slice().is_empty() {
            self.cells = Zeroed::new(COUNT);
        }
        let is_white = |c: char| class::is(c, WHITE);
        let mut part = false;
        let alone = match normalizer {
            Some(normalizer) => normalizer.alone(c.into(), &mut part),
            None => Some(c.into()),
        };
        let cell = match alone {
            Some(new) if new.len() <= 0xFF && new.chars().all(takes) => {
                let new = if new.contains(is_white) { new.replace(is_white, " ") } else { new };
                // Where nothing is left, what was on its sides stands side by side.
                let part = if part || new.is_empty() { PART } else { 0 };
                if new.chars().eq([c]) {
                    STAYS | part
                } else {
                    let place = self.texts.len() as u32;
                    self.texts.push_str(&new);
                    CHANGES | part | (new.len() as u32) << LENGTH_SHIFT | place << PLACE_SHIFT
                }
            }
            _ => TOGETHER,
        };
        // What became of them all is less than 2²¹ bytes, unless a file says otherwise.
        let cell = if self.texts.len() >> (32 - PLACE_SHIFT) == 0 { cell } else { TOGETHER };
        self.cells.as_mut_slice()[c as usize] = cell;
        cell
    }
}

#[cfg(test)]
mod tests {
    use super::super::sentencepiece::tests::charsmap;
    use super::*;
    use proptest::prelude::*;
    use unicode_segmentation::GraphemeCursor;

    fn is_boundary(left: char, right: char) -> bool {
        let both: String = [left, right].into_iter().collect();
        GraphemeCursor::new(left.len_utf8(), both.len(), true).is_boundary(&both, 0) == Ok(true)
    }

    /// Three pairs tell whether a character always stands alone: with a letter before it, with a letter after it, and with itself. The
    /// exceptions are the two characters that end a line together, and Korean syllables, which join letters of their own script.
    #[test]
    fn graphemes_of_one_character_are_told_from_others() {
        for c in ('\0'..=char::MAX).filter(|&c| is_grapheme(c)) {
            let pairs = [('a', c), (c, 'a'), (c, c)];
            assert!(pairs.iter().all(|&(left, right)| is_boundary(left, right)), "{c:?}");
        }
    }

    #[test]
    fn a_character_that_is_not_taken_is_told() {
        let mut characters = CharacterMemo::default();
        for _ in 0..2 {
            let mut out = String::from("▁");
            assert!(characters.write("ab中", &mut out, None, |c| c != 'x'));
            assert_eq!(out, "▁ab中");
            assert!(!characters.write("axb", &mut out, None, |c| c != 'x'));
            assert!(!characters.write("a😀", &mut out, None, |_| true), "beyond what is kept");
        }
    }

    fn step() -> impl Strategy<Value = Normalizer> {
        let rules = proptest::collection::btree_map(
            "[ab中か\u{3099}éﬁ\r\n]|[aか][\u{301}\u{3099}]|é[ab]|\r\n",
            "[a-c' ]{0,2}|\u{301}|か",
            1..6,
        );
        let replaced = prop_oneof![Just("''"), Just("ab"), Just("a\u{301}"), Just("a")];
        prop_oneof![
            Just(Normalizer::Lowercase),
            Just(Normalizer::Nfc),
            Just(Normalizer::Nfd),
            Just(Normalizer::Nfkc),
            Just(Normalizer::Nfkd),
            Just(Normalizer::StripAccents),
            rules.prop_map(|rules| Normalizer::Precompiled { charsmap: charsmap(&rules) }),
            (replaced, "[\"'b]").prop_map(|(text, content)| Normalizer::Replace {
                pattern: Pattern::Text(text.into()).try_into().unwrap(),
                content
            }),
        ]
    }

    proptest! {
        #[test]
        fn what_is_written_is_what_the_normalizer_gives(
            steps in proptest::collection::vec(step(), 1..5),
            words in proptest::collection::vec("[a-cA-C'éﬁがか中，\t\r\n\u{3000}각ᄀᆨ\u{301}\u{3099}\u{345}\u{200d}☺ΣİÅ]{0,9}", 1..12),
        ) {
            let normalizer = Normalizer::Sequence { steps };
            let mut characters = CharacterMemo::default();
            for word in words.iter().chain(&words) {
                let mut written = String::new();
                if characters.write(word, &mut written, Some(&normalizer), |_| true) {
                    let normalized = normalizer.normalize(word, false);
                    let parts: Vec<&str> = written.split(' ').filter(|part| !part.is_empty()).collect();
                    prop_assert_eq!(parts, normalized.text().split_whitespace().collect::<Vec<_>>(), "{:?}", word);
                }
            }
        }
    }
}
