//! Which stretches of a word may be pieces: of one script, with digits and marks of spaces where the options want them.

use super::SentencePieceOptions;
use crate::pretokenize::{COMMON, INHERITED, script};

/// A script, or none, beside which every script may stand.
type Script = Option<u8>;

fn is_digit(c: char) -> bool {
    matches!(c, '0'..='9' | '０'..='９')
}

impl SentencePieceOptions {
    fn script(&self, c: char, before: Script) -> Script {
        match script(c) {
            _ if is_digit(c) && !self.split_by_number => None,
            INHERITED => before,
            // What is in no table is common to all.
            0 => Some(COMMON),
            own => Some(own),
        }
    }

    fn parts(&self, before: Script, own: Script) -> bool {
        self.split_by_unicode_script && before.is_some() && own.is_some() && before != own
    }

    /// Whether a stretch of a word may be a piece. How long it may be is not asked here.
    pub fn is_valid(&self, text: &str) -> bool {
        let alone = text.chars().nth(1).is_none();
        let only_marks = self.allow_whitespace_only_pieces && text.chars().all(|c| c == self.mark);
        let mut before = None;
        text.char_indices().all(|(at, c)| {
            if c == self.mark {
                return only_marks || self.is_valid_mark(at == 0, at + c.len_utf8() == text.len());
            }
            let own = self.script(c, before);
            let parted = self.parts(before, own) || (self.split_digits && is_digit(c) && !alone);
            before = own;
            !parted
        })
    }

    /// A mark belongs to the start of a piece, or to its end; without words, inside as well.
    fn is_valid_mark(&self, first: bool, last: bool) -> bool {
        match (self.split_by_whitespace, self.treat_whitespace_as_suffix) {
            (true, false) => first,
            (true, true) => last,
            (false, false) => first || !last,
            (false, true) => last || !first,
        }
    }

    /// The parts of a word that no piece reaches out of, in order. A character that inherits its script has that of the one before.
    pub fn cut<'a>(&self, word: &'a str) -> Vec<&'a str> {
        let mut parts = Vec::new();
        let (mut start, mut before, mut after_digit) = (0, None, false);
        // Where the marks begin that stand right before.
        let mut marks = 0;
        for (at, c) in word.char_indices() {
            let alone = self.split_digits && (is_digit(c) || after_digit);
            after_digit = is_digit(c);
            let own = self.script(c, before);
            let border = match c {
                _ if alone => Some(at),
                _ if c == self.mark => None,
                _ if self.parts(before, own) => Some(if self.treat_whitespace_as_suffix { at } else { marks }),
                _ => None,
            };
            if let Some(border) = border.filter(|&border| border > start) {
                parts.push(&word[start..border]);
                start = border;
            }
            if c != self.mark {
                before = own;
                marks = at + c.len_utf8();
            }
        }
        parts.push(&word[start..]);
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::options;
    use super::*;

    /// Every stretch of a word lies in one of its parts, or may not be a piece.
    #[test]
    fn parts_hold_all_valid_stretches() {
        let words = ["▁ab", "▁don't", "▁12ab3", "ab▁cd▁", "▁аb漢かカー1a", "a▁1▁б", "▁▁a", "１２x", "e\u{301}a"];
        for settings in 0..32 {
            let mut options = options();
            options.split_by_unicode_script = settings & 1 != 0;
            options.split_by_number = settings & 2 != 0;
            options.split_digits = settings & 4 != 0;
            options.split_by_whitespace = settings & 8 != 0;
            options.treat_whitespace_as_suffix = settings & 16 != 0;
            for word in words {
                let parts = options.cut(word);
                assert_eq!(parts.concat(), word);
                let mut end = 0;
                let borders: Vec<usize> = parts.iter().map(|part| (end += part.len(), end).1).collect();
                let places: Vec<usize> = word.char_indices().map(|(at, _)| at).chain([word.len()]).collect();
                for (i, &from) in places.iter().enumerate() {
                    for &to in &places[i + 1..] {
                        let crosses = borders.iter().any(|&border| from < border && border < to);
                        assert!(!crosses || !options.is_valid(&word[from..to]), "{word:?} {from}..{to} {parts:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn valid_by_example() {
        let mut options = options();
        let valid = |options: &SentencePieceOptions, texts: &str| {
            texts.split(' ').map(|text| options.is_valid(text)).collect::<Vec<_>>()
        };
        assert_eq!(
            valid(&options, "▁ab a▁ a▁b ab1 12 don't 漢かー é1 ▁▁"),
            [true, false, false, false, true, false, true, false, false]
        );
        options.split_by_number = false;
        assert_eq!(valid(&options, "ab1 a1б аb"), [true, true, false]);
        options.split_digits = true;
        assert_eq!(valid(&options, "ab1 1 12 ▁1"), [false, true, false, false]);
        options.allow_whitespace_only_pieces = true;
        assert_eq!(valid(&options, "▁▁ ▁▁a"), [true, false]);
        options.split_by_whitespace = false;
        assert_eq!(valid(&options, "a▁b a▁ ▁a▁b"), [true, false, true]);
        options.treat_whitespace_as_suffix = true;
        assert_eq!(valid(&options, "a▁b a▁ ▁a"), [true, true, false]);
    }
}
