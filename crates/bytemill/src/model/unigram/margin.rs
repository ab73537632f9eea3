//! How sure the best row of a text is: by how much it is better than the second best. Rounding errors that are smaller than that cannot make
//! another row the best, whatever the sum was before the text.

use super::super::trie::NONE;
use super::viterbi::{Scored, width};

/// The best two sums of the rows that end at a place.
type Two = [f64; 2];

const NOTHING: Two = [f64::NEG_INFINITY; 2];

/// The difference between the best two rows, in exact arithmetic (nearly: that of 64 bits); infinite where there is only one.
pub fn margin(model: &Scored<f32>, text: &str, nodes: &mut Vec<Two>) -> f64 {
    let bytes = text.as_bytes();
    nodes.clear();
    nodes.resize(bytes.len() + 1, NOTHING);
    nodes[0][0] = 0.0;
    let mut start = 0;
    while start < bytes.len() {
        let before = nodes[start];
        let first = start + width(bytes[start]);
        let (mut place, mut single) = (model.trie.root(), false);
        for (i, &byte) in bytes[start..].iter().enumerate() {
            let Some((next, id)) = model.trie.step(place, byte) else { break };
            place = next;
            if id != NONE {
                add(&mut nodes[start + i + 1], before, model.scores[id as usize].into());
                single |= start + i + 1 == first;
            }
        }
        if !single {
            add(&mut nodes[first], before, model.unknown.into());
        }
        start = first;
    }
    let [best, second] = nodes[bytes.len()];
    best - second
}

fn add(node: &mut Two, before: Two, score: f64) {
    for sum in before.map(|sum| sum + score) {
        if sum > node[0] {
            *node = [sum, node[0]];
        } else if sum > node[1] {
            node[1] = sum;
        }
    }
}
