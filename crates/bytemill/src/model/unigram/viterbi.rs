//! The best row of tokens for a text, by one pass: for each place, the best row that ends there.
//!
//! Sums are made in the precision and in the order of the library that a model comes from, from the start of the text on; so ties and the
//! rounding of sums fall as they do there.

use std::ops::{Add, Sub};

use super::super::trie::{NONE, Trie};
use crate::vocab::TokenId;

/// A score: 32 bits for SentencePiece, 64 for `tokenizers`.
pub trait Score:
    Copy + PartialOrd + Add<Output = Self> + Sub<Output = Self> + std::fmt::Debug + Send + Sync + 'static
{
    const ZERO: Self;
    /// Sums beyond it are started anew, if anything.
    const LIMIT: Option<Self>;
    fn magnitude(self) -> Self;
    /// Below all sums.
    const LOWEST: Self;
    /// How much better than the second best the best row of a word must be for each of its bytes to be sure; and below what the word's own
    /// sums must stay.
    const MARGIN: Self;
    const MOST_SUM: Self;
    fn times(self, number: usize) -> Self;
    /// Of one that is kept with 64 bits, and back.
    fn of(score: f64) -> Self;
    fn wide(self) -> f64;
}

impl Score for f32 {
    const LOWEST: Self = f32::NEG_INFINITY;
    // Twice what rounding one sum changes it, as two rows are compared: half the distance of two numbers below 2¹⁷, which is as far as sums
    // reach, and of two below 2¹³ for the sums of the word by itself.
    const MARGIN: Self = 2.0 * (1.0 / 256.0 + 1.0 / 4096.0);
    const MOST_SUM: Self = 8192.0;
    #[inline]
    fn times(self, number: usize) -> Self {
        self * number as f32
    }
    #[inline]
    fn of(score: f64) -> Self {
        score as f32
    }
    #[inline]
    fn wide(self) -> f64 {
        self.into()
    }
    const ZERO: Self = 0.0;
    const LIMIT: Option<Self> = Some(super::RESTART);
    #[inline]
    fn magnitude(self) -> Self {
        self.abs()
    }
}

impl Score for f64 {
    const LOWEST: Self = f64::NEG_INFINITY;
    // More than what rounding changes sums below 2³⁷, which no piece reaches.
    const MARGIN: Self = 1.0 / 4096.0;
    const MOST_SUM: Self = 1e9;
    #[inline]
    fn times(self, number: usize) -> Self {
        self * number as f64
    }
    #[inline]
    fn of(score: f64) -> Self {
        score
    }
    #[inline]
    fn wide(self) -> f64 {
        self
    }
    const ZERO: Self = 0.0;
    const LIMIT: Option<Self> = None;
    #[inline]
    fn magnitude(self) -> Self {
        self.abs()
    }
}

/// The last token of the best row that ends at a place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node<S> {
    sum: S,
    /// `NONE`: no row ends here.
    start: u32,
    id: TokenId,
}

/// A token and its place in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    pub start: usize,
    pub end: usize,
    /// `NONE` for one unknown character.
    pub id: TokenId,
}

/// What a pass needs of a model.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScoredTrie<'a, S> {
    pub trie: &'a Trie,
    pub scores: &'a [S],
    pub unknown: S,
}

impl<S: Score> ScoredTrie<'_, S> {
    /// Appends the best row for a text, whose sums begin with `from`; gives the sum at its end.
    pub(crate) fn best(&self, text: &str, from: S, nodes: &mut Vec<Node<S>>, row: &mut Vec<Segment>) -> S {
        let size = text.len();
        nodes.clear();
        nodes.resize(size + 1, Node { sum: S::ZERO, start: NONE, id: NONE });
        nodes[0].sum = from;
        let mut furthest = 0;
        let mut start = 0;
        while start < size {
            let sum = self.begin(nodes, start, furthest);
            let end = self.follow(text.as_bytes(), start, sum, nodes);
            furthest = furthest.max(end);
            start += width(text.as_bytes()[start]);
        }
        let first = row.len();
        let mut end = size;
        while end > 0 {
            let Node { start, id, .. } = nodes[end];
            row.push(Segment { start: start as usize, end, id });
            end = start as usize;
        }
        row[first..].reverse();
        nodes[size].sum
    }

    /// The sum at a place; where it is beyond the limit, it and those after it are counted from here on.
    #[inline]
    fn begin(&self, nodes: &mut [Node<S>], start: usize, furthest: usize) -> S {
        let sum = nodes[start].sum;
        if S::LIMIT.is_some_and(|limit| sum.magnitude() > limit) {
            for (i, node) in nodes[start..=furthest.max(start)].iter_mut().enumerate() {
                if i == 0 || node.start != NONE {
                    node.sum = node.sum - sum;
                }
            }
            return S::ZERO;
        }
        sum
    }

    /// Every token that begins at a place, and an unknown character if no token is just its first; gives the furthest end.
    #[inline]
    fn follow(&self, text: &[u8], start: usize, sum: S, nodes: &mut [Node<S>]) -> usize {
        let first = start + width(text[start]);
        let mut improve = |end: usize, id: TokenId, score: S| {
            let candidate = score + sum;
            let node = &mut nodes[end];
            if node.start == NONE || candidate > node.sum {
                *node = Node { sum: candidate, start: start as u32, id };
            }
        };
        let (mut place, mut single, mut furthest) = (self.trie.root(), false, first);
        for (i, &byte) in text[start..].iter().enumerate() {
            let Some((next, id)) = self.trie.step(place, byte) else { break };
            place = next;
            if id != NONE {
                let end = start + i + 1;
                improve(end, id, self.scores[id as usize]);
                single |= end == first;
                furthest = furthest.max(end);
            }
        }
        if !single {
            improve(first, NONE, self.unknown);
        }
        furthest
    }
}

/// The bytes of a character, by its first.
#[inline]
pub(crate) fn width(byte: u8) -> usize {
    match byte {
        0..0xC0 => 1,
        0xC0..0xE0 => 2,
        0xE0..0xF0 => 3,
        0xF0.. => 4,
    }
}
