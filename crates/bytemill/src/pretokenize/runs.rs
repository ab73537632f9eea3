//! Splitting by character class: the word splitters, and everything else that asks one question of each character.
//!
//! Each character is in one of four classes (`Class`); a piece is a maximal run of `A`, a maximal run of `B`, or one `Isolated`
//! character; `Removed` characters belong to no piece. `Whitespace`, `WhitespaceSplit`, `Bert`, `Punctuation` and
//! `Digits` are such rules.
//!
//! How `split` does it, 64 bytes at a time:
//!  1. The two bits of each ASCII byte's class come from the vector engine as two masks (`simd`).
//!  2. Every other character is looked up, and its class written over all its bytes; what hangs over the end of the block is
//!     carried into the next one.
//!  3. A border is where a byte's class differs from the byte before, or an isolated character starts: three XORs and shifts.
//!  4. A border before a byte that is not removed starts a piece; one after a byte that is not removed ends one. Both are written out
//!     from the masks; the n-th start and the n-th end are the n-th piece.

use super::naive;
use crate::class;
use crate::error::Result;
use crate::simd::{AsciiSet, BLOCK, Classes, Engine};
use crate::span::Span;

/// The class of a character under one splitting rule. The two bits are those of the masks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    A = 0,
    B = 1,
    Isolated = 2,
    Removed = 3,
}

/// A splitting rule, ready to run.
#[derive(Debug, Clone)]
pub struct RunSplitter {
    ascii: Classes,
    /// The class of each cell of the character table.
    by_cell: [Class; class::CELL_COUNT],
    engine: Engine,
}

impl RunSplitter {
    pub fn new(rule: impl Fn(u16) -> Class) -> Self {
        Self::with_engine(rule, Engine::best())
    }

    pub fn with_engine(rule: impl Fn(u16) -> Class, engine: Engine) -> Self {
        let by_cell = std::array::from_fn(|cell| rule(class::cell_bits(cell)));
        let set = |bit: u8| AsciiSet::new(|byte| by_cell[class::cell(byte.into()) as usize] as u8 & bit != 0);
        RunSplitter { ascii: Classes { low: set(1), high: set(2) }, by_cell, engine }
    }

    pub fn class(&self, c: char) -> Class {
        self.by_cell[class::cell(c as u32) as usize]
    }

    /// Calls `each` with the pieces of `text`, in order.
    pub fn split(&self, text: &str, borders: &mut Borders, mut each: impl FnMut(Span) -> Result<()>) -> Result<()> {
        // Below half a block the set-up costs more than it saves.
        if text.len() < BLOCK / 2 {
            return naive::split(text, |c| self.class(c), each);
        }
        self.scan(text, borders, |borders| {
            for span in borders.complete() {
                each(span)?;
            }
            Ok(())
        })
    }

    /// The number of pieces: what the scan costs before anything is done with a piece.
    pub fn count(&self, text: &str, borders: &mut Borders) -> usize {
        let mut pieces = 0;
        let counted = self.scan(text, borders, |borders| {
            pieces += borders.ended;
            Ok(())
        });
        debug_assert!(counted.is_ok(), "counting cannot fail");
        pieces
    }

    fn scan(&self, text: &str, borders: &mut Borders, mut hand_out: impl FnMut(&Borders) -> Result<()>) -> Result<()> {
        let bytes = text.as_bytes();
        let mut before = Before::default();
        borders.reset();
        for (at, block) in bytes.chunks(BLOCK).enumerate() {
            let (starts, ends) = self.borders(bytes, at * BLOCK, block, &mut before);
            borders.write(at * BLOCK, starts, ends);
            if at % WINDOW == WINDOW - 1 {
                hand_out(borders)?;
                borders.forget_complete();
            }
        }
        borders.close(bytes.len());
        hand_out(borders)
    }

    /// The bytes of one block that start a piece, and those that follow the end of one.
    fn borders(&self, text: &[u8], at: usize, block: &[u8], before: &mut Before) -> (u64, u64) {
        let masks = match block.first_chunk::<BLOCK>() {
            Some(block) => self.engine.classify(&self.ascii, block),
            None => {
                let mut padded = [0; BLOCK];
                padded[..block.len()].copy_from_slice(block);
                self.engine.classify(&self.ascii, &padded)
            }
        };
        let mut low = masks.low | before.hanging.low;
        let mut high = masks.high | before.hanging.high;
        let mut tails = before.hanging.tails;
        let mut unknown = masks.non_ascii & !tails;
        before.hanging = Hanging::default();
        while unknown != 0 {
            let i = unknown.trailing_zeros();
            let (code, width) = decode(&text[at + i as usize..]);
            let class = self.by_cell[class::cell(code) as usize] as u64;
            let covered = (1u128 << width) - 1;
            let spread = |bit: u64| u128::from(bit) * (covered << i);
            let (low_bits, high_bits) = (spread(class & 1), spread(class >> 1));
            let tail_bits = (covered - 1) << i;
            low |= low_bits as u64;
            high |= high_bits as u64;
            tails |= tail_bits as u64;
            unknown &= !((covered << i) as u64);
            // Only the last character of a block can hang over, so nothing is overwritten that matters.
            before.hanging = Hanging {
                low: (low_bits >> 64) as u64,
                high: (high_bits >> 64) as u64,
                tails: (tail_bits >> 64) as u64,
            };
        }
        let inside = u64::MAX >> (BLOCK - block.len());
        let low_before = low << 1 | before.low;
        let high_before = high << 1 | before.high;
        before.low = low >> (BLOCK - 1);
        before.high = high >> (BLOCK - 1);
        let isolated = high & !low & !tails;
        let border = ((low ^ low_before) | (high ^ high_before) | isolated) & inside;
        (border & !(low & high), border & !(low_before & high_before))
    }
}

/// What a block needs to know of the one before.
struct Before {
    /// The class bits of its last byte.
    low: u64,
    high: u64,
    hanging: Hanging,
}

impl Default for Before {
    /// Before the text there is a removed byte: the first piece starts, and none ends.
    fn default() -> Self {
        Before { low: 1, high: 1, hanging: Hanging::default() }
    }
}

/// The part of a character that lies in the next block.
#[derive(Default)]
struct Hanging {
    low: u64,
    high: u64,
    /// Bytes that continue a character.
    tails: u64,
}

/// The code point that valid UTF-8 starts with, where it is not ASCII, and its width.
fn decode(bytes: &[u8]) -> (u32, u32) {
    let tail = |i: usize| bytes.get(i).map_or(0, |&byte| u32::from(byte) & 0x3F);
    match bytes.first().map_or(0, |&byte| u32::from(byte)) {
        lead if lead < 0xE0 => ((lead & 0x1F) << 6 | tail(1), 2),
        lead if lead < 0xF0 => ((lead & 0x0F) << 12 | tail(1) << 6 | tail(2), 3),
        lead => ((lead & 0x07) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3), 4),
    }
}

/// Where pieces start and end; reused from call to call.
#[derive(Debug, Default)]
pub struct Borders {
    starts: Vec<usize>,
    ends: Vec<usize>,
    /// How many of each are in use: as many ends as starts, or one less while a piece is open.
    started: usize,
    ended: usize,
}

/// Blocks between two hand-outs of pieces: enough to amortise, few enough for the borders to stay in the first-level cache.
const WINDOW: usize = 16;

impl Borders {
    fn reset(&mut self) {
        // A start or end for each byte, one open piece, and room for a last group of eight.
        let room = WINDOW * BLOCK + 1 + 8;
        self.starts.resize(room, 0);
        self.ends.resize(room, 0);
        self.started = 0;
        self.ended = 0;
    }

    #[inline]
    fn write(&mut self, at: usize, starts: u64, ends: u64) {
        self.started = write_positions(&mut self.starts, self.started, at, starts);
        self.ended = write_positions(&mut self.ends, self.ended, at, ends);
    }

    fn complete(&self) -> impl Iterator<Item = Span> {
        let starts = &self.starts[..self.ended];
        let ends = &self.ends[..self.ended];
        starts.iter().zip(ends).map(|(&start, &end)| Span { start, end })
    }

    fn forget_complete(&mut self) {
        if self.started > self.ended {
            self.starts[0] = self.starts[self.ended];
            self.started = 1;
        } else {
            self.started = 0;
        }
        self.ended = 0;
    }

    fn close(&mut self, end: usize) {
        if self.started > self.ended {
            self.ends[self.ended] = end;
            self.ended += 1;
        }
    }
}

/// Appends the position of every set bit; groups of eight are written without asking, and only the count is exact.
#[inline]
fn write_positions(positions: &mut [usize], mut used: usize, at: usize, mut bits: u64) -> usize {
    let all = used + bits.count_ones() as usize;
    while bits != 0 {
        if let Some(group) = positions[used..].first_chunk_mut::<8>() {
            for position in group {
                *position = at + bits.trailing_zeros() as usize;
                bits &= bits.wrapping_sub(1);
            }
        }
        used += 8;
    }
    all
}
