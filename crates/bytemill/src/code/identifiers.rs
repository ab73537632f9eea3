//! Identifiers → the words that they are made of, and what separates these: nothing is lost.
//!
//! A part ends
//! - where separators (whatever is no letter and no number) begin or end; equal ones side by side are one part;
//! - before a capital that follows no capital: `get|User`;
//! - before the last capital of an acronym of two or more, if small letters follow it: `HTTP|Server`. A single capital is no acronym, and
//!   stays with its word: `OAuth`; an `s` by itself is the plural of one: `URLs`;
//! - after numbers, which belong to the letters before them: `utf8|mb4`.

use crate::text::class::{self, LETTER, MARK, NUMBER, UPPER};
use crate::text::span::Span;

#[derive(Clone, Copy, PartialEq, Eq)]
enum LetterClass {
    Upper,
    /// Any other letter: those of scripts without case are like small ones.
    Lower,
    Number,
    Separator,
}

/// A character, with the marks after it.
#[derive(Clone, Copy)]
struct MarkedCharacter {
    start: usize,
    first: char,
    class: LetterClass,
}

impl MarkedCharacter {
    fn new(start: usize, first: char) -> Self {
        let bits = class::bits(first);
        let class = match bits {
            _ if bits & UPPER != 0 => LetterClass::Upper,
            _ if bits & (LETTER | MARK) != 0 => LetterClass::Lower,
            _ if bits & NUMBER != 0 => LetterClass::Number,
            _ => LetterClass::Separator,
        };
        MarkedCharacter { start, first, class }
    }
}

/// Calls `each` with the parts of a name, in order; together they are the name.
pub fn split_identifier(name: &str, each: impl FnMut(Span)) {
    if name.is_ascii() {
        let bytes = name.as_bytes();
        return walk(name.len(), bytes.len(), |i| MarkedCharacter::new(i, bytes[i] as char), each);
    }
    let units = units(name);
    walk(name.len(), units.len(), |i| units[i], each);
}

fn units(name: &str) -> Vec<MarkedCharacter> {
    let mut units: Vec<MarkedCharacter> = Vec::with_capacity(name.len());
    for (start, c) in name.char_indices() {
        let continues = class::is(c, MARK) || matches!(c, '\u{200C}' | '\u{200D}');
        if !continues || units.is_empty() {
            units.push(MarkedCharacter::new(start, c));
        }
    }
    units
}

fn walk(end: usize, count: usize, unit: impl Fn(usize) -> MarkedCharacter, mut each: impl FnMut(Span)) {
    if count == 0 {
        return;
    }
    let is_lower = |i: usize| i < count && unit(i).class == LetterClass::Lower;
    let mut start = 0;
    let mut before = unit(0);
    // Capitals side by side up to `before`.
    let mut capitals = usize::from(before.class == LetterClass::Upper);
    for i in 1..count {
        let here = unit(i);
        let border = match (before.class, here.class) {
            (LetterClass::Separator, LetterClass::Separator) => before.first != here.first,
            (LetterClass::Separator, _) | (_, LetterClass::Separator) => true,
            (LetterClass::Upper, LetterClass::Upper) => {
                let plural = |i: usize| unit(i).first == 's' && !is_lower(i + 1);
                capitals >= 2 && is_lower(i + 1) && !plural(i + 1)
            }
            (_, LetterClass::Upper) | (LetterClass::Number, LetterClass::Lower) => true,
            _ => false,
        };
        if border {
            each(Span::new(start, here.start));
            start = here.start;
        }
        capitals = match here.class {
            LetterClass::Upper => capitals + 1,
            _ => 0,
        };
        before = here;
    }
    each(Span::new(start, end));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parts(name: &str) -> Vec<&str> {
        let mut parts = Vec::new();
        split_identifier(name, |span| parts.push(&name[span.range()]));
        parts
    }

    #[test]
    fn names_of_every_style() {
        for expected in [
            "get|User|Name",
            "Get|User|Name",
            "get|_|user|_|name",
            "MAX|_|VALUE",
            "get|-|user|-|name",
            "HTTP|Server",
            "XML|Http|Request",
            "utf8",
            "utf8|mb4",
            "OAuth2|Token",
            "HTML5|Parser",
            "parse|URLs",
            "user|IDs",
            "IO|Error",
            "XRay",
            "_|private",
            "__|init|__",
            "$|scope",
            "std|::|Vec",
            "sha256|sum",
            "größte|Öffnung",
            "Être|Ou|Ne",
            "名前|Name",
            "e\u{301}tat|E\u{301}tat",
        ] {
            assert_eq!(parts(&expected.replace('|', "")).join("|"), expected);
        }
        assert!(parts("").is_empty());
    }

    proptest! {
        #[test]
        fn parts_join_back_and_bytes_are_as_good_as_characters(name in "[a-cA-C0-2_$s-]{0,12}|\\PC{0,8}") {
            prop_assert_eq!(parts(&name).concat(), name.as_str());
            let (units, mut slow) = (units(&name), Vec::new());
            walk(name.len(), units.len(), |i| units[i], |span| slow.push(&name[span.range()]));
            prop_assert_eq!(parts(&name), slow);
        }
    }
}
