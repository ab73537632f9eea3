//! How often each piece is expected in the text: for every word, the probability of each place that a piece may have, by one pass forward
//! over its rows and one back.
//!
//! Probabilities are multiplied, not added as logarithms; where they become small, all that are under way are made larger alike. What is
//! expected is counted in whole units, so that the sum is the same in whatever order it is made.

use super::inventory::PieceInventory;
use super::lattice::PieceLattice;
use crate::error::Result;
use crate::machine::parallel::Team;
use crate::model::unigram::width;
use crate::train::sentencepiece::TrainingWords;

/// Units of what is expected.
const UNIT: f64 = (1 << 20) as f64;
/// By how much small probabilities are made larger, and when.
const RAISE: f64 = f64::from_bits(((1023 + 300) as u64) << 52);
const SMALL: f64 = f64::from_bits(((1023 - 300) as u64) << 52);

/// Words that a worker takes at a time.
const SHARE: usize = 4096;

#[derive(Debug)]
struct ExpectationWorker {
    /// For each place in a word: the probability of its rows up to there, and how often that was raised.
    forward: Vec<f64>,
    raised: Vec<i32>,
    /// The probability that a row of the whole word has a border there, divided by the one above.
    backward: Vec<f64>,
    sums: Vec<u64>,
}

/// For each piece, how often it is expected.
pub(super) fn expected(
    words: &TrainingWords,
    lattice: &PieceLattice,
    inventory: &PieceInventory,
    team: &mut Team,
) -> Result<Vec<f64>> {
    let shares = (0..words.len()).step_by(SHARE).map(|from| Ok(from..words.len().min(from + SHARE)));
    let weigh = |number: usize| (inventory.scores[number].exp(), inventory.lengths[number]);
    let (pieces, unknown) = (team.map(inventory.len(), weigh)?, inventory.unknown().exp());
    let make = || ExpectationWorker {
        forward: Vec::new(),
        raised: Vec::new(),
        backward: Vec::new(),
        sums: vec![0u64; inventory.len()],
    };
    let workers = team.run(
        make,
        shares,
        |worker, share| {
            share.for_each(|number| worker.word(words, number, lattice, &pieces, unknown));
            Ok(())
        },
        |()| Ok(()),
    )?;
    let mut total = vec![0u64; inventory.len()];
    for worker in &workers {
        total.iter_mut().zip(&worker.sums).for_each(|(total, sum)| *total += sum);
    }
    Ok(total.into_iter().map(|sum| sum as f64 / UNIT).collect())
}

impl ExpectationWorker {
    fn word(
        &mut self,
        words: &TrainingWords,
        number: usize,
        lattice: &PieceLattice,
        pieces: &[(f64, u32)],
        unknown: f64,
    ) {
        let ExpectationWorker { forward, raised, backward, sums } = self;
        let (word, from) = (words.word(number), words.starts[number] as usize);
        let size = word.len();
        forward.clear();
        forward.resize(size + 1, 0.0);
        forward[0] = 1.0;
        raised.clear();
        raised.resize(size + 1, 0);
        let (mut start, mut furthest, mut times) = (0, 0, 0);
        while start < size {
            if forward[start] < SMALL {
                forward[start..=furthest.max(start)].iter_mut().for_each(|sum| *sum *= RAISE);
                times += 1;
            }
            raised[start] = times;
            let (sum, first) = (forward[start], width(word[start]));
            let numbers = lattice.at(from + start);
            let mut longest = first;
            for &number in numbers {
                let (probability, length) = pieces[number as usize];
                forward[start + length as usize] += sum * probability;
                longest = length as usize;
            }
            if !begins_with(numbers, pieces, first) {
                forward[start + first] += sum * unknown;
            }
            furthest = furthest.max(start + longest);
            start += first;
        }
        raised[size] = times;
        backward.clear();
        backward.resize(size + 1, 0.0);
        backward[size] = 1.0 / forward[size];
        let weight = words.counts[number] as f64 * UNIT;
        for start in (0..size).rev().filter(|&start| word[start] & 0xC0 != 0x80) {
            let (sum, first, numbers) = (forward[start], width(word[start]), lattice.at(from + start));
            let mut total = 0.0;
            for &number in numbers {
                let (probability, length) = pieces[number as usize];
                let end = start + length as usize;
                let share = sum * probability * backward[end] * raise(raised[end] - raised[start]);
                total += share;
                // By way of a signed number, which the machine can make.
                sums[number as usize] += (share * weight + 0.5) as i64 as u64;
            }
            if !begins_with(numbers, pieces, first) {
                let end = start + first;
                total += sum * unknown * backward[end] * raise(raised[end] - raised[start]);
            }
            // A place that no row comes to has no share in anything.
            backward[start] = if sum > 0.0 { total / sum } else { 0.0 };
        }
    }
}

#[inline]
fn raise(times: i32) -> f64 {
    // Not left to the compiler, which knows that a power of zero is one and calls for each.
    if times == 0 { 1.0 } else { power(times) }
}

#[cold]
#[inline(never)]
fn power(times: i32) -> f64 {
    RAISE.powi(times)
}

/// Whether the first of these pieces is just a character of `first` bytes.
#[inline]
pub(super) fn begins_with(numbers: &[u32], pieces: &[(f64, u32)], first: usize) -> bool {
    numbers.first().is_some_and(|&number| pieces[number as usize].1 as usize == first)
}
