//! The rules of merging: which of the most frequent pairs goes first, and which pairs may merge at all.

use std::cmp::Ordering;

use serde::Deserialize;

use super::inventory::TokenInventory;

/// What decides between pairs that are equally frequent. The names are those of the trainers that decide so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ties {
    /// The smaller pair of tokens, in the order in which they came to be: bytes or characters in their order, then merges.
    Bytemill,
    /// The same, and nothing is the same token twice: two ways to the same bytes are two tokens.
    RustBpe,
    /// The smaller pair of ids, and whatever else the library does where a token is made in a second way.
    HuggingFace,
    /// The pair that is met first in the text as it is merged so far.
    Tiktoken,
    /// The greater pair of byte strings.
    Cs336,
    /// The shorter token, then the smaller one. A pair whose text is a token already does not merge.
    SentencePiece,
}

/// What makes a pair the best one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PairScore {
    /// How often it occurs.
    #[default]
    Frequency,
    /// The same, divided by how often each of its tokens does.
    Likelihood,
}

#[derive(Debug, Clone)]
pub struct MergeRules {
    pub ties: Ties,
    /// Pairs that are rarer do not merge; at least 1.
    pub min_frequency: u64,
    /// The most units (bytes or characters) of a token.
    pub max_token_length: Option<usize>,
    /// What stands before every unit of a piece but the first, and goes when such a token is the right one of a pair.
    pub prefix: Vec<u8>,
}

/// A pair of tokens as one number, ordered as the pair is.
pub(super) type PairKey = u64;

pub(super) fn key(left: u32, right: u32) -> PairKey {
    u64::from(left) << 32 | u64::from(right)
}

pub(super) fn parts(key: PairKey) -> (u32, u32) {
    ((key >> 32) as u32, key as u32)
}

impl MergeRules {
    /// Whether a pair that a merge has brought about may merge. The library asks for less than the limit, and not of pairs of units.
    pub fn allows(&self, length: u32) -> bool {
        self.max_token_length.is_none_or(|most| match self.ties {
            Ties::HuggingFace => (length as usize) < most,
            _ => length as usize <= most,
        })
    }

    /// The same of a pair of two units.
    pub fn allows_units(&self) -> bool {
        self.ties == Ties::HuggingFace || self.allows(2)
    }

    /// The order of two pairs of equal count, the one that goes first being `Less`. Places are where each is met first, or, under the
    /// library's rule, the order in which they began to wait.
    pub fn order(
        &self,
        tokens: &TokenInventory,
        (a, a_place): (PairKey, u64),
        (b, b_place): (PairKey, u64),
    ) -> Ordering {
        let strings = |key| {
            let (left, right) = parts(key);
            (tokens.token(left), tokens.token(right))
        };
        match self.ties {
            Ties::Bytemill | Ties::RustBpe => a.cmp(&b),
            Ties::HuggingFace => a.cmp(&b).then(a_place.cmp(&b_place)),
            Ties::Tiktoken => a_place.cmp(&b_place),
            Ties::Cs336 => strings(b).cmp(&strings(a)).then(a.cmp(&b)),
            Ties::SentencePiece => {
                let length = |key| {
                    let (left, right) = parts(key);
                    tokens.length(left) + tokens.length(right)
                };
                let joined = |key| {
                    let (left, right) = strings(key);
                    left.iter().chain(right)
                };
                length(a).cmp(&length(b)).then_with(|| joined(a).cmp(joined(b))).then(a.cmp(&b))
            }
        }
    }
}
