//! Inventory: the pieces of a model in training, with their scores.

use super::words::Words;
use crate::error::Result;
use crate::model::trie::Trie;
use crate::parallel::Watch;

#[derive(Debug)]
pub struct Inventory {
    pub texts: Vec<String>,
    /// Logarithms of probabilities.
    pub scores: Vec<f64>,
    pub trie: Trie,
    pub unknown: f64,
}

/// Pieces that are expected less often go.
const LEAST: f64 = 0.5;
const UNKNOWN_PENALTY: f64 = 10.0;

impl Inventory {
    pub fn new(pieces: Vec<(String, f64)>) -> Result<Self> {
        let (texts, scores): (Vec<String>, Vec<f64>) = pieces.into_iter().unzip();
        let trie = Trie::new((0..).zip(texts.iter().map(String::as_bytes)))?;
        let unknown = scores.iter().copied().fold(0.0, f64::min) - UNKNOWN_PENALTY;
        Ok(Inventory { texts, scores, trie, unknown })
    }

    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// One round of expectation maximization, with the prior that makes rare pieces rarer. Pieces that go are left out.
    pub fn improved(&self, words: &Words, threads: usize, watch: &mut Watch) -> Result<Self> {
        let probabilities: Vec<f64> = self.scores.iter().map(|score| score.exp()).collect();
        let expected =
            super::expectation::expected(words, &self.trie, &probabilities, self.unknown.exp(), threads, watch)?;
        let stays = |&(_, &count): &(&String, &f64)| count >= LEAST;
        let staying = || self.texts.iter().zip(&expected).filter(stays);
        let sum = digamma(staying().map(|(_, count)| count).sum());
        Inventory::new(staying().map(|(text, &count)| (text.clone(), digamma(count) - sum)).collect())
    }

    pub fn only(&self, numbers: &[usize]) -> Result<Self> {
        Inventory::new(numbers.iter().map(|&number| (self.texts[number].clone(), self.scores[number])).collect())
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
