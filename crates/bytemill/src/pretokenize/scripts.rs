//! Splitting between scripts, by the table of the library.

use super::script_table::STARTS;
use crate::error::Result;
use crate::text::span::Span;

/// Calls `each` with the pieces of `text`, in order. A piece starts where a character has a script that the last one with any has not.
pub(super) fn split<E>(text: &str, mut each: impl FnMut(Span) -> Result<(), E>) -> Result<(), E> {
    let mut piece: Option<(usize, u8)> = None;
    for (at, c) in text.char_indices() {
        let script = script(c);
        match piece {
            _ if script == 0 => {}
            Some((_, before)) if before == script => {}
            _ => {
                if let Some((start, _)) = piece.replace((at, script)) {
                    each(Span::new(start, at))?;
                }
            }
        }
    }
    match piece {
        Some((start, _)) => each(Span::new(start, text.len())),
        None => Ok(()),
    }
}

/// The script of characters that all scripts use, and that of marks, which is the one of what they stand on.
pub const COMMON: u8 = 1;
pub const INHERITED: u8 = 4;

pub(super) fn separates(left: char, right: char) -> bool {
    let (left, right) = (script(left), script(right));
    left != 0 && right != 0 && left != right
}

/// The number of a character's script; 0 for none.
pub fn script(c: char) -> u8 {
    let after = STARTS.partition_point(|&(start, _)| start <= c as u32);
    STARTS[after.saturating_sub(1)].1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_scripts_with_a_name() {
        assert_eq!([',', '7', '\u{301}', '\u{200D}'].map(script), [COMMON, COMMON, INHERITED, INHERITED]);
    }

    #[test]
    fn by_example() {
        let text = " Abc пример、漢字かな x";
        let mut pieces = Vec::new();
        let push = |span: Span| {
            pieces.push(&text[span.range()]);
            Ok::<_, crate::error::Error>(())
        };
        split(text, push).unwrap();
        assert_eq!(pieces, ["Abc ", "пример", "、", "漢字かな ", "x"]);
        assert!(separates('a', 'я') && !separates('a', ' ') && !separates('か', '漢'));
    }
}
