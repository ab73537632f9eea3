//! How sure the best row of a word is: by how much it is better than the second best. Rounding errors that are smaller than that cannot make
//! another row the best, whatever the sum was before the word.

use super::super::trie::NONE;
use super::viterbi::{Scored, Segment, width};
use crate::vocab::TokenId;

/// The best two sums of the rows that end at a place, and the last token of the best.
#[derive(Debug, Clone, Copy)]
pub struct Two {
    best: f32,
    second: f32,
    start: u32,
    id: TokenId,
}

const NOTHING: Two = Two { best: f32::NEG_INFINITY, second: f32::NEG_INFINITY, start: 0, id: NONE };
/// Half the distance of two 32-bit numbers below 2¹⁷, which is as far as sums reach: the most that rounding one sum changes it.
const ROUNDING: f32 = 1.0 / 256.0;
/// Longer words are not remembered.
const MOST_BYTES: usize = 256;
/// Sums of a word by itself stay below it in number; beyond, nothing is sure. Half the distance of two numbers there.
const MOST_SUM: f32 = 8192.0;
const OWN_ROUNDING: f32 = 1.0 / 4096.0;

/// Appends the best row of a word that has no unknown characters, and tells whether it is the best wherever the word stands. What is
/// appended otherwise is of no use.
pub fn is_sure(model: &Scored<f32>, word: &str, nodes: &mut Vec<Two>, row: &mut Vec<Segment>) -> bool {
    let bytes = word.as_bytes();
    if bytes.len() > MOST_BYTES {
        return false;
    }
    nodes.clear();
    nodes.resize(bytes.len() + 1, NOTHING);
    nodes[0].best = 0.0;
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
    // A row of so many bytes has at most as many sums, and two rows are compared, here and wherever the word stands.
    if best.abs() > MOST_SUM || best - second <= 2.0 * (ROUNDING + OWN_ROUNDING) * bytes.len() as f32 {
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
fn improve(node: &mut Two, before: Two, score: f32, start: usize, id: TokenId) {
    let (best, second) = (before.best + score, before.second + score);
    if best > node.best {
        *node = Two { best, second: node.best.max(second), start: start as u32, id };
    } else {
        node.second = node.second.max(best);
    }
}
