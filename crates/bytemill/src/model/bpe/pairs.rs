//! Pairs of bytes: what is known of every two before anything is merged. It settles about half of all merges at once.
//!
//! In the bytes `p a b n`, the pair `a b` is *certain* to merge if its order is lower than that of everything that could take one of the
//! two before: what could take `a` makes a token that ends with `p a`, what could take `b` one that starts with `b n`, and the lowest order
//! of each kind is known. That it is merged early makes no difference if all that its token goes on to has a higher order than itself
//! (docs/algorithms/bpe.md has the proof).

use crate::vocab::TokenId;
use crate::vocab::merges::{MergesView, NEVER, Rank};

/// What is known of two bytes side by side.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(16))]
pub(super) struct Pair {
    /// Of their merge, or `NEVER`.
    rank: Rank,
    /// The order of their merge, if it is lower than that of everything that the token which it makes goes on to; else `NEVER`.
    settled: Rank,
    /// The lowest order of a merge that makes a token which ends with them, and one which starts with them.
    ending: Rank,
    starting: Rank,
}

const NOTHING: Pair = Pair { rank: NEVER, settled: NEVER, ending: NEVER, starting: NEVER };

impl Pair {
    /// Whether this pair merges whatever is around it, given those that overlap with it.
    #[inline]
    fn is_certain(&self, before: &Pair, after: &Pair) -> bool {
        (self.settled < before.ending) & (self.settled < after.starting)
    }
}

/// One for every two bytes.
#[derive(Debug)]
pub(super) struct Pairs(Box<[Pair]>);

/// The first and the last bytes of a token.
pub(super) enum Ends {
    /// One byte, or none.
    Short,
    Pair(u8, u8),
    Long {
        first: [u8; 2],
        last: [u8; 2],
    },
}

impl Ends {
    #[inline]
    pub(super) fn of(token: &[u8]) -> Self {
        match *token {
            [] | [_] => Ends::Short,
            [left, right] => Ends::Pair(left, right),
            [left, right, .., last] => Ends::Long { first: [left, right], last: [token[token.len() - 2], last] },
        }
    }
}

impl Pairs {
    /// For bytes that each start as one of these tokens. `ends` says how tokens begin and end.
    pub(super) fn new(merges: MergesView, tokens: &[TokenId; 256], mut ends: impl FnMut(TokenId) -> Ends) -> Self {
        let mut pairs = Pairs(vec![NOTHING; 1 << 16].into());
        for (rank, &made) in (0..).zip(merges.made) {
            match ends(made) {
                Ends::Short => {}
                Ends::Pair(left, right) => {
                    let rank = merges.rank(tokens[usize::from(left)], tokens[usize::from(right)]);
                    pairs.0[place(left, right)].rank = rank;
                }
                Ends::Long { first, last } => {
                    let lower = |lowest: &mut Rank| *lowest = merges.order(rank).min(*lowest);
                    lower(&mut pairs.0[place(first[0], first[1])].starting);
                    lower(&mut pairs.0[place(last[0], last[1])].ending);
                }
            }
        }
        for pair in pairs.0.iter_mut().filter(|pair| pair.rank != NEVER) {
            let order = merges.order(pair.rank);
            if order < pair.starting.min(pair.ending) {
                pair.settled = order;
            }
            pair.starting = order.min(pair.starting);
            pair.ending = order.min(pair.ending);
        }
        pairs
    }

    /// The pairs of a piece that are certain to merge, a bit for each at its place. `each` is told the rank of every pair.
    #[inline]
    pub(super) fn certain(&self, piece: &[u8], mut each: impl FnMut(usize, Rank)) -> u64 {
        let (mut before, mut here) = (&NOTHING, &NOTHING);
        let mut certain = 0;
        // One step late: what a pair needs to know is the pair that follows it.
        for (at, two) in piece.windows(2).enumerate() {
            let after = &self.0[place(two[0], two[1])];
            each(at, after.rank);
            certain |= u64::from(here.is_certain(before, after)) << at;
            (before, here) = (here, after);
        }
        certain >> 1 | u64::from(here.is_certain(before, &NOTHING)) << piece.len().saturating_sub(2)
    }
}

#[inline]
fn place(left: u8, right: u8) -> usize {
    usize::from(left) << 8 | usize::from(right)
}
