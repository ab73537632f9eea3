//! The normal forms of Unicode. Nearly all text is in its form already, so the characters that never change come first: what lies between
//! them is put into its form by itself.

use std::sync::OnceLock;

use unicode_normalization_alignments::char::canonical_combining_class;
use unicode_normalization_alignments::{
    IsNormalized, UnicodeNormalization, is_nfc_quick, is_nfd_quick, is_nfkc_quick, is_nfkd_quick,
};

use super::Normalized;

#[derive(Debug, Clone, Copy)]
pub(super) enum UnicodeForm {
    Nfc,
    Nfd,
    Nfkc,
    Nfkd,
}

/// Characters up to here have a bit; those beyond are asked one by one.
const KNOWN: usize = 0x20000;

/// The bits of this many characters are made when the first of them is met: all of them would take longer than most texts.
const PAGE: usize = 256;

type Page = [u64; PAGE / 64];

impl UnicodeForm {
    pub(super) fn apply(self, text: &mut Normalized) {
        if self.keeps_all(text.text()) {
            return;
        }
        match text.is_aligned() {
            true => text.transform(|text, out| self.write(text, |changed| out.push(changed))),
            false => text.set(self.in_parts(text.text())),
        }
    }

    /// Whether each character of a text stays as it is whatever is around it.
    pub(super) fn keeps_all(self, text: &str) -> bool {
        if text.is_ascii() {
            return true;
        }
        let mut characters = text.chars();
        while let Some(c) = characters.next() {
            if c.is_ascii() {
                // Stays as it is, and there is much of it.
                let rest = characters.as_str();
                characters = rest[ascii_bytes(rest)..].chars();
            } else if !self.keeps(c) {
                return false;
            }
        }
        true
    }

    /// The form of a text, of which only the parts around characters that change are looked at in full.
    fn in_parts(self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        // Where the last character that stays as it is starts; what follows it may still join it.
        let mut kept = 0;
        let mut changing = false;
        let mut at = 0;
        while let Some(c) = text[at..].chars().next() {
            // ASCII stays as it is, and there is much of it.
            let ascii = ascii_bytes(&text[at..]);
            let keeps = ascii > 0 || self.keeps(c);
            if keeps && changing {
                self.write(&text[done..at], |(c, _)| out.push(c));
                (done, changing) = (at, false);
            }
            if !keeps && !changing {
                out.push_str(&text[done..kept]);
                (done, changing) = (kept, true);
            }
            if keeps {
                kept = at + ascii.saturating_sub(1);
            }
            at += ascii.max(c.len_utf8());
        }
        match changing {
            true => self.write(&text[done..], |(c, _)| out.push(c)),
            false => out.push_str(&text[done..]),
        }
        out
    }

    fn write(self, text: &str, each: impl FnMut((char, isize))) {
        match self {
            UnicodeForm::Nfc => text.nfc().for_each(each),
            UnicodeForm::Nfd => text.nfd().for_each(each),
            UnicodeForm::Nfkc => text.nfkc().for_each(each),
            UnicodeForm::Nfkd => text.nfkd().for_each(each),
        }
    }

    /// The form of a text, if it is the same beside any others of which this is so.
    pub(super) fn alone(self, text: String) -> Option<String> {
        if text.chars().all(|c| self.asks(c)) {
            return Some(text);
        }
        let mut out = String::with_capacity(text.len());
        self.write(&text, |(c, _)| out.push(c));
        // Nothing goes across the start of what stands first and joins nothing before it.
        out.chars().next().is_none_or(|first| self.asks(first)).then_some(out)
    }

    #[inline]
    fn keeps(self, c: char) -> bool {
        static PAGES: [[OnceLock<Page>; KNOWN / PAGE]; 4] = [const { [const { OnceLock::new() }; KNOWN / PAGE] }; 4];
        let code = c as usize;
        match PAGES[self as usize].get(code / PAGE) {
            Some(page) => page.get_or_init(|| self.page(code / PAGE))[code % PAGE / 64] >> (code % 64) & 1 == 1,
            None => self.asks(c),
        }
    }

    /// Whether a character stays as it is, joins nothing before it, and is not moved by what is around it.
    fn asks(self, c: char) -> bool {
        let one = || std::iter::once(c);
        let quick = match self {
            UnicodeForm::Nfc => is_nfc_quick(one()),
            UnicodeForm::Nfd => is_nfd_quick(one()),
            UnicodeForm::Nfkc => is_nfkc_quick(one()),
            UnicodeForm::Nfkd => is_nfkd_quick(one()),
        };
        quick == IsNormalized::Yes && canonical_combining_class(c) == 0
    }

    #[cold]
    fn page(self, number: usize) -> Page {
        let stays = |code: usize| char::from_u32(code as u32).is_some_and(|c| self.asks(c));
        let word = |first: usize| (0..64).fold(0, |bits, i| bits | u64::from(stays(first + i)) << i);
        std::array::from_fn(|i| word(number * PAGE + 64 * i))
    }
}

/// How many bytes of ASCII a text begins with.
#[inline]
fn ascii_bytes(text: &str) -> usize {
    const TOGETHER: usize = 32;
    let (groups, rest) = text.as_bytes().as_chunks::<TOGETHER>();
    let whole = groups.iter().take_while(|group| group.is_ascii()).count();
    let last = groups.get(whole).map_or(rest, |group| group);
    whole * TOGETHER + last.iter().take_while(|byte| byte.is_ascii()).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::effort::{one_in, short_strings};
    use proptest::prelude::*;

    const ALL: [UnicodeForm; 4] = [UnicodeForm::Nfc, UnicodeForm::Nfd, UnicodeForm::Nfkc, UnicodeForm::Nfkd];

    fn check(text: &str) {
        for form in ALL {
            let mut expected = String::new();
            form.write(text, |(c, _)| expected.push(c));
            assert_eq!(form.in_parts(text), expected, "{form:?} {text:?}");
            for aligned in [false, true] {
                let mut found = Normalized::new(text, aligned);
                form.apply(&mut found);
                assert_eq!(found.text(), expected, "{form:?} {text:?} {aligned}");
            }
        }
    }

    /// Starters, marks of several classes, parts of Hangul, what decomposes, what composes with what is before it.
    const KINDS: [char; 14] = [
        'a',
        'é',
        '\u{301}',
        '\u{323}',
        '\u{345}',
        '각',
        '\u{1100}',
        '\u{1161}',
        '\u{11A8}',
        'ﬁ',
        'Å',
        '\u{9D7}',
        '中',
        '\u{2F800}',
    ];

    #[test]
    fn every_short_string() {
        for length in 1..=4 {
            for text in short_strings(&KINDS, length, 7) {
                check(&text);
            }
        }
    }

    #[test]
    fn every_character_between_others() {
        for c in (0..0x2FA20).step_by(one_in(7)).filter_map(char::from_u32) {
            let text = ['e', c, '\u{301}', 'x', c, c].iter().collect::<String>();
            for form in ALL {
                let mut expected = String::new();
                form.write(&text, |(c, _)| expected.push(c));
                assert_eq!(form.in_parts(&text), expected, "{form:?} {text:?}");
            }
        }
    }

    #[test]
    fn much_ascii_between_others() {
        for width in (0..5).chain(29..36).chain(61..68) {
            for c in KINDS {
                let ascii = "x".repeat(width);
                check(&format!("{ascii}{c}\u{301}{ascii}e{c}{ascii}\u{301}{ascii}中{ascii}"));
            }
        }
    }

    proptest! {
        #[test]
        fn any_text(text in "[a-e\u{300}-\u{345}\u{1100}-\u{11FF}\u{AC00}-\u{AC20}\u{900}-\u{9FF}\u{F900}-\u{FA20}]{0,40}") {
            check(&text);
        }
    }
}
