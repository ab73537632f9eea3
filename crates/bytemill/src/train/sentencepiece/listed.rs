//! Characters and words: a list of them, the most frequent first.

use super::Prepared;
use crate::train::History;

/// With the logarithm of their share, in the precision of SentencePiece; and with their counts.
pub(super) fn scored(counted: Vec<(String, u64)>, sum: u64, prepared: &Prepared) -> (Vec<(String, f64)>, History) {
    let all = (sum as f32).ln();
    let free = counted.into_iter().filter(|(text, _)| !prepared.reserved.contains(text));
    // What never occurs and is wanted all the same has a score, too.
    let score = |count: u64| f64::from((count.max(1) as f32).ln() - all);
    let chosen: Vec<(String, u64)> = free.take(prepared.room).collect();
    let pieces = chosen.iter().map(|(text, count)| (text.clone(), score(*count))).collect();
    (pieces, History::Tokens(chosen.into_iter().collect()))
}
