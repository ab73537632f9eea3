//! concat: tokens one after the other. It is what most tokenizers do, and worth doing without a call to copy for each token.

use std::ops::Range;

use crate::error::Result;
use crate::machine::memory::make_room;
use crate::machine::simd::prefetch;
use crate::machine::storage::Zeroed;
use crate::text::short_key::key;
use crate::vocab::TokenId;

/// Tokens are copied this many bytes at a time, whatever their length: a fixed size is one load and one store.
const BLOCK: usize = 16;
/// Ids whose tokens are asked of the memory, and that room is made for, in one go.
const GROUP: usize = 256;

/// The tokens of up to 15 bytes, each by itself with its length: in the vocabulary an id leads to two ends, and these to the token, in two
/// places of the memory of which neither may be near.
#[derive(Debug, Default)]
pub(crate) struct ShortTokens(Zeroed<[u8; BLOCK]>);

impl ShortTokens {
    /// For ids below `size`, whose tokens lie in the arena.
    pub(crate) fn new(size: usize, arena: &[u8], tokens: impl Iterator<Item = (TokenId, Range<usize>)>) -> Self {
        let mut places = Zeroed::<[u8; BLOCK]>::new(size);
        for (id, span) in tokens.filter(|(_, span)| span.len() < BLOCK) {
            if let Some(place) = places.as_mut_slice().get_mut(id as usize) {
                // The key of a piece is just that: its bytes, and its length in the last.
                *place = key(arena, span.start, span.len()).key.to_le_bytes();
            }
        }
        ShortTokens(places)
    }
}

/// `shown` gives the token of any id, and of unknown ones an error; `short` has tokens for which it always gives the same.
pub(crate) fn concat<'a>(
    ids: &[TokenId],
    short: &ShortTokens,
    shown: impl Fn(TokenId) -> Result<&'a [u8]>,
) -> Result<Vec<u8>> {
    let short = short.0.as_slice();
    // No more than they may need: most calls decode a few at a time.
    let room = BLOCK * ids.len().min(GROUP);
    let mut out = Vec::new();
    make_room(&mut out, 4 * ids.len() + room);
    let mut end = 0;
    for group in ids.chunks(GROUP) {
        let more = (end + room).saturating_sub(out.len());
        make_room(&mut out, more);
        out.resize(end + room, 0);
        group.iter().filter_map(|&id| short.get(id as usize)).for_each(prefetch);
        for &id in group {
            match (short.get(id as usize), out.get_mut(end..end + BLOCK)) {
                (Some(token), Some(place)) if token[BLOCK - 1] > 0 => {
                    place.copy_from_slice(token);
                    end += usize::from(token[BLOCK - 1]);
                }
                _ => {
                    let token = shown(id)?;
                    let needed = end + token.len();
                    if out.len() < needed + BLOCK {
                        out.resize(needed + room, 0);
                    }
                    out[end..needed].copy_from_slice(token);
                    end = needed;
                }
            }
        }
    }
    out.truncate(end);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn gives_what_joining_does(
            tokens in prop::collection::vec("[a-zé€]{0,20}", 1..40),
            ids in prop::collection::vec(0u32..45, 0..2000),
        ) {
            let odd = |id: TokenId| id.is_multiple_of(3);
            let token = |id: TokenId| tokens.get(id as usize).map(String::as_bytes);
            let arena = tokens.concat();
            let ends = tokens.iter().scan(0, |end, token| {
                *end += token.len();
                Some(*end)
            });
            let spans: Vec<Range<usize>> = ends.zip(&tokens).map(|(end, token)| end - token.len()..end).collect();
            let plain = (0..).zip(spans).filter(|&(id, _)| !odd(id));
            // Every third is shown in one call and not in the next.
            for short in [ShortTokens::default(), ShortTokens::new(tokens.len(), arena.as_bytes(), plain)] {
                for skip in [false, true, false] {
                    let shown = |id| match skip && odd(id) {
                        true => Ok(&b""[..]),
                        false => token(id).ok_or(Error::UnknownId { id: id.into(), last: 0 }),
                    };
                    let expected = ids.iter().map(|&id| shown(id)).collect::<Result<Vec<_>>>().ok();
                    prop_assert_eq!(concat(&ids, &short, shown).ok(), expected.map(|tokens| tokens.concat()));
                }
            }
        }
    }
}
