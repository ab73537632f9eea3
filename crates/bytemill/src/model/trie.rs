//! Trie: the tokens that a text begins with, by a double array of bytes. A child lies at the base of its parent, changed by its byte; no two
//! parents share a base, so a child is known by its byte alone.

use crate::error::{Error, Result};
use crate::vocab::{TokenId, in_order_of_bytes};

#[derive(Debug, Clone, Copy)]
struct DoubleArrayUnit {
    /// The base (23 bits), whether the place is taken (1 bit), the byte that leads here (8 bits).
    link: u32,
    /// The token that ends here, or `NONE`.
    id: TokenId,
}

pub(crate) const NONE: TokenId = TokenId::MAX;
const BASE_SHIFT: u32 = 9;
const TAKEN: u32 = 1 << 8;
const BLOCK: usize = 256;
/// The number of words of 64 bits that a block's places are counted in.
const WORDS: usize = BLOCK / 64;
/// Only the last blocks are searched for room: the ones before are nearly full.
const OPEN_BLOCKS: usize = 16;
const MOST_UNITS: usize = 1 << (32 - BASE_SHIFT);

#[derive(Debug)]
pub struct Trie {
    units: Vec<DoubleArrayUnit>,
}

/// A place in the trie: the empty text to begin with.
#[derive(Debug, Clone, Copy)]
pub struct Place(u32);

impl Default for Trie {
    /// Of no tokens.
    fn default() -> Self {
        Trie { units: vec![DoubleArrayUnit { link: 0, id: NONE }; BLOCK] }
    }
}

impl Trie {
    /// Whether tokens of `bytes` bytes together have room, whatever they are.
    ///
    /// A block is added for a parent of k children only where all open ones have 256 / (k + 1) of their places taken: each of these stands
    /// in the way of k bases, and of one as a base itself. The new one has k taken then. Two blocks so have 31 or more taken together,
    /// whatever k is, and every child is a byte of a token: 17 places are enough for each.
    pub fn surely_holds(bytes: usize) -> bool {
        17 * bytes + 2 * BLOCK <= MOST_UNITS
    }

    /// Of tokens, none of which is empty. If one is there twice, as in a damaged file, the first counts.
    pub fn new<'a>(tokens: impl IntoIterator<Item = (TokenId, &'a [u8])>) -> Result<Self> {
        let sorted = in_order_of_bytes(tokens.into_iter());
        let mut builder = Builder::default();
        builder.add_block();
        // The first block is that of parents without children; of its places the root alone is in use, and no byte leads there.
        builder.full = 1;
        let mut labels = Vec::new();
        let mut waiting = vec![(0usize, 0usize, 0..sorted.len())];
        while let Some((at, depth, mut range)) = waiting.pop() {
            if let Some(&(token, id)) = sorted.get(range.start).filter(|_| !range.is_empty())
                && token.len() == depth
            {
                builder.units[at].id = id;
                range.start += sorted[range.clone()].iter().take_while(|(token, _)| token.len() == depth).count();
            }
            labels.clear();
            let from = waiting.len();
            let mut start = range.start;
            for texts in sorted[range].chunk_by(|(a, _), (b, _)| a[depth] == b[depth]) {
                labels.push(texts[0].0[depth]);
                // Where it goes is known when all children are.
                waiting.push((0, depth + 1, start..start + texts.len()));
                start += texts.len();
            }
            if labels.is_empty() {
                continue;
            }
            let base = builder.place(&labels)?;
            builder.units[at].link |= (base as u32) << BASE_SHIFT;
            for ((at, ..), &label) in waiting[from..].iter_mut().zip(&labels) {
                *at = base ^ usize::from(label);
            }
        }
        Ok(Trie { units: builder.units })
    }

    #[inline]
    pub fn root(&self) -> Place {
        Place(self.units[0].link)
    }

    /// One byte further: the place, and the token that ends there or `NONE`.
    #[inline]
    pub fn step(&self, place: Place, byte: u8) -> Option<(Place, TokenId)> {
        let unit = self.units[(place.0 >> BASE_SHIFT) as usize ^ usize::from(byte)];
        (unit.link & (TAKEN | 0xFF) == TAKEN | u32::from(byte)).then_some((Place(unit.link), unit.id))
    }
}

#[derive(Default)]
struct Builder {
    units: Vec<DoubleArrayUnit>,
    /// A bit for each place that is free.
    free: Vec<u64>,
    /// A bit for each place that is no parent's base.
    unused: Vec<u64>,
    /// How many places of each block are free.
    left: Vec<usize>,
    /// Blocks that are not searched any more.
    full: usize,
}

impl Builder {
    fn add_block(&mut self) {
        let length = self.units.len() + BLOCK;
        self.units.resize(length, DoubleArrayUnit { link: 0, id: NONE });
        self.free.resize(length / 64, u64::MAX);
        self.unused.resize(length / 64, u64::MAX);
        self.left.push(BLOCK);
    }

    /// A base with room for all children, which are put there.
    fn place(&mut self, labels: &[u8]) -> Result<usize> {
        let blocks = self.units.len() / BLOCK;
        self.full = self.full.max(blocks.saturating_sub(OPEN_BLOCKS));
        let roomy = (self.full..blocks).filter(|&block| self.left[block] >= labels.len());
        let base = match { roomy }.find_map(|block| self.base_in(block, labels)) {
            Some(base) => base,
            None => {
                self.add_block();
                if self.units.len() > MOST_UNITS {
                    return Err(Error::Spec("the tokens of this vocabulary are too many or too long".into()));
                }
                self.units.len() - BLOCK
            }
        };
        self.unused[base / 64] &= !(1 << (base % 64));
        self.left[base / BLOCK] -= labels.len();
        for &label in labels {
            let place = base ^ usize::from(label);
            self.units[place].link = TAKEN | u32::from(label);
            self.free[place / 64] &= !(1 << (place % 64));
        }
        Ok(base)
    }

    /// A base in a block that leaves every child a free place: all bases are looked at together.
    fn base_in(&self, block: usize, labels: &[u8]) -> Option<usize> {
        let words = block * WORDS..(block + 1) * WORDS;
        let (free, unused) = (&self.free[words.clone()], &self.unused[words]);
        let mut fitting = [0; WORDS];
        fitting.copy_from_slice(unused);
        for &label in labels {
            // The place of a base for this label is free.
            let mut turned = [0; WORDS];
            for (i, word) in turned.iter_mut().enumerate() {
                *word = free[i ^ usize::from(label / 64)];
            }
            for (fitting, free) in fitting.iter_mut().zip(exchanged(turned, label % 64)) {
                *fitting &= free;
            }
            if fitting == [0; WORDS] {
                return None;
            }
        }
        let word = fitting.iter().position(|&word| word != 0)?;
        Some(block * BLOCK + 64 * word + fitting[word].trailing_zeros() as usize)
    }
}

/// The bits of words, each at its number changed by exclusive or with `by`. Loops and no closures: compiled apart from its caller, it would
/// take three times as long.
#[inline]
fn exchanged(words: [u64; WORDS], by: u8) -> [u64; WORDS] {
    const LOWER: [u64; 6] =
        [u64::MAX / 3, u64::MAX / 5, u64::MAX / 17, u64::MAX / 257, u64::MAX / 65_537, u64::MAX / 4_294_967_297];
    let mut exchanged = words;
    for (bit, lower) in LOWER.iter().enumerate() {
        // Without a branch: nothing could predict which bits are set.
        let chosen = u64::from(by >> bit & 1).wrapping_neg();
        for word in &mut exchanged {
            let changed = *word >> (1 << bit) & lower | (*word & lower) << (1 << bit);
            *word = changed & chosen | *word & !chosen;
        }
    }
    exchanged
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn of_a_token_that_is_there_twice_the_first_counts() {
        let trie = Trie::new([(0, &b"ab"[..]), (1, b"a"), (2, b"ab"), (3, b"abc")]).unwrap();
        let ids = b"abc".iter().scan(trie.root(), |place, &byte| {
            let (next, id) = trie.step(*place, byte)?;
            *place = next;
            Some(id)
        });
        assert_eq!(ids.collect::<Vec<_>>(), [1, 0, 3]);
    }

    /// Makes a trie in which each of some nodes has the same children.
    fn has_room(children: &BTreeSet<u8>, parents: usize) {
        let tokens: Vec<[u8; 3]> = (0..parents)
            .flat_map(|parent| children.iter().map(move |&byte| [(parent / 256) as u8, parent as u8, byte]))
            .collect();
        let trie = Trie::new((0..).zip(tokens.iter().map(|token| &token[..]))).unwrap();
        assert!(trie.units.len() <= 17 * 3 * tokens.len() + 2 * BLOCK);
        let nodes = trie.units.iter().filter(|unit| unit.link & TAKEN != 0).count();
        assert!(trie.units.len() <= 17 * nodes + 2 * BLOCK);
    }

    #[test]
    fn children_that_share_no_block_have_the_room_that_is_said_to_be_enough() {
        // Sixteen of them and sixteen times as many: two parents of all these children never share a block.
        let hostile = (0..16).flat_map(|byte| [byte, 16 * byte]).collect();
        for parents in [1, 2, 255, 256, 257, 2000] {
            has_room(&hostile, parents);
        }
    }

    proptest! {
        #[test]
        fn bits_are_exchanged(word: u64, by in 0..64u8) {
            for i in 0..64 {
                prop_assert_eq!(exchanged([word; WORDS], by)[0] >> i & 1, word >> (i ^ by) & 1);
            }
        }

        #[test]
        fn any_children_have_the_room_that_is_said_to_be_enough(
            children in proptest::collection::btree_set(any::<u8>(), 1..40),
            parents in 1..200usize,
        ) {
            has_room(&children, parents);
        }

        #[test]
        fn finds_the_tokens_that_a_text_begins_with(
            tokens in proptest::collection::btree_set(proptest::collection::vec(any::<u8>(), 1..5), 0..300),
            text in proptest::collection::vec(any::<u8>(), 0..8),
        ) {
            let tokens: Vec<Vec<u8>> = tokens.into_iter().chain((1..=text.len()).step_by(2).map(|n| text[..n].to_vec()))
                .collect::<BTreeSet<_>>().into_iter().collect();
            let trie = Trie::new((0..).zip(tokens.iter().map(Vec::as_slice))).unwrap();
            let mut place = Some(trie.root());
            for (i, &byte) in text.iter().enumerate() {
                let step = place.and_then(|place| trie.step(place, byte));
                let expected = tokens.iter().position(|token| *token == text[..=i]);
                prop_assert_eq!(step.map_or(NONE, |(_, id)| id), expected.map_or(NONE, |id| id as TokenId));
                place = step.map(|(place, _)| place);
            }
        }
    }
}
