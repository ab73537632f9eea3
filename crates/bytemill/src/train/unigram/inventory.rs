//! PieceInventory: the pieces of a model in training, with their scores.

use super::expectation::expected;
use super::lattice::PieceLattice;
use crate::error::Result;
use crate::machine::parallel::Team;
use crate::train::sentencepiece::TrainingWords;

/// Pieces, by their numbers.
#[derive(Debug, Default)]
pub(super) struct PieceInventory {
    /// Where each is found in the text of the words, and its bytes.
    pub places: Vec<u32>,
    pub lengths: Vec<u32>,
    /// Logarithms of probabilities.
    pub scores: Vec<f64>,
}

/// Pieces that are expected less often go.
const LEAST: f64 = 0.5;
const UNKNOWN_PENALTY: f64 = 10.0;

impl PieceInventory {
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    pub(super) fn push(&mut self, place: u32, length: u32, score: f64) {
        self.places.push(place);
        self.lengths.push(length);
        self.scores.push(score);
    }

    pub(super) fn text<'a>(&self, words: &'a TrainingWords, number: usize) -> &'a str {
        let start = self.places[number] as usize;
        std::str::from_utf8(&words.text[start..start + self.lengths[number] as usize]).unwrap_or_default()
    }

    pub(super) fn lowest(&self) -> f64 {
        self.scores.iter().copied().fold(0.0, f64::min)
    }

    /// The score of a character that is no piece.
    pub(super) fn unknown(&self) -> f64 {
        self.lowest() - UNKNOWN_PENALTY
    }

    /// One round of expectation maximization, with the prior that makes rare pieces rarer. Pieces that go are left out.
    pub(super) fn improve(&mut self, words: &TrainingWords, lattice: &mut PieceLattice, team: &mut Team) -> Result<()> {
        let counts = expected(words, lattice, self, team)?;
        let sum = digamma(counts.iter().filter(|&&count| count >= LEAST).sum());
        self.scores = team.map(self.len(), |number| digamma(counts[number].max(LEAST)) - sum)?;
        let kept: Vec<usize> = (0..self.len()).filter(|&number| counts[number] >= LEAST).collect();
        self.keep(lattice, &kept);
        Ok(())
    }

    /// Leaves out all pieces but some, here and in the lattice, and gives these the order in which they are named.
    pub(super) fn keep(&mut self, lattice: &mut PieceLattice, kept: &[usize]) {
        if kept.len() == self.len() && kept.is_sorted() {
            return;
        }
        let mut numbers = vec![None; self.len()];
        for (new, &old) in (0..).zip(kept) {
            numbers[old] = Some(new);
        }
        lattice.renumber(&numbers);
        let mut inventory = PieceInventory::default();
        for &number in kept {
            inventory.push(self.places[number], self.lengths[number], self.scores[number]);
        }
        *self = inventory;
    }
}

/// The derivative of the logarithm of the gamma function, by its recurrence and an asymptotic series from 7 on.
fn digamma(mut x: f64) -> f64 {
    let mut result = 0.0;
    while x < 7.0 {
        result -= 1.0 / x;
        x += 1.0;
    }
    let square = 1.0 / ((x - 0.5) * (x - 0.5));
    let series = 1.0 / 24.0 - square * (7.0 / 960.0 - square * (31.0 / 8064.0 - square * (127.0 / 30720.0)));
    result + (x - 0.5).ln() + square * series
}
