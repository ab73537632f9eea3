//! Pruning: the pieces whose loss costs the text least go. Without a piece, what it stood for is its best row of other pieces.
//!
//! SentencePiece leaves the pieces in their order. `tokenizers` puts those that nothing can replace first, then the others, the dearest
//! first: when the last pieces are chosen it goes by that order.

use super::expectation::begins_with;
use super::inventory::PieceInventory;
use super::lattice::PieceLattice;
use crate::error::Result;
use crate::machine::parallel::Team;
use crate::model::trie::NONE;
use crate::model::unigram::width;
use crate::train::sentencepiece::{PieceTask, TrainingWords};

const SHARE: usize = 4096;

/// What a search for the best row goes through.
struct Rows<'a> {
    words: &'a TrainingWords,
    lattice: &'a PieceLattice,
    /// The score of each piece, and its bytes.
    pieces: Vec<(f64, u32)>,
    unknown: f64,
}

/// The pieces that stay: `most`, and those that nothing can replace.
pub(super) fn kept(
    inventory: &PieceInventory,
    task: &PieceTask,
    lattice: &PieceLattice,
    most: usize,
    team: &mut Team,
) -> Result<Vec<usize>> {
    let PieceTask { words, options, .. } = *task;
    let of_tokenizers = options.recipe.is_of_tokenizers();
    let pieces = inventory.scores.iter().copied().zip(inventory.lengths.iter().copied()).collect();
    let rows = Rows { words, lattice, pieces, unknown: inventory.unknown() };
    let (uses, unknown) = uses(&rows, team)?;
    // `tokenizers` takes the unknown token for a piece.
    let unknown = if of_tokenizers { unknown as f64 } else { 0.0 };
    let used = |id: u32| uses.get(id as usize).map_or(unknown, |&uses| uses as f64);
    let total: f64 = uses.iter().map(|&uses| uses as f64).sum::<f64>() + unknown;
    let mut kept = Vec::new();
    let mut candidates: Vec<(f64, usize)> = Vec::new();
    let numbers = (0..inventory.len()).step_by(SHARE).map(|from| Ok(from..inventory.len().min(from + SHARE)));
    team.run(
        || (Vec::new(), Vec::new()),
        numbers,
        |(nodes, row), share| {
            let mut losses = Vec::with_capacity(share.len());
            for number in share.filter(|&number| uses[number] > 0 || of_tokenizers) {
                let is_used = uses[number] > 0;
                let loss = match rows.replacement(inventory, number, nodes, row) {
                    Replacement::None if is_used || of_tokenizers => None,
                    Replacement::Better if is_used && of_tokenizers => None,
                    Replacement::None | Replacement::Better => continue,
                    Replacement::Row if !is_used => continue,
                    Replacement::Row => {
                        let count = uses[number] as f64;
                        let before = count.ln() - total.ln();
                        let sum = (total + count * (row.len() as f64 - 1.0)).ln();
                        let after: f64 = row.iter().map(|&id| (used(id) + count).ln() - sum).sum();
                        Some(count / total * (before - after))
                    }
                };
                losses.push((number, loss));
            }
            Ok(losses)
        },
        |losses| {
            for (number, loss) in losses {
                match loss {
                    Some(loss) => candidates.push((loss, number)),
                    None => kept.push(number),
                }
            }
            Ok(())
        },
    )?;
    candidates.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
    let room = match most.checked_sub(kept.len()) {
        // It counts until there are just as many as it wants, which are more already.
        None if of_tokenizers => candidates.len(),
        room => room.unwrap_or(0),
    };
    kept.extend(candidates.iter().take(room).map(|&(_, number)| number));
    if !of_tokenizers {
        kept.sort_unstable();
    }
    Ok(kept)
}

/// How often each piece is in the best rows of the words, and how often something unknown is.
fn uses(rows: &Rows, team: &mut Team) -> Result<(Vec<u64>, u64)> {
    let words = rows.words;
    let shares = (0..words.len()).step_by(SHARE).map(|from| Ok(from..words.len().min(from + SHARE)));
    let make = || (vec![0u64; rows.pieces.len() + 1], Vec::new(), Vec::new());
    let workers = team.run(
        make,
        shares,
        |(uses, nodes, row), share| {
            for number in share {
                rows.best(words.starts[number] as usize, words.word(number), None, nodes, row);
                row.iter().for_each(|&id| uses[(id as usize).min(rows.pieces.len())] += words.counts[number]);
            }
            Ok(())
        },
        |()| Ok(()),
    )?;
    let mut total = vec![0u64; rows.pieces.len() + 1];
    for (uses, ..) in &workers {
        total.iter_mut().zip(uses).for_each(|(total, uses)| *total += uses);
    }
    let unknown = total.pop().unwrap_or_default();
    Ok((total, unknown))
}

enum Replacement {
    /// No row of others is the same text.
    None,
    /// One is better than the piece itself, which is never used then.
    Better,
    Row,
}

/// The best sum that ends at a place, and its last piece.
type BestSum = (f64, u32);

impl Rows<'_> {
    /// The best row of other pieces for a piece, where it is found in the text.
    fn replacement(
        &self,
        inventory: &PieceInventory,
        number: usize,
        nodes: &mut Vec<BestSum>,
        row: &mut Vec<u32>,
    ) -> Replacement {
        let (at, length) = (inventory.places[number] as usize, inventory.lengths[number] as usize);
        let text = &self.words.text[at..at + length];
        if width(text[0]) == length {
            return Replacement::None;
        }
        match self.best(at, text, Some(number as u32), nodes, row) {
            sum if sum > self.pieces[number].0 => Replacement::Better,
            _ => Replacement::Row,
        }
    }

    /// The best row of a stretch of the text, without one piece; gives its sum. Among equal rows the first counts, with the longest last piece.
    fn best(
        &self,
        from: usize,
        text: &[u8],
        without: Option<u32>,
        nodes: &mut Vec<BestSum>,
        row: &mut Vec<u32>,
    ) -> f64 {
        nodes.clear();
        nodes.resize(text.len() + 1, (f64::NEG_INFINITY, NONE));
        nodes[0].0 = 0.0;
        let mut start = 0;
        while start < text.len() {
            let (sum, first) = (nodes[start].0, width(text[start]));
            let numbers = self.lattice.at(from + start);
            for &number in numbers {
                let (score, length) = self.pieces[number as usize];
                let Some(node) = nodes.get_mut(start + length as usize) else { break };
                if sum + score > node.0 && Some(number) != without {
                    *node = (sum + score, number);
                }
            }
            // A character that is no piece any more is unknown.
            if !begins_with(numbers, &self.pieces, first) && sum + self.unknown > nodes[start + first].0 {
                nodes[start + first] = (sum + self.unknown, NONE);
            }
            start += first;
        }
        row.clear();
        let mut end = text.len();
        while end > 0 {
            let id = nodes[end].1;
            row.push(id);
            end -= match self.pieces.get(id as usize) {
                Some(&(_, length)) => length as usize,
                None => text[..end].iter().rev().take_while(|&&byte| byte & 0xC0 == 0x80).count() + 1,
            };
        }
        nodes[text.len()].0
    }
}
