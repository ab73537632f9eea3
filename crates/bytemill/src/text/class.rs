//! Character classes, as the oracle sees them: one generated table, one lookup.

pub(crate) use crate::text::class_table::{
    BERT_ACCENT, BERT_CONTROL, COMBINING, HAN, IDEOGRAPH, LETTER, LOWER, MARK, NUMBER, NUMERIC, PUNCTUATION,
    PUNCTUATION_CATEGORY, SYMBOL, UPPER, WHITE, WORD,
};
use crate::text::class_table::{BLOCKS, CELLS, PAGES};

/// How many combinations of classes there are; a cell is an index below this.
pub(crate) const CELL_COUNT: usize = CELLS.len();

/// The combination of classes that a code point belongs to.
#[inline]
pub(crate) fn cell(code: u32) -> u8 {
    BLOCKS[usize::from(page(code))][code as usize & 0xFF]
}

/// What the 256 code points around one share with others: those with the same page have the same cells in the same order.
#[inline]
pub(crate) fn page(code: u32) -> u8 {
    // No `char` reaches 0x110000; `min` keeps a wrong code point from being a panic.
    PAGES[(code as usize >> 8).min(PAGES.len() - 1)]
}

/// The class bits of a cell.
pub(crate) fn cell_bits(cell: usize) -> u16 {
    CELLS[cell]
}

/// The class bits of a character.
#[inline]
pub(crate) fn bits(c: char) -> u16 {
    CELLS[cell(c as u32) as usize]
}

#[inline]
pub(crate) fn is(c: char, class: u16) -> bool {
    bits(c) & class != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_well_known_characters() {
        assert!(is('a', WORD | LETTER) && is('_', WORD) && !is('_', LETTER));
        assert!(is(' ', WHITE) && is('\u{3000}', WHITE) && is('\u{85}', WHITE));
        assert!(is('$', PUNCTUATION) && is('。', PUNCTUATION) && !is('€', PUNCTUATION));
        assert!(is('中', IDEOGRAPH) && !is('あ', IDEOGRAPH));
        assert!(is('中', HAN) && is('々', HAN) && !is('あ', HAN));
        assert!(is('〇', HAN) && is('〇', NUMBER) && is('⺀', HAN) && !is('⺀', LETTER));
        assert!(is('\u{301}', MARK) && is('\u{301}', COMBINING) && is('\u{301}', BERT_ACCENT));
        assert!(is('Ⅷ', NUMBER) && is('٣', NUMERIC));
        // Zero-width joiner: a word character for the regex engine (UTS 18), a control for BERT.
        assert!(is('\u{200D}', WORD) && is('\u{200D}', BERT_CONTROL));
    }

    #[test]
    fn white_space_is_what_the_standard_library_says() {
        for c in '\0'..=char::MAX {
            assert_eq!(is(c, WHITE), c.is_whitespace(), "{c:?}");
        }
    }
}
