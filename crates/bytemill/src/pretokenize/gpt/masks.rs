//! Which bytes of a window start a piece: the patterns as boolean algebra, one bit a byte. `advance` is what they must agree with.
//!
//! `x << 1` is "the byte before is an x"; across the border of two blocks `Shift` brings the last bit along. What cannot be said with a
//! few shifts (contractions, groups of digits, white space wider than a byte, lines of nothing but spaces) is rare, and is put right
//! afterwards, one place at a time.

use super::Scheme;
use super::window::{Block, Window};
use crate::machine::simd::BLOCK;

#[inline(always)]
pub(super) fn find_starts(scheme: Scheme, window: &mut Window, text: &[u8], whole: bool) {
    match scheme {
        Scheme::Gpt2 => gpt2(window, text, whole),
        Scheme::Cl100k => later::<Cl100k>(window, text, whole),
        Scheme::Cl100kToEnd => later::<Cl100kToEnd>(window, text, whole),
        Scheme::Qwen2 => later::<Qwen2>(window, text, whole),
        Scheme::O200k => later::<O200k>(window, text, whole),
        Scheme::Tekken => later::<Tekken>(window, text, whole),
        Scheme::Kimi => later::<Kimi>(window, text, whole),
    }
}

/// What the patterns since cl100k differ in.
trait Later {
    /// A word begins where upper case follows lower case, and contractions belong to words.
    const CASED: bool = false;
    /// Ideographs are apart from words.
    const IDEOGRAPHS: bool = false;
    /// Symbols take slashes along, between and after line breaks.
    const SLASHES: bool = false;
    /// All white space at the end of a text is one piece.
    const TO_END: bool = false;
    const CONTRACTIONS: bool = true;
    /// A piece has at most this many.
    const DIGITS: usize = 3;
}

struct Cl100k;
struct Cl100kToEnd;
struct Qwen2;
struct O200k;
struct Tekken;
struct Kimi;

impl Later for Cl100k {}

impl Later for Cl100kToEnd {
    const TO_END: bool = true;
}

impl Later for Qwen2 {
    const DIGITS: usize = 1;
}

impl Later for O200k {
    const CASED: bool = true;
    const SLASHES: bool = true;
}

impl Later for Tekken {
    const CASED: bool = true;
    const SLASHES: bool = true;
    const CONTRACTIONS: bool = false;
    const DIGITS: usize = 1;
}

impl Later for Kimi {
    const CASED: bool = true;
    const IDEOGRAPHS: bool = true;
}

/// The most digits of them all.
const MOST_DIGITS: usize = 3;

/// `x << 1` over a row of blocks.
#[derive(Default)]
struct Shift(u64);

impl Shift {
    #[inline(always)]
    fn one(&mut self, mask: u64) -> u64 {
        let shifted = mask << 1 | self.0;
        self.0 = mask >> (BLOCK - 1);
        shifted
    }
}

/// `x >> 1`: the byte after is white space, or there is none in this text.
#[inline(always)]
fn white_after(blocks: &[Block], number: usize, size: usize, whole: bool) -> u64 {
    let [here, after] = [number, number + 1].map(|number| blocks[number].whites | blocks[number].gaps);
    let next = here >> 1 | after << (BLOCK - 1);
    let last = size - number * BLOCK;
    if whole && last <= BLOCK { next | 1 << (last - 1) } else { next }
}

#[inline(always)]
fn gpt2(window: &mut Window, text: &[u8], whole: bool) {
    let count = window.blocks.len() - 1;
    let size = text.len().min(count * BLOCK);
    let (mut letter, mut number, mut other, mut white, mut space) = Default::default();
    let (mut contractions, mut wide) = (0, 0);
    for i in 0..count {
        let block = window.blocks[i];
        let Block { letters, numbers, others, whites, .. } = block;
        // A space joins what follows it.
        let spaced = Shift::one(&mut space, block.spaces);
        let other_starts = others & !Shift::one(&mut other, others) & !spaced;
        let word_starts =
            (letters & !Shift::one(&mut letter, letters) | numbers & !Shift::one(&mut number, numbers)) & !spaced;
        let white_starts = whites & !Shift::one(&mut white, whites);
        // The last character of white space, where something follows.
        let last_whites = whites & !white_after(&window.blocks, i, size, whole);
        window.starts[i] = word_starts | other_starts | white_starts | last_whites;
        window.blocks[i].contractions = block.apostrophes & other_starts;
        contractions |= window.blocks[i].contractions;
        wide |= last_whites & block.tails;
    }
    if contractions != 0 {
        for i in 0..count {
            each_bit(window.blocks[i].contractions, i, |at| {
                let width = contraction(&text[at..], false);
                if width > 0 {
                    window.clear(at + 1);
                    window.set(at + width);
                }
            });
        }
    }
    if wide != 0 {
        start_wide_whites(window, text, size);
    }
}

/// The patterns since cl100k. A character that is no letter, number or line break joins the letters after it; a space joins symbols, which
/// take line breaks along; numbers stand alone, some digits a piece; white space ends with its last line break.
#[inline(always)]
fn later<P: Later>(window: &mut Window, text: &[u8], whole: bool) {
    let count = window.blocks.len() - 1;
    let size = text.len().min(count * BLOCK);
    let mut before = ShiftsBefore::default();
    let (mut apostrophes, mut wide, mut long_numbers, mut blank) = (0, 0, 0, 0);
    for i in 0..count {
        let block = window.blocks[i];
        let Block { letters, numbers, whites, breaks, tails, .. } = block;
        let taken = before.taken_by_symbols::<P>(&block);
        let others = block.others & !taken;
        let blanks = whites & !breaks;

        let spaced = before.space.one(block.spaces);
        let other_starts = others & !before.other.one(others) & !spaced;
        let joined = before.blank.one(blanks) | before.bytes_after(other_starts, tails);
        let mut letter_starts = letters & !before.letter.one(letters) & !joined;
        if P::CASED {
            letter_starts |= block.uppers & before.lower.one(block.lowers);
        }
        if P::IDEOGRAPHS {
            letter_starts |= block.ideographs & !before.ideograph.one(block.ideographs);
        }
        // `after[n]`: the bytes of numbers that have `n` of the same number before them.
        let mut after = [numbers; MOST_DIGITS + 1];
        for digit in 0..P::DIGITS {
            after[digit + 1] = after[digit] & before.digits[digit].one(after[digit]);
        }
        let number_starts = numbers & !if P::DIGITS == 1 { tails } else { after[1] };
        let white_starts = whites & !taken & !before.white.one(whites & !taken);
        // What follows the last line break; whether it is the last is seen below.
        let line_starts = blanks & before.line.one(breaks & !taken);
        let last_blanks = blanks & !white_after(&window.blocks, i, size, whole);
        window.starts[i] = letter_starts | number_starts | other_starts | white_starts | line_starts | last_blanks;

        let after_letter = before.apostrophe.one(if P::CASED { letters } else { 0 });
        window.blocks[i].contractions =
            block.apostrophes & other_starts & if P::CASED { after_letter } else { u64::MAX };
        apostrophes |= window.blocks[i].contractions;
        wide |= last_blanks & tails;
        long_numbers |= after[P::DIGITS];
        let ends = before.ends_of_runs(line_starts, blanks);
        let end_of_text = if P::TO_END && whole && i == size / BLOCK { 1 << (size % BLOCK) } else { 0 };
        let joins = breaks & !taken | if P::TO_END { block.gaps | end_of_text } else { 0 };
        window.blocks[i].blank_lines = ends & joins;
        blank |= window.blocks[i].blank_lines;
    }
    if P::TO_END && whole && before.carry {
        // The end of the text is that of its last block.
        join_blank_line(window, text, size);
    }
    if blank != 0 {
        join_blank_lines(window, text, count);
    }
    if P::DIGITS > 1 && long_numbers != 0 {
        group_digits(window, count, P::DIGITS);
    }
    if wide != 0 {
        start_wide_whites(window, text, size);
    }
    if P::CONTRACTIONS && apostrophes != 0 {
        let mut done = usize::MAX;
        for i in 0..count {
            each_bit(window.blocks[i].contractions, i, |at| {
                let width = contraction(&text[at..], true);
                if width > 0 && at != done {
                    // Either it is a piece, or the end of the word before it, after which there is no other.
                    if P::CASED {
                        window.clear(at);
                        // Nor does the second letter of 'lL, 'rE or 'vE start a word.
                        window.clear(at + 2);
                        done = at + width;
                    }
                    window.set(at + width);
                }
            });
        }
    }
}

/// What `later` needs to know of the block before.
#[derive(Default)]
struct ShiftsBefore {
    taken: u64,
    carry: bool,
    symbol: Shift,
    space: Shift,
    other: Shift,
    blank: Shift,
    letter: Shift,
    lower: Shift,
    ideograph: Shift,
    digits: [Shift; MOST_DIGITS],
    white: Shift,
    line: Shift,
    apostrophe: Shift,
    width: [Shift; 4],
}

impl ShiftsBefore {
    /// The line breaks after symbols, which belong to them; since o200k slashes between and after these too.
    #[inline(always)]
    fn taken_by_symbols<P: Later>(&mut self, block: &Block) -> u64 {
        let takes = if P::SLASHES { block.breaks | block.slashes } else { block.breaks };
        let seeds = block.breaks & self.symbol.one(block.others) | takes & self.taken >> (BLOCK - 1);
        let mut taken = seeds;
        if seeds != 0 {
            // Spreads upwards through the run, by 1, 2, 4 … bytes.
            let mut run = takes;
            for by in [1, 2, 4, 8, 16, 32] {
                taken |= run & taken << by;
                run &= run << by;
            }
        }
        self.taken = taken;
        taken
    }

    /// The bytes after the characters that start at these.
    #[inline(always)]
    fn bytes_after(&mut self, starts: u64, tails: u64) -> u64 {
        let mut open = starts;
        let mut after = 0;
        for shift in &mut self.width {
            let next = shift.one(open);
            after |= next & !tails;
            open = next & tails;
        }
        after
    }

    /// The bytes after the runs that start at these.
    #[inline(always)]
    fn ends_of_runs(&mut self, starts: u64, runs: u64) -> u64 {
        // The sum carries through each run that a start is added to.
        let (sum, over) = runs.overflowing_add(starts);
        let (sum, over_again) = sum.overflowing_add(u64::from(self.carry));
        self.carry = over | over_again;
        sum & !runs
    }
}

/// A line of nothing but blanks starts no piece: its line break is not the first of its white space.
fn join_blank_lines(window: &mut Window, text: &[u8], count: usize) {
    for i in 0..count {
        each_bit(window.blocks[i].blank_lines, i, |at| join_blank_line(window, text, at));
    }
}

/// The one that ends at a place.
fn join_blank_line(window: &mut Window, text: &[u8], at: usize) {
    let start = memchr::memrchr2(b'\r', b'\n', &text[..at]).map_or(0, |before| before + 1);
    window.clear(start);
}

/// Starts a piece after every `digits` digits of a number.
fn group_digits(window: &mut Window, count: usize, digits: usize) {
    // Digits of the group that the block before ends with.
    let mut open = 0;
    let mut before: [Shift; MOST_DIGITS] = Default::default();
    for i in 0..count {
        let Block { numbers, tails, .. } = window.blocks[i];
        // The bytes of numbers that have a group of their number before them.
        let long = before.iter_mut().take(digits).fold(numbers, |later, shift| later & shift.one(later));
        if numbers & tails != 0 {
            open = group_wide_digits(window, i, digits, open);
            continue;
        }
        // Digits at the start of the block go on with the group that is open.
        let going_on = numbers.trailing_ones() as usize;
        let mut rest = long;
        let mut left = numbers.leading_ones() as usize;
        while rest != 0 {
            let first = rest.trailing_zeros() as usize;
            let end = first + (rest >> first).trailing_ones() as usize;
            let mut at = if first < going_on { digits - open } else { first };
            while at < end {
                window.starts[i] |= 1 << at;
                at += digits;
            }
            if end == BLOCK {
                left = end + digits - at;
            }
            rest &= u64::MAX.checked_shl(end as u32).unwrap_or(0);
        }
        open = left;
    }
}

/// The same in one block, of digits that have several bytes.
fn group_wide_digits(window: &mut Window, block: usize, digits: usize, mut open: usize) -> usize {
    let Block { numbers, tails, .. } = window.blocks[block];
    for bit in 0..BLOCK {
        if numbers >> bit & 1 == 0 {
            open = 0;
        } else if tails >> bit & 1 == 0 {
            if open == digits {
                window.starts[block] |= 1 << bit;
                open = 0;
            }
            open += 1;
        }
    }
    open
}

/// The last character of white space starts a piece with its first byte, not with its last.
fn start_wide_whites(window: &mut Window, text: &[u8], size: usize) {
    for i in 0..window.blocks.len() - 1 {
        each_bit(window.starts[i] & window.blocks[i].tails & window.blocks[i].whites, i, |at| {
            window.clear(at);
            let is_lead = |&lead: &usize| text[lead] & 0xC0 != 0x80;
            if let Some(lead) = (at.saturating_sub(3)..at).rev().find(is_lead).filter(|_| at < size) {
                window.set(lead);
            }
        });
    }
}

#[inline(always)]
fn each_bit(mut bits: u64, block: usize, mut each: impl FnMut(usize)) {
    while bits != 0 {
        each(block * BLOCK + bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}

/// `'s|'t|'re|'ve|'m|'ll|'d`: the width of the one that a text starts with, or 0.
fn contraction(text: &[u8], ignore_case: bool) -> usize {
    let letter = |at: usize| match text.get(at..).unwrap_or_default() {
        // ſ is the one character besides A–Z that folds to a letter of these.
        [0xC5, 0xBF, ..] if ignore_case => (b's', 2),
        [byte, ..] if ignore_case => (byte.to_ascii_lowercase(), 1),
        [byte, ..] => (*byte, 1),
        [] => (0, 0),
    };
    let (first, width) = letter(1);
    match (first, letter(1 + width).0) {
        (b's' | b't' | b'm' | b'd', _) => 1 + width,
        (b'r' | b'v', b'e') | (b'l', b'l') => 3,
        _ => 0,
    }
}
