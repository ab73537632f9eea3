//! Vocab: the tokens of a model. One arena of bytes, the end of each token in it, and one hash index.
//!
//! Ids may have holes: a file need not use every number, and special tokens live in `specials`.

pub(crate) mod hash;
pub(crate) mod index;
pub(crate) mod merges;
pub mod notation;

use std::hint::select_unpredictable;
use std::ops::Range;

use crate::error::{Error, Result};
use crate::machine::simd::prefetch;
use crate::machine::storage::Section;
use hash::hash;

pub type TokenId = u32;

/// More ids than any vocabulary has, few enough for a wrong number in a file not to fill the memory.
pub(crate) const MAX_ID: TokenId = 1 << 27;

/// Tokens whose slots the memory is asked for at a time.
const TOGETHER: usize = 32;

#[derive(Debug, Clone)]
pub struct Vocab {
    arena: Section<u8>,
    /// Where the token of each id ends; it starts where the one before ends.
    ends: Section<u32>,
    /// See `index`.
    slots: Section<u64>,
    /// Ids without a token, ascending.
    holes: Vec<TokenId>,
}

impl Vocab {
    /// The token of each id, None for a hole.
    pub fn new<T: AsRef<[u8]>>(tokens: impl IntoIterator<Item = Option<T>>) -> Result<Self> {
        Self::of_written(tokens, |token, arena| {
            arena.extend_from_slice(token.as_ref());
            true
        })
    }

    /// The same of tokens that are written otherwise: `append` appends the bytes of one, or says that it stands for none and leaves a hole.
    pub fn of_written<T>(
        tokens: impl IntoIterator<Item = Option<T>>,
        append: impl Fn(T, &mut Vec<u8>) -> bool,
    ) -> Result<Self> {
        let mut arena = Vec::new();
        let mut ends = Vec::new();
        let mut holes = Vec::new();
        for (id, token) in tokens.into_iter().enumerate() {
            if id >= MAX_ID as usize {
                return Err(Error::Spec(format!("a vocabulary has at most {MAX_ID} ids")));
            }
            if !token.is_some_and(|token| append(token, &mut arena)) {
                holes.push(id as TokenId);
            }
            ends.push(
                u32::try_from(arena.len())
                    .map_err(|_| Error::Spec("the tokens of a vocabulary take more than 4 GiB".into()))?,
            );
        }
        let slots = index_of(&arena, &ends, &holes)?;
        Ok(Vocab {
            arena: arena.into_iter().collect(),
            ends: ends.into_iter().collect(),
            slots: slots.into_iter().collect(),
            holes,
        })
    }

    /// A vocabulary whose parts come from a file; each part is checked, so that no later lookup can fail.
    pub fn from_sections(
        arena: Section<u8>,
        ends: Section<u32>,
        slots: Section<u64>,
        holes: Vec<TokenId>,
    ) -> std::result::Result<Self, &'static str> {
        let (count, ends_ok) = {
            let ends = ends.as_slice();
            let last = ends.last().map_or(0, |&end| end as usize);
            (ends.len(), ends.is_sorted() && last == arena.as_slice().len())
        };
        if !ends_ok || count > MAX_ID as usize {
            return Err("the ends of the tokens do not fit their bytes");
        }
        if !holes.is_sorted_by(|a, b| a < b) || holes.last().is_some_and(|&id| id as usize >= count) {
            return Err("the list of unused ids is wrong");
        }
        // A bit for each id, and one for empty slots.
        let mut seen = vec![0u64; count / 64 + 1];
        holes.iter().for_each(|&id| seen[id as usize / 64] |= 1 << (id % 64));
        let (mut used, mut in_range) = (0, true);
        for &slot in slots.as_slice() {
            used += usize::from(slot != 0);
            // Without a branch: nothing could predict which are empty.
            let id = select_unpredictable(slot == 0, count, (slot as u32).wrapping_sub(1) as usize);
            in_range &= (slot == 0) | (id < count);
            seen.get_mut(id / 64).into_iter().for_each(|word| *word |= 1 << (id % 64));
        }
        let roomy = slots.as_slice().len().is_power_of_two() && used < slots.as_slice().len();
        // As many slots are used as there are tokens, so that each token has one that no other has.
        let all = (0..count).all(|id| seen[id / 64] >> (id % 64) & 1 != 0);
        if !in_range || !roomy || !all || used != count - holes.len() {
            return Err("the index does not fit the tokens");
        }
        Ok(Vocab { arena, ends, slots, holes })
    }

    /// One more than the largest id.
    pub fn len(&self) -> usize {
        self.ends.as_slice().len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn token(&self, id: TokenId) -> Option<&[u8]> {
        if self.holes.binary_search(&id).is_ok() {
            return None;
        }
        self.view().token(id)
    }

    pub fn id(&self, token: &[u8]) -> Option<TokenId> {
        self.view().id(token)
    }

    pub fn tokens(&self) -> impl Iterator<Item = (TokenId, &[u8])> {
        (0..self.len() as TokenId).filter_map(|id| Some((id, self.token(id)?)))
    }

    /// The parts as plain slices, for loops that look up many tokens.
    pub fn view(&self) -> VocabView<'_> {
        VocabView { arena: self.arena.as_slice(), ends: self.ends.as_slice(), slots: self.slots.as_slice() }
    }

    pub fn holes(&self) -> &[TokenId] {
        &self.holes
    }
}

#[derive(Debug, Clone, Copy)]
pub struct VocabView<'a> {
    pub arena: &'a [u8],
    pub ends: &'a [u32],
    pub slots: &'a [u64],
}

impl<'a> VocabView<'a> {
    /// Where the token of an id lies in the arena; an empty place for a hole.
    #[inline]
    pub fn span(&self, id: TokenId) -> Option<Range<usize>> {
        let end = *self.ends.get(id as usize)?;
        let start = match id {
            0 => 0,
            _ => self.ends[id as usize - 1],
        };
        Some(start as usize..end as usize)
    }

    #[inline]
    fn token(&self, id: TokenId) -> Option<&'a [u8]> {
        self.arena.get(self.span(id)?)
    }

    #[inline]
    pub fn id(&self, token: &[u8]) -> Option<TokenId> {
        self.id_of_hashed(token, hash(token))
    }

    /// The same with the token's hash, where the caller had `prefetch` ask the memory for its slot before.
    #[inline]
    pub fn id_of_hashed(&self, token: &[u8], hash: u64) -> Option<TokenId> {
        index::find(self.slots, hash, |id| self.token(id) == Some(token)).ok()
    }

    #[inline]
    pub fn prefetch(&self, hash: u64) {
        if let Some(slot) = self.slots.get(hash as usize & (self.slots.len() - 1)) {
            prefetch(slot);
        }
    }
}

/// Tokens in the order of their bytes.
pub(crate) fn in_order_of_bytes<'a>(tokens: impl Iterator<Item = (TokenId, &'a [u8])>) -> Vec<(&'a [u8], TokenId)> {
    // The first eight bytes settle most comparisons, and lie side by side.
    let first = |token: &[u8]| {
        let mut bytes = [0; 8];
        bytes.iter_mut().zip(token).for_each(|(to, &from)| *to = from);
        u64::from_be_bytes(bytes)
    };
    let mut keyed: Vec<(u64, &[u8], TokenId)> = tokens.map(|(id, token)| (first(token), token, id)).collect();
    keyed.sort_unstable();
    keyed.into_iter().map(|(_, token, id)| (token, id)).collect()
}

fn index_of(arena: &[u8], ends: &[u32], holes: &[TokenId]) -> Result<Vec<u64>> {
    let mut slots = index::empty(ends.len());
    let mut holes = holes.iter().peekable();
    let mut ids = (0..ends.len() as TokenId).filter(|id| holes.next_if(|&hole| hole == id).is_none());
    let mut group = Vec::with_capacity(TOGETHER);
    let tokens = VocabView { arena, ends, slots: &[] };
    loop {
        let index = VocabView { slots: &slots, ..tokens };
        // Each has its place far from the others; asked for together, they come in the time of one.
        group.extend(ids.by_ref().take(TOGETHER).map(|id| {
            let token = tokens.token(id).unwrap_or_default();
            let hash = hash(token);
            index.prefetch(hash);
            (id, token, hash)
        }));
        if group.is_empty() {
            return Ok(slots);
        }
        for (id, token, hash) in group.drain(..) {
            match index::find(&slots, hash, |other| tokens.token(other) == Some(token)) {
                Err(free) => slots[free] = index::slot(hash, id),
                Ok(first) => {
                    return Err(Error::Spec(format!(
                        "the vocabulary has {:?} twice, as id {first} and as id {id}",
                        String::from_utf8_lossy(token)
                    )));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_every_token_and_nothing_else() {
        let words: Vec<String> = (0..5000).map(|i| format!("word{}", i * i)).collect();
        let vocab = Vocab::new(words.iter().map(Some)).unwrap();
        for (id, word) in words.iter().enumerate() {
            assert_eq!(vocab.id(word.as_bytes()), Some(id as u32));
            assert_eq!(vocab.token(id as u32), Some(word.as_bytes()));
        }
        assert_eq!(vocab.id(b"word2"), None);
        assert_eq!(vocab.token(5000), None);
    }

    #[test]
    fn an_index_that_has_a_token_twice_or_a_hole_is_refused() {
        let vocab = Vocab::new([Some("a"), Some("b"), None]).unwrap();
        let again = |slots: Vec<u64>| {
            let view = vocab.view();
            let (arena, ends) = (Section::Owned(view.arena.to_vec().into()), Section::Owned(view.ends.to_vec().into()));
            Vocab::from_sections(arena, ends, Section::Owned(slots.into()), vec![2]).is_ok()
        };
        let slots = vocab.view().slots.to_vec();
        let changed = |id: u64| slots.iter().map(|&slot| if slot as u32 == 2 { id } else { slot }).collect();
        assert!(again(slots.clone()) && again(changed(2)));
        assert!(!again(changed(1)) && !again(changed(3)) && !again(changed(4)) && !again(changed(0)));
    }

    #[test]
    fn holes_have_no_token_and_the_empty_token_is_one() {
        let vocab = Vocab::new([None, Some(""), None, Some("a")]).unwrap();
        assert_eq!((vocab.token(0), vocab.token(1)), (None, Some(&b""[..])));
        assert_eq!((vocab.id(b""), vocab.id(b"a")), (Some(1), Some(3)));
        assert_eq!(vocab.tokens().count(), 2);
        assert_eq!(Vocab::new::<&str>([]).unwrap().id(b""), None);
    }

    #[test]
    fn tokens_are_sorted_by_all_of_their_bytes() {
        let tokens: [&[u8]; 8] = [b"b", b"a", b"a\0", b"", b"\xFF", b"12345678b", b"12345678a", b"12345678"];
        let mut expected: Vec<(&[u8], TokenId)> = tokens.into_iter().zip(0..).collect();
        expected.sort();
        assert_eq!(in_order_of_bytes((0..).zip(tokens)), expected);
    }

    #[test]
    fn a_token_given_twice_is_refused() {
        let error = Vocab::new([Some("a"), Some("b"), Some("a")]).unwrap_err();
        assert_eq!(error.to_string(), "the vocabulary has \"a\" twice, as id 0 and as id 2");
    }
}
