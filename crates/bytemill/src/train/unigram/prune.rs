//! Pruning: the pieces whose loss costs the text least go. Without a piece, what it stood for is its best row of other pieces.

use super::inventory::Inventory;
use super::words::Words;
use crate::error::Result;
use crate::model::trie::NONE;
use crate::model::unigram::{Scored, Segment, width};
use crate::parallel::{Watch, run};

const SHARE: usize = 4096;

/// The pieces that stay, by number: so many, and those that nothing can replace.
pub fn kept(
    inventory: &Inventory,
    words: &Words,
    most: usize,
    threads: usize,
    watch: &mut Watch,
) -> Result<Vec<usize>> {
    let uses = uses(inventory, words, threads, watch)?;
    let used = |id: u32| uses.get(id as usize).map_or(0.0, |&uses| uses as f64);
    let total: f64 = uses.iter().map(|&uses| uses as f64).sum();
    let mut kept = Vec::new();
    let mut candidates: Vec<(f64, usize)> = Vec::new();
    let numbers = (0..inventory.len()).step_by(SHARE).map(|from| Ok(from..inventory.len().min(from + SHARE)));
    run(
        threads,
        watch,
        Vec::new,
        numbers,
        |nodes, share| Ok(share.map(|number| (number, replacement(inventory, number, nodes))).collect::<Vec<_>>()),
        |share| {
            for (number, replacement) in share {
                let count = uses[number] as f64;
                match replacement {
                    _ if count == 0.0 => {}
                    Replacement::Better => {}
                    Replacement::None => kept.push(number),
                    Replacement::Row(row) => {
                        let before = count.ln() - total.ln();
                        let sum = (total + count * (row.len() as f64 - 1.0)).ln();
                        let after: f64 = row.iter().map(|&id| (used(id) + count).ln() - sum).sum();
                        candidates.push((count / total * (before - after), number));
                    }
                }
            }
            Ok(())
        },
    )?;
    candidates.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
    let room = most.saturating_sub(kept.len());
    kept.extend(candidates.iter().take(room).map(|&(_, number)| number));
    kept.sort_unstable();
    Ok(kept)
}

/// How often each piece is in the best rows of the words.
fn uses(inventory: &Inventory, words: &Words, threads: usize, watch: &mut Watch) -> Result<Vec<u64>> {
    let scored = Scored { trie: &inventory.trie, scores: &inventory.scores, unknown: inventory.unknown };
    let shares = (0..words.len()).step_by(SHARE).map(|from| Ok(from..words.len().min(from + SHARE)));
    let make = || (vec![0u64; inventory.len()], Vec::new(), Vec::<Segment>::new());
    let workers = run(
        threads,
        watch,
        make,
        shares,
        |(uses, nodes, row), share| {
            for number in share {
                row.clear();
                scored.best(std::str::from_utf8(words.word(number)).unwrap_or_default(), 0.0, nodes, row);
                for segment in row.iter().filter(|segment| segment.id != NONE) {
                    uses[segment.id as usize] += words.counts[number];
                }
            }
            Ok(())
        },
        |()| Ok(()),
    )?;
    let mut total = vec![0u64; inventory.len()];
    for (uses, ..) in &workers {
        total.iter_mut().zip(uses).for_each(|(total, uses)| *total += uses);
    }
    Ok(total)
}

enum Replacement {
    /// No row of others is the same text.
    None,
    /// One is better than the piece itself, which is never used then.
    Better,
    Row(Vec<u32>),
}

/// The best sum that ends at a place, where its last piece starts, and which it is.
type Node = (f64, u32, u32);

fn replacement(inventory: &Inventory, number: usize, nodes: &mut Vec<Node>) -> Replacement {
    let text = inventory.texts[number].as_bytes();
    nodes.clear();
    nodes.resize(text.len() + 1, (f64::NEG_INFINITY, 0, NONE));
    nodes[0].0 = 0.0;
    let mut start = 0;
    while start < text.len() {
        let (sum, mut place) = (nodes[start].0, inventory.trie.root());
        let first = start + width(text[start]);
        let mut single = first == text.len() && start == 0;
        for (i, &byte) in text[start..].iter().enumerate().take_while(|_| sum > f64::NEG_INFINITY) {
            let Some((next, id)) = inventory.trie.step(place, byte) else { break };
            place = next;
            single |= id != NONE && start + i + 1 == first;
            if id != NONE && id as usize != number && sum + inventory.scores[id as usize] > nodes[start + i + 1].0 {
                nodes[start + i + 1] = (sum + inventory.scores[id as usize], start as u32, id);
            }
        }
        // A character that is no piece any more is unknown.
        if !single && sum + inventory.unknown > nodes[first].0 {
            nodes[first] = (sum + inventory.unknown, start as u32, NONE);
        }
        start = first;
    }
    let mut end = text.len();
    if nodes[end].0 == f64::NEG_INFINITY {
        return Replacement::None;
    }
    if nodes[end].0 > inventory.scores[number] {
        return Replacement::Better;
    }
    let mut row = Vec::new();
    while end > 0 {
        row.push(nodes[end].2);
        end = nodes[end].1 as usize;
    }
    Replacement::Row(row)
}
