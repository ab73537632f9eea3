//! How sure the best row of a word is: by how much it is better than the second best. Rounding errors that are smaller than that cannot make
//! another row the best, whatever the sum was before the word.

use super::super::trie::NONE;
use super::viterbi::{Score, ScoredTrie, Segment, width};
use crate::vocab::TokenId;

/// The best two sums of the rows that end at a place, and the last token of the best.
#[derive(Debug, Clone, Copy)]
pub(super) struct Two<S> {
    best: S,
    second: S,
    start: u32,
    id: TokenId,
}

/// Longer words are not remembered.
const MOST_BYTES: usize = 256;

/// Appends the best row of a word that has no unknown characters, and tells whether it is the best wherever the word stands. What is
/// appended otherwise is of no use.
pub(super) fn is_sure<S: Score>(
    model: &ScoredTrie<S>,
    word: &str,
    nodes: &mut Vec<Two<S>>,
    row: &mut Vec<Segment>,
) -> bool {
    let bytes = word.as_bytes();
    if bytes.len() > MOST_BYTES {
        return false;
    }
    nodes.clear();
    nodes.resize(bytes.len() + 1, Two { best: S::LOWEST, second: S::LOWEST, start: 0, id: NONE });
    nodes[0].best = S::ZERO;
    let mut start = 0;
    while start < bytes.len() {
        let before = nodes[start];
        let first = start + width(bytes[start]);
        let (mut place, mut single) = (model.trie.root(), false);
        for (end, &byte) in (start + 1..).zip(&bytes[start..]) {
            let Some((next, id)) = model.trie.step(place, byte) else { break };
            place = next;
            if id != NONE {
                improve(&mut nodes[end], before, model.scores[id as usize], start, id);
                single |= end == first;
            }
        }
        if !single {
            improve(&mut nodes[first], before, model.unknown, start, NONE);
        }
        start = first;
    }
    let Two { best, second, .. } = nodes[bytes.len()];
    // A row has at most as many sums as bytes, and two rows are compared, here and wherever the word stands.
    if best.magnitude() > S::MOST_SUM || best - second <= S::MARGIN.times(bytes.len()) {
        return false;
    }
    let (from, mut end) = (row.len(), bytes.len());
    while end > 0 {
        let Two { start, id, .. } = nodes[end];
        row.push(Segment { start: start as usize, end, id });
        end = start as usize;
    }
    row[from..].reverse();
    row[from..].iter().all(|segment| segment.id != NONE)
}

#[inline]
fn improve<S: Score>(node: &mut Two<S>, before: Two<S>, score: S, start: usize, id: TokenId) {
    let (best, second) = (before.best + score, before.second + score);
    if best > node.best {
        let second = if second > node.best { second } else { node.best };
        *node = Two { best, second, start: start as u32, id };
    } else if best > node.second {
        node.second = best;
    }
}
