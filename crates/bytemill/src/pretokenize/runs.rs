//! Splitting by character class: the word splitters, and everything else that asks one question of each character.
//!
//! Each character is in one of four classes (`Class`); a piece is a maximal run of `A`, a maximal run of `B`, or one `Isolated`
//! character; `Removed` characters belong to no piece. `Whitespace`, `WhitespaceSplit`, `Bert`, `Punctuation` and
//! `Digits` are such rules.
//!
//! How `split` does it, 64 bytes at a time:
//!  1. The two bits of each byte's class come as two masks (`blocks`).
//!  2. A border is where a byte's class differs from the byte before, or an isolated character starts: three XORs and shifts.
//!  3. A border before a byte that is not removed starts a piece; one after a byte that is not removed ends one. Both are written out
//!     from the masks; the n-th start and the n-th end are the n-th piece.

use std::convert::Infallible;

use super::blocks::{self, BlockClasses, BlockMasks, Hanging, TextBytes};
use super::gpt::Window;
use super::naive;
use crate::code::CodeScratch;
use crate::error::Result;
use crate::machine::simd::{BLOCK, Engine, Kit, Loop};
use crate::text::span::Span;

/// The class of a character under one splitting rule. The two bits are those of the masks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    A = 0,
    B = 1,
    Isolated = 2,
    Removed = 3,
}

impl Class {
    const ALL: [Class; 4] = [Class::A, Class::B, Class::Isolated, Class::Removed];
}

/// A splitting rule, ready to run.
#[derive(Debug, Clone)]
pub struct RunSplitter {
    classes: BlockClasses,
    engine: Engine,
}

impl RunSplitter {
    pub fn new(rule: impl Fn(u16) -> Class) -> Self {
        Self::with_engine(rule, Engine::best())
    }

    pub fn with_engine(rule: impl Fn(u16) -> Class, engine: Engine) -> Self {
        RunSplitter { classes: BlockClasses::new(|bits| rule(bits) as u8), engine }
    }

    /// Whether masks pay: below half a block the set-up costs more than it saves.
    pub fn pays(text: &str) -> bool {
        text.len() >= BLOCK / 2
    }

    pub fn class(&self, c: char) -> Class {
        Class::ALL[usize::from(self.classes.class(c))]
    }

    /// Calls `each` with the pieces of `text`, in order.
    pub fn split<E>(
        &self,
        text: &str,
        borders: &mut Borders,
        mut each: impl FnMut(Span) -> Result<(), E>,
    ) -> Result<(), E> {
        if !Self::pays(text) {
            return naive::split(text, |c| self.class(c), each);
        }
        self.split_together(text, borders, |starts, ends| {
            starts.iter().zip(ends).try_for_each(|(&start, &end)| each(Span::new(start, end)))
        })
    }

    /// Calls `each` with the starts and the ends of pieces, as many as are found at a time.
    #[inline]
    pub fn split_together<E>(
        &self,
        text: &str,
        borders: &mut Borders,
        each: impl FnMut(&[usize], &[usize]) -> Result<(), E>,
    ) -> Result<(), E> {
        let rule = Runs { classes: &self.classes, text: text.as_bytes(), before: BlockBefore::default() };
        borders.of_blocks(text.as_bytes(), self.engine, rule, each)
    }

    /// The number of pieces: what the scan costs before anything is done with a piece.
    pub fn count(&self, text: &str, borders: &mut Borders) -> usize {
        let mut pieces = 0;
        let Ok(()) = self.split_together(text, borders, |starts, _| {
            pieces += starts.len();
            Ok::<_, Infallible>(())
        });
        pieces
    }
}

/// A splitter on its way through a text.
struct Runs<'a> {
    classes: &'a BlockClasses,
    text: &'a [u8],
    before: BlockBefore,
}

impl BlockRule for Runs<'_> {
    #[inline(always)]
    fn borders(&mut self, kit: impl Kit, at: usize, block: &[u8; BLOCK], inside: u64) -> (u64, u64) {
        let before = &mut self.before;
        let BlockMasks { low, high, tails } =
            self.classes.masks(kit, TextBytes { text: self.text, at, bytes: block }, &mut before.hanging);
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
struct BlockBefore {
    /// The class bits of its last byte.
    low: u64,
    high: u64,
    hanging: Hanging,
}

impl Default for BlockBefore {
    /// Before the text there is a removed byte: the first piece starts, and none ends.
    fn default() -> Self {
        BlockBefore { low: 1, high: 1, hanging: Hanging::default() }
    }
}

/// Where pieces start and end; reused from call to call.
#[derive(Debug, Default)]
pub struct Borders {
    pub window: Window,
    pub code: CodeScratch,
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

    /// Gives pieces whose borders follow from the bytes of each block.
    #[inline]
    pub(super) fn of_blocks<E>(
        &mut self,
        text: &[u8],
        engine: Engine,
        mut rule: impl BlockRule,
        mut each: impl FnMut(&[usize], &[usize]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.reset();
        for from in (0..text.len()).step_by(WINDOW * BLOCK) {
            engine.run(Stretch { borders: self, text, from, rule: &mut rule });
            if from + WINDOW * BLOCK < text.len() {
                self.hand_out(&mut each)?;
            }
        }
        self.close(text.len());
        self.hand_out(&mut each)
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

    /// Gives the pieces that are complete, and forgets them.
    #[inline]
    fn hand_out<E>(&mut self, each: &mut impl FnMut(&[usize], &[usize]) -> Result<(), E>) -> Result<(), E> {
        each(&self.starts[..self.ended], &self.ends[..self.ended])?;
        self.forget_complete();
        Ok(())
    }

    fn close(&mut self, end: usize) {
        if self.started > self.ended {
            self.ends[self.ended] = end;
            self.ended += 1;
        }
    }
}

/// What tells the borders of pieces, block by block.
pub(super) trait BlockRule {
    /// The bytes of a block that start a piece, and those that follow the end of one; `inside` says which of them are of the text.
    fn borders(&mut self, kit: impl Kit, at: usize, block: &[u8; BLOCK], inside: u64) -> (u64, u64);
}

/// As many blocks as go between two hand-outs.
struct Stretch<'a, R> {
    borders: &'a mut Borders,
    text: &'a [u8],
    from: usize,
    rule: &'a mut R,
}

impl<R: BlockRule> Loop for Stretch<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run(self, kit: impl Kit) {
        let Stretch { borders, text, from, rule } = self;
        for at in (from..text.len()).step_by(BLOCK).take(WINDOW) {
            let mut padded = [0; BLOCK];
            let inside = u64::MAX >> BLOCK.saturating_sub(text.len() - at);
            let (starts, ends) = rule.borders(kit, at, blocks::block(text, at, &mut padded), inside);
            borders.started = kit.write_positions(&mut borders.starts, borders.started, at, starts);
            borders.ended = kit.write_positions(&mut borders.ends, borders.ended, at, ends);
        }
    }
}
