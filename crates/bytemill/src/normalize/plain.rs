//! Plain characters: those that the rules of a SentencePiece normalizer leave as they are, so that runs of them are copied. Three questions
//! are asked of a character, and a bit answers each.

use super::charsmap::Charsmap;
use crate::text::plane::Plane;
use crate::text::white::White;

/// Characters beyond are rare, and looked up in the rules.
const CODES: usize = 1 << 16;
/// Second characters of rules that are looked at; a file with more is damaged, and any may be second then.
const MOST_SECONDS: usize = 1 << 20;

/// It is a rule by itself.
const CHANGES: u8 = 1;
/// Longer rules begin with it.
const BEGINS: u8 = 2;
/// It is the second character of a rule.
const SECOND: u8 = 4;

#[derive(Debug, Clone)]
pub struct Plain {
    /// For each byte, whether it is an ASCII character that stays or becomes lower case, wherever ASCII follows. A space is none.
    ascii: [bool; 256],
    /// Whether capital letters of ASCII become small ones.
    folds: bool,
    /// Whether everything stays but spaces, and these wherever they stand.
    all: bool,
    /// Whether a space stays wherever it stands.
    pub space: bool,
    /// Whether what lies between two spaces becomes the same whatever is around these.
    pub parts_words: bool,
    /// A space, and what becomes one wherever it stands.
    pub white: White,
    /// Whether no rule has ASCII after its first character.
    parts_ascii: bool,
    /// The answers for each character.
    bits: Box<[u8]>,
    /// The characters that stay and are second in no rule: where one is, nothing has to be known of the one before.
    passed: Plane,
}

impl Default for Plain {
    fn default() -> Self {
        Plain::new(None, &[])
    }
}

impl Plain {
    /// By the rules, and the texts that no rule touches: what begins with the first character of one has to be looked at.
    pub fn new(map: Option<&Charsmap>, kept: &[String]) -> Self {
        let mut bits = vec![0; CODES].into_boxed_slice();
        let set =
            |bits: &mut [u8], c: char, bit: u8| bits.iter_mut().skip(c as usize).take(1).for_each(|it| *it |= bit);
        let mut left = MOST_SECONDS;
        let tree = map.map(Charsmap::tree);
        if let Some(tree) = &tree {
            tree.firsts(&mut |c, below| {
                if below.is_rule {
                    set(&mut bits, c, CHANGES);
                }
                tree.seconds(&below, &mut |second, _| {
                    set(&mut bits, c, BEGINS);
                    set(&mut bits, second, SECOND);
                    left = left.saturating_sub(1);
                    left > 0
                });
                true
            });
        }
        if left == 0 {
            bits.iter_mut().for_each(|it| *it |= SECOND);
        }
        // A character that is such a text by itself stays; where longer ones begin with it, it has to be looked at all the same.
        let (single, longer): (Vec<&String>, Vec<&String>) =
            kept.iter().partition(|text| text.chars().nth(1).is_none());
        let first = |text: &&String| text.chars().next();
        for c in single.iter().filter_map(first) {
            bits.iter_mut().skip(c as usize).take(1).for_each(|it| *it &= SECOND);
        }
        longer.iter().filter_map(first).for_each(|c| set(&mut bits, c, CHANGES));
        let has = |byte: u8, bit: u8| bits[usize::from(byte)] & bit != 0;
        let ascii_is_second = (0..128u8).any(|byte| has(byte, SECOND));
        let becomes = |byte: u8| match map.and_then(|map| map.longest(&[byte])) {
            _ if !has(byte, CHANGES) => Some(byte),
            Some((1, new)) if new.len() == 1 => Some(new.as_bytes()[0]),
            _ => None,
        };
        let is_kept = |byte: u8| longer.iter().any(|text| text.as_bytes().first() == Some(&byte));
        let lone = |byte: u8| !(is_kept(byte) || ascii_is_second && has(byte, BEGINS));
        let folds = (b'A'..=b'Z').all(|byte| lone(byte) && becomes(byte) == Some(byte.to_ascii_lowercase()));
        let is_plain = |byte: u8| {
            let new = if folds { byte.to_ascii_lowercase() } else { byte };
            // A rule that gives back its own character still takes the marks after it along, in the way of `tokenizers`.
            let is_free = new != byte || !has(byte, CHANGES);
            byte.is_ascii() && byte != b' ' && lone(byte) && is_free && becomes(byte) == Some(new)
        };
        let ascii = std::array::from_fn(|byte| is_plain(byte as u8));
        let space = !has(b' ', CHANGES | BEGINS);
        let after = tree.map_or([false; 256], |tree| tree.bytes_after_start());
        let across = after[usize::from(b' ')] || kept.iter().any(|text| text.contains(' '));
        let within = |byte: u8| after[usize::from(byte)] || kept.iter().any(|text| text.as_bytes().contains(&byte));
        let is_space = |&byte: &u8| becomes(byte) == Some(b' ') && !has(byte, BEGINS) && !within(byte);
        let passed = Plane::of(|c| bits[c as usize] & (CHANGES | SECOND) == 0);
        Plain {
            ascii,
            folds,
            all: map.is_none() && !across,
            space,
            parts_words: space && !across,
            white: White::with(b"\n\t\r".iter().copied().filter(is_space)),
            parts_ascii: !after[..128].contains(&true),
            bits,
            passed,
        }
    }

    /// Whether a word is ASCII that stays; or becomes lower case, and then so do all capital letters.
    #[inline]
    pub fn is_ascii(&self, word: &str) -> bool {
        word.bytes().all(|byte| self.ascii[usize::from(byte)])
    }

    /// Whether a text may be parted beside this ASCII character wherever another such is on the other side.
    pub fn parts(&self, byte: u8) -> bool {
        self.parts_ascii && self.ascii[usize::from(byte)]
    }

    pub fn folds(&self) -> bool {
        self.folds
    }

    /// Whether every text stays as it is but for its spaces, the user's own ones among it.
    pub fn keeps_everything(&self) -> bool {
        self.all
    }

    /// The length of what is plain at a place, where anything is; and whether its capital letters become small ones.
    #[inline]
    pub fn run(&self, text: &str, at: usize) -> (usize, bool) {
        if self.all {
            let rest = &text.as_bytes()[at..];
            return (memchr::memchr(b' ', rest).unwrap_or(rest.len()), false);
        }
        match self.ascii_run(text, at, |byte| self.ascii[usize::from(byte)]) {
            Some(length) => (length, self.folds),
            None => (self.others(&text[at..]), false),
        }
    }

    /// Whether all of a text stays as it is, spaces among it.
    pub fn keeps(&self, text: &str) -> bool {
        let mut at = 0;
        while !self.all && at < text.len() {
            match self.unchanged(text, at) {
                0 => return false,
                length => at += length,
            }
        }
        true
    }

    /// The length of what stays as it is at a place, spaces among it.
    #[inline]
    pub fn unchanged(&self, text: &str, at: usize) -> usize {
        let stays = |byte: u8| {
            self.ascii[usize::from(byte)] && !(self.folds && byte.is_ascii_uppercase()) || byte == b' ' && self.space
        };
        self.ascii_run(text, at, stays).unwrap_or_else(|| self.others(&text[at..]))
    }

    /// The length of ASCII that is plain; None where there is none.
    #[inline]
    fn ascii_run(&self, text: &str, at: usize, is_plain: impl Fn(u8) -> bool) -> Option<usize> {
        let bytes = &text.as_bytes()[at..];
        let ascii = bytes.iter().take_while(|&&byte| is_plain(byte)).count();
        if ascii == 0 {
            return None;
        }
        // The last may be the start of a rule that what follows belongs to.
        let follows = bytes.get(ascii).is_some_and(|next| !next.is_ascii());
        let together = follows
            && self.bits[usize::from(bytes[ascii - 1])] & BEGINS != 0
            && text[at + ascii..].chars().next().is_some_and(|next| self.bits_of(next as usize) & SECOND != 0);
        Some(ascii - usize::from(together))
    }

    /// The length of the plain characters beyond ASCII that a text begins with.
    fn others(&self, text: &str) -> usize {
        let bytes = text.as_bytes();
        // The width of the character before.
        let (mut length, mut before) = (0, 0);
        while let Some(&first) = bytes.get(length) {
            let run = 3 * self.passed.run(&bytes[length..]);
            if run > 0 {
                length += run;
                before = 3;
                continue;
            }
            let (code, width) = match bytes[length..].first_chunk() {
                Some(&[0xE0..=0xEF, second, third]) => {
                    (usize::from(first & 0x0F) << 12 | usize::from(second & 0x3F) << 6 | usize::from(third & 0x3F), 3)
                }
                _ => text[length..].chars().next().map_or((0, 1), |c| (c as usize, c.len_utf8())),
            };
            let bits = self.bits_of(code);
            if bits & SECOND != 0 && before > 0 && self.begins(&text[length - before..]) {
                return length - before;
            }
            if bits & CHANGES != 0 || first.is_ascii() {
                break;
            }
            before = width;
            length += width;
        }
        length
    }

    /// Whether longer rules begin with the first character of a text.
    fn begins(&self, text: &str) -> bool {
        text.chars().next().is_some_and(|c| self.bits_of(c as usize) & BEGINS != 0)
    }

    /// Whether a character is a rule by itself, or may be.
    pub fn changes(&self, c: char) -> bool {
        self.bits_of(c as usize) & CHANGES != 0
    }

    #[inline]
    fn bits_of(&self, code: usize) -> u8 {
        self.bits.get(code).copied().unwrap_or(CHANGES | SECOND)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normalize::nfkc::Forms;

    #[test]
    fn every_character_has_the_bits_that_the_rules_say() {
        let map = Forms { nmt: true, folded: true }.charsmap().unwrap();
        let rules: Vec<Vec<char>> = map.listed().unwrap().iter().map(|(from, _)| from.chars().collect()).collect();
        let mut expected = vec![0; CODES];
        for rule in rules.iter().filter(|rule| (rule[0] as usize) < CODES) {
            expected[rule[0] as usize] |= if rule.len() == 1 { CHANGES } else { BEGINS };
            rule.get(1).and_then(|&second| expected.get_mut(second as usize)).into_iter().for_each(|it| *it |= SECOND);
        }
        // A zero leads from a character to places that nobody uses, where the rules of the character go on.
        let plain = map.plain();
        let differs = |&code: &usize| code != 0 && plain.bits[code] & !BEGINS != expected[code] & !BEGINS;
        let wrong: Vec<_> = (0..CODES).filter(differs).map(|code| (code, plain.bits[code], expected[code])).collect();
        assert_eq!(wrong, []);
        assert!((0..CODES).all(|code| plain.bits[code] & BEGINS >= expected[code] & BEGINS));
    }
}
