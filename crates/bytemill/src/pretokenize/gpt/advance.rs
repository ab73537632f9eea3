//! Ground truth: each pattern by hand, one character after the other. Takes the rest of a text, gives the width of its first piece.

use crate::text::class::{self, HAN, LETTER, LOWER, MARK, NUMBER, UPPER, WHITE};

pub(super) fn gpt2(rest: &str) -> usize {
    if let Some(width) = contraction(rest, false) {
        return width;
    }
    let body = rest.strip_prefix(' ').unwrap_or(rest);
    let space = rest.len() - body.len();
    for class in [letter, number, other] {
        let width = run(body, class);
        if width > 0 {
            return space + width;
        }
    }
    white(rest)
}

pub(super) fn cl100k(rest: &str, digits: usize) -> usize {
    if let Some(width) = contraction(rest, true) {
        return width;
    }
    // [^\r\n\p{L}\p{N}]?\p{L}+
    let prefix = word_prefix(rest);
    let letters = run(&rest[prefix..], letter);
    if letters > 0 {
        return prefix + letters;
    }
    numbers_or_symbols_or_space(rest, digits, |c| matches!(c, '\r' | '\n'))
}

pub(super) fn o200k(rest: &str, digits: usize, contractions: bool) -> usize {
    cased_word(rest, not_lower, not_upper, contractions)
        .unwrap_or_else(|| numbers_or_symbols_or_space(rest, digits, |c| matches!(c, '\r' | '\n' | '/')))
}

/// As `o200k`, with ideographs apart from words and no slashes after symbols.
pub(super) fn kimi(rest: &str) -> usize {
    let ideograph = |c| class::is(c, HAN);
    match run(rest, ideograph) {
        0 => cased_word(rest, |c| not_lower(c) && !ideograph(c), |c| not_upper(c) && !ideograph(c), true)
            .unwrap_or_else(|| numbers_or_symbols_or_space(rest, 3, |c| matches!(c, '\r' | '\n'))),
        width => width,
    }
}

/// A word with the character before it and a contraction after it.
/// `not_lower` and `not_upper` say what its upper-case and its lower-case part consist of.
fn cased_word(
    rest: &str,
    not_lower: impl Fn(char) -> bool + Copy,
    not_upper: impl Fn(char) -> bool + Copy,
    contractions: bool,
) -> Option<usize> {
    // Each alternative first with the prefix, then, having failed, without it.
    let starts = [word_prefix(rest), 0];
    let first = |start| upper_then_lower(&rest[start..], not_lower, not_upper).map(|width| start + width);
    let second = |start| upper_maybe_lower(&rest[start..], not_lower, not_upper).map(|width| start + width);
    let end = starts.into_iter().find_map(first).or_else(|| starts.into_iter().find_map(second))?;
    Some(end + contraction(&rest[end..], true).filter(|_| contractions).unwrap_or(0))
}

/// `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+`
fn upper_then_lower(
    text: &str,
    not_lower: impl Fn(char) -> bool,
    not_upper: impl Fn(char) -> bool + Copy,
) -> Option<usize> {
    let uppers = run(text, not_lower);
    let lowers = run(&text[uppers..], not_upper);
    if lowers > 0 {
        return Some(uppers + lowers);
    }
    // The first class gives back characters until the second one can take one; what follows it was refused already.
    let given_back = text[..uppers].char_indices().rfind(|&(_, c)| not_upper(c));
    given_back.map(|(at, c)| at + c.len_utf8())
}

/// `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*`
fn upper_maybe_lower(text: &str, not_lower: impl Fn(char) -> bool, not_upper: impl Fn(char) -> bool) -> Option<usize> {
    let uppers = run(text, not_lower);
    (uppers > 0).then(|| uppers + run(&text[uppers..], not_upper))
}

/// `\p{N}{1,digits}| ?[^\s\p{L}\p{N}]+[tail]*|\s*[\r\n]+|\s+(?!\S)|\s+`
fn numbers_or_symbols_or_space(rest: &str, digits: usize, tail: fn(char) -> bool) -> usize {
    let numbers: usize = rest.chars().take(digits).take_while(|&c| number(c)).map(char::len_utf8).sum();
    if numbers > 0 {
        return numbers;
    }
    let body = rest.strip_prefix(' ').unwrap_or(rest);
    let symbols = run(body, other);
    if symbols > 0 {
        let end = rest.len() - body.len() + symbols;
        return end + run(&rest[end..], tail);
    }
    let spaces = &rest[..run(rest, space)];
    match spaces.rfind(['\r', '\n']) {
        Some(at) => at + 1,
        None => white(rest),
    }
}

/// `\s+(?!\S)|\s+`: a run of white space, less its last character when something follows it.
pub(super) fn white(rest: &str) -> usize {
    let width = run(rest, space);
    match rest[..width].char_indices().next_back() {
        Some((last, _)) if width < rest.len() && last > 0 => last,
        _ => width,
    }
}

/// `'s|'t|'re|'ve|'m|'ll|'d`
pub(super) fn contraction(rest: &str, ignore_case: bool) -> Option<usize> {
    let body = rest.strip_prefix('\'')?;
    let mut folded = body.chars().map(|c| match c {
        // The one character besides A–Z that folds to a letter of these.
        'ſ' if ignore_case => 's',
        _ if ignore_case => c.to_ascii_lowercase(),
        _ => c,
    });
    let (first, second) = (folded.next()?, folded.next());
    let characters = match (first, second) {
        ('s' | 't' | 'm' | 'd', _) => 1,
        ('r' | 'v', Some('e')) | ('l', Some('l')) => 2,
        _ => return None,
    };
    Some(1 + body.chars().take(characters).map(char::len_utf8).sum::<usize>())
}

/// `[^\r\n\p{L}\p{N}]?`
fn word_prefix(rest: &str) -> usize {
    match rest.chars().next() {
        Some(c) if !matches!(c, '\r' | '\n') && !class::is(c, LETTER | NUMBER) => c.len_utf8(),
        _ => 0,
    }
}

pub(super) fn run(text: &str, is_in: impl Fn(char) -> bool) -> usize {
    text.find(|c: char| !is_in(c)).unwrap_or(text.len())
}

fn letter(c: char) -> bool {
    class::is(c, LETTER)
}

pub(super) fn number(c: char) -> bool {
    class::is(c, NUMBER)
}

pub(super) fn space(c: char) -> bool {
    class::is(c, WHITE)
}

/// `[^\s\p{L}\p{N}]`
fn other(c: char) -> bool {
    !class::is(c, WHITE | LETTER | NUMBER)
}

/// `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`
pub(super) fn not_lower(c: char) -> bool {
    let bits = class::bits(c);
    bits & (LETTER | MARK) != 0 && bits & LOWER == 0
}

/// `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`
pub(super) fn not_upper(c: char) -> bool {
    let bits = class::bits(c);
    bits & (LETTER | MARK) != 0 && bits & UPPER == 0
}
