//! Pieces by their characters alone: for languages without a grammar, and for what a grammar does not look into. Any bytes.

use super::kind::Kind;
use crate::text::class::{self, LETTER, MARK, NUMBER, WHITE, WORD};

/// Calls `each` with the length and the kind of every piece. `line_start`: nothing stands before it on its line. `ends`: nothing but the end
/// of the text follows.
pub(super) fn split(text: &[u8], line_start: bool, ends: bool, mut each: impl FnMut(usize, Kind)) {
    let mut at = 0;
    let mut line_start = line_start;
    while at < text.len() {
        let rest = &text[at..];
        let (length, kind) = next(rest, line_start, ends);
        each(length, kind);
        line_start = kind == Kind::Newline;
        at += length;
    }
}

fn next(rest: &[u8], line_start: bool, ends: bool) -> (usize, Kind) {
    match rest[0] {
        b'\n' => (1, Kind::Newline),
        b'\r' => (1 + usize::from(rest.get(1) == Some(&b'\n')), Kind::Newline),
        b'(' | b')' | b'[' | b']' | b'{' | b'}' | b',' | b';' | b'.' | b':' | b'"' | b'\'' | b'`' => {
            (1, Kind::Punctuation)
        }
        b'0'..=b'9' => (number(rest), Kind::Number),
        byte if is_operator(byte) => (rest.iter().take_while(|&&byte| is_operator(byte)).count(), Kind::Operator),
        _ => match first_char(rest) {
            Some(c) if is_blank(c) => {
                let length = run(rest, is_blank);
                let blank = match rest.get(length) {
                    Some(byte) => matches!(byte, b'\n' | b'\r'),
                    None => ends,
                };
                (length, if line_start && !blank { Kind::Indentation } else { Kind::Whitespace })
            }
            Some(c) if is_word(c) => (run(rest, is_word), Kind::Identifier),
            Some(_) => (run(rest, |c| !is_blank(c) && !is_word(c) && !c.is_ascii()).max(1), Kind::Other),
            None => (rest.iter().take_while(|&&byte| byte >= 0x80).count().min(invalid(rest)), Kind::Other),
        },
    }
}

fn is_operator(byte: u8) -> bool {
    matches!(byte, b'+' | b'-' | b'*' | b'/' | b'%' | b'=' | b'<' | b'>' | b'!' | b'&' | b'|' | b'^' | b'~' | b'?')
        || matches!(byte, b'@' | b'#' | b'$' | b'\\')
}

fn is_blank(c: char) -> bool {
    class::is(c, WHITE) && !matches!(c, '\n' | '\r')
}

fn is_word(c: char) -> bool {
    class::is(c, WORD | LETTER | MARK | NUMBER)
}

/// Digits, what may stand in a number, and a point before a digit.
fn number(rest: &[u8]) -> usize {
    let mut length = 0;
    while let Some(&byte) = rest.get(length) {
        let point = byte == b'.' && rest.get(length + 1).is_some_and(u8::is_ascii_digit);
        if !point && !byte.is_ascii_alphanumeric() && byte != b'_' {
            break;
        }
        length += 1;
    }
    length
}

/// The character that bytes begin with; None where they begin with none.
fn first_char(bytes: &[u8]) -> Option<char> {
    let width = match bytes[0] {
        0..0x80 => return Some(bytes[0] as char),
        0xC0..0xE0 => 2,
        0xE0..0xF0 => 3,
        _ => 4,
    };
    std::str::from_utf8(bytes.get(..width)?).ok()?.chars().next()
}

/// How many bytes there are before a character begins.
fn invalid(bytes: &[u8]) -> usize {
    (1..bytes.len()).find(|&at| first_char(&bytes[at..]).is_some()).unwrap_or(bytes.len())
}

fn run(bytes: &[u8], belongs: impl Fn(char) -> bool) -> usize {
    let mut length = 0;
    while length < bytes.len() {
        match first_char(&bytes[length..]) {
            Some(c) if belongs(c) => length += c.len_utf8(),
            _ => break,
        }
    }
    length
}
