//! concat: tokens one after the other. It is what most tokenizers do, and worth doing without a call to copy for each token.

use crate::error::Result;
use crate::vocab::{TokenId, View};

/// Tokens are copied so many bytes at a time, whatever their length: a fixed size is one load and one store.
const BLOCK: usize = 16;
/// Ids that room is made for in one go.
const GROUP: usize = 256;

/// `odd` tells the ids whose token is not that of the vocabulary; `shown` gives the token of any id, and of unknown ones an error.
pub fn concat<'a>(
    ids: &[TokenId],
    vocab: View,
    odd: impl Fn(TokenId) -> bool,
    shown: impl Fn(TokenId) -> Result<&'a [u8]>,
) -> Result<Vec<u8>> {
    let mut out = Vec::with_capacity(4 * ids.len() + GROUP * BLOCK);
    let mut end = 0;
    for group in ids.chunks(GROUP) {
        out.resize(end + GROUP * BLOCK, 0);
        for &id in group {
            let span = vocab.span(id).unwrap_or(0..0);
            let block = vocab.arena.get(span.start..span.start + BLOCK);
            match (block, out.get_mut(end..end + BLOCK)) {
                // A hole in the vocabulary has an empty place.
                (Some(block), Some(place)) if (1..=BLOCK).contains(&span.len()) && !odd(id) => {
                    place.copy_from_slice(block);
                    end += span.len();
                }
                _ => {
                    let token = shown(id)?;
                    let needed = end + token.len();
                    if out.len() < needed + BLOCK {
                        out.resize(needed + GROUP * BLOCK, 0);
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
