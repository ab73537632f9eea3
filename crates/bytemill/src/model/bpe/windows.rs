//! Long pieces, a window at a time: each is merged by itself, on the stack while it is small, and joined to the one before.
//!
//! A row of tokens is what merging makes of their bytes if and only if that is so of every two neighbours (docs/algorithms/bpe.md has the
//! proof). So where two windows that overlap have a token in common, the tokens of the first up to it and those of the second from it on
//! are such a row. Time is linear in the piece as long as windows agree; where they don't, they grow, and if one then has another first token
//! than that which it had in common with the one before, all begins anew with the larger size.

use std::ops::Range;

use crate::vocab::TokenId;

/// Reused from piece to piece.
#[derive(Debug, Default)]
pub(super) struct Windows {
    tokens: Vec<TokenId>,
    next: Vec<TokenId>,
    /// The ids of the window that was merged last.
    last: Vec<TokenId>,
}

impl Windows {
    /// Appends the ids of a piece. The first windows have `size` bytes; `merge` appends the ids of one, `width` is the length of a token.
    pub(super) fn merge(
        &mut self,
        piece: &[u8],
        mut size: usize,
        mut merge: impl FnMut(&[u8], &mut Vec<TokenId>),
        width: impl Fn(TokenId) -> usize,
        ids: &mut Vec<TokenId>,
    ) {
        let Windows { tokens, next, last } = self;
        let end_of = |start: usize, size: usize| (start + size).min(piece.len());
        let (mut start, mut end, from) = (0, end_of(0, size), ids.len());
        let mut merged = 0..0;
        // A megabyte of spaces is one window over and over.
        let mut merge = |window: Range<usize>, tokens: &mut Vec<TokenId>| {
            if piece[window.clone()] != piece[merged.clone()] {
                last.clear();
                merge(&piece[window.clone()], last);
                merged = window;
            }
            tokens.clone_from(last);
        };
        merge(start..end, tokens);
        while end < piece.len() {
            // What follows a window may change its last tokens, seldom those before.
            let (kept, border) = kept(tokens, start, end - size / 4, &width);
            let next_end = end_of(border, size);
            merge(border..next_end, next);
            match common(&tokens[kept..], next, border, &width) {
                Some(Common { in_first, in_second, at }) if kept + in_first > 0 => {
                    ids.extend_from_slice(&tokens[..kept + in_first]);
                    std::mem::swap(tokens, next);
                    tokens.drain(..in_second);
                    (start, end) = (at, next_end);
                }
                _ => {
                    size *= 2;
                    let joined = tokens.first().copied();
                    end = end_of(start, size);
                    merge(start..end, tokens);
                    if start > 0 && tokens.first().copied() != joined {
                        ids.truncate(from);
                        (start, end) = (0, end_of(0, size));
                        merge(start..end, tokens);
                    }
                }
            }
        }
        ids.extend_from_slice(tokens);
    }
}

/// How many tokens end at `limit` or before, and where the last of them ends.
fn kept(tokens: &[TokenId], start: usize, limit: usize, width: impl Fn(TokenId) -> usize) -> (usize, usize) {
    let (mut count, mut border) = (0, start);
    for &token in tokens {
        let end = border + width(token);
        if end > limit {
            break;
        }
        (count, border) = (count + 1, end);
    }
    (count, border)
}

/// The first token that two rows have in the same place: how many are before it in each, and where it begins.
struct Common {
    in_first: usize,
    in_second: usize,
    at: usize,
}

/// For two rows that both begin at `start`.
fn common(first: &[TokenId], second: &[TokenId], start: usize, width: impl Fn(TokenId) -> usize) -> Option<Common> {
    let (mut i, mut j) = (0, 0);
    let (mut x, mut y) = (start, start);
    loop {
        let (&left, &right) = (first.get(i)?, second.get(j)?);
        if x == y && left == right {
            return Some(Common { in_first: i, in_second: j, at: x });
        }
        if x <= y {
            (i, x) = (i + 1, x + width(left));
        } else {
            (j, y) = (j + 1, y + width(right));
        }
    }
}
