//! The spaces of joined words: none before closing punctuation, none behind opening punctuation, none around an apostrophe or hyphen.
//!
//! The rule is a deletion on the joined text, so that tokenizer.json can carry it as a pattern (`SPACING_PATTERN`): a space goes if the
//! character behind it closes or the one before it opens. It looks one character ahead at most, so it streams.

/// Characters that want no space before them.
const CLOSING: &str = ".,;:!?%)]}'’”»…。，、；：！？）】》」』-";
/// Characters that want no space behind them.
const OPENING: &str = "([{'’“«¿¡（【《「『-#$@";

/// The same rule as a regular expression: what it matches is deleted.
pub(crate) const SPACING_PATTERN: &str =
    r" (?=[.,;:!?%)\]}'’”»…。，、；：！？）】》」』\-])|(?<=[(\[{'’“«¿¡（【《「『\-#$@]) ";

/// The ASCII ones among them, one bit each: asked for every token, where looking through the text would take most of the time.
const CLOSING_ASCII: u128 = ascii_bits(CLOSING);
const OPENING_ASCII: u128 = ascii_bits(OPENING);

const fn ascii_bits(characters: &str) -> u128 {
    let bytes = characters.as_bytes();
    let (mut bits, mut i) = (0, 0);
    while i < bytes.len() {
        if bytes[i].is_ascii() {
            bits |= 1 << bytes[i];
        }
        i += 1;
    }
    bits
}

#[inline]
fn is_in(characters: &str, ascii: u128, c: char) -> bool {
    if c.is_ascii() { ascii >> (c as u32) & 1 == 1 } else { characters.contains(c) }
}

/// The rule, run over a text that comes in parts.
#[derive(Debug, Clone, Default)]
pub(crate) struct Spacing {
    /// A space that waits for what follows it.
    waiting: bool,
    after_opening: bool,
}

impl Spacing {
    /// Tokens are whole characters, save for bytes that are not UTF-8, which pass as they are.
    pub(crate) fn push(&mut self, token: &[u8], out: &mut Vec<u8>) {
        // Most tokens are ASCII words, of which only the first and the last character matter.
        match *token {
            [byte @ ..0x80] => return self.push_character(byte.into(), out),
            [first, .., last] if token.is_ascii() && !token.contains(&b' ') => {
                self.push_character(first.into(), out);
                out.extend_from_slice(&token[1..]);
                self.after_opening = is_in(OPENING, OPENING_ASCII, last.into());
                return;
            }
            _ => {}
        }
        for chunk in token.utf8_chunks() {
            for c in chunk.valid().chars() {
                self.push_character(c, out);
            }
            if !chunk.invalid().is_empty() {
                self.finish(out);
                self.after_opening = false;
                out.extend_from_slice(chunk.invalid());
            }
        }
    }

    fn push_character(&mut self, c: char, out: &mut Vec<u8>) {
        if std::mem::take(&mut self.waiting) && !is_in(CLOSING, CLOSING_ASCII, c) {
            out.push(b' ');
        }
        if c == ' ' {
            self.waiting = !self.after_opening;
        } else {
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
        self.after_opening = is_in(OPENING, OPENING_ASCII, c);
    }

    pub(crate) fn finish(&mut self, out: &mut Vec<u8>) {
        if std::mem::take(&mut self.waiting) {
            out.push(b' ');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spaced(tokens: &[&str]) -> String {
        let mut out = Vec::new();
        let mut spacing = Spacing::default();
        spacing.push(tokens.join(" ").as_bytes(), &mut out);
        spacing.finish(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn punctuation_finds_its_place() {
        assert_eq!(spaced(&["Hello", ",", "world", "!"]), "Hello, world!");
        assert_eq!(spaced(&["I", "don", "'", "t", "(", "yet", ")", "."]), "I don't (yet).");
        assert_eq!(spaced(&["well", "-", "known", "$", "5"]), "well-known $5");
        assert_eq!(spaced(&["a", "", "", "."]), "a  .");
    }

    #[test]
    fn the_pattern_lists_the_same_characters() {
        let class = |open: &str, close: &str| {
            let from = SPACING_PATTERN.find(open).unwrap() + open.len();
            let to = from + SPACING_PATTERN[from..].find(close).unwrap();
            SPACING_PATTERN[from..to].replace('\\', "")
        };
        assert_eq!(class(" (?=[", "])|"), CLOSING);
        assert_eq!(class("(?<=[", "]) "), OPENING);
    }
}
