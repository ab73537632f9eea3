//! The patterns on 64 bytes at a time: `masks` says which bytes start a piece; here are the windows that it looks at, and what is read off
//! them. Every window starts with a piece, and the patterns never look back, so that nothing from before it matters.

use super::{Scheme, masks};
use crate::error::Result;
use crate::machine::simd::{BLOCK, Engine, Kit, Loop, NEEDLES};
use crate::pretokenize::blocks::{self, BlockClasses, BlockMasks, TextBytes};
use crate::text::class::{HAN, LETTER, LOWER, MARK, NUMBER, UPPER, WHITE};
use crate::text::gaps::Gaps;

/// Blocks of a window: enough for most pieces to be far from its end, few enough for all that is known of it to stay in the first-level
/// cache.
const BLOCKS: usize = 32;
const SIZE: usize = BLOCKS * BLOCK;
/// How far the patterns look past the start of a piece, but for runs of white space.
const AHEAD: usize = 8;

/// The bytes that the patterns name.
const NAMED: [u8; NEEDLES] = [b' ', b'\n', b'\r', b'\'', b'/'];

/// The rules that a scheme classifies by.
#[derive(Debug, Clone)]
pub(super) struct Rules {
    engine: Engine,
    /// 1 letter, 2 number, 3 white space, 0 anything else.
    kinds: BlockClasses,
    /// 1 a letter or mark that is not lower case, 2 one that is not upper case, 3 both: for schemes that look at case. Where ideographs are
    /// apart, those that are letters have no class, and others 3, so that they are taken for marks.
    cases: Option<BlockClasses>,
}

impl Rules {
    pub(super) fn new(scheme: Scheme, engine: Engine) -> Self {
        let kinds = |bits: u16| match bits {
            _ if bits & LETTER != 0 => 1,
            _ if bits & NUMBER != 0 => 2,
            _ if bits & WHITE != 0 => 3,
            _ => 0,
        };
        let apart = if scheme == Scheme::Kimi { HAN } else { 0 };
        let cases = |bits: u16| match bits {
            _ if bits & apart != 0 && bits & LETTER != 0 => 0,
            _ if bits & apart != 0 => 3,
            _ if bits & (LETTER | MARK) == 0 => 0,
            _ => u8::from(bits & LOWER == 0) | u8::from(bits & UPPER == 0) << 1,
        };
        let cased = matches!(scheme, Scheme::O200k | Scheme::Tekken | Scheme::Kimi);
        Rules { engine, kinds: BlockClasses::new(kinds), cases: cased.then(|| BlockClasses::new(cases)) }
    }
}

/// What is known of the bytes of a block; all bytes of a character have its class.
#[derive(Debug, Clone, Copy, Default)]
pub struct Block {
    pub letters: u64,
    pub numbers: u64,
    pub whites: u64,
    pub others: u64,
    /// Bytes that continue a character.
    pub tails: u64,
    pub spaces: u64,
    pub breaks: u64,
    pub apostrophes: u64,
    pub slashes: u64,
    pub uppers: u64,
    pub lowers: u64,
    /// Letters that are apart from words, and not among the letters here.
    pub ideographs: u64,
    /// Whether the algebra may be wrong here, for schemes that look at case: there are marks, which are letters to them and symbols too;
    /// or upper case after a letter without case, where a word may begin or not, by what follows.
    pub unsettled: bool,
    /// Places that `masks` looks at again.
    pub contractions: u64,
    pub blank_lines: u64,
    /// Bytes between two texts, which are in no class.
    pub gaps: u64,
}

/// Reused from text to text.
#[derive(Debug, Default)]
pub struct Window {
    pub blocks: Vec<Block>,
    /// For each block, the bytes that start a piece.
    pub starts: Vec<u64>,
    cuts: Vec<usize>,
}

/// Calls `each` with the borders of pieces that follow one another, in order. A gap is a piece by itself, and what is before it and after it
/// are texts of their own.
#[inline]
pub(super) fn split<E>(
    scheme: Scheme,
    rules: &Rules,
    (text, gaps): (&str, &Gaps),
    window: &mut Window,
    mut each: impl FnMut(&[usize]) -> Result<(), E>,
) -> Result<(), E> {
    let mut base = 0;
    while base < text.len() {
        let count = rules.engine.run(Scan { scheme, rules, text, gaps, base, window });
        each(&window.cuts[..count])?;
        base = window.cuts[count - 1];
    }
    Ok(())
}

/// Writes out the borders of the pieces of the window that starts at `base`, and gives their number.
struct Scan<'a> {
    scheme: Scheme,
    rules: &'a Rules,
    text: &'a str,
    gaps: &'a Gaps,
    base: usize,
    window: &'a mut Window,
}

impl Loop for Scan<'_> {
    type Output = usize;

    #[inline(always)]
    fn run(self, kit: impl Kit) -> usize {
        let Scan { scheme, rules, text, gaps, base, window } = self;
        window.scan(scheme, rules, (text, gaps), base, kit)
    }
}

impl Window {
    #[inline(always)]
    fn scan(
        &mut self,
        scheme: Scheme,
        rules: &Rules,
        (text, gaps): (&str, &Gaps),
        base: usize,
        kit: impl Kit,
    ) -> usize {
        let rest = &text.as_bytes()[base..];
        let size = rest.len().min(SIZE);
        let whole = size == rest.len();
        self.fill(rules, (rest, gaps, base), size, kit);
        masks::find_starts(scheme, self, rest, whole);
        if !gaps.is_empty() {
            self.part_at_gaps();
        }
        let limit = if whole { size } else { self.limit(scheme, size) };
        let count = match rules.cases {
            Some(_) => self.harvest_around_unsettled(scheme, (text, gaps), base, limit, kit),
            None => self.harvest(base, limit, kit),
        };
        if whole {
            self.cuts[count] = text.len();
            return count + 1;
        }
        if count < 2 {
            // A piece that does not end in this window.
            self.cuts[0] = base;
            self.cuts[1] = gaps.within(text, base, |text| scheme.advance(text, base));
            return 2;
        }
        count
    }

    #[inline(always)]
    fn fill(&mut self, rules: &Rules, (text, gaps, base): (&[u8], &Gaps, usize), size: usize, kit: impl Kit) {
        // A block after the last, for those that look ahead.
        let blocks = size.div_ceil(BLOCK) + 1;
        if self.cuts.is_empty() {
            self.blocks = vec![Block::default(); BLOCKS + 1];
            self.starts = vec![0; BLOCKS + 1];
            // A start for each byte, the end, and room for a last group of eight.
            self.cuts = vec![0; SIZE + 1 + 8];
        }
        self.blocks.resize(blocks, Block::default());
        self.starts.resize(blocks, 0);
        let mut hanging = Default::default();
        let mut both_hanging = Default::default();
        // Whether the block before ends with a letter without case.
        let mut caseless_before = 0;
        for (number, block) in self.blocks[..blocks - 1].iter_mut().enumerate() {
            let at = number * BLOCK;
            let gaps = gaps.block(base + at);
            let inside = u64::MAX >> BLOCK.saturating_sub(size - at) & !gaps;
            let mut padded = [0; BLOCK];
            let bytes = blocks::block(text, at, &mut padded);
            let here = TextBytes { text, at, bytes };
            let (kinds, cases) = match &rules.cases {
                Some(cases) => {
                    let both = [&rules.kinds, cases];
                    let [kinds, cases] = BlockClasses::masks_by_both(both, kit, here, &mut both_hanging);
                    (kinds, Some(cases))
                }
                None => (rules.kinds.masks(kit, here, &mut hanging), None),
            };
            let BlockMasks { low, high, tails } = kinds;
            let [spaces, feeds, returns, apostrophes, slashes] = kit.find(&NAMED, bytes);
            *block = Block {
                letters: low & !high & inside,
                numbers: high & !low & inside,
                whites: low & high & inside,
                others: !(low | high) & inside,
                tails: tails & inside,
                spaces: spaces & inside,
                breaks: (feeds | returns) & inside,
                apostrophes: apostrophes & inside,
                slashes: slashes & inside,
                gaps,
                ..Block::default()
            };
            if let Some(BlockMasks { low, high, .. }) = cases {
                block.uppers = low & !high & inside;
                block.lowers = high & !low & inside;
                block.ideographs = block.letters & !(low | high);
                block.letters &= low | high;
                let caseless = low & high & inside;
                let marks = caseless & !block.letters;
                block.unsettled = marks | block.uppers & (caseless << 1 | caseless_before) != 0;
                caseless_before = caseless >> (BLOCK - 1);
            }
        }
        self.blocks[blocks - 1] = Block::default();
        self.starts[blocks - 1] = 0;
    }

    /// A gap is a piece by itself.
    #[inline(always)]
    fn part_at_gaps(&mut self) {
        let mut before = 0;
        for (block, starts) in self.blocks.iter().zip(&mut self.starts) {
            *starts |= block.gaps | block.gaps << 1 | before;
            before = block.gaps >> (BLOCK - 1);
        }
    }

    /// Starts before this position are certain, whatever comes after the window.
    #[inline(always)]
    fn limit(&self, scheme: Scheme, size: usize) -> usize {
        let mut white = 0;
        // After a line break nothing changes what is before it, unless all of it may be the end of the text.
        let breaks = if scheme == Scheme::Cl100kToEnd { 0 } else { u64::MAX };
        for block in self.blocks[..size / BLOCK].iter().rev() {
            let run = (block.whites & !(block.breaks & breaks)).leading_ones() as usize;
            white += run;
            if run < BLOCK {
                break;
            }
        }
        (size - AHEAD).min(size - white)
    }

    /// Writes out the starts before `limit`, and gives their number.
    #[inline(always)]
    fn harvest(&mut self, base: usize, limit: usize, kit: impl Kit) -> usize {
        let mut count = 0;
        for number in 0..limit.div_ceil(BLOCK) {
            let bits = self.starts[number] & below(limit - number * BLOCK);
            count = kit.write_positions(&mut self.cuts, count, base + number * BLOCK, bits);
        }
        count
    }

    /// As `harvest`, where some blocks are unsettled. There one piece after the other is found, up to a start on which both ways agree: from
    /// there on nothing depends on what was before.
    #[inline(always)]
    fn harvest_around_unsettled(
        &mut self,
        scheme: Scheme,
        (text, gaps): (&str, &Gaps),
        base: usize,
        limit: usize,
        kit: impl Kit,
    ) -> usize {
        let mut count = 0;
        let mut number = 0;
        while number * BLOCK < limit {
            if !self.blocks[number].unsettled {
                let bits = self.starts[number] & below(limit - number * BLOCK);
                count = kit.write_positions(&mut self.cuts, count, base + number * BLOCK, bits);
                number += 1;
                continue;
            }
            let mut start = if count == 0 { base } else { self.cuts[count - 1] };
            self.cuts[0] = if count == 0 { base } else { self.cuts[0] };
            count = count.max(1);
            loop {
                start = gaps.within(text, start, |text| scheme.advance(text, start));
                let at = start - base;
                if at >= limit {
                    return count;
                }
                let known = !self.blocks[at / BLOCK].unsettled && self.starts[at / BLOCK] >> (at % BLOCK) & 1 == 1;
                if known {
                    // The rest of that block.
                    let bits = self.starts[at / BLOCK] & !below(at % BLOCK) & below(limit - at / BLOCK * BLOCK);
                    count = kit.write_positions(&mut self.cuts, count, base + at / BLOCK * BLOCK, bits);
                    number = at / BLOCK + 1;
                    break;
                }
                self.cuts[count] = start;
                count += 1;
            }
        }
        count
    }

    pub fn set(&mut self, at: usize) {
        self.starts[at / BLOCK] |= 1 << (at % BLOCK);
    }

    pub fn clear(&mut self, at: usize) {
        self.starts[at / BLOCK] &= !(1 << (at % BLOCK));
    }
}

/// The lowest `count` bits.
#[inline(always)]
fn below(count: usize) -> u64 {
    if count >= BLOCK { u64::MAX } else { (1 << count) - 1 }
}
