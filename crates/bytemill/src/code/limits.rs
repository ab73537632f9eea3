//! What the scanners of grammars can hold. They are C, keep their state in 1,024 bytes, and some of them end the process where it would be
//! more; so what could be more is not given to them.

use memchr::memmem;

use super::{Language, html};

/// Columns of indentation: each level is two of these bytes, and up to 255 others are for quotes.
const MOST_COLUMNS: usize = 250;
/// Bytes for all here-documents of a source, each the length of its name and four more; a name has its length in a byte.
const MOST_HEREDOCS: usize = 500;
const LONGEST_NAME: usize = 100;
/// Interpolations in one another: each literal is five bytes.
const DEEPEST: usize = 50;

pub(super) fn fits(source: &[u8], language: Language) -> bool {
    match language {
        Language::Python => widest_indentation(source) <= MOST_COLUMNS,
        Language::Ruby => {
            let (all, longest) = heredocs(source);
            all == 0 || all <= MOST_HEREDOCS && longest <= LONGEST_NAME && deepest_interpolation(source) <= DEEPEST
        }
        Language::Html => !html::is_too_deep(source),
        _ => true,
    }
}

/// A backslash at the end of a line that is empty otherwise carries its columns over to the next.
fn widest_indentation(source: &[u8]) -> usize {
    let (mut widest, mut width, mut at_start) = (0, 0, true);
    for (i, &byte) in source.iter().enumerate() {
        match byte {
            b'\n' if at_start && i > 0 && (source[..i].ends_with(b"\\") || source[..i].ends_with(b"\\\r")) => {}
            b'\n' => (width, at_start) = (0, true),
            _ if !at_start => {}
            b' ' | b'\x0C' => width += 1,
            b'\t' => width += 8,
            b'\\' | b'\r' => {}
            _ => at_start = false,
        }
        widest = widest.max(width);
    }
    widest
}

/// What may begin here-documents: how many bytes their state takes, and the longest name.
fn heredocs(source: &[u8]) -> (usize, usize) {
    let (mut all, mut longest) = (0, 0);
    for at in memmem::find_iter(source, b"<<") {
        let rest = &source[at + 2..];
        let rest = rest.strip_prefix(b"~").or(rest.strip_prefix(b"-")).unwrap_or(rest);
        let length = match rest.first() {
            Some(&quote @ (b'"' | b'\'' | b'`')) => rest[1..].iter().take_while(|&&byte| byte != quote).count(),
            _ => rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_' || **byte > 127).count(),
        };
        if length > 0 {
            all += 4 + length;
            longest = longest.max(length);
        }
    }
    (all, longest)
}

/// All braces count, and not only those of interpolations.
fn deepest_interpolation(source: &[u8]) -> usize {
    let (mut deepest, mut depth) = (0usize, 0usize);
    for pair in source.windows(2) {
        match pair {
            [_, b'{'] => depth += 1,
            [_, b'}'] => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::super::CodeScratch;
    use super::*;

    #[test]
    fn what_a_scanner_cannot_hold_is_split_without_it() {
        let levels = (0..600).map(|n| format!("{}if x:\n", " ".repeat(n))).collect::<String>();
        let carried = (0..40).map(|n| format!("{}\\\n", " ".repeat(n))).collect::<String>() + "x = 1\n";
        let name = format!("x = <<{0}\n{0}\n", "A".repeat(300));
        let many = (0..90).map(|n| format!("<<A{n}, ")).collect::<String>();
        let nested = "<<A \"#{".repeat(200);
        for (language, source) in [
            (Language::Python, levels.clone() + "f\"{"),
            (Language::Python, carried),
            (Language::Ruby, name),
            (Language::Ruby, many),
            (Language::Ruby, nested),
        ] {
            assert!(!fits(source.as_bytes(), language), "{language:?}");
            let mut scratch = CodeScratch::default();
            let pieces = scratch.split(source.as_bytes(), Some(language));
            assert_eq!(pieces.last().map(|piece| piece.span.end), Some(source.len()));
        }
        assert!(fits(b"def f():\n\tx <<= 1\n", Language::Python));
        assert!(fits(b"puts <<~EOS\n  a #{b}\nEOS\n", Language::Ruby));
        assert!(fits(levels.as_bytes(), Language::C));
    }
}
