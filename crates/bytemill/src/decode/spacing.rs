//! The spaces of joined words: none before closing punctuation, none after opening punctuation, none around an apostrophe, hyphen or slash,
//! none within numbers (`3.14`, `1,000`, `10:30`) and names of files and hosts (`http://a.b`).
//!
//! The rule is a deletion on the joined text, so that tokenizer.json can carry it as a pattern (`spacing_pattern`). It looks no further ahead
//! than the next token, so it streams.

/// Characters that want no space before them.
const CLOSING: &str = ".,;:!?%)]}'’”»…。，、；：！？）】》」』-/";
/// Characters that want no space after them.
const OPENING: &str = "([{'’“«¿¡（【《「『-#$@/";

/// The longest part of a name after which a dot continues it. A pattern that looks behind has to have an end.
const LONGEST_PART: usize = 24;

/// The same rule as a regular expression: what it matches is deleted.
pub(crate) fn spacing_pattern() -> String {
    let escaped = |characters: &str| characters.replace(']', "\\]").replace('[', "\\[").replace('-', "\\-");
    let (closing, opening) = (escaped(CLOSING), escaped(OPENING));
    let after_slash = (1..=LONGEST_PART).map(|length| format!(r"/ [^ ]{{{length}}} \."));
    let after_dot = (2..=LONGEST_PART).map(|length| format!(r"\. [^ ]{{{length}}} \."));
    let parts = after_slash.chain(after_dot).collect::<Vec<_>>().join("|");
    let numbers = r"(?<=[0-9] \.) (?=[0-9])|(?<=[0-9] ,) (?=[0-9]{3}(?![0-9]))|(?<=[0-9] :) (?=[0-9]{2}(?![0-9]))";
    format!(" (?=[{closing}])|(?<=[{opening}]) |{numbers}|(?<={parts}) (?=[a-z0-9])")
}

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
    /// The last stretches between spaces, the one that grows last.
    runs: [Unspaced; 4],
}

/// A stretch without a space.
#[derive(Debug, Clone, Copy, Default)]
struct Unspaced {
    length: usize,
    last: char,
}

impl Unspaced {
    fn add(&mut self, c: char) {
        *self = Unspaced { length: self.length + 1, last: c };
    }

    fn is(self, c: char) -> bool {
        self.length == 1 && self.last == c
    }
}

impl Spacing {
    /// Tokens are whole characters, save for bytes that are not UTF-8, which pass as they are.
    pub(crate) fn push(&mut self, token: &[u8], out: &mut Vec<u8>) {
        // Most tokens are ASCII words, of which only the first and the last character matter.
        match *token {
            [byte @ ..0x80] => return self.push_character(byte.into(), b"", out),
            [first, .., last] if token.is_ascii() && !token.contains(&b' ') => {
                self.push_character(first.into(), &token[1..], out);
                out.extend_from_slice(&token[1..]);
                self.runs[3] = Unspaced { length: self.runs[3].length + token.len() - 1, last: last.into() };
                self.after_opening = is_in(OPENING, OPENING_ASCII, last.into());
                return;
            }
            _ => {}
        }
        for chunk in token.utf8_chunks() {
            for (at, c) in chunk.valid().char_indices() {
                self.push_character(c, &chunk.valid().as_bytes()[at + c.len_utf8()..], out);
            }
            if !chunk.invalid().is_empty() {
                self.finish(out);
                self.after_opening = false;
                self.runs = Default::default();
                out.extend_from_slice(chunk.invalid());
            }
        }
    }

    /// A character, and the rest of its token.
    fn push_character(&mut self, c: char, rest: &[u8], out: &mut Vec<u8>) {
        let is_kept = |spacing: &Self| !is_in(CLOSING, CLOSING_ASCII, c) && !spacing.continues(c, rest);
        if std::mem::take(&mut self.waiting) && is_kept(self) {
            out.push(b' ');
        }
        if c == ' ' {
            self.waiting = !self.after_opening;
            self.runs.rotate_left(1);
            self.runs[3] = Unspaced::default();
        } else {
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            self.runs[3].add(c);
        }
        self.after_opening = is_in(OPENING, OPENING_ASCII, c);
    }

    /// Whether what begins with `c` belongs to the number or the name before the space.
    fn continues(&self, c: char, rest: &[u8]) -> bool {
        let [before, part, sign, _] = self.runs;
        let in_number = part.last.is_ascii_digit() && part.length > 0 && c.is_ascii_digit();
        let digits = 1 + rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let is_number = in_number && (sign.is('.') || sign.is(',') && digits == 3 || sign.is(':') && digits == 2);
        let least = match before.last {
            _ if before.length == 0 => return is_number,
            '/' => 1,
            '.' => 2,
            _ => return is_number,
        };
        let is_part = (least..=LONGEST_PART).contains(&part.length) && sign.is('.');
        is_number || is_part && (c.is_ascii_lowercase() || c.is_ascii_digit())
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
    fn numbers_and_names_stay_together() {
        let parted = |text: &str| spaced(&text.split(' ').collect::<Vec<_>>());
        assert_eq!(parted("pay $ 3 . 14 or 1 , 000 at 10 : 30 ."), "pay $3.14 or 1,000 at 10:30.");
        assert_eq!(parted("see http : / / a . b and src / main . rs"), "see http://a.b and src/main.rs");
        assert_eq!(parted("https : / / docs . python . org / 3 / now . Then"), "https://docs.python.org/3/now. Then");
        assert_eq!(parted("1 , 2 , 3 and note 3 : 5 , e . g . this"), "1, 2, 3 and note 3: 5, e. g. this");
        assert_eq!(parted("the end . 5 of 2 . x"), "the end. 5 of 2. x");
    }
}
