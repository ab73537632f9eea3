//! Merges: which two tokens become which, and in what order of priority.

use crate::error::{Error, Result};
use crate::storage::Section;
use crate::vocab::{TokenId, Vocab};

/// The priority of a merge: lower goes first. Not an id.
pub type Rank = u32;

/// No merge.
pub const NEVER: Rank = Rank::MAX;

/// Bits of an id and of a rank in a slot: room for 2 million tokens and 4 million merges.
const ID_BITS: u32 = 21;
const RANK_BITS: u32 = 64 - 2 * ID_BITS;
const EMPTY: u64 = u64::MAX;

/// A pair → its rank, by open addressing over 64-bit slots (left, right, rank); a rank → the token that it makes.
#[derive(Debug, Clone)]
pub struct Merges {
    slots: Section<u64>,
    made: Section<TokenId>,
}

impl Merges {
    /// The pairs in the order of their ranks, each with what it makes; of a pair that is there twice, the last counts.
    pub fn new(pairs: impl IntoIterator<Item = (TokenId, TokenId, TokenId)>) -> Result<Self> {
        let pairs: Vec<_> = pairs.into_iter().collect();
        if pairs.len() >= (1 << RANK_BITS) - 1 || pairs.iter().any(|&(a, b, c)| (a | b | c) >> ID_BITS != 0) {
            return Err(Error::Spec(format!(
                "byte-pair encoding here has at most {} tokens and {} merges",
                1 << ID_BITS,
                (1 << RANK_BITS) - 2
            )));
        }
        let mut slots = vec![EMPTY; (2 * pairs.len()).next_power_of_two().max(2)];
        let mask = slots.len() - 1;
        for (rank, &(left, right, _)) in pairs.iter().enumerate() {
            let key = key(left, right);
            let mut at = hash(key) as usize & mask;
            while slots[at] != EMPTY && slots[at] >> RANK_BITS != key {
                at = (at + 1) & mask;
            }
            slots[at] = key << RANK_BITS | rank as u64;
        }
        Ok(Merges { slots: slots.into_iter().collect(), made: pairs.into_iter().map(|(_, _, made)| made).collect() })
    }

    /// Pairs of tokens, each of which makes the token of their bytes together.
    pub fn of_tokens(vocab: &Vocab, pairs: impl IntoIterator<Item = (TokenId, TokenId)>) -> Result<Self> {
        let mut together = Vec::new();
        let made = |(number, (left, right)): (usize, (TokenId, TokenId))| {
            together.clear();
            for id in [left, right] {
                let token = vocab.token(id);
                together.extend_from_slice(
                    token.ok_or_else(|| Error::format(format!("merge {number}"), format!("there is no token {id}")))?,
                );
            }
            let made = vocab.id(&together);
            made.map(|made| (left, right, made)).ok_or_else(|| {
                let text = String::from_utf8_lossy(&together).into_owned();
                Error::format(format!("merge {number}"), format!("makes {text:?}, which is not in the vocabulary"))
            })
        };
        Self::new(pairs.into_iter().enumerate().map(made).collect::<Result<Vec<_>>>()?)
    }

    /// Merges whose parts come from a file; each is checked, so that no later lookup can fail.
    pub fn from_sections(
        slots: Section<u64>,
        made: Section<TokenId>,
        tokens: usize,
    ) -> std::result::Result<Self, &'static str> {
        let (count, ids_ok) = (made.as_slice().len(), made.as_slice().iter().all(|&id| (id as usize) < tokens));
        let used = slots.as_slice().iter().filter(|&&slot| slot != EMPTY);
        let ranks_ok = used.clone().all(|&slot| (split(slot).0 as usize) < count);
        let roomy = slots.as_slice().len().is_power_of_two() && used.count() < slots.as_slice().len();
        if ids_ok && ranks_ok && roomy { Ok(Merges { slots, made }) } else { Err("the merges do not fit the tokens") }
    }

    pub fn view(&self) -> View<'_> {
        View { slots: self.slots.as_slice(), made: self.made.as_slice() }
    }

    /// Every pair in the order of the ranks.
    pub fn pairs(&self) -> Vec<(TokenId, TokenId, TokenId)> {
        let view = self.view();
        let mut pairs: Vec<(Rank, u64)> =
            view.slots.iter().filter(|&&slot| slot != EMPTY).map(|&slot| split(slot)).collect();
        pairs.sort_unstable();
        let ids = |key: u64| ((key >> ID_BITS) as TokenId, (key & ((1 << ID_BITS) - 1)) as TokenId);
        pairs.into_iter().map(|(rank, key)| (ids(key).0, ids(key).1, view.made[rank as usize])).collect()
    }
}

#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    pub slots: &'a [u64],
    pub made: &'a [TokenId],
}

impl View<'_> {
    /// The rank of a pair, or `NEVER`.
    #[inline]
    pub fn rank(&self, left: TokenId, right: TokenId) -> Rank {
        let key = key(left, right);
        let mask = self.slots.len() - 1;
        let mut at = hash(key) as usize;
        loop {
            let slot = self.slots[at & mask];
            if slot == EMPTY {
                return NEVER;
            }
            if slot >> RANK_BITS == key {
                return split(slot).0;
            }
            at += 1;
        }
    }

    /// The token that a merge makes.
    #[inline]
    pub fn made(&self, rank: Rank) -> TokenId {
        self.made[rank as usize]
    }
}

#[inline]
fn key(left: TokenId, right: TokenId) -> u64 {
    u64::from(left) << ID_BITS | u64::from(right)
}

#[inline]
fn split(slot: u64) -> (Rank, u64) {
    ((slot & ((1 << RANK_BITS) - 1)) as Rank, slot >> RANK_BITS)
}

/// The product's upper half: each bit of it depends on all of the key.
#[inline]
fn hash(key: u64) -> u64 {
    key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32
}
