//! Characters and words: a list of them, the most frequent first.

use super::Prepared;

/// With the logarithm of their share, in the precision of SentencePiece.
pub(super) fn scored(counted: Vec<(String, u64)>, sum: u64, prepared: &Prepared) -> Vec<(String, f64)> {
    let all = (sum as f32).ln();
    let free = counted.into_iter().filter(|(text, _)| !prepared.reserved.contains(text));
    // What never occurs and is wanted all the same has a score, too.
    free.take(prepared.room).map(|(text, count)| (text, f64::from((count.max(1) as f32).ln() - all))).collect()
}
