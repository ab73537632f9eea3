//! DeepSeek's splitting: three patterns, of which each splits the pieces of the one before, so that none sees across a border of the
//! first two: numbers, and runs of Chinese and Japanese.

use super::advance::{number, run, space, white};
use crate::error::Result;
use crate::text::class::{self, LETTER, MARK, NUMBER, PUNCTUATION_CATEGORY, SYMBOL};
use crate::text::span::Span;

/// As tokenizer.json files carry them; what does not match is a piece too.
pub const PATTERNS: [&str; 3] = [
    r"\p{N}{1,3}",
    "[一-龥\u{3040}-ゟ゠-ヿ]+",
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
];

/// Calls `each` with the pieces of `text`, in order.
pub fn split<E>(text: &str, mut each: impl FnMut(Span) -> Result<(), E>) -> Result<(), E> {
    let mut start = 0;
    while let Some(first) = text[start..].chars().next() {
        let rest = &text[start..];
        let width = match first {
            _ if number(first) => {
                let width = rest.chars().take(3).take_while(|&c| number(c)).map(char::len_utf8).sum();
                each(Span::new(start, start + width))?;
                width
            }
            _ if cjk(first) => split_rest(&rest[..run(rest, cjk)], start, &mut each)?,
            _ => split_rest(&rest[..stretch(rest, !bits(b'0', b'9'), neither)], start, &mut each)?,
        };
        start += width;
    }
    Ok(())
}

/// ASCII characters as bits: most texts are asked about these, and a shift answers sooner than the table.
const LETTERS: u128 = bits(b'A', b'Z') | bits(b'a', b'z');
const SIGNS: u128 = bits(b'!', b'/') | bits(b':', b'@') | bits(b'[', b'`') | bits(b'{', b'~');

const fn bits(first: u8, last: u8) -> u128 {
    (u128::MAX >> (127 - (last - first))) << first
}

/// The bytes at the start of `text` that are of a class, given by its ASCII characters and a question for the others.
fn stretch(text: &str, ascii: u128, beyond: fn(char) -> bool) -> usize {
    let mut at = 0;
    while let Some(&byte) = text.as_bytes().get(at) {
        match byte {
            ..0x80 if ascii >> byte & 1 == 1 => at += 1,
            ..0x80 => break,
            _ => match text[at..].chars().next() {
                Some(c) if beyond(c) => at += c.len_utf8(),
                _ => break,
            },
        }
    }
    at
}

/// The third pattern on a segment, and the segment's length. What no match takes is a piece up to the next match.
fn split_rest<E>(segment: &str, offset: usize, each: &mut impl FnMut(Span) -> Result<(), E>) -> Result<usize, E> {
    let (mut start, mut done) = (0, 0);
    while let Some(first) = segment[start..].chars().next() {
        match advance(&segment[start..], first) {
            Some(width) => {
                if done < start {
                    each(Span::new(offset + done, offset + start))?;
                }
                each(Span::new(offset + start, offset + start + width))?;
                start += width;
                done = start;
            }
            None => start += first.len_utf8(),
        }
    }
    if done < start {
        each(Span::new(offset + done, offset + start))?;
    }
    Ok(segment.len())
}

/// The width of the match at the start of `rest`, which begins with `first`.
fn advance(rest: &str, first: char) -> Option<usize> {
    let after = &rest[first.len_utf8()..];
    // [!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+
    if first.is_ascii_punctuation() {
        let letters = stretch(after, LETTERS, |_| false);
        if letters > 0 {
            return Some(1 + letters);
        }
    }
    // [^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+
    let is_word = letter_or_mark(first);
    let is_prefix = !matches!(first, '\r' | '\n') && !sign(first);
    let letters = if is_word || is_prefix { stretch(after, LETTERS, letter_or_mark) } else { 0 };
    if is_word || letters > 0 {
        return Some(first.len_utf8() + letters);
    }
    // ` ?[\p{P}\p{S}]+[\r\n]*`
    let body = rest.strip_prefix(' ').unwrap_or(rest);
    let signs = stretch(body, SIGNS, sign);
    if signs > 0 {
        let end = rest.len() - body.len() + signs;
        return Some(end + run(&rest[end..], |c| matches!(c, '\r' | '\n')));
    }
    // \s*[\r\n]+|\s+(?!\S)|\s+
    let spaces = &rest[..run(rest, space)];
    match spaces.rfind(['\r', '\n']) {
        _ if spaces.is_empty() => None,
        Some(last) => Some(last + 1),
        None => Some(white(rest)),
    }
}

/// A cut does no harm where the first two patterns put a border, nor after a letter and before a space or line feed: no match has both,
/// every letter is in a match, and nothing looks back.
pub fn separates(left: char, right: char) -> bool {
    let border = |is_in: fn(char) -> bool| is_in(left) != is_in(right);
    border(number) || border(cjk) || class::is(left, LETTER) && matches!(right, ' ' | '\n')
}

fn cjk(c: char) -> bool {
    matches!(c, '一'..='龥' | '\u{3040}'..='ヿ')
}

fn neither(c: char) -> bool {
    !cjk(c) && !class::is(c, NUMBER)
}

fn letter_or_mark(c: char) -> bool {
    class::is(c, LETTER | MARK)
}

fn sign(c: char) -> bool {
    class::is(c, PUNCTUATION_CATEGORY | SYMBOL)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::effort::short_strings;
    use crate::text::pattern::{Pattern, PatternMatcher};

    fn by_hand(text: &str) -> Vec<Span> {
        let mut pieces = Vec::new();
        let push = |span| {
            pieces.push(span);
            Ok::<_, crate::error::Error>(())
        };
        split(text, push).unwrap();
        pieces
    }

    fn by_patterns(matchers: &[PatternMatcher], text: &str) -> Vec<Span> {
        matchers.iter().fold(vec![Span::new(0, text.len())], |pieces, matcher| {
            let parts = |piece: Span| {
                let parts = matcher.parts(&text[piece.range()]).into_iter();
                parts.map(move |(part, _)| part.shifted(piece.start)).collect::<Vec<_>>()
            };
            pieces.into_iter().flat_map(parts).collect()
        })
    }

    /// One character for every cell of classes that the patterns tell apart.
    const CELLS: [char; 16] = [
        'a', 'é', '中', '・', '\u{3040}', '\u{3099}', '7', ' ', '\n', '\r', '\u{2028}', '!', '$', '…', '\u{301}',
        '\u{1}',
    ];

    #[test]
    fn by_hand_is_by_patterns_on_every_short_string() {
        let matchers = PATTERNS.map(|pattern| Pattern::Regex(pattern.into()).compile().unwrap());
        for length in 1..=4 {
            for text in short_strings(&CELLS, length, 7) {
                assert_eq!(by_hand(&text), by_patterns(&matchers, &text), "{text:?}");
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn by_hand_is_by_patterns_on_any_text(text in "(?s).{1,200}") {
            let matchers = PATTERNS.map(|pattern| Pattern::Regex(pattern.into()).compile().unwrap());
            proptest::prop_assert_eq!(by_hand(&text), by_patterns(&matchers, &text));
        }
    }

    #[test]
    fn by_example() {
        let text = "Hello 1234 世界・!foo  bar\n\n  x";
        let pieces: Vec<&str> = by_hand(text).into_iter().map(|span| &text[span.range()]).collect();
        assert_eq!(pieces, ["Hello", " ", "123", "4", " ", "世界", "・", "!foo", " ", " bar", "\n\n", " ", " x"]);
    }
}
