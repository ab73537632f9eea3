//! The patterns over class masks: a window of the text is classified at once, and the end of a run is found with a shift and a count.
//!
//! Each function below is the one of the same name in `advance`, with positions in the window in place of strings. A piece that might
//! reach past the window is looked at again from a window that starts with it; one that fills a whole window goes to `advance`.

use super::{Scheme, advance};
use crate::class::{LETTER, LOWER, MARK, NUMBER, UPPER, WHITE};
use crate::error::Result;
use crate::pretokenize::blocks::{BlockClasses, BlockMasks, Hanging};
use crate::simd::{BLOCK, Engine};
use crate::span::Span;

/// Blocks of a window: enough for most pieces to be far from its end, few enough for its masks to stay in the first-level cache.
const BLOCKS: usize = 64;
const SIZE: usize = BLOCKS * BLOCK;
/// How far the patterns look past the end of a piece.
const AHEAD: usize = 8;

type Masks = [u64; BLOCKS];

/// The rules that a scheme classifies by.
#[derive(Debug, Clone)]
pub struct Rules {
    /// 1 letter, 2 number, 3 white space, 0 anything else.
    kinds: BlockClasses,
    /// 1 a letter or mark that is not lower case, 2 one that is not upper case, 3 both: for schemes that look at case.
    cases: Option<BlockClasses>,
}

impl Rules {
    pub fn new(scheme: Scheme) -> Self {
        let engine = Engine::best();
        let kinds = |bits: u16| match bits {
            _ if bits & LETTER != 0 => 1,
            _ if bits & NUMBER != 0 => 2,
            _ if bits & WHITE != 0 => 3,
            _ => 0,
        };
        let cases = |bits: u16| match bits {
            _ if bits & (LETTER | MARK) == 0 => 0,
            _ => u8::from(bits & LOWER == 0) | u8::from(bits & UPPER == 0) << 1,
        };
        let cased = matches!(scheme, Scheme::O200k | Scheme::Tekken);
        Rules { kinds: BlockClasses::new(kinds, engine), cases: cased.then(|| BlockClasses::new(cases, engine)) }
    }
}

struct Window<'a> {
    /// The text from the start of the window on.
    text: &'a [u8],
    /// Bytes of it that are classified.
    size: usize,
    letters: Masks,
    numbers: Masks,
    whites: Masks,
    others: Masks,
    not_lower: Masks,
    not_upper: Masks,
}

pub fn split(scheme: Scheme, rules: &Rules, text: &str, mut each: impl FnMut(Span) -> Result<()>) -> Result<()> {
    let mut window = Window::new();
    let mut base = 0;
    while base < text.len() {
        window.fill(rules, &text.as_bytes()[base..]);
        let whole = base + window.size == text.len();
        let limit = if whole { window.size } else { window.size.saturating_sub(AHEAD) };
        let mut at = 0;
        while at < window.size {
            let end = match scheme {
                Scheme::Gpt2 => window.gpt2(at),
                Scheme::Cl100k => window.cl100k(at, 3),
                Scheme::O200k => window.o200k(at, 3, true),
                Scheme::Qwen2 => window.cl100k(at, 1),
                Scheme::Tekken => window.o200k(at, 1, false),
            };
            if end > limit {
                break;
            }
            each(Span::new(base + at, base + end))?;
            at = end;
        }
        if at == 0 {
            at = scheme.advance(text, base) - base;
            each(Span::new(base, base + at))?;
        }
        base += at;
    }
    Ok(())
}

impl<'a> Window<'a> {
    fn new() -> Self {
        let none = [0; BLOCKS];
        Window {
            text: &[],
            size: 0,
            letters: none,
            numbers: none,
            whites: none,
            others: none,
            not_lower: none,
            not_upper: none,
        }
    }

    fn fill(&mut self, rules: &Rules, text: &'a [u8]) {
        self.text = text;
        self.size = text.len().min(SIZE);
        let (mut kinds_hang, mut cases_hang) = (Hanging::default(), Hanging::default());
        for block in 0..BLOCKS {
            let at = block * BLOCK;
            // Behind the end nothing is anything, so that every run ends there.
            let Some(bytes @ 1..) = self.size.checked_sub(at) else {
                for masks in [&mut self.letters, &mut self.numbers, &mut self.whites, &mut self.others] {
                    masks[block] = 0;
                }
                (self.not_lower[block], self.not_upper[block]) = (0, 0);
                return;
            };
            let inside = u64::MAX >> BLOCK.saturating_sub(bytes);
            let BlockMasks { low, high, .. } = rules.kinds.masks(text, at, &mut kinds_hang);
            self.letters[block] = low & !high & inside;
            self.numbers[block] = high & !low & inside;
            self.whites[block] = low & high & inside;
            self.others[block] = !(low | high) & inside;
            if let Some(cases) = &rules.cases {
                let BlockMasks { low, high, .. } = cases.masks(text, at, &mut cases_hang);
                self.not_lower[block] = low & inside;
                self.not_upper[block] = high & inside;
            }
        }
    }

    fn gpt2(&self, at: usize) -> usize {
        if let Some(end) = self.contraction(at, false) {
            return end;
        }
        let body = at + usize::from(self.text[at] == b' ');
        for masks in [&self.letters, &self.numbers, &self.others] {
            if is(masks, body) {
                return run(masks, body);
            }
        }
        self.white(at)
    }

    fn cl100k(&self, at: usize, digits: usize) -> usize {
        if let Some(end) = self.contraction(at, true) {
            return end;
        }
        let letters = at + self.word_prefix(at);
        if is(&self.letters, letters) {
            return run(&self.letters, letters);
        }
        self.numbers_or_symbols_or_space(at, digits, |byte| matches!(byte, b'\r' | b'\n'))
    }

    fn o200k(&self, at: usize, digits: usize, contractions: bool) -> usize {
        let prefixed = at + self.word_prefix(at);
        let word = None
            .or_else(|| self.upper_then_lower(prefixed))
            .or_else(|| self.upper_then_lower(at))
            .or_else(|| self.upper_maybe_lower(prefixed))
            .or_else(|| self.upper_maybe_lower(at));
        match word {
            Some(end) if contractions => self.contraction(end, true).unwrap_or(end),
            Some(end) => end,
            None => self.numbers_or_symbols_or_space(at, digits, |byte| matches!(byte, b'\r' | b'\n' | b'/')),
        }
    }

    fn upper_then_lower(&self, at: usize) -> Option<usize> {
        let uppers = run(&self.not_lower, at);
        let lowers = run(&self.not_upper, uppers);
        if lowers > uppers {
            return Some(lowers);
        }
        // All bytes of a character have its class: the last byte that is in is the last of its character.
        (at..uppers).rev().find(|&byte| is(&self.not_upper, byte)).map(|byte| byte + 1)
    }

    fn upper_maybe_lower(&self, at: usize) -> Option<usize> {
        let uppers = run(&self.not_lower, at);
        (uppers > at).then(|| run(&self.not_upper, uppers))
    }

    fn numbers_or_symbols_or_space(&self, at: usize, digits: usize, tail: fn(u8) -> bool) -> usize {
        if is(&self.numbers, at) {
            let mut end = at;
            for _ in 0..digits {
                if is(&self.numbers, end) {
                    end += self.width(end);
                }
            }
            return end;
        }
        let body = at + usize::from(self.text[at] == b' ');
        if is(&self.others, body) {
            let mut end = run(&self.others, body);
            while self.text.get(end).is_some_and(|&byte| tail(byte)) {
                end += 1;
            }
            return end;
        }
        let spaces = &self.text[at..run(&self.whites, at)];
        match memchr::memrchr2(b'\r', b'\n', spaces) {
            Some(last) => at + last + 1,
            None => self.white(at),
        }
    }

    fn white(&self, at: usize) -> usize {
        let end = run(&self.whites, at);
        if end == self.text.len() {
            return end;
        }
        let is_tail = |byte: u8| byte & 0xC0 == 0x80;
        let last = (at..end).rev().find(|&byte| !is_tail(self.text[byte]));
        last.filter(|&last| last > at).unwrap_or(end)
    }

    fn contraction(&self, at: usize, ignore_case: bool) -> Option<usize> {
        if self.text.get(at) != Some(&b'\'') {
            return None;
        }
        // The longest is an apostrophe and two characters, of two bytes each at most.
        let rest = &self.text[at..self.text.len().min(at + 5)];
        let valid = rest.utf8_chunks().next().map_or("", |chunk| chunk.valid());
        advance::contraction(valid, ignore_case).map(|width| at + width)
    }

    fn word_prefix(&self, at: usize) -> usize {
        let is_word = is(&self.letters, at) || is(&self.numbers, at);
        if is_word || matches!(self.text[at], b'\r' | b'\n') { 0 } else { self.width(at) }
    }

    /// The width of the character at a position.
    fn width(&self, at: usize) -> usize {
        match self.text[at] {
            ..0x80 => 1,
            0x80..0xE0 => 2,
            0xE0..0xF0 => 3,
            0xF0.. => 4,
        }
    }
}

#[inline]
fn is(masks: &Masks, at: usize) -> bool {
    masks.get(at / BLOCK).is_some_and(|mask| mask >> (at % BLOCK) & 1 == 1)
}

/// The end of the run that starts at a position; the position itself where it is not in one.
#[inline]
fn run(masks: &Masks, at: usize) -> usize {
    let Some(rest) = masks.get(at / BLOCK..) else {
        return at;
    };
    let mut blocks = rest.iter();
    let Some(first) = blocks.next() else {
        return at;
    };
    let gaps = !first >> (at % BLOCK);
    if gaps != 0 {
        return at + gaps.trailing_zeros() as usize;
    }
    let mut end = (at / BLOCK + 1) * BLOCK;
    for mask in blocks {
        let ones = mask.trailing_ones() as usize;
        end += ones;
        if ones < BLOCK {
            break;
        }
    }
    end
}
