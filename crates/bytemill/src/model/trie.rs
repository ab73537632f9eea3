//! Trie: the tokens that a text begins with, by a double array of bytes. A child lies at the base of its parent, changed by its byte; no two
//! parents share a base, so a child is known by its byte alone.

use crate::error::{Error, Result};
use crate::vocab::TokenId;

#[derive(Debug, Clone, Copy)]
struct Unit {
    /// The base (23 bits), whether the place is taken (1 bit), the byte that leads here (8 bits).
    link: u32,
    /// The token that ends here, or `NONE`.
    id: TokenId,
}

pub const NONE: TokenId = TokenId::MAX;
const BASE_SHIFT: u32 = 9;
const TAKEN: u32 = 1 << 8;
const BLOCK: usize = 256;
/// Only the last blocks are searched for room: the ones before are nearly full.
const OPEN_BLOCKS: usize = 16;
const MOST_UNITS: usize = 1 << (32 - BASE_SHIFT);

#[derive(Debug)]
pub struct Trie {
    units: Vec<Unit>,
}

/// A place in the trie: the empty text to begin with.
#[derive(Debug, Clone, Copy)]
pub struct Place(u32);

impl Trie {
    /// Of tokens, none of which is empty or there twice.
    pub fn new<'a>(tokens: impl IntoIterator<Item = (TokenId, &'a [u8])>) -> Result<Self> {
        let mut sorted: Vec<(&[u8], TokenId)> = tokens.into_iter().map(|(id, token)| (token, id)).collect();
        sorted.sort_unstable();
        let mut builder = Builder::default();
        builder.add_block();
        // The first block is that of parents without children; of its places the root alone is in use, and no byte leads there.
        builder.full = 1;
        let mut waiting = vec![(0usize, 0usize, 0..sorted.len())];
        while let Some((at, depth, mut range)) = waiting.pop() {
            if let Some(&(token, id)) = sorted.get(range.start).filter(|_| !range.is_empty())
                && token.len() == depth
            {
                builder.units[at].id = id;
                range.start += 1;
            }
            let mut children: Vec<(u8, std::ops::Range<usize>)> = Vec::new();
            for number in range {
                let byte = sorted[number].0[depth];
                match children.last_mut() {
                    Some((last, range)) if *last == byte => range.end = number + 1,
                    _ => children.push((byte, number..number + 1)),
                }
            }
            if children.is_empty() {
                continue;
            }
            let labels: Vec<u8> = children.iter().map(|&(byte, _)| byte).collect();
            let base = builder.place(&labels)?;
            builder.units[at].link |= (base as u32) << BASE_SHIFT;
            for (byte, range) in children {
                waiting.push((base ^ usize::from(byte), depth + 1, range));
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
    units: Vec<Unit>,
    /// A bit for each place that is free.
    free: Vec<u64>,
    used_bases: Vec<bool>,
    /// Blocks that are not searched any more.
    full: usize,
}

impl Builder {
    fn add_block(&mut self) {
        let length = self.units.len() + BLOCK;
        self.units.resize(length, Unit { link: 0, id: NONE });
        self.used_bases.resize(length, false);
        self.free.resize(length / 64, u64::MAX);
    }

    fn free_places(&self, from: usize) -> impl Iterator<Item = usize> {
        let words = self.free.iter().enumerate().skip(from / 64);
        words.flat_map(|(i, &word)| {
            let rest = std::iter::successors(Some(word), |&rest| Some(rest & rest.wrapping_sub(1)));
            rest.take_while(|&rest| rest != 0).map(move |rest| 64 * i + rest.trailing_zeros() as usize)
        })
    }

    /// A base with room for all children, which are put there.
    fn place(&mut self, labels: &[u8]) -> Result<usize> {
        let blocks = self.units.len() / BLOCK;
        self.full = self.full.max(blocks.saturating_sub(OPEN_BLOCKS));
        let base = self.free_places(self.full * BLOCK).find_map(|place| self.fits(place, labels));
        let base = match base {
            Some(base) => base,
            None => {
                self.add_block();
                if self.units.len() > MOST_UNITS {
                    return Err(Error::Spec("the tokens of this vocabulary are too many or too long".into()));
                }
                (self.units.len() - BLOCK) ^ usize::from(labels[0])
            }
        };
        self.used_bases[base] = true;
        for &label in labels {
            let place = base ^ usize::from(label);
            self.units[place].link = TAKEN | u32::from(label);
            self.free[place / 64] &= !(1 << (place % 64));
        }
        Ok(base)
    }

    /// The base that puts the first child at a place, if that suits the others.
    fn fits(&self, place: usize, labels: &[u8]) -> Option<usize> {
        let is_free = |at: usize| self.free[at / 64] >> (at % 64) & 1 != 0;
        let base = place ^ usize::from(*labels.first()?);
        (!self.used_bases[base] && labels.iter().all(|&label| is_free(base ^ usize::from(label)))).then_some(base)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
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
